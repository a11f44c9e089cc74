"""The pendulum, built from Python or from the XML file."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from fem_mbd.cases.pendulum_friction.parameters import Parameters
from fem_mbd.cases.xml_model.model_file import read_model
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import LuGre
from fem_mbd.joints import JointFriction, Revolute

FILE = Path(__file__).parents[1] / "_data" / "pendulum_friction.xml"
HINGE, BOB = "Joint 0", "bob"
OWN = ("source", "dt", "end_time")  # parameters that an XML model takes


def build(p: Parameters) -> Simulation:
    """The model and constant steps."""
    model = python_model(p) if p.source == "python" else _xml_model(p)
    return Simulation(model, p.end_time, StepControl.fixed(p.dt))


def friction(p: Parameters) -> JointFriction:
    """Friction of the hinge."""
    law = LuGre(
        sigma_0=p.bristle_stiffness,
        sigma_1=p.damping_effects,
        mu_s=p.mu_static,
        mu_k=p.mu_dynamic,
        v_s=p.transition_velocity,
    )
    return JointFriction(
        law=law,
        viscous=p.viscous_effects,
        effect=p.effect,
        loads=p.loads,  # type: ignore[arg-type]
        torque_preload=p.torque_preload,
        pin_radius=p.pin_radius,
        friction_arm=p.friction_arm,
        bending_reaction_arm=p.bending_arm,
    )


def python_model(p: Parameters) -> Model:
    """A bob on an arm that starts at rest along -x; the hinge turns about y."""
    model = Model(gravity=(0.0, 0.0, -p.gravity), name="pendulum_friction")
    bob = model.add(RigidBody(p.mass, (p.inertia,) * 3, (-p.length, 0.0, 0.0), name=BOB))
    model.add(
        Revolute(model.ground, bob.node, at=(0, 0, 0), axis=(0, 1, 0), name=HINGE, friction=friction(p))
    )
    return model


def _xml_model(p: Parameters) -> Model:
    default = Parameters()
    changed = [
        f.name for f in fields(p) if f.name not in OWN and getattr(p, f.name) != getattr(default, f.name)
    ]
    if changed:
        raise InputError(
            f"pendulum_friction: {', '.join(changed)} cannot be set with source=xml, the file holds the numbers: "
            "use source=python"
        )
    return read_model(FILE).model
