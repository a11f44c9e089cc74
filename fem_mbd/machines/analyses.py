"""Analyses of a machine: modes, Campbell diagram, section loads; the methods of `Machine`.

Bearing angles are the initial ones of the machine's files (`Machine.start`) unless others are given.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.analysis.modal.modes import Modes, modes_of
from fem_mbd.analysis.rotors.campbell import Campbell
from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.base.suggestions import nearest
from fem_mbd.base.validation import finite
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.bearings import warn_fixed_bearings
from fem_mbd.machines.description.beams import with_elements
from fem_mbd.machines.description.machine import Machine, pitch_bearings, rotor_of
from fem_mbd.machines.family import MachineFamily


def machine_modes(machine: Machine, speed: float = 0.0, number: int = 12, **options: Any) -> Modes:
    """`Machine.modes`, see there."""
    family = _family(machine, "modes", **options)
    modes = modes_of(family.at(speed), number)
    return replace(modes, names=tuple(family.names(modes)))


def machine_campbell(
    machine: Machine,
    speeds: ArrayLike,
    number: int = 12,
    **options: Any,
) -> Campbell:
    """`Machine.campbell`, see there."""
    return _family(machine, "campbell", **options).campbell(speeds, number)


def machine_loads(
    machine: Machine,
    speed: float = 0.0,
    azimuth: float = 0.0,
    angles: Mapping[str, float] | None = None,
    gravity: float | None = None,
    elements: int | None = None,
    pitch: float | None = None,
) -> dict[str, float]:
    """`Machine.loads`, see there."""
    gravity = machine.gravity if gravity is None else gravity
    if machine.floater is not None and not gravity:
        raise InputError(
            f"machine '{machine.name}' floats: weight and buoyancy hold it upright: leave gravity out, or read it with "
            "platform='held'"
        )
    bearing_angles = dict(machine.start) | _angles(machine, angles, pitch)
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
    machine: Machine,
    method: str,
    angles: Mapping[str, float] | None = None,
    elements: int | None = None,
    pitch: float | None = None,
    **options: Any,
) -> MachineFamily:
    known = [
        name
        for name in inspect.signature(MachineFamily.__init__).parameters
        if name not in ("self", "machine")
    ]
    for name in options:
        if name not in known:
            permitted = ["speed", "number", "pitch", "elements", *known]
            raise InputError(f"Machine.{method} has no option '{name}'; {nearest(name, permitted)}")
    return MachineFamily(_meshed(machine, elements), _angles(machine, angles, pitch), **options)


def _angles(machine: Machine, angles: Mapping[str, float] | None, pitch: float | None) -> dict[str, float]:
    """rad, the given angles of bearings; ``pitch`` is that of all blades without an angle of their own."""
    names = [] if pitch is None else [link.name for link in pitch_bearings(machine)]
    return dict.fromkeys(names, 0.0 if pitch is None else finite(pitch, "pitch (rad)")) | dict(angles or {})


def _meshed(machine: Machine, elements: int | None) -> Machine:
    return machine if elements is None else with_elements(machine, elements)
