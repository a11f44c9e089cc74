"""Calls of the public interface: one order of arguments, errors that name arguments."""
# mypy: disable-error-code="arg-type, attr-defined, call-arg, misc, import-not-found"

import inspect
from typing import Any

import pytest

import fem_mbd as fm
from fem_mbd import InputError, elements, joints
from fem_mbd.elements import Material, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.friction import Coulomb, Linear, LuGre
from fem_mbd.joints import (
    SphereOnPlane,
)

LAW, RUBS, AXIS = Linear(1e6), Coulomb(0.1, v_0=1e-3), (0.0, 0.0, 1.0)
TUBE = Section.circle(0.01, Material(7e10, 0.3, 2700))


def ends() -> tuple[fm.Node, fm.Node]:
    model = fm.Model()
    return model.ground, model.node((0, 0, 1.0))


def test_a_simulation_has_the_order_of_simulate() -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(PointMass(1.0, (0, 0, 0)))
    control = fm.StepControl.fixed(0.01)
    present = fm.run(fm.Simulation(model, 0.1, control))
    assert present.of(body).velocity[-1, 2] == pytest.approx(-0.981, rel=1e-9)
    assert fm.simulate(model, 0.1, control).of(body).velocity[-1, 2] == present.of(body).velocity[-1, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, k, l: fm.simulate(m, fm.StepControl.fixed(0.1), 1.0), r"arguments: simulate\(model, end_time, con"),
        (lambda m, k, l: fm.simulate(1.0, m), r"arguments: simulate\(model, end_time, control=…, \*, newton=…"),
        (lambda m, k, l: fm.simulate(m, 1.0, 0.01), r"give a StepControl.*arguments: simulate\(model"),
        (lambda m, k, l: fm.Simulation(m), r"end_time missing.*Simulation\(model, end_time, control=…, \*, newton=…"),
        (lambda m, k, l: joints.Clamp(k), r"Clamp: l missing. The arguments: Clamp\(k, l, at=…, \*, name=…"),
        (lambda m, k, l: joints.Clamp("weld", k, l), r"Clamp: k is 'weld'"),
        (lambda m, k, l: joints.Clamp(k, l, naem="weld"), r"no argument 'naem'; did you mean 'name'"),
        (lambda m, k, l: joints.SphericalClearance(k, l, LAW, 0.02, 0.01), r"radius_k is Linear.*radius_l, normal"),
        (lambda m, k, l: joints.SphericalClearance(k, l, 0.02, LAW, 0.01), r"radius_l is Linear.*radius_l, normal"),
        (
            lambda m, k, l: SphereOnPlane(k, l, LAW, 0.1, name="s"),
            r"contact 's': radius is Linear.*\(k, l, radius, nor",
        ),
        (lambda m, k, l: RigidBody((1, 1, 1), 2.0), r"mass is \(1, 1, 1\).*RigidBody\(mass, inertia, position=…"),
        (lambda m, k, l: elements.JointTorque(k, l, 3.0), r"torque missing.*JointTorque\(k, l, axis, torque"),
        (lambda m, k, l: fm.campbell([0.0, 1.0], m), r"model is \[0.0, 1.0\].*campbell\(model, speeds, \*, axis"),
        (lambda m, k, l: fm.find_equilibrium(), r"model missing.*find_equilibrium\(model, load_factor=…"),
        (lambda m, k, l: LuGre(1e5, 0.2), r"LuGre: 2 arguments are given by position.*LuGre\(\*, sigma_0, sigma_1=…"),
        (lambda m, k, l: LuGre(sigma_0=1e5, mu_s=0.2, v_s=1e-3), r"LuGre: mu_k missing.*LuGre\(\*, sigma_0"),
        (lambda m, k, l: fm.Model("machine"), r"gravity: expected three numbers|Model\(gravity"),
    ],
)  # fmt: skip
def test_arguments_in_a_wrong_order_are_named(call: Any, message: str) -> None:
    model = fm.Model()
    with pytest.raises(InputError, match=message):
        call(model, model.ground, model.node((0, 0, 1.0)))


def test_every_part_takes_its_bodies_first_and_names_by_keyword() -> None:
    for package in (joints, elements):
        for name in package.__all__:
            kind = getattr(package, name)
            if not (isinstance(kind, type) and hasattr(kind, "build")):
                continue
            parameters = inspect.signature(kind).parameters
            by_position = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
            assert "name" not in by_position and "friction" not in by_position[:-1], name
            lengths = [n for n in by_position if n.startswith("radius")]
            if "normal" in by_position:
                assert by_position[-2:] == ["normal", "friction"], name
                assert by_position[2 : 2 + len(lengths)] == lengths, name


def test_help_shows_what_users_call() -> None:
    def shown(kind: type) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    assert shown(fm.Model) == {"add", "fix", "node", "set_velocity"}
    assert shown(fm.Simulation) == {
        "advance", "advancing", "energy_scale", "ledger", "of", "outputs", "restore", "save", "steps", "stop_at",
        "time", "value",
    }  # fmt: skip
    assert "axis_of" not in shown(fm.Machine)


def test_modes_of_a_linear_model_say_what_to_call() -> None:
    model = fm.Model()
    body = model.add(PointMass(1.0, (0, 0, 1.0)))
    model.add(SpringDamper(model.ground, body, 1e3))
    with pytest.raises(InputError, match="modes: the argument has to be a Model; for this LinearModel call"):
        fm.modes(fm.linearise(model))
