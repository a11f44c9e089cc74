"""Aerodynamic loads on the blades of a machine: of the wind (`add_rotor_loads`), or as tables (`add_load_tables`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fem_mbd.aerodynamics.momentum import Induction, StallModel
from fem_mbd.aerodynamics.rotor_blade import RotorBlade
from fem_mbd.aerodynamics.rotor_loads import FLOW, RotorLoads, line_drag
from fem_mbd.aerodynamics.wind import TowerShadow, Wind
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.elements.loads.load_table import LoadTable, Spoke, TableLoad, read_load_table
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assembled import Assembly, blade_root, shaft_axes
from fem_mbd.machines.description.machine import Machine, blades_of
from fem_mbd.machines.description.parts import RotorAerodynamics, UnreadAerodynamics

NAME = "rotor loads"


def aerodynamics_of(machine: Machine) -> RotorAerodynamics:
    """The aerodynamics of a machine.

    Raises
    ------
    InputError
        When its files have none, or they cannot be read.
    """
    if machine.aerodynamics is None:
        raise InputError(
            f"machine '{machine.name}' has no aerodynamics: its files name no blade layout and polars (HAWC2: block "
            "'aero' with ae and pc files; OpenFAST: CompAero 2 with an AeroDyn file; windIO: chord and airfoils with "
            "polars), or they are not there"
        )
    aerodynamics = machine.aerodynamics
    return aerodynamics.rotor if isinstance(aerodynamics, UnreadAerodynamics) else aerodynamics


@arguments()
def add_rotor_loads(
    assembly: Assembly,
    wind: Wind,
    *,
    induction: Induction | None = None,
    stall: StallModel | None = None,
    stations: int | None = None,
) -> RotorLoads:
    """Load the blades of a machine by the wind.

    Parameters
    ----------
    assembly : machine and model
    wind : the wind
    induction, stall, stations : those of its files when left out

    Raises
    ------
    InputError
        When the machine has no aerodynamics, and as `RotorLoads`.
    """
    aero = aerodynamics_of(assembly.machine)
    rotor = assembly.rotor
    return assembly.model.add(
        RotorLoads(
            [RotorBlade(assembly.beams[name], blade) for name, blade in aero.blades.items()],
            rotor.hub,
            rotor.axis,
            wind,
            induction=aero.induction if induction is None else induction,
            stall=aero.stall if stall is None else stall,
            stations=aero.stations if stations is None else stations,
            angle_at=aero.angle_at,
            hub_radius=aero.hub_radius,
            density=aero.density,
            name=NAME,
        )
    )


TOWER_POINTS = 21  # along the tower, at which its diameter and drag are taken


def tower_shadow(assembly: Assembly) -> TowerShadow | None:
    """The tower of a machine's files that deflects the wind; None where they have none, or it is left out.

    Parameters
    ----------
    assembly : of the machine
    """
    tower = aerodynamics_of(assembly.machine).tower
    if tower is None or not tower.potential or tower.member not in assembly.beams:
        return None
    beam = assembly.beams[tower.member]
    foot, top = beam.start.position, beam.end.position
    radii = 0.5 * np.interp([0.0, top[2] - foot[2]], tower.heights, tower.diameter)
    return TowerShadow(foot[0], foot[1], foot[2], top[2], *radii.tolist())


def add_tower_drag(assembly: Assembly, wind: Wind) -> RotorLoads | None:
    """Load the tower of a machine's files by its drag in the wind, along its whole length; None without drag.

    Parameters
    ----------
    assembly : of the machine
    wind : that of the rotor
    """
    aero = aerodynamics_of(assembly.machine)
    tower = aero.tower
    if tower is None or not np.any(tower.drag > 0.0) or tower.member not in assembly.beams:
        return None
    beam = assembly.beams[tower.member]
    s = np.linspace(0.0, beam.line.length, TOWER_POINTS)
    diameter, drag = (np.interp(s, tower.heights, column) for column in (tower.diameter, tower.drag))
    return assembly.model.add(
        line_drag(beam, s, diameter, drag, wind, density=aero.density, name="tower drag")
    )


@dataclass(frozen=True, eq=False)
class RotorFlow:
    """Aerodynamic loads at the stations of a rotor (blades b, stations n of each) and their sums.

    Attributes
    ----------
    span : (b, n) m along the blades
    force : (b, n, 3) N/m, in the rotor's axes: along the wind through the rotor, driving it, radial
    moment : (b, n) N m/m
    angle_of_attack : (b, n) rad
    speed : (b, n) m/s
    induced : (b, n, 2) m/s
    thrust, torque : N, N m
    """

    span: Array
    force: Array
    moment: Array
    angle_of_attack: Array
    speed: Array
    induced: Array
    thrust: float
    torque: float


def rotor_flow(kind: Any, axis: Array, centre: Array, blades: int) -> RotorFlow:
    """The loads of the last evaluation of a `RotorLoadsKind`.

    Parameters
    ----------
    kind : of one rotor
    axis : (3,) axis of rotation, global axes
    centre : (3,) m, a point of it
    blades : of the rotor
    """
    s = kind.stations
    n = kind.rotors["n"][0]
    arm = s["at"] - centre
    arm -= np.outer(arm @ axis, axis)
    radial = arm / np.linalg.norm(arm, axis=1)[:, None]
    ahead = np.cross(axis, radial)
    force = np.stack(
        [s["force"] @ n, (s["force"] * ahead).sum(axis=1), (s["force"] * radial).sum(axis=1)], axis=1
    )
    torque = float((s["length"] * np.linalg.norm(arm, axis=1)) @ force[:, 1])
    flow = np.zeros((len(s), sum(q.width for q in FLOW.quantities)))
    kind.fill_flow(flow)
    span = np.concatenate([np.cumsum(lengths) - 0.5 * lengths for lengths in s["length"].reshape(blades, -1)])
    shape = (blades, -1)
    return RotorFlow(
        span.reshape(shape), force.reshape(blades, -1, 3), flow[:, 3].reshape(shape), flow[:, 4].reshape(shape),
        flow[:, 5].reshape(shape), flow[:, 6:8].reshape(blades, -1, 2), float(s["length"] @ force[:, 0]), torque,
    )  # fmt: skip


Source = LoadTable | str | Path


@arguments()
def add_load_tables(
    assembly: Assembly, tables: Source | Sequence[Source], axes: Literal["section", "rotor"] = "section"
) -> None:
    """Load the blades of a machine by tables over span, azimuth and time, see `TableLoad`.

    Parameters
    ----------
    assembly : machine and model
    tables : one for all blades, or one for each: a `LoadTable`, or the path of a file for `read_load_table`
    axes : "section", following the deformed section, or "rotor", axes of the undeformed blade at zero pitch

    Raises
    ------
    InputError
        When there is not one table for each blade, and as `TableLoad` and `read_load_table`.
    """
    blades = blades_of(assembly.machine)
    sources = [tables] * len(blades) if isinstance(tables, Source) else list(tables)
    if len(sources) != len(blades):
        raise InputError(
            f"machine '{assembly.machine.name}': {len(sources)} load tables are given for {len(blades)} blades"
        )
    loaded: dict[int, LoadTable] = {}
    up = shaft_axes(assembly)[:, 2]
    for members, source in zip(blades, sources, strict=True):
        if id(source) not in loaded:
            loaded[id(source)] = source if isinstance(source, LoadTable) else read_load_table(source)
        name, pitch_axis = blade_root(assembly, members)
        beam = assembly.beams[name]
        spoke = Spoke(assembly.rotor.axis, up, pitch_axis, beam.line.at(0.0)[1])
        assembly.model.add(TableLoad(beam, loaded[id(source)], axes=axes, spoke=spoke, name=f"{name} loads"))
