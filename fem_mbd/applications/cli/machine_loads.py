"""`fem-mbd loads FILE`: section loads of a machine in steady rotation under its weight, as a table."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.applications.cli.answers import chosen
from fem_mbd.base.suggestions import nearest
from fem_mbd.cases import model_of
from fem_mbd.errors import InputError
from fem_mbd.output.section_loads.channels import channel_units
from fem_mbd.runs.running.computable import computable


def machine_loads(options: argparse.Namespace) -> int:
    """Find the equilibrium, show its loads, write them."""
    case, p = chosen(options.folder, options)
    if case.spin is None:
        raise InputError(f"loads: case {case.name!r} has no rotor")
    with computable(case.name):
        model = model_of(case, p)
        spin = case.spin(p, p.speed, 0.0)
        found = find_equilibrium(model, spin=spin, load_steps=2)
    units = channel_units(found.forces.system.describe())
    values = found.loads()
    wanted = options.channels or list(values)
    for name in wanted:
        if name not in values:
            raise InputError(f"there is no load channel '{name}': {nearest(name, values)}")
    rows = [(name, f"{values[name]:.6g}", units[name]) for name in wanted]
    folder = options.out or Path("results") / f"{case.name}-loads"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "loads.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(
            [("channel", "value", "unit"), *((n, values[n], units[n]) for n in wanted)]
        )
    width = max(len(row[0]) for row in rows)
    sys.stdout.write("\n".join(f"{n.ljust(width)}  {v:>12s}  {u}" for n, v, u in rows) + f"\n{file}\n")
    return 0
