"""Links of a machine as joints: fixed, free with spring and damper, fixed at an angle, driven in time."""

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

MAX_SMALL_ROTATION = 1.0  # rad: larger rotations are beyond a linear model


@dataclass(frozen=True, eq=False)
class Bearing:
    """A link between two nodes.

    Attributes
    ----------
    link : its description
    first, second : the nodes
    at : (3,) m, its place, global axes
    axis : (3,) global axes, as built
    angle : rad, of the second node as assembled; the spring has no torque at zero
    """

    link: Link
    first: Node
    second: Node
    at: Array
    axis: Array
    angle: float

    def add_to(self, model: Model, motion: TimeFunction | None, locked: bool, damped: bool) -> None:
        """Add its joint to a model.

        Parameters
        ----------
        model : of the nodes
        motion : rad, prescribed rotation, which replaces a speed, and spring and damper of a free bearing; where it is
            left out, bearings with a set angle are fixed
        locked : fix it at its angle, whatever its kind
        damped : with its damper
        """
        link, name = self.link, self.link.name
        if locked or link.kind == "fixed" or (link.kind == "angle" and motion is None):
            model.add(RigidOffset(self.first, self.second, name=name))
            return
        hinge: dict[str, Any] = {"at": self.at, "axis": self.axis, "name": name}
        if motion is not None:
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


def initial_angles(
    machine: Machine, angles: Mapping[str, float], motions: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, TimeFunction]]:
    """Angles (rad) of the bearings at time 0, and the prescribed rotations relative to them.

    Parameters
    ----------
    machine : whose bearings they are
    angles : rad, by name
    motions : rad, functions of time, by name; they add to the angles

    Raises
    ------
    InputError
        For a motion of something that is no bearing.
    """
    bearings = [link.name for link in machine.links if link.kind != "fixed"]
    bearing_angles, bearing_motions = dict(angles), {}
    for name, motion in motions.items():
        if name not in bearings:
            raise InputError(f"machine '{machine.name}' has no bearing '{name}'; {nearest(name, bearings)}")
        function = as_time_function(motion, (), f"machine '{machine.name}': motion of '{name}' (rad)")
        start = float(function.value(0.0))
        bearing_angles[name] = bearing_angles.get(name, 0.0) + start
        bearing_motions[name] = function - start
    return bearing_angles, bearing_motions


def free_bearings(machine: Machine) -> list[Link]:
    """Free bearings without a spring below the rotor, such as the yaw bearing of a nacelle that is free to yaw.

    Parameters
    ----------
    machine : with a rotor
    """
    shaft = rotor_of(machine)
    rotating = machine.downstream(shaft.second[0])
    return [
        link
        for link in machine.links
        if link.kind == "free"
        and link.stiffness == 0.0
        and link is not shaft
        and link.second[0] not in rotating
    ]


def warn_fixed_bearings(machine: Machine) -> None:
    """Warn (`EquilibriumWarning`) of free bearings without a spring, which are fixed for an equilibrium.

    Parameters
    ----------
    machine : with a rotor
    """
    names = [link.name for link in free_bearings(machine)]
    if names:
        warnings.warn(
            f"machine '{machine.name}': nothing resists the rotation of {', '.join(names)}: fixed for the equilibrium",
            EquilibriumWarning,
            stacklevel=3,
        )


def check_rotation_under_weight(assembly: Assembly, motion: Array) -> None:
    """Raise InputError when a bearing rotates farther under the weight than a linear model allows.

    Parameters
    ----------
    assembly : the machine's model
    motion : (nodes, 6) displacements and rotations, global axes

    Raises
    ------
    InputError
        Says which bearing turns.
    """
    turns = {}
    for link in assembly.machine.links:
        if link.kind == "free" and link.first is not None:
            first, second = (assembly.node(*end).index for end in (link.first, link.second))
            turns[link.name] = float(np.linalg.norm(motion[second, 3:] - motion[first, 3:]))
    name = max(turns, key=turns.__getitem__, default="")
    if name and turns[name] > MAX_SMALL_ROTATION:
        raise InputError(
            f"machine '{assembly.machine.name}': the weight turns '{name}' by far more than small deflections, since "
            "hardly anything resists: there is no equilibrium near this position; leave gravity out, fix "
            f"'{name}', or give it a spring"
        )


def on_all_blades(machine: Machine, names: Sequence[str]) -> list[str]:
    """Names of bearings, with those at the same position on the other blades.

    Parameters
    ----------
    machine : with a rotor
    names : of bearings of kind "angle"

    Raises
    ------
    InputError
        For an unknown bearing, or one that is not of kind "angle".
    """
    set_angle = {link.name: link for link in machine.links if link.kind == "angle"}
    blades = blades_of(machine)
    selected: dict[str, None] = {}
    for name in names:
        if name not in set_angle:
            raise InputError(
                f"machine '{machine.name}' has no bearing '{name}' of kind 'angle'; {nearest(name, set_angle)}"
            )
        selected[name] = None
        for blade in blades:
            if set_angle[name].second[0] in blade:
                at = blade.index(set_angle[name].second[0])
                members = {other[at] for other in blades if len(other) > at}
                selected |= {link.name: None for link in set_angle.values() if link.second[0] in members}
    return list(selected)
