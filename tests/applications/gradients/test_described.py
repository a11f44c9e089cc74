"""Gradients of outputs that views make with the model's own data, which a parameter changes: closed forms, runs."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.elements import Beam, Force, RigidBody, Section, SpringDamper
from fem_mbd.joints import Revolute

SECTION = Section(np.diag([1e6, 5e5, 5e5, 50.0, 80.0, 200.0]), 1.0, np.diag([2e-3, 1e-3, 1e-3]))
Build = Callable[[Mapping[str, float]], fm.Simulation]


def _differences(build: Build, of: Mapping[str, Any], values: Mapping[str, float]) -> np.ndarray:
    """(outputs, parameters) central differences of runs with the same fixed steps."""
    columns = []
    for name, value in values.items():
        moved = [{**values, name: value * (1.0 + k * 1e-4)} for k in (1, -1)]
        up, down = (fm.gradient(build, of, one).values for one in moved)
        columns.append((up - down) / (2e-4 * value))
    return np.stack(columns, axis=1)


def test_displacement_from_a_start_that_moves() -> None:
    """x = x_0 + (v/omega) sin(omega t): the displacement from x_0 does not depend on x_0, the position does."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        body = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (values["start"], 0, 0), name="body"))
        model.add(SpringDamper(model.ground, body, 10.0, 0.0, length=values["start"]))
        model.set_velocity(body, (0.1, 0, 0))
        return fm.Simulation(model, 0.5, fm.StepControl.fixed(0.01))

    of = {
        "position": "final(body.position[0])",
        "displacement": lambda result: result.of("body").displacement[-1, 0],
    }
    found = fm.gradient(build, of, {"start": 1.0})
    np.testing.assert_allclose(found.jacobian[:, 0], [1.0, 0.0], atol=1e-9)


def test_axes_of_a_section_that_turn() -> None:
    """A cantilever whose section, and with it the axes of its section forces, is turned by an angle."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model()
        up = (0.0, np.sin(values["angle"]), np.cos(values["angle"]))
        beam = model.add(Beam(SECTION, (0, 0, 0), (1, 0, 0), up=up, elements=2, name="beam"))
        model.fix(beam.start)
        model.add(Force(beam.end, (0.0, 5.0, 20.0)))
        return fm.Simulation(model, 0.05, fm.StepControl.fixed(1e-3))

    of = {"M2": "final(beam.section_force(0.1)[4])", "M3": "final(beam.section_force(0.1)[5])"}
    values = {"angle": 0.3}
    found = fm.gradient(build, of, values)
    np.testing.assert_allclose(found.jacobian, _differences(build, of, values), rtol=1e-5)


def test_a_hinge_whose_axis_turns() -> None:
    """The angle of the joint is found with its axes in both bodies."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model(gravity=(0, 0, -9.81))
        bob = model.add(RigidBody(1.0, (0.02, 0.02, 0.02), (0.5, 0.1, 0), name="bob"))
        axis = (0.0, np.cos(values["tilt"]), np.sin(values["tilt"]))
        model.add(Revolute(model.ground, bob, at=(0, 0, values["height"]), axis=axis, name="hinge"))
        return fm.Simulation(model, 0.3, fm.StepControl.fixed(5e-3))

    of: dict[str, Any] = {
        "angle": lambda result: result.of("hinge").angle[-1],
        "way": lambda result: result.of("bob").displacement[-1, 2],
        "M": "final(hinge.moment[0])",
    }
    values = {"tilt": 0.2, "height": 0.1}
    found = fm.gradient(build, of, values)
    np.testing.assert_allclose(found.jacobian, _differences(build, of, values), rtol=1e-6, atol=1e-7)
