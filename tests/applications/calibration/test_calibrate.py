"""Calibration of mechanisms: linear regression in closed form, recovery of parameters, identifiability, bad input."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import fem_mbd as fm
from fem_mbd.applications.calibration.histories import histories
from fem_mbd.applications.cli.main import main
from fem_mbd.elements import Force, PointMass, RigidBody, SpringDamper
from fem_mbd.errors import FemMbdWarning, InputError
from fem_mbd.friction import Coulomb, Linear
from fem_mbd.joints import PointOnPlane, Revolute
from tests.applications.calibration.swing import swing_of_pendulum


def _pushed(values: Mapping[str, float]) -> fm.Simulation:
    """x = v t + F t^2/(2 m), which the scheme solves exactly: linear in v and F."""
    model = fm.Model()
    mass = model.add(PointMass(2.0, position=(0, 0, 0), name="mass"))
    model.add(Force(mass, (values["force"], 0, 0)))
    model.set_velocity(mass, (values["speed"], 0, 0))
    return fm.Simulation(model, 1.0, fm.StepControl.fixed(0.05))


def test_linear_regression_has_its_closed_form() -> None:
    """Values and standard errors are those of a linear fit of the columns t and t^2/(2 m)."""
    t = np.linspace(0.02, 0.98, 40)
    columns = np.stack([t, t**2 / 4.0], axis=1)
    x = columns @ [1.5, -0.8] + np.random.default_rng(1).normal(0.0, 0.01, len(t))
    found = fm.calibrate(_pushed, {"mass.position[0]": (t, x)}, {"speed": 1.0, "force": -1.0})
    expected, rest, *_ = np.linalg.lstsq(columns, x, rcond=None)
    covariance = rest[0] / (len(t) - 2) * np.linalg.inv(columns.T @ columns)
    errors = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(found.values, expected, rtol=1e-8)
    np.testing.assert_allclose(found.uncertainty.errors, errors, rtol=1e-8)
    np.testing.assert_allclose(
        found.uncertainty.correlation[0, 1], covariance[0, 1] / errors.prod(), rtol=1e-8
    )
    half = student.ppf(0.95, 38) * errors
    np.testing.assert_allclose(
        found.intervals(0.9), np.stack([expected - half, expected + half], axis=1), rtol=1e-7
    )
    assert found.undetermined == ()
    assert f"{expected[0]:.6g}" in str(found)


def test_weights_of_single_values() -> None:
    """Standard deviations value by value: a weighted linear fit."""
    t = np.linspace(0.02, 0.98, 40)
    columns, sigma = np.stack([t, t**2 / 4.0], axis=1), 0.01 * (1.0 + 5.0 * t)
    x = columns @ [1.5, -0.8] + sigma * np.random.default_rng(1).normal(size=len(t))
    found = fm.calibrate(_pushed, {"mass.position[0]": (t, x, sigma)}, {"speed": 1.0, "force": -1.0})
    weighted = columns / sigma[:, None]
    expected, rest, *_ = np.linalg.lstsq(weighted, x / sigma, rcond=None)
    covariance = rest[0] / (len(t) - 2) * np.linalg.inv(weighted.T @ weighted)
    np.testing.assert_allclose(found.values, expected, rtol=1e-8)
    np.testing.assert_allclose(found.uncertainty.errors, np.sqrt(np.diag(covariance)), rtol=1e-8)


def _rig(values: Mapping[str, float]) -> fm.Simulation:
    """A block on a plane under a spring: sliding with reversals."""
    model = fm.Model(gravity=(0, 0, -9.81))
    block = model.add(PointMass(values["mass"], position=(0.1, 0, -values["mass"] * 9.81e-6), name="block"))
    model.add(PointOnPlane(model.ground, block, Linear(1e6), Coulomb(values["mu"], 1e-2), name="plane"))
    model.add(
        SpringDamper(
            model.ground.at((-1.0, 0, 0)), block, values["stiffness"], 0.1, length=1.0, name="spring"
        )
    )
    return fm.Simulation(model, 1.0, fm.StepControl.fixed(5e-3))


def _measured(build: Any, values: Mapping[str, float], quantities: Mapping[str, str]) -> dict[str, Any]:
    result = fm.run(build(values), progress=False)
    t = np.linspace(0.0, float(result.output_time[-1]), 101)
    found = {}
    for name, component in quantities.items():
        part, quantity = name.split(".")
        history = np.asarray(getattr(result.of(part).at(t), quantity.split("[")[0]))
        found[name] = (t, history[:, int(component)] if component else history)
    return found


def test_a_friction_rig_is_recovered() -> None:
    true = {"mass": 0.8, "mu": 0.1, "stiffness": 200.0}
    data = _measured(_rig, true, {"block.position[0]": "0", "block.velocity[0]": "0"})
    found = fm.calibrate(
        _rig, data | {"spring.force": _tension(true)}, {"mass": 1.0, "mu": 0.2, "stiffness": 160.0}
    )
    np.testing.assert_allclose(found.values, list(true.values()), rtol=1e-6)
    assert found.rms < 1e-7
    assert found.of("mu") == pytest.approx(0.1, rel=1e-6)


def _tension(values: Mapping[str, float]) -> Any:
    result = fm.run(_rig(values), progress=False)
    t = np.linspace(0.0, 1.0, 50)
    force = np.asarray(result.of("spring").at(t).force)
    return t, force.reshape(len(t))


def test_what_motion_alone_cannot_tell_is_named() -> None:
    """Without a force, mass and stiffness enter by their ratio only (friction by the mass's weight cancels too)."""
    true = {"mass": 0.8, "mu": 0.1, "stiffness": 200.0}

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        block = model.add(PointMass(values["mass"], position=(0.1, 0, 0), name="block"))
        model.add(SpringDamper(model.ground.at((-1.0, 0, 0)), block, values["stiffness"], 0.0, length=1.0))
        return fm.Simulation(model, 0.5, fm.StepControl.fixed(5e-3))

    data = _measured(build, true, {"block.position[0]": "0"})
    with pytest.warns(FemMbdWarning, match="do not determine mass and stiffness: only a combination"):
        found = fm.calibrate(build, data, {"mass": 0.9, "stiffness": 190.0})
    assert found.undetermined == (("mass", "stiffness"),)
    assert found.of("stiffness") / found.of("mass") == pytest.approx(250.0, rel=1e-6)
    assert np.isinf(found.uncertainty.errors).all()
    assert "not determined" in found.table()


def test_bounds_hold() -> None:
    true = {"mass": 0.8, "mu": 0.1, "stiffness": 200.0}
    data = _measured(_rig, true, {"block.position[0]": "0"})
    start = {"mu": 0.15}

    def build(values: Mapping[str, float]) -> fm.Simulation:
        return _rig({**true, **values})

    found = fm.calibrate(build, data, start, bounds={"mu": (0.12, None)})
    assert found.at_bound[0]
    assert found.of("mu") == pytest.approx(0.12, rel=1e-4)
    assert np.isnan(found.intervals()).all()
    assert "at a bound" in found.table()


def test_a_search_turns_back_where_a_model_is_refused() -> None:
    """From far off the first step would make the mass negative."""
    t = np.linspace(0.0, 1.0, 30)

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        mass = model.add(PointMass(values["mass"], position=(0, 0, 0), name="mass"))
        model.add(Force(mass, (1.0, 0, 0)))
        return fm.Simulation(model, 1.0, fm.StepControl.fixed(0.05))

    found = fm.calibrate(build, {"mass.position[0]": (t, t**2 / 2.0 / 0.1)}, {"mass": 2.0})
    assert found.of("mass") == pytest.approx(0.1, rel=1e-6)


def test_a_file_of_histories(tmp_path: Path) -> None:
    file = tmp_path / "measured.csv"
    rows = "\n".join(f"{t:.3f}, {1.2 * t - 0.2 * t**2!r}," for t in np.linspace(0.1, 0.9, 9))
    file.write_text(f"# a comment\ntime, mass.position[0], mass.position[1]\n{rows}\n0.95,,0.0\n")
    found = fm.calibrate(_pushed, file, {"speed": 1.0, "force": -1.0})
    np.testing.assert_allclose(found.values, [1.2, -0.8], rtol=1e-8)
    picture = found.plot(tmp_path / "fit.png", "pushed")
    assert picture.stat().st_size > 10_000


T = np.linspace(0.0, 1.0, 5)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ({"mass.speed": (T, T)}, {}, "'mass' has no 'speed'"),
        ({"mass.position[0]": (T, T[:3])}, {}, r"times have shape \(5,\), values \(3,\)"),
        ({"mass.position[0]": (T[::-1], T)}, {}, "times must increase"),
        ({"mass.position[0]": (T, T * np.nan)}, {}, "not all times and values are finite"),
        ({"mass.position[0]": (T + 0.5, T)}, {}, "measured from 0.5 to 1.5 s, the run takes 0 to 1 s"),
        ({"mass.position[0]": (T, T, 0.0)}, {}, "sigma of history"),
        ({"mass.position[0]": (T, T, np.ones(3))}, {}, "sigma of history"),
        ({"mass.position[0]": (T, T, np.zeros(len(T)))}, {}, "sigma of history .* above zero"),
        ({"mass.position[0]": (T[:1], T[:1])}, {}, "1 measured values for 2 parameters"),
        ({}, {}, "no measured histories"),
        ({"mass.position[0]": (T, T)}, {"bounds": {"sped": (0, 1)}}, "no parameter 'sped'; did you mean 'speed'"),
        ({"mass.position[0]": (T, T)}, {"bounds": {"speed": (3, 4)}}, "must lie between"),
    ],
)  # fmt: skip
def test_bad_input(data: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fm.calibrate(_pushed, data, {"speed": 1.0, "force": -1.0}, **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t, a\n0, 1\n", "the first line must be 'time'"),
        ("time, a.b\n0, 1, 2\n", "line 2: 3 entries for 2 columns"),
        ("time, a.b\n\n0, one\n", "line 3, column 'a.b': 'one' is not a number"),
        ("", "it is empty"),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "measured.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        fm.calibrate(_pushed, file, {"speed": 1.0, "force": -1.0})


def test_a_parameter_of_zero_needs_a_size() -> None:
    data = {"mass.position[0]": (T, 2.0 * T)}
    with pytest.raises(InputError, match="size of parameter force"):
        fm.calibrate(_pushed, data, {"speed": 1.0, "force": 0.0})
    found = fm.calibrate(_pushed, data, {"speed": 1.0, "force": 0.0}, scale={"force": 1.0})
    np.testing.assert_allclose(found.values, [2.0, 0.0], atol=1e-8)


def test_a_pendulum_from_its_swing() -> None:
    """Length and inertia of a physical pendulum from position and force, with noise: within four standard errors."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model(gravity=(0, 0, -9.81))
        inertia = (5e-3, values["inertia"], 5e-3)
        bob = model.add(RigidBody(values["mass"], inertia, (values["length"], 0, 0), name="bob"))
        model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
        return fm.Simulation(model, 1.0, fm.StepControl.fixed(1e-2))

    true = {"mass": 0.5, "length": 0.3, "inertia": 4e-3}
    result = fm.run(build(true), progress=False)
    t = np.linspace(0.05, 1.0, 80)
    random = np.random.default_rng(5)
    place = np.asarray(result.of("bob").at(t).position)[:, 2] + random.normal(0.0, 1e-4, len(t))
    force = np.linalg.norm(np.asarray(result.of("hinge").at(t).force), axis=1) + random.normal(
        0.0, 0.02, len(t)
    )
    data = {"bob.position[2]": (t, place, 1e-4), "hinge.force": (t, force, 0.02)}
    found = fm.calibrate(
        build, data, {"mass": 0.6, "length": 0.33, "inertia": 3e-3}, bounds={"inertia": (0, 9e-3)}
    )
    away = (found.values - list(true.values())) / found.uncertainty.errors
    assert np.abs(away).max() < 4.0
    assert found.rms == pytest.approx(1.0, abs=0.2)  # 160 values: sqrt(1/320) = 0.06


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The friction of a hinge from the swing that it allows, started from other coefficients."""
    file = tmp_path / "swing.csv"
    swing_of_pendulum(file, end_time=0.3)
    start = ["--set", "end_time=0.3", "mu_dynamic=0.25", "viscous_effects=0.5"]
    wanted = ["--wrt", "mu_dynamic", "viscous_effects", "--bounds", "mu_dynamic=0:0.49", "viscous_effects=0:"]
    command = ["calibrate", "pendulum_friction", "--data", str(file), *start, *wanted]
    assert main([*command, "--json", "--out", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["found"]["mu_dynamic"] == pytest.approx(0.3, rel=1e-5)
    assert found["found"]["viscous_effects"] == pytest.approx(0.4, rel=1e-5)
    assert (tmp_path / "calibration.png").stat().st_size > 5000
    assert main([*command[:4], "--wrt", "mu_dynamic", "--bounds", "mu_dynamic=1"]) == 2
    assert "NAME=LOW:HIGH" in capsys.readouterr().err


def _free(values: Mapping[str, float]) -> fm.Simulation:
    model = fm.Model()
    mass = model.add(PointMass(values["mass"], position=(2.1, 0, 0), name="mass"))
    model.add(SpringDamper(model.ground, mass, values["stiffness"], values["damping"], length=2.0))
    return fm.Simulation(model, 3.0, fm.StepControl.fixed(0.02))


def test_a_free_oscillation_tells_ratios_only() -> None:
    """x = x0 exp(-d t) (cos(w t) + d/w sin(w t)) without any noise: mass, stiffness and damping share a factor."""
    t, decay = np.linspace(0.05, 3.0, 60), 0.15
    omega = np.sqrt(4.0 - decay**2)
    x = 2.0 + 0.1 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    with pytest.warns(FemMbdWarning, match="do not determine"):
        found = fm.calibrate(
            _free, {"mass.position[0]": (t, x)}, {"stiffness": 3.5, "damping": 0.2, "mass": 0.9}
        )
    (together,) = found.undetermined
    assert {"stiffness", "mass"} <= set(together)
    assert found.of("stiffness") / found.of("mass") == pytest.approx(4.0, rel=1e-4)
    assert found.of("damping") / found.of("mass") == pytest.approx(0.3, rel=1e-3)


def test_values_that_are_all_the_same() -> None:
    """Their standard deviation is round-off: their size is their weight."""
    (history,) = histories({"mass.position[0]": (np.linspace(0.1, 0.9, 9), np.full(9, 10.05))})
    assert history.sigma == pytest.approx(np.full(len(history.time), 10.05))
