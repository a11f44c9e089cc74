"""Estimated errors of outputs against closed forms and much finer runs, sizes of steps for a goal, what is refused."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from benchmarks.problems import flying_beam, right_angle, spin_up
from fem_mbd.analysis.sensitivity.growth import BeyondHorizon
from fem_mbd.applications.cli.main import main
from fem_mbd.applications.sweeps.outputs import Reduction, read_output
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Beam, Force, Material, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.elements.beam.beam import finer_beams, refined
from fem_mbd.joints import Clamp, Revolute
from tests.analysis.sensitivity.test_forward import _double_pendulum

pytestmark = pytest.mark.filterwarnings("ignore::fem_mbd.errors.FemMbdWarning")
OMEGA, END = 3.0, 2.0
# a row at 0.5 s, where all steps below end, stands for the time from 0.4999 s on
OSCILLATION: dict[str, tuple[str, float]] = {
    "place": ("final(mass.position[0])", 1.0 + 0.2 * np.cos(OMEGA * END)),
    "velocity": ("final(mass.velocity[0])", -0.2 * OMEGA * np.sin(OMEGA * END)),
    "at": ("at(mass.position[0], time=1.5)", 1.0 + 0.2 * np.cos(OMEGA * 1.5)),
    "integral": (
        "integral(mass.position[0], after=0.4999)",
        1.5001 + 0.2 * (np.sin(OMEGA * END) - np.sin(0.4999 * OMEGA)) / OMEGA,
    ),
    "least": ("min(mass.position[0], after=0.4999)", 0.8),
    "fastest": ("absmax(mass.velocity[0], after=0.4999)", 0.2 * OMEGA),
}


def _oscillator(control: fm.StepControl) -> Callable[[], fm.Simulation]:
    """x = 1 + 0.2 cos(3 t)."""

    def build() -> fm.Simulation:
        model = fm.Model()
        mass = model.add(PointMass(1.0, position=(1.2, 0, 0), name="mass"))
        model.add(SpringDamper(model.ground, mass, OMEGA**2, length=1.0, name="spring"))
        return fm.Simulation(model, END, control)

    return build


@pytest.mark.parametrize("dt", [0.05, 0.025])
def test_true_errors_of_an_oscillation(dt: float) -> None:
    of = {name: text for name, (text, _) in OSCILLATION.items()}
    found = fm.error_of(_oscillator(fm.StepControl.fixed(dt)), of)
    true = found.values - np.array([exact for _, exact in OSCILLATION.values()])
    assert np.abs(true).min() > 1e-7
    assert found.time / true == pytest.approx(np.ones(len(of)), abs=0.1), dict(
        zip(of, found.time / true, strict=True)
    )
    assert (found.mesh == 0.0).all()
    assert found.beams == ()
    assert found.unsolved == 0
    assert found.of("place") == found.time[0]
    assert "place" in found.table()


def _values(build: Callable[[], fm.Simulation], of: dict[str, str]) -> Array:
    result = fm.simulate(build().system.model, END, build().control)
    read = [read_output(name, text) for name, text in of.items()]
    return np.array([one.of(result) for one in read if isinstance(one, Reduction)])


def _pendulum(control: fm.StepControl) -> Callable[[], fm.Simulation]:
    def build() -> fm.Simulation:
        model = fm.Model(gravity=(0, 0, -9.81))
        bob = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), (0.8, 0, 0), name="bob"))
        model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
        return fm.Simulation(model, END, control)

    return build


def test_goal_is_reached() -> None:
    """From steps that are too long, and with fewer steps than equal ones would need."""
    of, tolerance = {"x": "final(bob.position[0])"}, 1e-7
    coarse, fine = (_values(_pendulum(fm.StepControl.fixed(dt)), of) for dt in (1.25e-3, 6.25e-4))
    exact = fine + (fine - coarse) / 7.0
    found = fm.error_of(_pendulum(fm.StepControl.fixed(0.02)), of)
    assert abs(found.of("x")) > 10 * tolerance
    for _ in range(2):
        control = found.goal("x", tolerance)
        found = fm.error_of(_pendulum(control), of)
    assert abs(found.values[0] - exact[0]) < tolerance
    assert abs(found.of("x")) < tolerance
    sizes = found.clocks[:, 2]
    assert sizes.max() > 1.2 * sizes.min()


def _arm(elements: int, order: int = 2) -> Callable[[], fm.Simulation]:
    """A flexible arm with a mass at its end, which falls on a clamp."""

    def build() -> fm.Simulation:
        model = fm.Model(gravity=(0, 0, -9.81))
        rod = Section.tube(0.02, 0.002, Material(young=7e9, poisson=0.33, density=2700))
        arm = model.add(
            Beam(rod, (0, 0, 0), (1, 0, 0), elements=elements, order=order, damping=0.01, name="arm")
        )
        model.add(PointMass(0.2, node=arm.end, name="tip"))
        model.add(Clamp(model.ground, arm.start))
        return fm.Simulation(model, 0.1, fm.StepControl.fixed(2e-3))

    return build


def test_errors_of_the_mesh() -> None:
    of = {"sag": "final(tip.position[2])"}
    found = fm.error_of(_arm(6), {**of, "node": "final(arm.6.position[2])"})
    assert found.mesh[1] == found.mesh[0]  # the last node, which has another number in the finer beam
    finest = fm.error_of(_arm(12, 4), of)
    assert found.beams == ("arm",)
    true = found.values[0] - finest.values[0]
    assert 0.5 < found.mesh[0] / true < 2.0
    assert abs(finest.mesh[0]) < 1e-3 * abs(found.mesh[0])


def test_nodes_inside_an_element_are_refused() -> None:
    with pytest.raises(fm.InputError, match=r"arm\.1 lies inside an element.* arm\.0"):
        fm.error_of(_arm(2, 3), {"sag": "final(arm.1.position[2])"})


def test_finer_beams() -> None:
    assert refined("beam", 2, 5) == (2, 5)
    with finer_beams() as names:
        assert refined("beam", 2, 5) == (3, 5)
        assert refined("rod", 4, 5) == (4, 10)
        order, bounds = refined("rod", 4, [0.0, 0.4, 1.0])
        assert (order, bounds.tolist()) == (4, [0.0, 0.2, 0.4, 0.7, 1.0])
    assert names == {"beam": (1, 2), "rod": (3, 6)}
    assert refined("beam", 4, 5) == (4, 5)


def _pushed() -> fm.Simulation:
    model = fm.Model()
    mass = model.add(PointMass(1.0, position=(1.0, 0, 0), name="mass"))
    model.add(SpringDamper(model.ground, mass, 9.0, length=1.0, name="spring"))
    model.add(Force(mass, (1.0, 0, 0)))
    return fm.Simulation(model, 0.5, fm.StepControl.fixed(0.01))


def _of_all(result: Any) -> float:
    return float((result.of("mass").position ** 2).sum() + (result.of("mass").velocity ** 2).sum())


@pytest.mark.parametrize(
    ("of", "words"), [({}, "at least one"), ({"all": _of_all}, "too many recorded numbers")]
)
def test_outputs_that_are_refused(of: dict[str, Any], words: str) -> None:
    with pytest.raises(fm.InputError, match=words):
        fm.error_of(_pushed, of)


def test_goals_that_are_refused() -> None:
    found = fm.error_of(_pushed, {"x": "final(mass.position[0])"})
    with pytest.raises(fm.InputError, match="no error of 'y'"):
        found.goal("y", 1e-3)
    with pytest.raises(fm.InputError, match="tolerance"):
        found.goal("x", 0.0)


def test_chaos_has_no_estimate() -> None:
    with pytest.raises(BeyondHorizon):
        fm.error_of(lambda: _double_pendulum({"length": 0.9}), {"x": "final(bob 2.0.position[0])"})


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["error", "pendulum", "--of", "x=final(rod.6.position[0])", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["case"] == "pendulum"
    assert 0.0 < abs(data["errors by steps"]["x"]) < 1e-2


def _end(simulation: fm.Simulation, beam: str) -> np.ndarray:
    return np.asarray(fm.run(simulation, progress=False).of(beam).position(1.0))[-1]


@pytest.mark.parametrize(
    ("problem", "beam", "end", "dt"),
    [(flying_beam, "beam", 10.0, 0.1), (spin_up, "blade", 20.0, 0.1), (right_angle, "second leg", 5.0, 0.05)],
)
def test_benchmarks_against_smaller_steps(problem: Any, beam: str, end: float, dt: float) -> None:
    """The tip's place at the end, within a tenth; truth by extrapolation of third order from much smaller steps."""
    times = np.array([end])

    def build(dt: float) -> fm.Simulation:
        made: fm.Simulation = problem.simulation(dt, times if problem is flying_beam else end)[0]
        return made

    exact, coarse = _end(build(dt / 16), beam), _end(build(dt / 8), beam)
    exact = exact + (exact - coarse) / 7.0
    of = {axis: f"final({beam}.position(1.0)[{i}])" for i, axis in enumerate("xyz")}
    bar = fm.error_of(lambda: build(dt), of)
    true = np.asarray(bar.values) - exact
    moved = np.abs(true) > 0.1 * np.abs(true).max()
    np.testing.assert_allclose(np.asarray(bar.time)[moved] / true[moved], 1.0, atol=0.1)
