"""Tests of the compiled time loop against steps in Python: bitwise the same runs, and when each is used."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import Simulation, StepRecord
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.core.solver import time_loop
from fem_mbd.core.solver.energy_balance import BALANCE
from fem_mbd.core.solver.steps import Steps
from fem_mbd.core.solver.time_loop import COMPLETE, STEP_BEGUN
from fem_mbd.core.stepping.step_record import Sink
from fem_mbd.elements import Beam, RigidBody, Section, SpringDamper
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import PointOnPlane, Revolute
from tests.runs.comparison import assert_same

CONTROL = fm.StepControl(
    fm.ErrorEstimate(1e-3), fm.Penetration(2e-5), fm.Stribeck(1.0), dt_initial=1e-3, dt_max=2e-2, growth=4.0
)
FRICTION = LuGre(sigma_0=1e5, sigma_1=5e-3, sigma_2=0.01, mu_s=0.4, mu_k=0.3, v_s=0.02)


def falling_beam() -> fm.Model:
    """A beam on a hinge with a spring; the body at its tip falls on a floor, slides and bounces."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([1e-2, 5e-3, 5e-3]))
    beam = model.add(Beam(section, (0, 0, 0.02), (1, 0, 0.02), elements=2))
    tip = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), position=(1, 0, 0.02)))
    model.add(Revolute(model.ground.at_global((0, 0, 0.02)), beam.start, axis=(0, 1, 0)))
    model.add(Revolute(beam.end, tip.node, axis=(0, 1, 0)))
    model.add(SpringDamper(model.ground, tip.node, 50.0, 1.0))
    model.add(PointOnPlane(model.ground, tip.node, normal=Linear(1e5), friction=FRICTION))
    return model


def simulation(control: fm.StepControl = CONTROL, **options: Any) -> Simulation:
    return Simulation(falling_beam(), 0.12, control, newton=fm.NewtonOptions(**options))


def in_place(control: fm.StepControl = CONTROL) -> Simulation:
    """A beam on a hinge whose free end falls on a floor: a chain, factorised in place."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([1e-2, 5e-3, 5e-3]))
    beam = model.add(Beam(section, (0, 0, 0.02), (1, 0, 0.02), elements=2))
    model.add(Revolute(model.ground.at_global((0, 0, 0.02)), beam.start, axis=(0, 1, 0)))
    model.add(PointOnPlane(model.ground, beam.end, normal=Linear(1e5), friction=FRICTION))
    return Simulation(model, 0.12, control, newton=fm.NewtonOptions(linear_solver="block"))


@pytest.mark.parametrize(
    "options", [{}, {"record_every": 3}, {"record_at": 0.007}, {"quantities": ()}, {"checkpoint_every": 7}]
)
def test_runs_are_those_with_steps_in_python(options: Any) -> None:
    """With an impact: steps that a rule rejects, growing steps, and steps that end at given times."""
    runs = [
        fm.run(simulation(compiled=compiled, linear_solver="lu"), progress=False, **options)
        for compiled in (True, False)
    ]
    assert_same(*runs)
    assert int(runs[0].step["rejections"].sum()) > 0 and runs[0].energy["contact"].max() > 0.0


def test_runs_with_factors_in_place_are_the_same_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next tangent overwrites the factors of the block LU: no solve may use matrix values as factors."""
    compiled = fm.run(in_place(), progress=False, checkpoint_every=7)
    monkeypatch.setattr(Steps, "make_steps", lambda *_: None)
    readable = fm.run(in_place(), progress=False, checkpoint_every=7)
    assert_same(compiled, readable)
    assert int(compiled.step["rejections"].sum()) > 0 and compiled.energy["contact"].max() > 0.0


def test_overwritten_factors_are_computed_again_in_python() -> None:
    """After a tangent for another purpose the compiled loop would use the matrix values as factors."""
    sim = in_place(fm.StepControl.fixed(1e-3))
    assert compiled_steps(sim) == 10
    sim.solver.invalidate_factors()
    assert sim.hooks.make_steps(sim.end_time, 10, Sink({}, 0), -1) is None
    next(sim.steps())
    assert sim.hooks.make_steps(sim.end_time, 10, Sink({}, 0), -1) is not None


class Named(fm.FixedStep):
    """A rule of a user's own."""

    def propose(self, record: StepRecord, previous_dt: float) -> float:
        return 1e-3


def compiled_steps(sim: Simulation) -> int:
    """Number of compiled steps among the ten after the first."""
    next(sim.steps())
    block = sim.hooks.make_steps(sim.end_time, 10, Sink({}, 0), -1)
    return 0 if block is None else len(block.statistics)


def test_when_steps_are_compiled() -> None:
    fixed = fm.StepControl.fixed(1e-3)
    assert compiled_steps(simulation(fixed)) == 10
    assert compiled_steps(in_place(fixed)) == 10
    assert compiled_steps(simulation(fixed, compiled=False)) == 0
    assert compiled_steps(simulation(fm.StepControl(Named(1e-3), dt_initial=1e-3))) == 0


class Faulty(PartKind):
    """An element class in Python that raises an error when a step is accepted."""

    def __init__(self, specs: Any, workspace: Workspace):
        self.specs, self.nodes, self.multipliers = specs, np.array([[1]]), np.zeros(1, dtype=np.int64)

    def accept(self, workspace: Workspace) -> None:
        if workspace.t_f > 0.055:
            raise ZeroDivisionError("at the end of a step")


@dataclass(frozen=True)
class Spec:
    """Specification of a `Faulty`."""

    name: str = "faulty"


def test_python_errors_are_raised_after_the_accepted_steps() -> None:
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0)))
    model.registry.add(Faulty, Spec())
    sim = Simulation(model, 1.0, fm.StepControl.fixed(0.01))
    next(sim.steps())
    block = sim.hooks.make_steps(sim.end_time, 10, Sink({}, 0), -1)
    assert block is not None and [r.index for r in block.records()] == [2, 3, 4, 5]
    assert sim.time == block.time == pytest.approx(0.05)
    with pytest.raises(ZeroDivisionError, match="at the end of a step"):
        next(sim.steps())


@pytest.mark.parametrize(
    ("residual", "round_off", "expected"),
    [(1e-12, 0.0, COMPLETE), (4e-12, 0.0, STEP_BEGUN), (4e-12, 5e-12, COMPLETE)],
)
def test_a_step_with_a_large_energy_residual_is_continued_in_python(
    residual: float, round_off: float, expected: int
) -> None:
    """Residuals in J, with energies of 2 J."""
    run: Any = np.zeros(1, dtype=time_loop.RUN)
    balance: Any = np.zeros(1, dtype=BALANCE)
    balance["scale"] = 2.0
    row = np.zeros(len(LEDGER))
    row[LEDGER.index("residual")] = -residual
    time_loop.check_step(
        run,
        row,
        np.array([round_off]),
        balance,
        np.zeros((0, 2)),
        np.zeros(0),
        np.zeros(0),
        np.zeros(1, dtype=np.int64),
    )
    assert run["outcome"] == expected
