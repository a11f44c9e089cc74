"""Damping of a main body of HAWC2: factors of stiffness, as times of bending and twist.

What the factors mean: `fem_mbd.elements.blades.hawc2_st`.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.elements.blades.hawc2_htc import Block
from fem_mbd.elements.blades.hawc2_st import StDamping

READ = ("damping_posdef", "damping_aniso", "damping_aniso_v2")
COMMANDS = (*READ, "damping", "damping_davg")


def read_damping(block: Block, name: str) -> StDamping | None:
    """Times of bending and twist of a `main_body` block, None where it has none.

    Raises
    ------
    InputError
        Naming file and line: two commands of damping, other kinds than those of READ, factors of mass, which have no
        counterpart here, factors below zero.
    """
    given = [command for command in block.commands if command.name in COMMANDS]
    if not given:
        return None
    command = given[-1]
    if len(given) > 1:
        command.fail(
            f"'{name}' has damping already (line {given[0].line}, '{given[0].name}'): keep one of the two"
        )
    if command.name not in READ:
        command.fail(
            f"'{command.name}' of '{name}' is not known here: give {', '.join(READ[:-1])} or {READ[-1]}"
        )
    values = command.numbers(6, f"{command.name} Mx My Mz Kx Ky Kz")
    if np.any(values[:3] != 0.0):
        command.fail(
            f"'{name}' has damping proportional to mass (Mx, My, Mz), which is not known here: give zeros"
        )
    if np.any(values < 0.0):
        command.fail(f"damping of '{name}' must not be negative")
    return StDamping.of(command.name, *(float(value) for value in values[3:]))
