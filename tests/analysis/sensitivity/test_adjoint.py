"""Adjoints of runs against forward sensitivities of the same steps, and what they have to survive."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, Penetration, Simulation, StepControl
from fem_mbd.analysis.sensitivity import adjoint as together_with_steps
from fem_mbd.analysis.sensitivity.adjoint import (
    Adjoint,
    Rows,
    WithoutAdjoint,
    adjoint_gradients,
    together,
    transposing,
)
from fem_mbd.analysis.sensitivity.forward import Tangents, tangents
from fem_mbd.analysis.sensitivity.growth import BeyondHorizon
from fem_mbd.analysis.sensitivity.recorded_run import Path
from fem_mbd.analysis.sensitivity.setup import Build, made
from fem_mbd.analysis.sensitivity.step_matrices import PARAMETER, STATE, UNKNOWN
from fem_mbd.analysis.sensitivity.stretch import Factors
from fem_mbd.base.arrays import Array
from fem_mbd.elements import PointMass, RigidBody
from fem_mbd.joints import RigidContact
from tests.analysis.sensitivity.replay import of_case, path_of
from tests.analysis.sensitivity.test_forward import (
    CASES,
    COLUMNS,
    _chain,
    _double_pendulum,
    _falling,
    _four_bars,
)

pytestmark = pytest.mark.filterwarnings("ignore::fem_mbd.errors.FemMbdWarning")
OUTPUTS = 10
# An adjoint multiplies with entries of matrices, tangents with derivatives along a direction. Entries are sums of
# several products: some halves of the last digit each. What this does to a derivative depends on how stiff parts are
# (EA dt^2/(h m) is 1e7 in the turbine's connecting pieces) and is found by rounding every entry once more, up or down.
ROUNDINGS, PER_ENTRY, LAST_DIGIT = 3, 8.0, 2.0**-53
WORST = 1e-8  # fraction of the derivatives: rounding that costs more would test nothing


class Rounded(Adjoint):
    """An adjoint whose matrices have every entry rounded once more."""

    seed = 0

    def __init__(self, *given: Any, **options: Any):
        super().__init__(*given, **options)
        self._random = np.random.default_rng(self.seed)
        self._exactly = self._calls
        rounding: Any = {own: partial(self._round, own) for own in (False, True)}
        self._calls = rounding

    def _round(self, own: bool) -> None:
        self._exactly[own]()
        for what in (STATE, UNKNOWN, PARAMETER):
            values = self._matrices.equations[what].values
            values *= 1.0 + LAST_DIGIT * self._random.choice([-1.0, 1.0], size=values.shape)


def _by_rounding(build: Build, path: Path, outputs: list[Rows], values: Mapping[str, float]) -> Array:
    """(parameters,) largest change of an adjoint by rounding."""
    exact, changes = adjoint_gradients(build, path, outputs, values)[0], []
    for seed in range(ROUNDINGS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Rounded, "seed", seed)
            patch.setattr(together_with_steps, "Adjoint", Rounded)
            changes.append(np.abs(adjoint_gradients(build, path, outputs, values)[0] - exact).max(axis=0))
    return np.max(changes, axis=0)


def _at_random(along: Tangents, rows: int) -> list[Rows]:
    """Outputs that are sums of a few recorded numbers of a few rows, one before the first step among them."""
    rng, found = np.random.default_rng(4), []
    for _ in range(OUTPUTS):
        output = Rows()
        for row in (0, int(rng.integers(1, rows + 1)), rows):
            for column in COLUMNS:
                entries = rng.integers(0, along.initial[column].size, 3)
                output.of.setdefault(row, []).append((column, entries, rng.normal(size=3)))
        found.append(output)
    return found


def _of_tangents(along: Mapping[str, Tangents], outputs: list[Rows]) -> Array:
    """(outputs, parameters) the same derivatives from those of the recorded numbers."""
    found = np.zeros((len(outputs), len(along)))
    for p, one in enumerate(along.values()):
        for k, output in enumerate(outputs):
            for row, several in output.of.items():
                for column, entries, by in several:
                    change = one.history[column][row - 1] if row else one.initial[column]
                    found[k, p] += by @ change.ravel()[entries]
    return found


def _check(build: Build, values: Mapping[str, float], path: Path) -> None:
    along = tangents(build, path, COLUMNS, values)
    outputs = _at_random(next(iter(along.values())), len(path))
    expected = _of_tangents(along, outputs)
    found, _ = adjoint_gradients(build, path, outputs, values)
    assert found.shape == (OUTPUTS, len(values))
    largest = np.abs(expected).max(axis=0)
    assert largest.min() > 0.0
    allowed = PER_ENTRY * _by_rounding(build, path, outputs, values)
    assert (allowed < WORST * largest).all()
    error = np.abs(found - expected).max(axis=0)
    assert (error <= allowed).all(), (error / largest, allowed / largest)


@pytest.mark.parametrize("name", CASES)
def test_as_forward(name: str) -> None:
    case, given, shares = CASES[name]
    build, values = of_case(case, given, list(shares))
    _check(build, values, path_of(build, values))


def test_steps_that_were_refused_and_events() -> None:
    """Steps onto a plane that the contact rule has to make smaller, so that one ends where the contact begins."""

    def build(values: Mapping[str, float]) -> Simulation:
        return _falling(values, StepControl(Penetration(1e-5), dt_initial=0.04))

    values = {"height": 0.005, "stiffness": 1e5}
    assert sum(record.rejections for record in build(values).steps()) > 0
    _check(build, values, path_of(build, values))


def test_redundant_constraints() -> None:
    values = {"length": 0.5}
    _check(_four_bars, values, path_of(_four_bars, values))


def test_chain_of_many_elements() -> None:
    values = {"mass": 0.3, "damping": 1e-3}
    _check(_chain, values, path_of(_chain, values))


def test_factors_of_another_matrix_cost_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the first step from the end throughout."""
    values = {"mass": 0.3, "damping": 1e-3}
    path = path_of(_chain, values)
    along = tangents(_chain, path, COLUMNS, values)
    outputs = _at_random(along["mass"], len(path))
    passes, factorise, make = [], Adjoint._factorise, Factors.make

    def counted(self: Adjoint, number: int) -> None:
        passes.append(self.passes)
        monkeypatch.setattr(Factors, "make", make if number == len(path) - 1 else lambda self: None)
        factorise(self, number)

    monkeypatch.setattr(Adjoint, "_factorise", counted)
    found, _ = adjoint_gradients(_chain, path, outputs, values)
    expected = _of_tangents(along, outputs)
    assert (np.abs(found - expected).max(axis=0) < 1e-9 * np.abs(expected).max(axis=0)).all()
    assert max(np.diff(passes)) > 2


def test_the_matrix_is_transposed() -> None:
    system = made(_four_bars, {"length": 0.5}).system
    places = transposing(system)
    rows = np.repeat(np.arange(system.size), np.diff(system.indptr))
    assert (rows[places] == system.indices).all()
    assert (system.indices[places] == rows).all()


def test_adjoint_of_the_state() -> None:
    """Of a free mass: its place at the end changes with its place one to one, with its velocity by the time left."""

    def build(values: Mapping[str, float]) -> Simulation:
        model = Model()
        mass = model.add(PointMass(1.0, position=(values["x"], 0, 0)))
        model.set_velocity(mass, (1.0, 0, 0))
        return Simulation(model, 0.5, StepControl.fixed(0.1))

    values = {"x": 0.3}
    path = path_of(build, values)
    output = Rows({len(path): [("position", np.array([3]), np.ones(1))]})  # the first node is the ground
    adjoint = Adjoint(made(build, values), path, together([output], len(path) + 1), build(values))
    size = adjoint.numbers.size
    for number, state in adjoint.steps(np.zeros((size, 8))):
        left = 0.5 - path.clocks[number][0]
        assert state[12, 0] == pytest.approx(1.0, rel=1e-12)
        assert state[adjoint.numbers.velocities, 0][3] == pytest.approx(left, rel=1e-12)


def test_chaos_is_refused_with_its_horizon() -> None:
    values = {"length": 0.9}
    path = path_of(_double_pendulum, values)
    output = Rows({len(path): [("position", np.array([3]), np.ones(1))]})
    with pytest.raises(BeyondHorizon, match=r"velocities at t = .* has grown .* chaotic") as caught:
        adjoint_gradients(_double_pendulum, path, [output], values)
    assert 2.0 < caught.value.time < 40.0
    assert 0.3 < caught.value.exponent < 5.0


def test_outputs_made_in_python_are_refused() -> None:
    build, values = of_case("revolute_clearance_3d", [], [])
    with pytest.raises(WithoutAdjoint, match=r"journal .*method='forward'"):
        adjoint_gradients(
            build, path_of(build, values), [Rows({1: [("journal", np.zeros(1, int), np.ones(1))]})], values
        )


def test_rigid_contacts_are_refused() -> None:
    with pytest.raises(WithoutAdjoint, match=r"rigid contacts.*method='forward'"):
        adjoint_gradients(_rigid, Path(), [Rows()], {"mass": 1.0})


def _rigid(values: Mapping[str, float]) -> Simulation:
    model = Model(gravity=(0, 0, -9.81))
    ball = model.add(RigidBody(values["mass"], (1e-3, 1e-3, 1e-3), (0, 0, 1.0)))
    model.add(RigidContact(model.ground, ball, 0.5, direction=(0, 0, 1)))
    return Simulation(model, 0.1, StepControl.fixed(0.01))
