"""A rotor of rigid blades on central flap hinges, for tests of inflow, flapping and trim."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.aerodynamics import BladeAerodynamics, Polar, RigidSpan, RotorBlade, RotorLoads, Wind
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import RigidBody
from fem_mbd.joints import DrivenRevolute, Revolute
from fem_mbd.joints.ideal import RigidOffset

RADIUS, CHORD, SPEED, SLOPE, DENSITY, MASS = 5.0, 0.25, 40.0, 5.7, 1.225, 20.0
INERTIA = MASS * RADIUS**2 / 3.0  # kg m^2, of a blade about its hinge
LOCK = DENSITY * SLOPE * CHORD * RADIUS**4 / INERTIA
X, Y, Z = np.eye(3)


def linear_lift(drag: float = 0.0) -> Polar:
    """Lift a sin(alpha) at all angles: a v_x v_y in section axes, as if the flow were never reversed."""
    alpha = np.linspace(-180.0, 180.0, 721)
    return Polar(alpha, SLOPE * np.sin(np.radians(alpha)), drag + 0.0 * alpha)


def blade_aerodynamics(
    pitch: float, twist: float = 0.0, ideal: bool = False, drag: float = 0.0
) -> BladeAerodynamics:
    """Constant chord from the axis to the tip, on the quarter chord; pitch (rad) + twist r/R, or pitch R/r."""
    r = np.linspace(0.0, RADIUS, 201) if ideal else np.array([0.0, RADIUS])
    angle = pitch * RADIUS / np.maximum(r, 0.05 * RADIUS) if ideal else pitch + twist * r / RADIUS
    n = len(r)
    return BladeAerodynamics(r, [CHORD] * n, [linear_lift(drag)] * n, -angle, np.zeros((n, 2)))


def hinged_rotor(
    wind: Wind,
    blade: BladeAerodynamics,
    *,
    blades: int = 4,
    speed: float = SPEED,
    hinged: bool = True,
    cyclic: Mapping[str, float] | None = None,
    **options: Any,
) -> fm.Model:
    """The rotor, its axis up, blade 1 at global x, with flap hinges on the axis, or rigid.

    cyclic: pitch 'cos', 'sin' (rad) driven in a hinge of each blade outboard of the flap hinge.
    """
    model = fm.Model(name="hinged rotor")
    hub = model.add(RigidBody(10.0, np.eye(3), position=np.zeros(3), name="hub"))
    model.add(DrivenRevolute(model.ground, hub, axis=Z, speed=speed, at=np.zeros(3), name="shaft"))
    spans, nodes, bodies, rates = [], [hub.node], [], {}
    for k in range(blades):
        turn = rotation_about(Z, 2.0 * np.pi * k / blades)
        along, ahead, suction, rate = turn @ X, turn @ Y, Z, 0.0
        inertia = turn @ np.diag([1e-3, MASS * RADIUS**2 / 12.0, MASS * RADIUS**2 / 12.0 + 1e-3]) @ turn.T
        body = model.add(
            RigidBody(MASS, inertia, position=0.5 * RADIUS * along, axes="global", name=f"blade{k + 1}")
        )
        base = hub
        if cyclic is not None:
            base = model.add(RigidBody(1e-3, 1e-3 * np.eye(3), position=np.zeros(3), name=f"cuff{k + 1}"))
            nodes.append(base.node)
        first = base if cyclic is not None else body
        if hinged:
            model.add(Revolute(hub, first, axis=-ahead, at=np.zeros(3), name=f"flap{k + 1}"))
        else:
            model.add(RigidOffset(hub, first, name=f"root{k + 1}"))
        if cyclic is not None:
            psi = 2.0 * np.pi * k / blades
            at_start = cyclic["cos"] * np.cos(psi) + cyclic["sin"] * np.sin(psi)
            cosine = fm.time_functions.Harmonic(cyclic["cos"], speed, 0.5 * np.pi + psi, -at_start)
            angle = cosine + fm.time_functions.Harmonic(cyclic["sin"], speed, psi)
            model.add(
                DrivenRevolute(base, body, axis=along, angle=angle, at=np.zeros(3), name=f"pitch{k + 1}")
            )
            suction = rotation_about(along, at_start) @ Z
            rate = speed * (cyclic["sin"] * np.cos(psi) - cyclic["cos"] * np.sin(psi))
        spans.append(
            RotorBlade(RigidSpan(body, np.zeros(3), RADIUS * along, suction, name=f"blade{k + 1}"), blade)
        )
        rates[body.node.index] = rate * along
        bodies.append(body.node)
    given: dict[str, Any] = {"stall": "none", "angle_at": 0.25, "stations": 40, "density": DENSITY} | options
    model.add(RotorLoads(spans, hub.node, Z, wind, name="airloads", **given))
    model.set_velocity(nodes, omega=speed * Z, about=np.zeros(3))
    for node in bodies:
        model.set_velocity(node, omega=speed * Z + rates[node.index], about=np.zeros(3))
    return model
