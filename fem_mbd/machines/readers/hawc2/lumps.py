"""Concentrated masses of HAWC2's bodies; see `fem_mbd.machines.readers.hawc2.machine`."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.frames import BLADE_FROM_HAWC2
from fem_mbd.elements.blades.text import as_number
from fem_mbd.machines.description.parts import Lump
from fem_mbd.machines.readers.hawc2.htc_text import Command

ROUNDING = 0.01  # of the largest principal moment: what it may lie above the sum of the others
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
    inertia = _possible(inertia, command, body)
    turn = BLADE_FROM_HAWC2
    return Lump(node - 1, float(values[4]), turn @ values[1:4], turn @ inertia @ turn.T)


def _possible(inertia: Array, command: Command, body: str) -> Array:
    """The inertia (3, 3), its largest principal moment no more than the sum of the others, as every body has it.

    What is too much by rounding is taken off; a moment about one axis alone is left as it is.

    Raises
    ------
    InputError
        Naming file and line, for one that is not that of any body.
    """
    moments, axes = np.linalg.eigh(inertia)
    size = float(np.abs(moments).max())
    if moments[0] < -1e-9 * size:
        command.fail(
            f"concentrated_mass of '{body}': its inertia has a negative principal moment, {moments[0]:g} kg m^2"
        )
    others = float(moments[0] + moments[1])
    if moments[1] <= 1e-9 * size or moments[2] <= others:
        return inertia
    if moments[2] - others > ROUNDING * moments[2]:
        command.fail(
            f"concentrated_mass of '{body}': no body has a principal moment, {moments[2]:g} kg m^2, above the sum of "
            f"the other two, {moments[0]:g} and {moments[1]:g} (it is {100 * (moments[2] / others - 1):.0f} % above): "
            "one of them is mistyped, or taken about another point than the mass centre; correct it"
        )
    return np.asarray(axes @ np.diag([moments[0], moments[1], others]) @ axes.T)
