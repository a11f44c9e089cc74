"""Analyses of a machine: modes, Campbell diagram, section loads; the methods of `Machine`.

Bearing angles are the initial ones of the machine's files (`Machine.start`) unless others are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.analysis.modal.modes import Modes, modes_of
from fem_mbd.analysis.rotors.campbell import Campbell
from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assemble import GRAVITY, assemble
from fem_mbd.machines.assembly.bearings import warn_fixed_bearings
from fem_mbd.machines.description.beams import with_elements
from fem_mbd.machines.description.machine import Machine, rotor_of
from fem_mbd.machines.family import MachineFamily


def machine_modes(
    machine: Machine,
    speed: float = 0.0,
    number: int = 12,
    angles: Mapping[str, float] | None = None,
    elements: int | None = None,
    **options: Any,
) -> Modes:
    """`Machine.modes`, see there."""
    family = _family(machine, angles, elements, options)
    modes = modes_of(family.at(speed), number)
    return replace(modes, names=tuple(family.names(modes)))


def machine_campbell(
    machine: Machine,
    speeds: ArrayLike,
    number: int = 12,
    angles: Mapping[str, float] | None = None,
    elements: int | None = None,
    **options: Any,
) -> Campbell:
    """`Machine.campbell`, see there."""
    return _family(machine, angles, elements, options).campbell(speeds, number)


def machine_loads(
    machine: Machine,
    speed: float = 0.0,
    azimuth: float = 0.0,
    angles: Mapping[str, float] | None = None,
    gravity: float = GRAVITY,
    elements: int | None = None,
) -> dict[str, float]:
    """`Machine.loads`, see there."""
    if machine.floater is not None and not gravity:
        raise InputError(
            f"machine '{machine.name}' floats: weight and buoyancy hold it upright: leave gravity out, or read it with "
            "platform='held'"
        )
    bearing_angles = _angles(machine, angles)
    shaft = rotor_of(machine).name
    bearing_angles[shaft] = bearing_angles.get(shaft, 0.0) + float(np.radians(azimuth))
    warn_fixed_bearings(machine)
    assembly = assemble(
        _meshed(machine, elements), bearing_angles, gravity=gravity, locked=True, standing=True
    )
    # the rotor is assembled at its azimuth, so its forces on the tower are in fixed axes
    spin = replace(assembly.rotor.spin(speed), azimuth=0.0)
    return find_equilibrium(assembly.model, spin=spin, load_steps=2).loads()


def _family(
    machine: Machine, angles: Mapping[str, float] | None, elements: int | None, options: Mapping[str, Any]
) -> MachineFamily:
    return MachineFamily(_meshed(machine, elements), _angles(machine, angles), **options)


def _angles(machine: Machine, angles: Mapping[str, float] | None) -> dict[str, float]:
    return dict(machine.start) | dict(angles or {})


def _meshed(machine: Machine, elements: int | None) -> Machine:
    return machine if elements is None else with_elements(machine, elements)
