"""Gradients of outputs against closed forms and differences of runs, their table, and what is refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.elements import Force, PointMass, RigidBody, SpringDamper
from fem_mbd.errors import FemMbdWarning
from fem_mbd.friction import Coulomb, Linear
from fem_mbd.joints import PointOnPlane, Revolute
from tests.analysis.sensitivity.replay import of_case
from tests.refusals import refused

pytestmark = pytest.mark.filterwarnings("ignore::fem_mbd.errors.FemMbdWarning")
# a mathematical pendulum of 1 m released at 60 degrees, g = 9.81: T = 4 sqrt(l/g) K(sin 30), dT/dl = T/(2 l)
PERIOD, BY_LENGTH = 2.152874666880516, 1.076437333440258
# a block with v0 = 2 m/s and mu = 0.25: v0^2/(2 mu g), and the same over -mu
STOPS, BY_MU = 0.815494393476045, -3.261977573904179


def _pendulum(steps: int) -> Any:
    """Through its lowest point at the end of a step: a quarter of its period."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        length, angle = values["length"], np.pi / 3
        model = fm.Model(gravity=(0, 0, -9.81))
        place = (length * np.sin(angle), 0, -length * np.cos(angle))
        bob = model.add(RigidBody(1.0, (1e-12, 1e-12, 1e-12), place, name="bob"))
        model.add(Revolute(model.ground, bob, axis=(0, 1, 0), at=(0, 0, 0), name="hinge"))
        quarter = 0.25 * PERIOD
        return fm.Simulation(model, quarter, fm.StepControl.fixed(quarter / steps))

    return build


METHODS = pytest.mark.parametrize("method", ["forward", "adjoint"])


@METHODS
def test_period_of_a_pendulum(method: str) -> None:
    """x = 0 at T/4: dT/dl = -4 (dx/dl)/(dx/dt). The scheme is of third order: half the step, an eighth of the error."""
    of = {"x": "final(bob.position[0])", "rate": "final(bob.velocity[0])"}
    errors = []
    for steps in (40, 80):
        found = fm.gradient(_pendulum(steps), of, {"length": 1.0}, method=method)
        errors.append(abs(-4.0 * found.of("x", "length") / found.values[1] - BY_LENGTH))
    assert errors[1] < 1e-6 * BY_LENGTH
    assert errors[0] / errors[1] > 6.0


def _block(steps: int) -> Any:
    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model(gravity=(0, 0, -9.81))
        block = model.add(PointMass(1.0, position=(0, 0, -9.81e-6), name="block"))
        model.add(PointOnPlane(model.ground, block, Linear(1e6), Coulomb(values["mu"], 1e-6)))
        model.set_velocity(block, (2.0, 0, 0))
        return fm.Simulation(model, 1.0, fm.StepControl.fixed(1.0 / steps))

    return build


@METHODS
def test_a_block_that_slides_to_rest(method: str) -> None:
    """The step within which it stops makes an error of the size of that step's path."""
    errors = []
    for steps in (100, 800):
        found = fm.gradient(_block(steps), {"path": "final(block.position[0])"}, {"mu": 0.25}, method=method)
        assert found.values[0] == pytest.approx(STOPS, rel=1e-3)
        errors.append(abs(found.of("path", "mu") - BY_MU))
    assert errors[1] < 2e-3 * abs(BY_MU)
    assert errors[1] < errors[0]


def _oscillator(values: Mapping[str, float]) -> fm.Simulation:
    model = fm.Model()
    mass = model.add(PointMass(values["mass"], position=(1.0 + values.get("start", 0.1), 0, 0), name="mass"))
    model.add(
        SpringDamper(
            model.ground, mass, values["stiffness"], values.get("damping", 0.5), length=1.0, name="spring"
        )
    )
    model.add(Force(mass, (0.5, 0.0, 0.0)))
    return fm.Simulation(model, 1.0, fm.StepControl.fixed(0.01))


OUTPUTS = {
    "max": "max(mass.velocity[0])", "min": "min(mass.velocity[0])", "absmax": "absmax(mass.velocity[0])",
    "range": "range(mass.velocity[0])", "final": "final(mass.velocity[0])", "mean": "mean(mass.velocity[0])",
    "integral": "integral(mass.velocity[0])", "rms": "rms(mass.velocity)", "std": "std(mass.velocity[0])",
    "late": "max(mass.velocity[0], after=0.5)", "at": "at(mass.position[0], time=0.3141)",
    "length": "max(spring.length)", "force": "max(spring.force)",
}  # fmt: skip


@METHODS
def test_every_reduction_as_differences_of_runs(method: str) -> None:
    values = {"mass": 0.7, "stiffness": 40.0}
    of: dict[str, Any] = {**OUTPUTS, "own": lambda result: result.at(0.2).of("mass").velocity[0] ** 2}
    found = fm.gradient(_oscillator, of, values, method=method)
    for k, (name, value) in enumerate(values.items()):
        step = 1e-4 * value

        def at(moved: float, name: str = name) -> Any:
            return fm.gradient(_oscillator, of, {**values, name: moved}).values

        expected = (
            8 * (at(value + step) - at(value - step)) - (at(value + 2 * step) - at(value - 2 * step))
        ) / (12 * step)
        assert found.jacobian[:, k] == pytest.approx(expected, rel=1e-6)


def test_initial_value_that_is_zero_takes_a_scale() -> None:
    found = fm.gradient(
        lambda values: _oscillator({"mass": 1.0, "stiffness": 9.0, "damping": 0.0, **values}),
        {"end": "final(mass.position[0])"}, {"start": 0.0}, scale={"start": 0.01},
    )  # fmt: skip
    # the spring's force is linear along its line: cos(omega t), to the third order of the scheme in omega dt
    assert found.jacobian[0, 0] == pytest.approx(np.cos(3.0), abs=0.03**3)


def test_a_parameter_that_takes_no_part_is_told(recwarn: pytest.WarningsRecorder) -> None:
    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        ball = model.add(PointMass(values["mass"], position=(0, 0, 1.0), name="ball"))
        model.add(PointOnPlane(model.ground, ball, Linear(values["stiffness"])))
        model.add(Force(ball, (0, 0, 1.0)))
        return fm.Simulation(model, 0.1, fm.StepControl.fixed(0.01))

    with pytest.warns(FemMbdWarning, match="no output depends on stiffness"):
        found = fm.gradient(build, {"z": "final(ball.position[2])"}, {"mass": 1.0, "stiffness": 1e4})
    assert found.of("z", "mass") == pytest.approx(-0.5 * 0.1**2, rel=1e-9)


@pytest.mark.parametrize(
    ("of", "wrt", "words"),
    [
        ({"a": "max(mass.speed)"}, {"mass": 1.0}, "has no 'speed'"),
        ({"a": "energy.totals.elastic"}, {"mass": 1.0}, "give a number from a history"),
        ({"a": lambda result: result.of("mass").velocity}, {"mass": 1.0}, "array of shape"),
        ({}, {"mass": 1.0}, "at least one"),
        ({"a": "max(mass.velocity)"}, {"mass": float("nan")}, "parameter mass"),
    ],
)
def test_bad_input(of: Any, wrt: dict[str, float], words: str) -> None:
    with pytest.raises(fm.InputError, match=words):
        fm.gradient(lambda values: _oscillator({"stiffness": 40.0, **values}), of, wrt)


def test_a_parameter_at_the_bound_of_its_range() -> None:
    values = {"stiffness": 0.0, "mass": 1.0}
    with pytest.raises(fm.InputError, match=r"stiffness at -.* choose a value a little inside"):
        fm.gradient(_oscillator, {"a": "max(mass.velocity[0])"}, values, scale={"stiffness": 1.0})


def test_end_of_the_run_that_depends_on_a_parameter() -> None:
    build, _ = of_case("pendulum_friction", [], ["end_time"])
    with pytest.raises(fm.InputError, match="end of the run depends"):
        fm.gradient(build, {"a": "final(Joint 0.force)"}, {"end_time": 0.05})


def test_the_command_tells_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["gradient", "pendulum_friction", "--set", "end_time=0.05", "--of", "peak=max(Joint 0.force)",
             "--wrt", "mass", "length", "--out", str(tmp_path)]  # fmt: skip
    assert main([*given, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    build, values = of_case("pendulum_friction", ["end_time=0.05"], ["mass", "length"])
    found = fm.gradient(build, {"peak": "max(Joint 0.force)"}, values)
    assert told["derivatives"]["peak"] == {
        "mass": found.of("peak", "mass"),
        "length": found.of("peak", "length"),
    }
    assert (tmp_path / "gradient.png").stat().st_size > 5000
    assert main([*given[:-1], str(tmp_path), "--no-plot"]) == 0
    assert "by mass" in capsys.readouterr().out
    assert main(["gradient", "pendulum_friction", "--of", "max(Joint 0.force)", "--wrt", "source"]) == 2


MASSES = [f"m{k}" for k in range(13)]


def _row_of_masses(values: Mapping[str, float]) -> fm.Simulation:
    """Masses in a row on springs, with a force at the last."""
    model = fm.Model()
    before: Any = model.ground
    for k, name in enumerate(MASSES):
        mass = model.add(PointMass(values[name], position=(k + 1.0, 0, 0), name=name))
        model.add(SpringDamper(before, mass, 100.0, 0.1, length=1.0, name=f"spring {k}"))
        before = mass
    model.add(Force(before, (1.0, 0.0, 0.0)))
    return fm.Simulation(model, 1.0, fm.StepControl.fixed(0.05))


def _of_all(result: Any) -> float:
    return sum(float((result.of(one).position ** 2).sum()) for one in MASSES)


def test_the_cheaper_method_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than twelve parameters of one output: backwards; not where an output has no adjoint."""
    from fem_mbd.applications.gradients.gradient import DifferentiableRun

    values, used = {name: 1.0 + 0.1 * k for k, name in enumerate(MASSES)}, []
    for name in ("tangents", "adjoints"):
        own = getattr(DifferentiableRun, name)

        def noted(self: Any, *given: Any, name: str = name, own: Any = own) -> Any:
            used.append(name)
            return own(self, *given)

        monkeypatch.setattr(DifferentiableRun, name, noted)
    of = {"end": "final(m12.position[0])", "fast": "rms(m11.velocity)"}
    backwards = fm.gradient(_row_of_masses, of, values)
    forwards = fm.gradient(_row_of_masses, of, values, method="forward")
    assert used == ["adjoints", "tangents"]
    scale = np.abs(forwards.jacobian).max(axis=1, keepdims=True)
    assert np.abs(backwards.jacobian - forwards.jacobian).max() <= 1e-10 * scale.max()
    fm.gradient(_row_of_masses, {**of, "all": _of_all}, values)
    assert used[2:] == ["tangents"]


@pytest.mark.parametrize(
    ("of", "method", "words"),
    [
        (_of_all, "adjoint", "many recorded numbers.*method='forward'"),
        ("max(m12.position[0])", "backward", "none of forward, adjoint, auto"),
    ],
)
def test_what_the_adjoint_refuses(of: Any, method: str, words: str) -> None:
    with pytest.raises(fm.InputError, match=words):
        fm.gradient(_row_of_masses, {"y": of}, dict.fromkeys(MASSES, 1.0), method=method)


def test_what_is_refused() -> None:
    of, wrt = {"x": "final(mass.position[0])"}, {"stiffness": 40.0, "mass": 2.0}
    refused("give names with outputs", fm.gradient, _oscillator, list(of.values()), wrt)
    refused("give names with values", fm.gradient, _oscillator, of, list(wrt))
    refused("scale: .*did you mean 'stiffness'", fm.gradient, _oscillator, of, wrt, scale={"stifness": 1.0})
    refused("asks for parameter 'mass'", fm.gradient, _oscillator, of, {"stiffness": 40.0})
    refused("build returns Model", fm.gradient, lambda _: fm.Model(), of, wrt)
    refused("give a function that makes a Simulation", fm.gradient, _oscillator(wrt), of, wrt)
    refused("a function without arguments", fm.error_of, _oscillator(wrt), of)
