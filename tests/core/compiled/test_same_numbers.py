"""Tests of machine code against the same functions in Python, with the arguments of kernels in short runs."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.aerodynamics.wind import Wind
from fem_mbd.core.compiled.calls import Call, Number, run_calls
from fem_mbd.core.compiled.entries import Entry, Prepared
from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.core.compiled.libraries import LIBRARIES, library_of
from fem_mbd.core.compiled.signatures import flat
from fem_mbd.core.model.model import PrescribedMotion
from fem_mbd.core.model.time_functions import Table
from fem_mbd.elements import Beam, RigidBody, RotationalSpringDamper, Section
from fem_mbd.friction import CoulombStiction, Linear, LuGre
from fem_mbd.joints import Cylindrical, JointFriction, PointOnPlane, Revolute
from tests.aerodynamics.test_rotor_loads import rotor

SECTION = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))
LUGRE = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02)


def model(torsion: float = 5.0) -> fm.Model:
    """A hinged beam with a spring (N m/rad) and friction, whose end slides on a plane."""
    found = fm.Model(gravity=(0, 0, -9.81), allow_redundant=True)
    beam = found.add(Beam(SECTION, (0, 0, 0), (1, 0, 0), elements=3, order=3))
    rub = JointFriction(
        law=CoulombStiction(mu_s=0.2, mu_k=0.2), pin_radius=0.01, torque_preload=0.15, loads=("preload",)
    )
    found.add(Revolute(found.ground, beam.start, at=(0, 0, 0), axis=(0, 1, 0), friction=rub))
    ball = found.add(RigidBody(1.0, (0.02, 0.02, 0.02), position=(1.5, 0, 0.0), name="ball"))
    found.add(RotationalSpringDamper(found.ground, ball.node, (0, 0, 1), torsion, angle=-0.5))
    found.add(PointOnPlane(found.ground, ball.node, normal=Linear(1e6), friction=LUGRE, direction=(0, 0, 1)))
    turned = found.add(RigidBody(1.0, (0.02, 0.02, 0.02), position=(0, 1, 0)))
    hinge: dict[str, Any] = {"at": (0, 1, 0), "axis": (0, 0, 1)}  # a loop with the ground
    swing = found.add(RigidBody(1.0, (0.02, 0.02, 0.02), position=(0.5, 1, 0)))
    found.add(Revolute(found.ground, swing, **hinge))
    found.add(Cylindrical(found.ground, swing, **hinge))
    found.add(PrescribedMotion(turned.node, axis=(0, 0, 1), angle=Table([0, 1, 2], [0, 1, 1])))
    found.set_velocity(ball.node, (0.1, 0.0, -0.1))
    return found


def calls_of_a_gradient() -> list[Call]:
    """The calls of the kernels that only derivatives take."""
    made: list[Call] = []
    original = Call.__init__

    def init(self: Call, kernel: Any, *arguments: Any, **named: Any) -> None:
        original(self, kernel, *arguments, **named)
        if isinstance(kernel, Kernel) and library_of(kernel.__module__) == "sensitivity":
            made.append(self)

    def build(values: Mapping[str, float]) -> fm.Simulation:
        return fm.Simulation(model(**values), 0.01, fm.StepControl.fixed(1e-3))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Call, "__init__", init)
        fm.gradient(build, {"y": "final(ball.position[0])"}, {"torsion": 5.0}, method="forward")
    return made


Sample = tuple[Kernel, list[Any]]  # with arguments as before a call


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Calls of a run: those that Python makes, and those of its lists as they stand after some steps."""
    found: list[Sample] = []
    patch = pytest.MonkeyPatch()
    original = Entry.run

    def run(self: Entry, prepared: Prepared) -> Any:
        if (before := copied(prepared.arguments)) and sum(one is self.kernel for one, _ in found) < 3:
            found.append((self.kernel, before))
        return original(self, prepared)

    patch.setattr(Entry, "run", run)
    sims = []
    for solver in ("block", "lu"):
        options = fm.NewtonOptions(linear_solver=solver)
        sims.append(fm.Simulation(model(), 0.01, fm.StepControl.fixed(1e-3), newton=options))
        for _ in sims[-1].steps():
            pass
    sims.append(fm.Simulation(rotor(Wind(8.0), stall="hgm")[0], 0.1, fm.StepControl.fixed(0.05)))
    for _ in sims[-1].steps():
        pass
    patch.undo()
    for one in [*calls_of_a_gradient(), *gc.get_objects()]:
        if isinstance(one, Call) and one.kernel is not run_calls:
            if before := copied(one.arguments):
                found.append((one.kernel, before))
    return found


def copied(arguments: Sequence[Any]) -> list[Any] | None:
    """The same apart from memory; None where arguments share some, or are lists of calls, which cannot be copied."""
    arrays = [one for one in flat(arguments) if isinstance(one, np.ndarray) and one.size]
    if any(one.dtype == np.int64 and one.max() > 1 << 32 for one in arrays):  # an address
        return None
    for k, one in enumerate(arrays):
        if any(np.shares_memory(one, other) for other in arrays[:k]):
            return None
    return list(map(_copy, arguments))


def _copy(one: Any) -> Any:
    if isinstance(one, tuple):
        return type(one)(*map(_copy, one))
    if isinstance(one, Number):
        return float(one)
    return one.copy() if isinstance(one, np.ndarray | np.void) else one


def numbers(thing: Any) -> Iterator[np.ndarray]:
    """All numbers of an argument or result."""
    if isinstance(thing, tuple | list):
        for one in thing:
            yield from numbers(one)
    elif isinstance(thing, np.ndarray | np.void) and thing.dtype.fields:
        for name in thing.dtype.names or ():
            yield from numbers(thing[name])
    elif thing is not None:
        yield np.asarray(thing)


# Batches work on SIMD vectors, which Python has not: tests/elements/beam/test_batches compares them with single beams.
# So do linear_solvers, in functions that are declared as machine code: tests/core/linear_solvers has numpy's numbers.
@pytest.mark.parametrize("library", sorted(set(LIBRARIES) - {"calls", "beam_batches", "linear_solvers"}))
def test_compiled_as_in_python(samples: list[Sample], library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "_prepared_or_none", lambda self, arguments: None)  # all that it calls, too
    tried = set()
    for kernel, before in samples:
        if library_of(kernel.__module__) != library:
            continue
        compiled, plain = copied(before), copied(before)
        assert compiled is not None and plain is not None
        prepared = next(filter(None, (entry.prepared(compiled) for entry in kernel.entries)))
        returned = prepared.entry.run(prepared)
        with np.errstate(all="ignore"):
            try:
                expected = kernel.in_python(*plain)
            except NotImplementedError:  # SIMD vectors
                continue
        tried.add(kernel.__name__)
        for one, other in zip(numbers([returned, compiled]), numbers([expected, plain]), strict=True):
            size = float(np.abs(other[np.isfinite(other)]).max(initial=1e-300))
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13 * size, err_msg=kernel.__name__)
    assert tried
