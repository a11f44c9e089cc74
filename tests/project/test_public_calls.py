"""Calls of the public interface: one order of arguments, former orders and names, errors that name arguments."""
# mypy: disable-error-code="arg-type, attr-defined, call-arg, misc, import-not-found"

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import pytest

import fem_mbd as fm
from fem_mbd import InputError, elements, joints
from fem_mbd.elements import Beam, Force, Material, PointMass, RigidBody, Section, SpringDamper
from fem_mbd.friction import Coulomb, Linear, LuGre
from fem_mbd.joints import (
    DiskOnPlane,
    Planar,
    PointOnPlane,
    Revolute,
    RollingBall,
    SphereOnPlane,
    SphereOnSphere,
)

LAW, RUBS, AXIS = Linear(1e6), Coulomb(0.1, v_0=1e-3), (0.0, 0.0, 1.0)
TUBE = Section.circle(0.01, Material(7e10, 0.3, 2700))


def ends() -> tuple[fm.Node, fm.Node]:
    model = fm.Model()
    return model.ground, model.node((0, 0, 1.0))


# the former call, and the present one, of two nodes
FORMER: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (
        lambda k, l: SphereOnSphere(k, l, LAW, RUBS, "balls", 0.1, 0.2),
        lambda k, l: SphereOnSphere(k, l, 0.1, 0.2, LAW, RUBS, name="balls"),
    ),
    (
        lambda k, l: SphereOnPlane(k, l, LAW, radius=0.1, direction=AXIS),
        lambda k, l: SphereOnPlane(k, l, 0.1, LAW, direction=AXIS),
    ),
    (
        lambda k, l: DiskOnPlane(k, l, LAW, RUBS, "disk", AXIS, 0.1, AXIS, 1e-4),
        lambda k, l: DiskOnPlane(k, l, 0.1, LAW, RUBS, name="disk", direction=AXIS, axis=AXIS, crown=1e-4),
    ),
    (
        lambda k, l: PointOnPlane(k, l, LAW, RUBS, "foot", AXIS),
        lambda k, l: PointOnPlane(k, l, LAW, RUBS, name="foot", direction=AXIS),
    ),
    (lambda k, l: Planar(k, l, normal=AXIS), lambda k, l: Planar(k, l, direction=AXIS)),
    (
        lambda k, l: RollingBall(k, l, 0.1, AXIS, "ball"),
        lambda k, l: RollingBall(k, l, 0.1, direction=AXIS, name="ball"),
    ),
    (lambda k, l: Revolute(k, l, None, "hinge", AXIS), lambda k, l: Revolute(k, l, name="hinge", axis=AXIS)),
    (
        lambda k, l: SpringDamper(k, l, 1e3, 2.0, 0.5, "spring"),
        lambda k, l: SpringDamper(k, l, 1e3, 2.0, length=0.5, name="spring"),
    ),
    (lambda k, l: Force(l, (0, 0, 1.0), True), lambda k, l: Force(l, (0, 0, 1.0), follower=True)),
    (lambda k, l: Beam(TUBE, k, l, None, AXIS, 3), lambda k, l: Beam(TUBE, k, l, up=AXIS, elements=3)),
    (lambda k, l: PointMass(1.0, None, l), lambda k, l: PointMass(1.0, node=l)),
]


@pytest.mark.parametrize(("former", "present"), FORMER)
def test_a_former_order_is_taken_with_a_warning(former: Any, present: Any) -> None:
    k, l = ends()
    with pytest.warns(DeprecationWarning) as told:
        made = former(k, l)
    assert [warning.filename for warning in told] == [__file__]
    wanted = present(k, l)
    for field in dataclasses.fields(wanted):
        old, new = getattr(made, field.name), getattr(wanted, field.name)
        assert old is new or (type(old) is type(new) and repr(old) == repr(new)), field.name


def test_a_simulation_has_the_order_of_simulate() -> None:
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(PointMass(1.0, (0, 0, 0)))
    control = fm.StepControl.fixed(0.01)
    with pytest.warns(DeprecationWarning, match=r"write Simulation\(model, end_time, control=…"):
        former = fm.Simulation(model, control, 0.1, fm.NewtonOptions(max_iterations=9))
    assert (former.end_time, former.control, former.solver.options.max_iterations) == (0.1, control, 9)
    with pytest.warns(DeprecationWarning, match="order of a former version"):
        assert fm.Simulation(model, None, 0.2).end_time == 0.2
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


def test_hooks_answer_under_their_former_names() -> None:
    model = fm.Model()
    with pytest.warns(DeprecationWarning, match=r"Model.unique_name is Model.registry.unique_name now"):
        assert model.unique_name("arm") == "arm"
    with pytest.warns(DeprecationWarning, match=r"Model.own is Model.registry.node_of now"):
        assert model.own(model.ground, "test") is model.ground
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        model.nothing  # noqa: B018


def test_a_handle_says_where_its_histories_are() -> None:
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0)))
    contact = model.add(joints.PlanarClearance(model.ground, body, 0.01, 0.0095, LAW, axis=AXIS))
    with pytest.raises(
        AttributeError, match=r"contact_row is gone: results answer by part, result.of\(handle\)"
    ):
        contact.contact_row  # noqa: B018


def test_modes_of_a_linear_model_say_what_to_call() -> None:
    model = fm.Model()
    body = model.add(PointMass(1.0, (0, 0, 1.0)))
    model.add(SpringDamper(model.ground, body, 1e3))
    with pytest.raises(InputError, match="modes: the argument has to be a Model; for this LinearModel call"):
        fm.modes(fm.linearise(model))
