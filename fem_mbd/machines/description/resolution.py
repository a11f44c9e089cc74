"""Mesh of a machine: beam elements per member, fewer than the stations of its sections in the files.

Elements have four nodes, and sections between their ends are integrated exactly, so that a few do. For the first eight
modes of a clamped blade of the IEA 22 MW turbine (101 stations) 25 elements at most change frequencies by 2e-4, 13 by
5e-4; of the IEA 15 MW turbine (26 stations) 13 by 8e-5, 9 by 1e-3.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import whole_number
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.section.table import fits_one_element
from fem_mbd.machines.description.machine import Machine

ORDER = 4  # nodes of an element


def with_elements(machine: Machine, most: int) -> Machine:
    """The machine with fewer elements along its members.

    Parameters
    ----------
    machine : any; members with fewer stations stay as they are
    most : elements of a member. There are more where its sections vary too much for an element, and where something
        sits or hangs between the ends of elements

    Raises
    ------
    InputError
        For a number below 1.
    """
    whole_number(most, "elements of a member")
    members = []
    for member in machine.members:
        given = np.asarray(member.blade.sections.s) if member.bounds is None else member.bounds
        fewer = len(given) - 1 > most
        members.append(replace(member, bounds=element_bounds(member.blade, most)) if fewer else member)
    return replace(machine, members=tuple(members))


def element_bounds(blade: Blade, most: int) -> Array:
    """Fractions where elements meet: all stations, or every second, third, … and the last.

    Where sections vary too much for one element, all stations.

    Parameters
    ----------
    blade : with its stations
    most : elements
    """
    s = np.asarray(blade.sections.s)
    every = int(np.ceil((len(s) - 1) / most))
    return with_stations(blade, np.unique(np.append(s[::every], 1.0)))


def with_stations(blade: Blade, bounds: Array) -> Array:
    """Fractions where elements meet, and the stations between two of them where sections vary too much for one.

    Parameters
    ----------
    blade : with its stations
    bounds : (n,) from 0 to 1, ascending
    """
    s = np.asarray(blade.sections.s)
    kept = [bounds]
    for start, end in zip(bounds[:-1], bounds[1:], strict=True):
        if not fits_one_element(blade.sections, ORDER, float(start), float(end)):
            kept.append(s[(s > start) & (s < end)])
    return np.unique(np.concatenate(kept))
