"""Distributed loads by a function: exact energy balance, tangent, order, closed forms, number of calls, bad input."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model, find_equilibrium, modes
from fem_mbd.elements import Beam, BeamPoints, DistributedLoad, LineLoad, Section
from fem_mbd.elements.loads.distributed_load import DistributedKind
from tests.core.scheme_tools import column, random_step, run, simulation, tangent_error, worst_residual
from tests.elements.beam.beam_models import beam

RHO = 3.0


def wind(points: BeamPoints) -> tuple[np.ndarray, np.ndarray]:
    """Depends on time, position, velocity, orientation and angular velocity; force and moment."""
    blow = np.array([2.0, 0.5, -1.0]) * np.cos(3 * points.time) - points.velocity
    speed = np.linalg.norm(blow, axis=1)[:, None]
    force = RHO * speed * blow + 4.0 * points.rotation[:, :, 1] + points.position
    return force, 0.5 * points.rotation[:, :, 2] - 0.2 * points.omega


def kind_of(sim: Any) -> DistributedKind:
    return next(k for k in sim.system.kinds if isinstance(k, DistributedKind))


def slender(load: Any = None, **options: Any) -> Any:
    """A cantilever of 5 m along x, first frequency 1.05 Hz."""
    model = Model()
    section = Section(np.diag([1e6, 1e6, 1e6, 400.0, 400.0, 900.0]), 1.0, 1e-3 * np.diag([2.0, 1.0, 1.0]))
    handle = model.add(Beam(section, (0, 0, 0), (5.0, 0, 0), elements=4))
    model.fix(handle.start)
    if load is not None:
        model.add(DistributedLoad(handle, load, **options))
    return model, handle


@pytest.mark.parametrize("follower", [False, True])
@pytest.mark.parametrize("order", [2, 4])
def test_tangent(order: int, follower: bool) -> None:
    model, handle = beam(order)
    model.add(DistributedLoad(handle, wind, follower=follower))
    for scale in (0.05, 0.5):
        sim, y = random_step(model, 0.2, scale)
        assert tangent_error(sim, y) < 1e-6


@pytest.mark.parametrize("per", ["iteration", "step"])
@pytest.mark.parametrize("follower", [False, True])
def test_energy_balance_closes(per: Any, follower: bool) -> None:
    model, handle = beam(4, damping=1e-3)
    model.add(DistributedLoad(handle, wind, follower=follower, per=per))
    sim = simulation(model, 0.02, 0.4)
    ledger = run(sim)
    assert np.abs(column(ledger, "work_loads")).sum() > 1.0
    assert worst_residual(sim, ledger) < 1e-12


def test_work_is_force_times_displacement() -> None:
    """A constant force on a free beam: the work is the force times the displacement of the reference line."""
    model, handle = beam(4)
    model.add(DistributedLoad(handle, lambda points: np.tile([1.0, -2.0, 0.5], (len(points.s), 1))))
    sim = simulation(model, 0.02, 0.3)
    start = sim.outputs()["position"]
    ledger = run(sim)
    moved = sim.outputs()["position"] - start
    lengths = kind_of(sim).specs[0].length
    ways = moved[[node.index for node in handle.nodes]]
    assert column(ledger, "work_loads").sum() == pytest.approx(
        float(lengths @ ways @ [1.0, -2.0, 0.5]), rel=1e-11
    )


@pytest.mark.parametrize("follower", [False, True])
def test_constant_function_is_a_line_load(follower: bool) -> None:
    ends, force = [], (1.0, 2.0, -3.0)
    for kind in (LineLoad, DistributedLoad):
        model, handle = beam(3, "curved")
        value: Any = force if kind is LineLoad else lambda points: np.tile(force, (len(points.s), 1))
        model.add(kind(handle, value, follower=follower))
        sim = simulation(model, 0.02, 0.2)
        run(sim)
        ends.append(sim.outputs()["position"])
    assert ends[0] == pytest.approx(ends[1], abs=1e-11)


@pytest.mark.parametrize(("per", "order"), [("iteration", 2), ("step", 1)])
def test_order(per: Any, order: int) -> None:
    def pull(points: BeamPoints) -> np.ndarray:
        force = -3.0 * points.velocity
        force[:, 2] += np.sin(2 * points.time) * points.s
        return force

    tips = []
    for steps in (40, 80, 160):
        model, handle = slender(pull, per=per)
        sim = simulation(model, 1.0 / steps, 1.0)
        run(sim)
        tips.append(sim.outputs()["position"][handle.end.index, 2])
    found = np.log2(abs(tips[1] - tips[0]) / abs(tips[2] - tips[1]))
    assert found == pytest.approx(order, abs=0.25)


def test_dashpot_along_the_beam() -> None:
    """w = -c v on a uniform beam damps every bending mode with zeta = c / (2 m omega)."""
    model, _ = slender(lambda points: -0.4 * points.velocity)
    found = modes(model, 4)
    expected = 0.4 / (2 * 1.0 * 2 * np.pi * found.frequencies_hz)
    assert found.damping_ratios == pytest.approx(expected, rel=2e-3)


def test_bed_of_springs() -> None:
    """w = -k x across the beam: omega^2 = omega_0^2 + k/m."""
    stiffness = 25.0

    def bed(points: BeamPoints) -> np.ndarray:
        return -stiffness * points.position * [0, 1, 1]

    free, held = modes(slender()[0], 4).frequencies_hz, modes(slender(bed)[0], 4).frequencies_hz
    assert held**2 == pytest.approx(free**2 + stiffness / (2 * np.pi) ** 2, rel=2e-3)


def test_arguments() -> None:
    """Points are ordered from root to tip, in section axes, and their weights sum to the length."""
    seen: list[BeamPoints] = []
    model, handle = beam(4, "curved", elements=(0.0, 0.3, 1.0))
    model.set_velocity(handle.nodes, (1.0, 2.0, 3.0), (0.3, -0.2, 0.5), about=(0, 0, 0))

    def look(points: BeamPoints) -> np.ndarray:
        seen.append(points)
        return np.zeros((7, 3))

    model.add(DistributedLoad(handle, look, per="step"))
    run(simulation(model, 0.01, 0.01))
    points = seen[0]
    assert points.length.sum() == pytest.approx(handle.line.length)
    assert np.all(np.diff(points.s) > 0)
    for k, s in enumerate(points.s):
        position, rotation = handle.line.at(float(s))
        assert points.position[k] == pytest.approx(position, abs=1e-12)
        assert points.rotation[k] == pytest.approx(rotation, abs=1e-12)
    expected = np.array([1.0, 2.0, 3.0]) + np.cross([0.3, -0.2, 0.5], points.position)
    assert points.velocity == pytest.approx(expected, abs=1e-12)
    assert points.omega == pytest.approx(np.tile([0.3, -0.2, 0.5], (7, 1)), abs=1e-12)


def test_effort() -> None:
    """Once per step, or once per residual; without derivatives Newton needs no further calls."""
    for per, derivatives in (("step", True), ("iteration", False)):
        model, _ = slender(lambda points: -0.4 * points.velocity, per=per, derivatives=derivatives)
        sim = simulation(model, 0.02, 0.2)
        run(sim)
        steps, iterations = sim.counters["steps"], sim.counters["newton_iterations"]
        assert kind_of(sim).calls <= (steps if per == "step" else 2 * iterations + 2 * steps)


BAD: list[tuple[Any, str]] = [
    (lambda points: np.zeros((2, 3)), r"shape \(2, 3\), not \(13, 3\)"),
    (lambda points: points.position * np.inf, r"not finite at point"),
    (lambda points: (points.position,) * 3, r"returns 3 arrays"),
    (lambda points: points.nothing, r"fails \(AttributeError"),
]


@pytest.mark.parametrize(("function", "message"), BAD)
def test_bad_values(function: Any, message: str) -> None:
    model, _ = slender(function, name="wind")
    with (
        pytest.raises(InputError, match=rf"distributed load 'wind' at t = .* s.*{message}"),
        np.errstate(all="ignore"),
    ):
        run(simulation(model, 0.01, 0.01))


def test_bad_parts() -> None:
    model, handle = slender()
    for options, message in (({"per": "day"}, "per is 'day'"), ({"function": 3.0}, "give a function")):
        with pytest.raises(InputError, match=message):
            model.add(DistributedLoad(**{"beam": handle, "function": wind, **options}))
    with pytest.raises(InputError, match="give the handle"):
        model.add(DistributedLoad(handle.end, wind))


@pytest.mark.parametrize("per, derivatives", [("iteration", True), ("iteration", False), ("step", True)])
def test_drag_is_damping_of_modes_however_a_run_evaluates_it(per: Any, derivatives: bool) -> None:
    """A string-like beam with drag c per length: l^2 m + l c + k = 0, so Re l = -c/(2 m) for every mode."""
    seen = []

    def drag(points: BeamPoints) -> np.ndarray:
        seen.append(all(np.isfinite(x).all() for x in (points.velocity, points.rotation, points.omega)))
        return np.asarray(-3.0 * points.velocity * [0, 1, 1])

    model = Model()
    section = Section.from_rigidities(
        EA=1e8,
        GA2=1e8,
        GA3=1e8,
        GJ=100.0,
        EI2=100.0,
        EI3=100.0,
        mass_per_length=1.0,
        inertia=1e-6 * np.eye(3),
    )
    handle = model.add(Beam(section, (0, 0, 0), (1.0, 0, 0), up=(0, 0, 1), elements=4))
    model.fix(handle.start, translation=True, rotation=(True, False, False))
    model.fix(handle.end, translation=(False, True, True), rotation=False)
    model.add(DistributedLoad(handle, drag, per=per, derivatives=derivatives))
    assert modes(model, 2).eigenvalues.real == pytest.approx(-1.5, rel=1e-4)
    find_equilibrium(model)
    assert all(seen)
