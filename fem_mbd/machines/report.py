"""Summary of a machine: members, links, masses, unused data of its files; as plain data and as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.machines.aerodynamic_loads import aerodynamics_of
from fem_mbd.machines.assembly.assemble import Assembly, assemble
from fem_mbd.machines.description.control import DisconFile, VariableSpeed
from fem_mbd.machines.description.machine import Machine
from fem_mbd.machines.description.parts import Frame, Member, RotorAerodynamics

POINTS = 41  # along each member, in pictures


def describe(machine: Machine) -> dict[str, Any]:
    """Members, links, mass and mass centre, all bearings at zero; SI units, global axes.

    Parameters
    ----------
    machine : to be described

    Returns
    -------
    dict
        name, source, mass_kg, centre_of_mass, members, links, aerodynamics, controller, ignored.
    """
    assembly = assemble(machine)
    mass, centre = total_mass(assembly)
    ignored, layouts = list(machine.ignored), []
    if machine.aerodynamics is not None:
        try:
            layouts = _aerodynamics(aerodynamics_of(machine))
        except InputError as error:
            ignored.append(f"aerodynamics: {error}")
    return {
        "name": machine.name,
        "source": machine.source,
        "mass_kg": mass,
        "centre_of_mass": centre.tolist(),
        "members": [_member(member, assembly.frames[member.name]) for member in machine.members],
        "links": [
            {
                "name": link.name,
                "kind": link.kind,
                "first": "ground" if link.first is None else link.first[0],
                "second": link.second[0],
            }
            for link in machine.links
        ],
        "aerodynamics": layouts,
        "controller": _controller(machine.controller),
        "ignored": ignored,
    }


def _aerodynamics(rotor: RotorAerodynamics) -> list[dict[str, Any]]:
    """Layout of each blade."""
    return [
        {
            "blade": name,
            "from_m": float(blade.ends[0]),
            "to_m": float(blade.ends[1]),
            "stations": len(blade.span),
            "largest_chord_m": float(blade.chord.max()),
            "polars": len({id(polar) for polar in blade.polars}),
            "induction": type(rotor.induction).__name__,
            "stall": rotor.stall,
        }
        for name, blade in rotor.blades.items()
    ]


def _controller(controller: VariableSpeed | DisconFile | None) -> str:
    """One line, "" for none."""
    if controller is None:
        return ""
    if isinstance(controller, DisconFile):
        return f"library with {controller.file.name}, by default ROSCO"
    r = controller.ratings
    power = r.rated_torque * r.rated_speed
    return f"variable speed, {r.least_speed:.4g} to {r.rated_speed:.4g} rad/s, rated {power / 1e3:.6g} kW at the rotor"


def total_mass(assembly: Assembly) -> tuple[float, Array]:
    """Mass, kg, and mass centre (3,), m, global axes, of an assembly in its reference configuration."""
    mass, first = 0.0, np.zeros(3)
    for node, lump in zip(assembly.model.nodes, assembly.model.inertia, strict=True):
        mass += lump.mass
        first += lump.mass * node.position + node.rotation @ lump.first_moment
    return mass, first / mass


def centre_lines(machine: Machine) -> dict[str, Array]:
    """(n, 3) of each member's axis by name, m, global axes, all bearings at zero."""
    frames = machine.frames()
    lines = {}
    for member in machine.members:
        frame, axis = frames[member.name], member.blade.axis
        points = np.array([axis.at(float(s))[0] for s in np.linspace(0.0, 1.0, POINTS)])
        lines[member.name] = frame.origin + points @ frame.rotation.T
    return lines


def as_table(data: dict[str, Any]) -> str:
    """Text of `describe`'s data."""
    rows = [f"{data['name']}: {data['mass_kg']:.8g} kg, mass centre {_point_text(data['centre_of_mass'])} m"]
    rows += [
        "",
        f"{'member':14s} {'length [m]':>10s} {'mass [kg]':>11s} {'lumped [kg]':>11s}   from               to",
    ]
    for m in data["members"]:
        rows.append(
            f"{m['name']:14s} {m['length']:10.4f} {m['mass_kg']:11.1f} {m['lumped_mass_kg']:11.1f}   "
            f"{_point_text(m['start'])}   {_point_text(m['end'])}"
        )
    rows += ["", f"{'link':20s} {'kind':6s}   between"]
    rows += [f"{k['name']:20s} {k['kind']:6s}   {k['first']} - {k['second']}" for k in data["links"]]
    if data["aerodynamics"]:
        rows += ["", f"{'blade':14s} {'aerodynamics [m]':>18s} {'chord [m]':>10s} {'polars':>7s}   models"]
    for b in data["aerodynamics"]:
        length = f"{b['from_m']:.3f} to {b['to_m']:.3f}"
        models = f"{b['induction']}, stall {b['stall']}"
        rows.append(
            f"{b['blade']:14s} {length:>18s} {b['largest_chord_m']:10.3f} {b['polars']:7d}   {models}"
        )
    if data["controller"]:
        rows += ["", f"controller: {data['controller']}"]
    if data["ignored"]:
        rows += ["", "not read, or found elsewhere:", *(f"  {line}" for line in data["ignored"])]
    return "\n".join(rows)


def _member(member: Member, frame: Frame) -> dict[str, Any]:
    ends = [frame.origin + frame.rotation @ member.blade.axis.at(s)[0] for s in (0.0, 1.0)]
    return {
        "name": member.name,
        "length": member.blade.length,
        "mass_kg": member.blade.mass,
        "lumped_mass_kg": sum(lump.mass for lump in member.lumps),
        "stations": len(member.blade.sections.s),
        "start": ends[0].tolist(),
        "end": ends[1].tolist(),
    }


def _point_text(point: list[float]) -> str:
    return "(" + ", ".join(f"{x:.3f}" for x in np.asarray(point) + 0.0) + ")"
