"""Connections of a machine's members as joints: fixed, free to turn on a spring, held at an angle, moved in time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.analysis.statics.equilibrium import EquilibriumWarning
from fem_mbd.base.arrays import Array
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.time_functions import TimeFunction, as_time_function
from fem_mbd.elements.springs.springs import RotationalSpringDamper
from fem_mbd.errors import InputError
from fem_mbd.joints.clamp import RigidOffset
from fem_mbd.joints.revolute import DrivenRevolute, Revolute
from fem_mbd.machines.description.machine import Machine, blades_of, rotor_of
from fem_mbd.machines.description.parts import Link

if TYPE_CHECKING:
    from fem_mbd.machines.assembly.assembled import Assembly

LARGEST_TURN = 1.0  # rad: no small deflection


@dataclass(frozen=True, eq=False)
class Bearing:
    """A link between two nodes.

    Attributes
    ----------
    link : what it is
    first, second : the nodes
    axis : (3,) global axes, as built
    angle : rad, by which the second is turned as built; a spring is without torque at zero
    """

    link: Link
    first: Node
    second: Node
    axis: Array
    angle: float

    def add_to(self, model: Model, motion: TimeFunction | None, locked: bool, damped: bool) -> None:
        """Add its joint to a model.

        Parameters
        ----------
        model : that has the nodes
        motion : rad, by which a bearing that is held at an angle turns in time; it stays when left out
        locked : held at its angle, whatever it is
        damped : with its damper
        """
        link, name = self.link, self.link.name
        if locked or link.kind == "fixed" or (link.kind == "angle" and motion is None):
            model.add(RigidOffset(self.first, self.second, name=name))
            return
        hinge: dict[str, Any] = {"at": self.first.position, "axis": self.axis, "name": name}
        if link.kind == "angle":
            model.add(DrivenRevolute(self.first, self.second, **hinge, angle=motion))
        elif link.kind == "speed":
            model.add(DrivenRevolute(self.first, self.second, **hinge, speed=link.speed))
        else:
            model.add(Revolute(self.first, self.second, **hinge))
            self._add_spring(model, link.damping if damped else 0.0)

    def _add_spring(self, model: Model, damping: float) -> None:
        if self.link.stiffness or damping:
            spring = RotationalSpringDamper(
                self.first,
                self.second,
                self.axis,
                self.link.stiffness,
                damping,
                angle=-self.angle,
                name=f"{self.link.name} spring",
            )
            model.add(spring)


def started(
    machine: Machine, angles: Mapping[str, float], motions: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, TimeFunction]]:
    """Angles (rad) of the bearings at time 0, and functions of time by which some turn from there on.

    Parameters
    ----------
    machine : whose bearings they are
    angles : rad, by name
    motions : rad, functions of time, by name; they add to the angles

    Raises
    ------
    InputError
        For a motion of a bearing that is not held at an angle.
    """
    held = [link.name for link in machine.links if link.kind == "angle"]
    placed, moving = dict(angles), {}
    for name, motion in motions.items():
        if name not in held:
            raise InputError(
                f"machine '{machine.name}' has no bearing '{name}' that is held at an angle; {nearest(name, held)}"
            )
        given = as_time_function(motion)
        start = float(given.value(0.0))
        placed[name] = placed.get(name, 0.0) + start
        moving[name] = given - start
    return placed, moving


def unresisted(machine: Machine) -> list[Link]:
    """Bearings of what carries the rotor that are free to turn without a spring, as the yaw of a nacelle can be.

    Parameters
    ----------
    machine : with a rotor
    """
    shaft = rotor_of(machine)
    turning = machine.downstream(shaft.second[0])
    return [
        link
        for link in machine.links
        if link.kind == "free"
        and link.stiffness == 0.0
        and link is not shaft
        and link.second[0] not in turning
    ]


def say_held(machine: Machine) -> None:
    """An `EquilibriumWarning` for bearings that are held in statics because nothing resists them.

    Parameters
    ----------
    machine : with a rotor
    """
    names = [link.name for link in unresisted(machine)]
    if names:
        warnings.warn(
            f"machine '{machine.name}': nothing resists the rotation of {', '.join(names)}: fixed for the equilibrium",
            EquilibriumWarning,
            stacklevel=3,
        )


def refuse_unheld(made: Assembly, motion: Array) -> None:
    """Refuse a motion under weight in which a bearing turns farther than a linear model reaches.

    Parameters
    ----------
    made : the machine's model
    motion : (nodes, 6) displacements and rotations, global axes

    Raises
    ------
    InputError
        Says which bearing turns.
    """
    turns = {}
    for link in made.machine.links:
        if link.kind == "free" and link.first is not None:
            first, second = (made.node(*end).index for end in (link.first, link.second))
            turns[link.name] = float(np.linalg.norm(motion[second, 3:] - motion[first, 3:]))
    name = max(turns, key=turns.__getitem__, default="")
    if name and turns[name] > LARGEST_TURN:
        raise InputError(
            f"machine '{made.machine.name}': the weight turns '{name}' by far more than small deflections, as next to "
            "nothing resists there: the machine has no equilibrium near its position; leave gravity out, or hold or "
            f"spring '{name}'"
        )


def equal_bearings(machine: Machine, names: Sequence[str]) -> list[str]:
    """Bearings by name, and those at the same place of the other blades.

    Parameters
    ----------
    machine : with a rotor
    names : of bearings that are held at an angle

    Raises
    ------
    InputError
        For a bearing that there is not, or one that is not held at an angle.
    """
    held = {link.name: link for link in machine.links if link.kind == "angle"}
    blades = blades_of(machine)
    found: dict[str, None] = {}
    for name in names:
        if name not in held:
            raise InputError(
                f"machine '{machine.name}' has no bearing '{name}' that is held at an angle; {nearest(name, held)}"
            )
        found[name] = None
        for blade in blades:
            if held[name].second[0] in blade:
                at = blade.index(held[name].second[0])
                equals = {other[at] for other in blades if len(other) > at}
                found |= {link.name: None for link in held.values() if link.second[0] in equals}
    return list(found)
