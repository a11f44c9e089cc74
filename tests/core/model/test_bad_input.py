"""Tests of bad input: an error that names the part when it is given, or a failed run whose results are stored."""

# these tests pass arguments of wrong types
# mypy: disable-error-code="arg-type, return-value"

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd
from fem_mbd import InputError, RunFailed, elements
from fem_mbd.core.scheme.initial import InitialVelocityWarning
from fem_mbd.elements.rigid_body import BodyHandle
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import Clamp, DrivenPrismatic, DrivenRevolute, Revolute, Spherical, SphericalClearance
from tests.refusals import refused

TUBE = elements.Section.tube(
    mean_radius=0.01, thickness=0.001, material=elements.Material(young=70e9, poisson=0.3, density=2700)
)
Build = Callable[[fem_mbd.Model, BodyHandle], Any]


def one_body(**more: Any) -> tuple[fem_mbd.Model, BodyHandle]:
    model = fem_mbd.Model(**more)
    return model, model.add(elements.RigidBody(1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0)))


def run(model: fem_mbd.Model, end_time: float = 0.02) -> fem_mbd.Result:
    return fem_mbd.simulate(model, end_time, fem_mbd.StepControl.fixed(0.01))


def vector(t: float) -> tuple[float, float, float]:
    return (t, 0.0, 0.0)


PARTS: dict[str, tuple[Build, str]] = {
    "axis of letters": (lambda m, b: m.add(Revolute(m.ground, b.node, axis="z")), "axis of revolute joint"),
    "rotation of letters": (lambda m, b: m.node((0, 0, 0), rotation="R"), "rotation of node"),
    "ragged inertia": (lambda m, b: elements.RigidBody(1.0, [[1, 2], [3]], position=(0, 0, 0)), "body 'body': inertia"),
    "body on no node": (lambda m, b: m.add(elements.RigidBody(1.0, (1, 1, 1), node="n")), "expected a Node"),
    "mass on no node": (lambda m, b: m.add(elements.PointMass(1.0, node="n")), "expected a Node"),
    "velocity of no node": (lambda m, b: m.set_velocity(None), "expected a Node"),
    "class, not part": (lambda m, b: m.add(elements.Beam), "Beam is not a part"),
    "half an element": (
        lambda m, b: elements.Beam(TUBE, (0, 0, 0), (1, 0, 0), elements=2.5), "is 2.5: give a whole number"
    ),
    "order of no rule": (lambda m, b: elements.Beam(TUBE, (0, 0, 0), (1, 0, 0), order=[2]), "order is"),
    "no line": (lambda m, b: elements.Beam(TUBE, line="straight"), "beam 'beam': line is 'straight'"),
    "beam of zero length": (
        lambda m, b: m.add(elements.Beam(TUBE, (1, 0, 0), (1, 0, 0), name="rod")),
        "beam 'rod': .*zero length",
    ),
    "section function": (
        lambda m, b: m.add(elements.Beam(lambda s: 5, (0, 0, 0), (1, 0, 0), name="rod")),
        "beam 'rod': the section function at s = 0 returns 5",
    ),
    "section function fails": (
        lambda m, b: m.add(elements.Beam(lambda s: 1 / 0, (0, 0, 0), (1, 0, 0), name="rod")),
        "beam 'rod': the section function at s = 0 fails",
    ),
    "modulus of letters": (lambda m, b: elements.Material(young="steel", poisson=0.3, density=1.0), "Material young"),
    "section of no material": (lambda m, b: elements.Section.circle(0.01, material=None), "give a Material"),
    "scalar moment that follows": (lambda m, b: m.add(elements.Moment(b.node, 5.0, follower=True)), "three components"),
    "vector joint torque": (
        lambda m, b: m.add(elements.JointTorque(m.ground, b.node, (0, 0, 1), (1, 2, 3), name="motor")),
        r"torque 'motor' is \(1, 2, 3\): give one number",
    ),
    "vector angle": (
        lambda m, b: m.add(DrivenRevolute(m.ground, b.node, axis=(0, 0, 1), angle=vector, name="crank")),
        "'crank': angle has values of shape",
    ),
    "list as speed": (
        lambda m, b: m.add(DrivenRevolute(m.ground, b.node, axis=(0, 0, 1), speed=[0, 1], name="crank")),
        r"'crank': speed is \[0, 1\]: give one number or a function of time",
    ),
    "vector stroke": (
        lambda m, b: m.add(DrivenPrismatic(m.ground, b.node, axis=(0, 0, 1), displacement=vector, name="ram")),
        "'ram': displacement has values of shape",
    ),
    "scalar displacement": (
        lambda m, b: m.add(fem_mbd.PrescribedMotion(b.node, displacement=math.sin)),
        "displacement has values of shape",
    ),
    "force that fails": (
        lambda m, b: m.add(elements.Force(b.node, lambda t: (1 / 0, 0, 0), name="push")),
        "'push': the given function fails",
    ),
    "law for the other role": (
        lambda m, b: SphericalClearance(
            m.ground, b.node, 0.02, 0.01, normal=LuGre(sigma_0=1e5, mu_s=0.2, mu_k=0.1, v_s=1e-3)
        ),
        "normal is LuGre.*no normal law",
    ),
    "law without parameters": (
        lambda m, b: SphericalClearance(m.ground, b.node, 0.02, 0.01, normal=Linear), "no normal law"
    ),
    "motion of the ground": (lambda m, b: m.add(fem_mbd.PrescribedMotion(m.ground, vector)), "'ground' is fixed"),
    "size for a rule": (lambda m, b: fem_mbd.StepControl(0.01, dt_initial=0.01), "0.01 is not a step rule"),
    "one output time": (lambda m, b: fem_mbd.StepControl(dt_initial=0.01, output_times=5.0), "output times are"),
    "size for a control": (lambda m, b: fem_mbd.simulate(m, 1.0, 0.01), "control is 0.01"),
    "tolerance below zero": (lambda m, b: fem_mbd.NewtonOptions(tolerance=-1e-9), "NewtonOptions tolerance"),
    "half an iteration": (lambda m, b: fem_mbd.NewtonOptions(max_iterations=0.5), "max_iterations is 0.5"),
    "no solver": (lambda m, b: fem_mbd.NewtonOptions(linear_solver="mump"), "'mump'.*mumps"),
    "end of letters": (lambda m, b: fem_mbd.simulate(m, "1", fem_mbd.StepControl.fixed(0.1)), "end_time"),
    "end at the start": (lambda m, b: fem_mbd.simulate(m, 0, fem_mbd.StepControl.fixed(0.1)), "end_time"),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_refused_when_given(name: str) -> None:
    build, message = PARTS[name]
    refused(message, lambda: build(*one_body()))


@pytest.mark.parametrize(
    "use",
    [
        lambda model, node: model.add(Spherical(model.ground, node)),
        lambda model, node: model.add(elements.Force(node.at((1, 0, 0)), (1, 0, 0))),
        lambda model, node: model.add(elements.RigidBody(1.0, (1, 1, 1), node=node)),
        lambda model, node: model.add(elements.Beam(TUBE, start=node, end=(1, 0, 0))),
        lambda model, node: model.add(fem_mbd.PrescribedMotion(node, vector)),
        lambda model, node: model.add(SphericalClearance(node, model.ground, 0.02, 0.01, Linear(1e5))),
        lambda model, node: model.set_velocity(node, (1, 0, 0)),
        lambda model, node: model.fix(node),
    ],
)
def test_node_of_another_model(use: Callable[[fem_mbd.Model, fem_mbd.Node], Any]) -> None:
    _, stranger = one_body()
    model, _ = one_body()
    refused(r"node 'body.node' belongs to another model", use, model, stranger.node)


def test_beam_of_another_model() -> None:
    stranger = fem_mbd.Model().add(elements.Beam(TUBE, (0, 0, 0), (1, 0, 0)))
    with pytest.raises(InputError, match=r"line load 'snow': .* another model"):
        fem_mbd.Model().add(elements.LineLoad(stranger, (0, 0, -1), name="snow"))


@pytest.mark.parametrize("profile", [lambda s: math.nan, lambda s: 1 / 0, lambda s: "a", 5])
def test_profile_of_a_line_load(profile: Any) -> None:
    model = fem_mbd.Model()
    beam = model.add(elements.Beam(TUBE, (0, 0, 0), (1, 0, 0)))
    with pytest.raises(InputError, match="line load 'snow': profile"):
        model.add(elements.LineLoad(beam, (0, 0, -1), profile=profile, name="snow"))


def test_part_refused_leaves_no_name_behind() -> None:
    model = fem_mbd.Model()
    body = model.add(elements.RigidBody(mass=1.0, inertia=(1, 1, 1), position=(0.1, 0, 0)))
    for _ in range(2):
        with pytest.raises(InputError, match="spherical joint 'hinge' joins"):
            model.add(Spherical(body.node, body.node, name="hinge"))
    hinge = model.add(Spherical(model.ground, body.node, at=(0, 0, 0), name="hinge"))
    assert hinge is not None and hinge.name == "hinge"
    fem_mbd.Simulation(model, 1.0, fem_mbd.StepControl.fixed(0.1))


class HalfBuilt:
    """A part that registers a node before it finds that it cannot be."""

    name = "strut"

    def build(self, model: fem_mbd.Model) -> None:
        model.node((0, 0, 1))
        raise InputError("strut: no room")


def test_model_with_half_a_part_is_not_run() -> None:
    model = fem_mbd.Model()
    model.add(elements.PointMass(1.0, position=(0, 0, 0)))
    refused("no room", lambda: model.add(HalfBuilt()))
    with pytest.raises(
        InputError, match="a part of HalfBuilt 'strut', which raised an error: build the model again"
    ):
        fem_mbd.Simulation(model, 1.0, fem_mbd.StepControl.fixed(0.1))


def test_same_part_twice() -> None:
    """The second handle would show the first one's contact, and a body would weigh twice as much."""
    model, body = one_body()
    joint = SphericalClearance(model.ground, body.node, 0.02, 0.01, Linear(1e5), name="hip")
    model.add(joint)
    refused("'hip' has been added to this model already", model.add, joint)


def test_two_motions_of_one_node() -> None:
    model, body = one_body()
    model.add(fem_mbd.PrescribedMotion(body.node, vector))
    refused(r"node 'body.node' is fixed", lambda: model.add(fem_mbd.PrescribedMotion(body.node, vector)))
    refused("has a prescribed motion already", lambda: model.add(Clamp(model.ground, body.node)))


def test_model_without_parts() -> None:
    refused("model 'nothing' is empty", lambda: run(fem_mbd.Model(name="nothing")))


@pytest.mark.parametrize("revolutions", [0.5, 1.0])
def test_driver_half_a_turn_off(revolutions: float) -> None:
    """sin(angle) e1K.e1L + cos(angle) e1K.e2L vanishes there too, and the joint would turn by angle - pi or 2 pi."""
    model, body = one_body()

    def angle(t: float) -> float:
        return 2 * math.pi * revolutions + t

    model.add(DrivenRevolute(model.ground, body.node, axis=(0, 0, 1), angle=angle, name="crank"))
    refused(f"'crank': its angle starts {revolutions:g} revolutions", run, model)


def test_results_file_that_is_a_folder(tmp_path: Path) -> None:
    model, _ = one_body()
    with pytest.raises(InputError, match="this is a folder"):
        fem_mbd.simulate(model, 0.1, fem_mbd.StepControl.fixed(0.1), file=tmp_path)
    assert list(tmp_path.iterdir()) == [] and not tmp_path.with_name(tmp_path.name + ".new").exists()


def test_velocity_of_a_held_node_is_dropped_with_a_warning() -> None:
    """It used to count as kinetic energy at the start, which the first step then dissipated."""
    model, body = one_body()
    model.add(Clamp(model.ground, body.node))
    model.set_velocity(body.node, (1, 0, 0))
    with pytest.warns(InitialVelocityWarning, match=r"fixed nodes 'body.node' were set to zero"):
        result = run(model)
    assert np.all(result.energy["dissipation_scheme"] == 0.0)


def test_round_off_of_a_drivers_rate_is_no_impact() -> None:
    model, body = one_body()
    model.add(DrivenRevolute(model.ground, body.node, axis=(0, 0, 1), angle=lambda t: 1.2e-16 * t))
    with warnings.catch_warnings():
        warnings.simplefilter("error", InitialVelocityWarning)
        run(model)


def late(value: Any) -> Callable[[float], Any]:
    """A force that is fine until 0.5 s; then it is ``value``, or that is raised."""

    def force(t: float) -> Any:
        if t < 0.5:
            return (1.0, 0.0, 0.0)
        if isinstance(value, Exception):
            raise value
        return value

    return force


@pytest.mark.parametrize("value", [(math.nan, 0, 0), (math.inf, 0, 0), (1, 2), "x", RuntimeError("boom")])
def test_function_of_time_that_gives_up_in_a_run(value: Any) -> None:
    model, body = one_body()
    model.add(elements.Force(body.node, late(value), name="push"))
    with pytest.raises(RunFailed, match=r"'push'.*Results up to this time are stored") as caught:
        run(model, end_time=1.0)
    assert caught.value.result.status == "failed" and 0.49 < caught.value.result.time[-1] <= 0.5


@pytest.mark.filterwarnings("ignore:.*rotation in a step:fem_mbd.core.model.ranges.RangeWarning")
def test_prescribed_rotation_too_fast_for_the_step_shortens_it() -> None:
    model, body = one_body()
    model.add(fem_mbd.PrescribedMotion(body.node, axis=(0, 0, 1), angle=lambda t: 400.0 * t))
    result = run(model)
    assert result.status == "complete" and result.step["dt"].max() * 400.0 < 0.9 * math.pi


def test_contradictory_drivers_with_redundancy_allowed() -> None:
    """Their multipliers grow without moving anything: Newton's updates vanish while the joints stand open."""
    model, body = one_body(allow_redundant=True)
    model.add(DrivenRevolute(model.ground, body.node, axis=(0, 0, 1), angle=lambda t: t * t, name="slow"))
    model.add(DrivenRevolute(model.ground, body.node, axis=(0, 0, 1), angle=lambda t: 2 * t * t, name="fast"))
    with pytest.raises(RunFailed, match=r"joint '(slow|fast)' stays open .* contradict each other"):
        run(model)


def test_redundant_joints_that_agree_run() -> None:
    model, body = one_body(allow_redundant=True)
    for name in ("one", "other"):
        model.add(DrivenRevolute(model.ground, body.node, axis=(0, 0, 1), angle=lambda t: t * t, name=name))
    assert run(model, 0.1).status == "complete"
