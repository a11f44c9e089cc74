"""Tests of diagnoses of runs with known problems."""

import json
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.cli.main import main
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Revolute, Spherical
from fem_mbd.runs.diagnosis import condition


def hanging() -> fm.Simulation:
    """A body on a ball joint to the ground."""
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), position=(0.7, 0, 0)))
    model.add(Spherical(model.ground, body.node, at=(0, 0, 0), name="ball"))
    return fm.Simulation(model, 0.2, fm.StepControl.fixed(0.01))


def test_condition_of_a_ball_joint_has_its_closed_form() -> None:
    """J = [1, -r x / L], so J J^T = (1 + r^2 / L^2) 1 - r r^T / L^2: singular values 1 and (1 + r^2 / L^2)^(1/2)."""
    sim = hanging()
    found = condition(fm.run(sim), sim.system)
    assert found is not None
    wanted = np.sqrt(1 + (0.7 / sim.system.length) ** 2)
    assert found.at_end == pytest.approx(wanted) and found.worst == pytest.approx(wanted)
    assert found.joints == ("ball",)


def four_bar(angle: float) -> fm.Simulation:
    """A planar parallelogram of bars, nearly flat: an angle between crank and ground of ``angle`` (rad)."""
    model = fm.Model()
    crank = np.array([np.cos(angle), np.sin(angle), 0.0])
    base = np.array([2.0, 0.0, 0.0])
    bars = [
        model.add(RigidBody(1.0, (0.1, 0.1, 0.1), position=p, name=n))
        for p, n in ((0.5 * crank, "a"), (crank + 0.5 * base, "b"), (base + 0.5 * crank, "c"))
    ]
    z = (0, 0, 1)
    model.add(Revolute(model.ground, bars[0].node, at=(0, 0, 0), axis=z, name="A"))
    model.add(Revolute(model.ground, bars[2].node, at=base, axis=z, name="D"))
    model.add(Spherical(bars[0].node, bars[1].node, at=crank, name="B"))
    from fem_mbd.joints import Universal

    model.add(Universal(bars[1].node, bars[2].node, at=crank + base, axis_k=z, axis_l=(0, 1, 0), name="C"))
    return fm.Simulation(model, 0.02, fm.StepControl.fixed(0.01))


def test_condition_grows_as_a_linkage_is_folded() -> None:
    """The smallest singular value of a flat parallelogram vanishes with its angle: ten times flatter, ten times worse
    condition.
    """
    worst = []
    for angle in (1e-2, 1e-3, 1e-4):
        sim = four_bar(angle)
        found = condition(fm.run(sim), sim.system)
        assert found is not None
        worst.append(found.worst)
    assert worst[1] / worst[0] == pytest.approx(10.0, rel=0.05)
    assert worst[2] / worst[1] == pytest.approx(10.0, rel=0.05)


def test_a_singular_position_is_named() -> None:
    sim = four_bar(1e-6)
    found = fm.diagnose(fm.run(sim), sim.system)
    assert "nearly singular" in found.advice[0]
    assert "allow_redundant" in found.advice[0]


def test_energy_flow_is_that_of_a_falling_body() -> None:
    """Over the span of 0.49 s of the last 49 steps, a fall converts m g h: kinetic energy rises as gravity's falls."""
    model = fm.Model(gravity=(0, 0, -9.81))
    model.add(RigidBody(2.0, (1, 1, 1), position=(0, 0, 0)))
    found = fm.diagnose(fm.simulate(model, 1.0, fm.StepControl.fixed(0.01)))
    traded = 2.0 * 9.81 * 9.81 / 2 * (1.0**2 - 0.51**2)
    assert found.energy["change of kinetic"] == pytest.approx(traded)
    assert found.energy["change of gravity"] == pytest.approx(-traded)
    assert found.steps.rules == {"fixed": 1.0} or len(found.steps.rules) <= 2
    assert found.steps.smallest == pytest.approx(0.01) and found.condition is None


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert (
        main(["run", "pendulum", "--set", "end_time=0.1", "--out", str(folder), "--no-plot", "--quiet"]) == 0
    )
    capsys.readouterr()
    assert main(["diagnose", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "complete at t = 0.1 s" in said and "hinge" in said and "what to change" in said
    assert main(["diagnose", str(folder), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["condition"]["worst"] >= 1.0 and data["steps"]["count"] > 0
    assert main(["diagnose", str(tmp_path)]) == 2
