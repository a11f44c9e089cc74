"""Derivatives in mechanisms whose motion is given: that of the motion is exactly zero, that of the drive is not."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import time_functions as shapes
from fem_mbd.elements import RigidBody
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


def test_error_bar_of_a_driven_mechanism() -> None:
    """Steps half as long change the torque by about as much as the bar says."""
    of = {"torque": "final(motor.moment[2])"}
    found = fm.error_of(lambda: slider_crank({"slider": 1.0}), of)
    assert found.values[0] == pytest.approx(
        float(fm.run(slider_crank({"slider": 1.0}), progress=False).of("motor").reaction.moment[-1, 2])
    )
    assert 0.0 < found.of("torque") < 1e-2 * abs(found.values[0])
