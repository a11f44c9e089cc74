"""Pitch links and swashplate of a rotor in its model.

A link is a spring along the line between the end of the pitch horn and a point of the rotating plate, or of the hub,
below it. The swashplate: a slider on the mast (heave), a ring on it (tilt about the sideways axis), the plate that does
not rotate on the ring (tilt about the forward axis), and on its bearing the plate that rotates. The scissors keep the
rotation of the plate about its own axis equal to that of the shaft.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.node import Node
from fem_mbd.elements.rigid_body import RigidBody
from fem_mbd.elements.springs.springs import SpringDamper
from fem_mbd.joints.driveline.parts import GearPair
from fem_mbd.joints.prismatic import DrivenPrismatic
from fem_mbd.joints.revolute import DrivenRevolute, Revolute
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.building.blocks import Swashplate
from fem_mbd.machines.description.machine import rotor_of
from fem_mbd.machines.description.parts import Control

SMALL = 1e-3  # inertia of slider, ring and fixed plate, whose motion is given, over that of the rotating one


def add_control(assembly: Assembly, control: Control, damped: bool) -> None:
    """Add pitch links, and the swashplate if there is one, to the model of a machine.

    Parameters
    ----------
    assembly : machine and model
    control : the links
    damped : with their damping
    """
    links, hub = control.links, assembly.rotor.hub
    axes = assembly.frames[control.hub].rotation @ control.axes
    down = -links.length * axes[:, 0]
    foot = hub
    if links.swashplate is not None:
        foot = _add_swashplate(assembly, links.swashplate, hub.position + down, axes)
        assembly.plates.append(foot)
    for k, (root, end) in enumerate(control.horns, start=1):
        horn = hub.position + axes @ end
        ends = foot.at_global(horn + down), assembly.node(*root).at_global(horn)
        damping, name = links.damping if damped else 0.0, f"pitch link {k}"
        assembly.model.add(SpringDamper(*ends, links.stiffness, damping, parallel=links.parallel, name=name))


def _add_swashplate(assembly: Assembly, plate: Swashplate, at: Array, axes: Array) -> Node:
    """The rotating plate; ``at`` (3,) its centre, ``axes`` (3, 3) of the rotor, columns, global."""
    model, shaft = assembly.model, rotor_of(assembly.machine)
    mast = model.ground if shaft.first is None else assembly.node(*shaft.first)
    axis, side, ahead = axes.T  # ahead: azimuth 0; the azimuth 90 degrees is at -side

    def body(name: str, share: float) -> Node:
        inertia = share * plate.inertia * (0.5 * np.eye(3) + 0.5 * np.outer(axis, axis))
        mass = share * plate.mass
        return model.add(RigidBody(mass, inertia, position=at, axes="global", name=f"swashplate {name}")).node

    slider, ring, fixed, rotating = (
        body(name, share)
        for name, share in (("slider", SMALL), ("ring", SMALL), ("fixed", SMALL), ("rotating", 1.0))
    )
    model.add(
        DrivenPrismatic(mast, slider, at=at, axis=axis, displacement=plate.heave, name="swashplate heave")
    )
    model.add(
        DrivenRevolute(slider, ring, at=at, axis=side, angle=plate.tilt_cosine, name="swashplate tilt cosine")
    )
    model.add(
        DrivenRevolute(ring, fixed, at=at, axis=ahead, angle=plate.tilt_sine, name="swashplate tilt sine")
    )
    model.add(Revolute(fixed, rotating, at=at, axis=axis, name="swashplate bearing"))
    hub, housing = assembly.node(*shaft.second), None if mast is model.ground else mast
    model.add(GearPair(hub, rotating, axis, 1.0, 1.0, housing=housing, internal=True, name="scissors"))
    return rotating
