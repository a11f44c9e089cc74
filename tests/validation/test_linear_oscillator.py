"""The scheme on a linear oscillator: spectral radius and error, with a spring, a beam and in closed form.

With one unknown the scheme is Radau IIA of two stages, whose stability function is the Pade approximant
R(z) = (1 + z/3) / (1 - 2z/3 + z^2/6) (Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.3).
"""

from collections.abc import Callable

import numpy as np
import pytest

from fem_mbd import Model, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Beam, PointMass, Section, SpringDamper, Straight
from tests.core.scheme_tools import column, order, run, simulation
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

RADIUS = {
    0.1: 0.99999861, 0.5: 0.99915647, 1.0: 0.98772960, 2.0: 0.87447463,
    np.pi: 0.66073846, 2 * np.pi: 0.33264444, 10.0: 0.20439780,
}  # fmt: skip
ERROR = {20: 7.6016e-3, 40: 9.6250e-4, 80: 1.2065e-4, 160: 1.5091e-5}
Make = Callable[[float, float, float], Simulation]


def stability(z: complex) -> complex:
    return (1 + z / 3) / (1 - 2 * z / 3 + z * z / 6)


def spring(dt: float, x: float, v: float) -> Simulation:
    """1 kg on a spring of 1 N/m along the x axis, pulled by x and pushed with v."""
    model = Model()
    mass = model.add(PointMass(1.0, position=(10, 0, 0))).node
    model.add(SpringDamper(model.ground, mass, 1.0, length=10.0))
    return _start(model, dt, mass.index, x, v)


def bar(dt: float, x: float, v: float) -> Simulation:
    """The end of a two-node beam that is held at its start: half the beam's 2 kg on a stiffness EA/L of 1 N/m."""
    model = Model()
    section = Section(np.diag([2.0, 3, 3, 1, 1, 1]), 1.0, np.diag([0.2, 0.1, 0.1]))
    beam = model.add(Beam(section, line=Straight((0, 0, 0), (2, 0, 0)), order=2))
    model.fix(beam.start)
    return _start(model, dt, beam.end.index, x, v)


def _start(model: Model, dt: float, node: int, x: float, v: float) -> Simulation:
    sim = simulation(model, dt, 200 * dt)
    sim.state.u[node, 0] += x
    sim.state.v[node, 0] = v
    sim.scheme.load_state()
    sim.scheme.energy = 0.5 * (x * x + v * v)
    return sim


def _after(sim: Simulation, steps: int) -> Array:
    """Displacement and velocity after some steps."""
    generate, node = sim.steps(), sim.state.u.shape[0] - 1
    start = sim.system.model.nodes[node].position[0]
    for _ in range(steps):
        next(generate)
    return np.array([sim.state.u[node, 0] - start, sim.state.v[node, 0]])


both = pytest.mark.parametrize("make", [spring, bar])


@pytest.mark.parametrize("x", RADIUS)
def test_closed_form_has_the_tabulated_radius(x: float) -> None:
    assert abs(stability(1j * x)) == pytest.approx(RADIUS[x], abs=6e-9)


@both
@pytest.mark.parametrize("dt", [*RADIUS, 100.0, 500.0])
def test_one_step_is_the_stability_function(make: Make, dt: float) -> None:
    size = 0.1
    amplification = np.stack([_after(make(dt, *start), 1) for start in size * np.eye(2)], axis=1) / size
    # x + i v turns like exp(-i t): the eigenvalues are R(+-i dt)
    found = np.linalg.eigvals(amplification)
    exact = stability(1j * dt)
    assert sorted(found.imag) == pytest.approx(sorted([exact.imag, -exact.imag]), abs=1e-12)
    assert found.real == pytest.approx([exact.real] * 2, abs=1e-12)


def error(make: Make, count: int) -> float:
    """Of place and velocity after T = 2.6 pi in ``count`` steps, as a part of the start."""
    end = 2.6 * np.pi
    found = _after(make(end / count, 0.1, 0.0), count) / 0.1
    return float(np.linalg.norm(found - (np.cos(end), -np.sin(end))))


@both
def test_error_over_time(make: Make) -> None:
    errors = {count: error(make, count) for count in ERROR}
    assert list(errors.values()) == pytest.approx(list(ERROR.values()), rel=1e-4)
    assert order(list(errors.values()), [1 / n for n in errors]) == pytest.approx(3, abs=0.02)


def radius(dt: float) -> float:
    """Spectral radius of a step of the spring."""
    amplification = np.stack([_after(spring(dt, *start), 1) for start in 0.1 * np.eye(2)], axis=1) / 0.1
    return float(np.abs(np.linalg.eigvals(amplification)).max())


def solve() -> Solution:
    """1 kg on a spring of 1 N/m."""
    found: list[Number] = []
    for x, value in RADIUS.items():
        found += numbers(f"omega dt = {x:.5g}, ", "", {"spectral radius": value}, [radius(x)], 6e-9)
    for count, value in ERROR.items():
        found += numbers(
            f"{count} steps, ", "", {"error after T = 2.6 pi": value}, [error(spring, count)], 1e-4 * value
        )
    sizes = np.geomspace(0.05, 100, 40)
    radii = [
        ours(sizes, [radius(x) for x in sizes]),
        reference(list(RADIUS), list(RADIUS.values()), "stability function"),
    ]
    counts = [10, *ERROR, 200]
    errors = [ours(counts, [error(spring, n) for n in counts]), reference(list(ERROR), list(ERROR.values()))]
    return Solution(
        found,
        [
            Picture("omega dt", "spectral radius", radii, log_x=True),
            Picture("steps", "error after T = 2.6 pi", errors, log_x=True, log_y=True),
        ],
    )


PROBLEM = Problem(
    name="linear_oscillator",
    title="The scheme on a linear oscillator",
    group="The scheme",
    source="Hairer & Wanner, section IV.3",
    reference="stability function of Radau IIA",
    solve=solve,
)


@both
def test_energy_lost_is_that_of_the_stability_function(make: Make) -> None:
    sim = make(0.5, 0.1, 0.0)
    sim.end_time = 5.0
    ledger = run(sim)
    lost = 0.5 * 0.01 * (1 - abs(stability(0.5j)) ** 20)
    assert column(ledger, "dissipation_scheme").sum() == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize("dt", [0.1, 2.0])
def test_stiffness_proportional_damping_of_a_bar_converges_to_the_damped_oscillator(dt: float) -> None:
    eta = 0.3
    model = Model()
    section = Section(np.diag([2.0, 3, 3, 1, 1, 1]), 1.0, np.diag([0.2, 0.1, 0.1]))
    beam = model.add(Beam(section, line=Straight((0, 0, 0), (2, 0, 0)), order=2, damping=eta))
    model.fix(beam.start)
    found = _after(_start(model, dt, beam.end.index, 0.1, 0.0), 1)
    # x'' + eta x' + x = 0 is linear too: R of its matrix
    a = np.array([[0.0, 1.0], [-1.0, -eta]]) * dt
    exact = np.linalg.solve(np.eye(2) - 2 * a / 3 + a @ a / 6, (np.eye(2) + a / 3) @ (0.1, 0.0))
    assert found == pytest.approx(exact, abs=1e-13)
