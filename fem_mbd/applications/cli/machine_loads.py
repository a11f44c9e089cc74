"""Section loads of a machine from its file, in steady rotation under its weight (`fem-mbd loads FILE`)."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.applications.cli.options import chosen_case
from fem_mbd.applications.cli.reports import write_line
from fem_mbd.base.lazy import nearest
from fem_mbd.case import arithmetic_guard
from fem_mbd.cases import model_of
from fem_mbd.errors import InputError
from fem_mbd.output.section_loads.loads import channel_units


def machine_loads(options: argparse.Namespace) -> int:
    """Compute the equilibrium, print its loads and write them as a table; returns the exit status."""
    case, parameters = chosen_case(options, options.folder)
    if case.spin is None:
        raise InputError(f"loads: case {case.name!r} has no rotor")
    with arithmetic_guard(case.name):
        model = model_of(case, parameters)
        spin = case.spin(parameters, parameters.speed, 0.0)
        equilibrium = find_equilibrium(model, spin=spin, load_steps=2)
    units = channel_units(equilibrium.forces.system.describe())
    values = equilibrium.loads()
    channels = options.channels or list(values)
    for name in channels:
        if name not in values:
            raise InputError(f"there is no load channel '{name}': {nearest(name, values)}")
    folder = options.out or Path("results") / f"{case.name}-loads"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "loads.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(
            [("channel", "value", "unit"), *((n, values[n], units[n]) for n in channels)]
        )
    width = max(map(len, channels))
    for name in channels:
        write_line(f"{name.ljust(width)}  {f'{values[name]:.6g}':>12s}  {units[name]}")
    write_line(file)
    return 0
