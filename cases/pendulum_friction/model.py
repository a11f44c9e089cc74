"""Parameters and model of the pendulum, built from Python or from the XML file.

The data are those of the example in the documentation of Force_JointFriction.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.cases.xml_model.model_file import read_model
from fem_mbd.core.model.model import Model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import LuGre
from fem_mbd.joints import JointFriction, Revolute

BITS = ("preload", "reaction_force", "bending_moment", "torsional_moment")
FILE = Path(__file__).parents[1] / "_data" / "pendulum_friction.xml"
XML_PARAMETERS = ("source", "dt", "end_time")  # parameters that apply to an XML model
HINGE, BOB = "Joint 0", "bob"


@dataclass(frozen=True)
class Parameters:
    """SI units. The source's defaults are in its model's units, here millimetre, second, newton: 100/mm is 1e5/m."""

    source: Literal["python", "xml"] = parameter("python", "", "model built here, or read from its XML file")
    end_time: float = parameter(5.0, "s", "simulated time")
    dt: float = parameter(2.5e-3, "s", "constant step; the source's output interval is 5e-3 s")
    mass: float = parameter(1.0, "kg", "of the bob")
    length: float = parameter(0.1, "m", "from the hinge to the bob's mass centre, horizontal at the start")
    inertia: float = parameter(1e-3, "kg m^2", "of the bob about its mass centre, all axes")
    gravity: float = parameter(9.81, "m/s^2", "along -z")
    mu_static: float = parameter(0.5, "", "static coefficient")
    mu_dynamic: float = parameter(0.3, "", "kinetic coefficient")
    transition_velocity: float = parameter(10e-3, "m/s", "of the Stribeck curve")
    bristle_stiffness: float = parameter(1e5, "1/m", "sigma_0; the source's default")
    damping_effects: float = parameter(316.0, "s/m", "sigma_1; the source's default")
    viscous_effects: float = parameter(
        0.4, "N s/m", "sigma_2 of each surface, not multiplied by the normal force; the source's default"
    )
    pin_radius: float = parameter(5e-3, "m", "of the hinge's pin")
    friction_arm: float = parameter(7e-3, "m", "radius of the friction of the axial force")
    bending_arm: float = parameter(5e-3, "m", "half the length of the bearing")
    torque_preload: float = parameter(0.0, "N m", "break-away torque of the unloaded hinge")
    inputs: str = parameter("1111", "", "which of preload, force, bending, torsion are included")
    effect: Literal["all", "stiction", "sliding"] = parameter("all", "", "coefficients included")

    def __post_init__(self) -> None:
        check_positive(
            self, "pendulum_friction",
            "end_time dt mass length inertia gravity transition_velocity bristle_stiffness pin_radius "
            "friction_arm bending_arm",
        )  # fmt: skip
        if len(self.inputs) != len(BITS) or set(self.inputs) - {"0", "1"}:
            raise InputError(f"pendulum_friction: inputs is {self.inputs!r}: give four digits of 0 and 1")

    @property
    def loads(self) -> tuple[str, ...]:
        """Names of the loads included by ``inputs``."""
        return tuple(load for load, bit in zip(BITS, self.inputs, strict=True) if bit == "1")


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
        f.name
        for f in fields(p)
        if f.name not in XML_PARAMETERS and getattr(p, f.name) != getattr(default, f.name)
    ]
    if changed:
        raise InputError(
            f"pendulum_friction: {', '.join(changed)} cannot be set with source=xml, since the file "
            "contains the numbers: use source=python"
        )
    return read_model(FILE).model
