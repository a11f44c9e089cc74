"""Connecting members: straight beams, nearly rigid and nearly without mass, between other members.

A piece is a straight beam along its z axis that weighs LIGHT and is as stiff as `fem_mbd.machines.assemble` lets it be.
In torsion it can be given a stiffness and a damping: a drivetrain that twists, a yaw drive.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.validation import positive
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.machines.description.parts import Lump, Member

LIGHT = 1e-3  # kg/m, and kg m of rotary inertia
STIFF = 1e20  # N and N m^2; `assemble` limits what is that stiff


def connecting_piece(
    name: str,
    length: float,
    torsion: tuple[float, float] | None = None,
    lumps: tuple[Lump, ...] = (),
    where: str = "",
) -> Member:
    """A piece that is joined at both ends.

    Parameters
    ----------
    name : of the member
    length : m
    torsion : stiffness (N m/rad) and damping (N m s/rad) against twist between its ends; stiff when left out
    lumps : what sits on its nodes 0 and 1
    where : for messages

    Raises
    ------
    InputError
        For a length or a stiffness that is not above zero.
    """
    reach = positive(length, f"{where or name}: length of '{name}' (m)")
    stiffness, times = np.full(6, STIFF), np.zeros(6)
    if torsion is not None:
        spring = positive(torsion[0], f"{where or name}: torsional stiffness of '{name}' (N m/rad)")
        stiffness[3], times[3] = spring * reach, torsion[1] / spring
    section = Section(np.diag(stiffness), LIGHT, LIGHT * np.diag([2.0, 1.0, 1.0]))
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, reach]], [0.0, 0.0])
    blade = Blade(axis, SectionTable([0.0, 1.0], [section, section]), times, name=name)
    return Member(name, blade, np.array([0.0, 1.0]), lumps, where)
