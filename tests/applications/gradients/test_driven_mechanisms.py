"""Derivatives in mechanisms whose motion is given: that of the motion is exactly zero, that of the drive is not."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import time_functions as shapes
from fem_mbd.elements import RigidBody, SpringDamper
from fem_mbd.joints import DrivenPrismatic, DrivenRevolute, Prismatic, Spherical, Universal

METHODS = ("forward", "adjoint")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("drive", ["angle", "speed", "displacement"])
def test_weight_and_inertia_of_a_driven_body(drive: str, method: str) -> None:
    """Reactions are linear in the mass: of a slider m g, of an arm at its angle phi those of m g and m r phi'^2."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model(gravity=(0, 0, -9.81))
        body = model.add(RigidBody(values["m"], (1.0, 1.0, 1.0), (0.5, 0, 0), name="body"))
        move: Any = shapes.SmoothStep(0.0, 0.4, 0.0, 0.3)
        joint: Any = (
            DrivenPrismatic(
                model.ground, body, at=(0.5, 0, 0), axis=(1, 0, 0), displacement=move, name="drive"
            )
            if drive == "displacement"
            else DrivenRevolute(
                model.ground, body, at=(0, 0, 0), axis=(0, 1, 0), **{drive: move}, name="drive"
            )
        )
        model.add(joint)
        return fm.Simulation(model, 0.5, fm.StepControl.fixed(1e-2))

    of = {"force": "final(drive.force[2])", "x": "final(body.position[0])"}
    found = fm.gradient(build, of, {"m": 2.0}, method=method)
    assert found.of("force", "m") == pytest.approx(found.values[0] / 2.0, rel=1e-8)
    assert abs(found.of("x", "m")) < 1e-15


def slider_crank(values: Mapping[str, float]) -> fm.Simulation:
    model = fm.Model()
    crank = model.add(RigidBody(1.0, (1e-2,) * 3, (0.05, 0, 0), name="crank"))
    rod = model.add(RigidBody(1.0, (1e-2,) * 3, (0.225, 0, 0), name="rod"))
    slider = model.add(RigidBody(values["slider"], (1e-3,) * 3, (0.35, 0, 0), name="slider"))
    speed = shapes.SmoothStep(0.0, 0.2, 0.0, 10.0)
    model.add(DrivenRevolute(model.ground, crank, at=(0, 0, 0), axis=(0, 0, 1), speed=speed, name="motor"))
    model.add(Spherical(crank, rod, at=(0.1, 0, 0)))
    model.add(Universal(rod, slider, at=(0.35, 0, 0), axis_k=(0, 1, 0), axis_l=(0, 0, 1)))
    model.add(Prismatic(model.ground, slider, at=(0.35, 0, 0), axis=(1, 0, 0)))
    return fm.Simulation(model, 0.4, fm.StepControl.fixed(2e-3))


@pytest.mark.parametrize("method", METHODS)
def test_motor_torque_of_a_slider_crank_by_the_mass_of_the_slider(method: str) -> None:
    """The torque of a given motion is linear in the mass: a run with twice of it tells the derivative."""
    found = fm.gradient(slider_crank, {"torque": "final(motor.moment[2])"}, {"slider": 1.0}, method=method)
    torques = [
        float(fm.run(slider_crank({"slider": m}), progress=False).of("motor").reaction.moment[-1, 2])
        for m in (1.0, 2.0)
    ]
    assert found.of("torque", "slider") == pytest.approx(torques[1] - torques[0], rel=1e-8)
    assert np.sign(found.values[0]) != 0.0


ARM_SPEED, STIFFNESS, LENGTH, PLACE = 4.0, 50.0, 0.5, 0.4  # rad/s, N/m, m, m


def bead_on_an_arm(dt: float) -> fm.Simulation:
    """A bead of 1 kg with a spring on an arm that turns at constant speed: x'' + (k - w^2) x = k l."""
    model = fm.Model()
    arm = model.add(RigidBody(1.0, (1e-2,) * 3, (0, 0, 0), name="arm"))
    bead = model.add(RigidBody(1.0, (1e-2,) * 3, (PLACE, 0, 0), name="bead"))
    model.add(DrivenRevolute(model.ground, arm, at=(0, 0, 0), axis=(0, 0, 1), speed=ARM_SPEED, name="motor"))
    model.add(Prismatic(arm, bead, at=(PLACE, 0, 0), axis=(1, 0, 0)))
    model.add(SpringDamper(model.ground, bead, STIFFNESS, length=LENGTH))
    for body in (arm, bead):
        model.set_velocity(body, (0, 0, 0), omega=(0, 0, ARM_SPEED), about=(0, 0, 0))
    return fm.Simulation(model, 1.0, fm.StepControl.fixed(dt))


@pytest.mark.parametrize("dt", [0.02, 0.01])
def test_error_bar_of_a_driven_mechanism(dt: float) -> None:
    """Moments are means over steps: those of the angular momentum's changes, of which the last one has the error of the
    state before it and an error of its own. What the estimate leaves out is smaller by the angle of a step, 6 rad/s dt.
    """
    rate, middle = np.sqrt(STIFFNESS - ARM_SPEED**2), STIFFNESS * LENGTH / (STIFFNESS - ARM_SPEED**2)

    def momentum(t: float) -> float:
        return float(ARM_SPEED * (middle + (PLACE - middle) * np.cos(rate * t)) ** 2)

    exact = {
        "final(motor.moment[2])": (momentum(1.0) - momentum(1.0 - dt)) / dt,
        "at(motor.moment[2], time=1)": (momentum(1.0) - momentum(1.0 - dt)) / dt,
        "final(motor.moment)": -(momentum(1.0) - momentum(1.0 - dt)) / dt,  # its length
        "mean(motor.moment[2])": momentum(1.0) - momentum(0.0),
    }
    found = fm.error_of(lambda: bead_on_an_arm(dt), {text: text for text in exact})
    true = found.values - np.array(list(exact.values()))
    assert np.abs(true).min() > 1e-5
    assert found.time / true == pytest.approx(np.ones(len(exact)), abs=rate * dt)
