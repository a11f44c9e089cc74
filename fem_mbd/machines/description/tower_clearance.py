"""Check that no blade passes through the tower as the rotor turns, unloaded: a wrong sign of tilt, cone or overhang.

A point of a blade describes a circle about the shaft, and is nearest to the tower where it crosses the vertical plane
of the shaft below it. At that height the tower must lie on the nacelle's side of the point, farther than its radius.
Where files have no diameters, a thin-walled tube of the same stiffness has the radius sqrt(2 EI/EA), which is less than
that of a tube with a thick wall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.machines.description.machine import Machine, axis_of, blades_of, has_blades, rotor_of
from fem_mbd.machines.description.parts import Frame, Member

POINTS = 41  # along a member
UPRIGHT = np.cos(
    np.radians(30.0)
)  # of members that count as a tower, and of shafts whose blades pass by no tower
UP = np.array([0.0, 0.0, 1.0])
Profile = tuple[Array, Array]  # heights and radii (k,), m


@dataclass(frozen=True, eq=False)
class _Tower:
    """A member that stands: places (POINTS, 3) and radii (POINTS,), m, from the lowest up, global axes."""

    name: str
    places: Array
    radii: Array

    @classmethod
    def of(cls, member: Member, frame: Frame, radii: bool | Profile) -> _Tower:
        places = _points(member, frame)[0]
        order = np.argsort(places[:, 2])
        if isinstance(radii, tuple):
            return cls(member.name, places[order], np.interp(places[order, 2], *radii))
        own = _radii(member) if radii else np.zeros(POINTS)
        return cls(member.name, places[order], own[order])


def check_tower_clearance(machine: Machine, radii: bool | Profile = True) -> Machine:
    """The machine itself.

    Parameters
    ----------
    machine : with the bearings at the initial angles of its files
    radii : whether the tower's radius follows from its stiffness, or heights and radii (k,), m; False: its axis alone
        counts

    Raises
    ------
    InputError
        When a point of a blade is inside the tower at some azimuth; the message names blade, place and distances.
    """
    if not has_blades(machine):
        return machine
    shaft = rotor_of(machine)
    frames = machine.frames(machine.start)
    rotating = machine.downstream(shaft.second[0])
    standing = [m for m in machine.members if m.name not in rotating and _is_upright(m, frames[m.name])]
    if shaft.first is None or not standing:
        return machine
    first, second = frames[shaft.first[0]], frames[shaft.second[0]]
    axis = axis_of(shaft, first.rotation, second.rotation)
    axis = axis / np.linalg.norm(axis)
    if abs(axis @ UP) > UPRIGHT:
        return machine
    centre = first.origin + first.rotation @ machine.member(shaft.first[0]).node_position(shaft.first[1])
    towers = [_Tower.of(member, frames[member.name], radii) for member in standing]
    for members in blades_of(machine):
        for name in members:
            points, fractions = _points(machine.member(name), frames[name])
            along = (points - centre) @ axis
            radius = np.linalg.norm(points - centre - along[:, None] * axis, axis=1)
            down = -UP + (UP @ axis) * axis
            lowest = centre + along[:, None] * axis + radius[:, None] * down / np.linalg.norm(down)
            _check(machine, name, fractions, lowest, axis, towers)
    return machine


def _check(
    machine: Machine,
    blade: str,
    fractions: Array,
    lowest: Array,
    axis: Array,
    towers: Sequence[_Tower],
) -> None:
    """InputError where a point of a blade (n, 3) at its lowest is inside one of the members that stand."""
    level = axis - (axis @ UP) * UP
    level = level / np.linalg.norm(level)
    for tower in towers:
        heights, towards = tower.places[:, 2], tower.places @ level
        # the side of the tower on which the rotor is: that of the blades' roots
        side = np.sign(lowest[0] @ level - np.interp(lowest[0, 2], heights, towards)) or 1.0
        inside = (lowest[:, 2] > heights[0]) & (lowest[:, 2] < heights[-1])
        gap = side * (lowest @ level - np.interp(lowest[:, 2], heights, towards))
        thick = np.interp(lowest[:, 2], heights, tower.radii)
        wrong = np.flatnonzero(inside & (gap < thick))
        if len(wrong):
            k = int(wrong[np.argmin((gap - thick)[wrong])])
            raise InputError(
                f"{machine.source or machine.name}: '{blade}', at {fractions[k]:.2g} of its length, passes through "
                f"'{tower.name}' at a height of {lowest[k, 2]:.4g} m: it is {gap[k]:.3g} m in front of its axis, "
                f"whose radius is {thick[k]:.3g} m at least: check the signs of tilt, cone, prebend and overhang"
            )


def _is_upright(member: Member, frame: Frame) -> bool:
    ends = frame.rotation @ (member.blade.axis.at(1.0)[0] - member.blade.axis.at(0.0)[0])
    return bool(abs(ends @ UP) > UPRIGHT * np.linalg.norm(ends))


def _points(member: Member, frame: Frame) -> tuple[Array, Array]:
    """(POINTS, 3) m, global axes, and fractions of the length."""
    fractions = np.linspace(0.0, 1.0, POINTS)
    places = np.array([member.blade.axis.at(float(s))[0] for s in fractions])
    return frame.origin + places @ frame.rotation.T, fractions


def _radii(member: Member) -> Array:
    """(POINTS,) m, of thin-walled tubes with the stiffness of the sections."""
    found = []
    for section in member.blade.sections.sections:
        k = np.diag(section.stiffness)
        found.append(np.sqrt(2.0 * min(k[4], k[5]) / k[0]))
    return np.interp(np.linspace(0.0, 1.0, POINTS), member.blade.sections.s, found)
