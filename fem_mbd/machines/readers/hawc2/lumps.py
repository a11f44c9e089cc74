"""Concentrated masses of HAWC2's bodies; see `fem_mbd.machines.readers.hawc2.machine`."""

from __future__ import annotations

import numpy as np

from fem_mbd.elements.blades.hawc2_htc import Command
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.elements.blades.text import as_number
from fem_mbd.machines.description.parts import Lump
from fem_mbd.machines.readers.inertia import possible_inertia

MASS_LINE = "concentrated_mass node x y z mass Ixx Iyy Izz [Ixy Ixz Iyz]"


def read_lump(command: Command, count: int, body: str) -> Lump:
    """The lump of a command.

    count : nodes of the body

    Raises
    ------
    InputError
        Naming file and line: numbers that are none, a node that is not there, a negative mass, inertia of no body.
    """
    values = command.numbers(8, MASS_LINE)
    extra = np.zeros(3)
    for k, word in enumerate(command.words[8:11]):
        number = as_number(word)
        if number is None:
            command.fail(f"'{word}' is no number: '{MASS_LINE}'")
        extra[k] = number
    node = int(values[0])
    if node != values[0] or not 1 <= node <= count:
        command.fail(f"concentrated_mass of '{body}' at node {values[0]:g}: it has nodes 1 to {count}")
    if values[4] < 0.0:
        command.fail(f"concentrated_mass of '{body}' has mass {values[4]:g} kg: it must not be negative")
    xy, xz, yz = extra
    inertia = np.array([[values[5], xy, xz], [xy, values[6], yz], [xz, yz, values[7]]])
    inertia = possible_inertia(inertia, command.fail, f"concentrated_mass of '{body}'")
    turn = BLADE_FROM_HAWC2
    return Lump(node - 1, float(values[4]), turn @ values[1:4], turn @ inertia @ turn.T)
