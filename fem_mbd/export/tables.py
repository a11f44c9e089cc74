"""CSV tables of a run: the ledger, the steps, and one table for every recorded output.

First column the time in s; the other columns are named after node, beam or joint and component, with units in
brackets. Numbers are written so that they read back bit for bit.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.export.rows import blocks, chosen_rows, read_rows
from fem_mbd.results.result import Result
from fem_mbd.scheme.ledger_names import ENERGIES

XYZ = ("x", "y", "z")
FORCES = (*(f"F{c} [N]" for c in XYZ), *(f"M{c} [N m]" for c in XYZ))
SECTION_FORCES = ("N [N]", "V2 [N]", "V3 [N]", "T [N m]", "M2 [N m]", "M3 [N m]")
SECTION_STRAINS = ("stretch [1]", "shear2 [1]", "shear3 [1]", "twist [1/m]", "bend2 [1/m]", "bend3 [1/m]")
# components of one row of an output, where they have names
COMPONENTS: dict[str, Sequence[str]] = {
    "position": [f"{c} [m]" for c in XYZ],
    "quaternion": [f"q{k} [1]" for k in range(4)],
    "velocity": [f"v{c} [m/s]" for c in XYZ],
    "omega": [f"omega{k} [rad/s]" for k in (1, 2, 3)],
    "section_force": SECTION_FORCES,
    "section_strain": SECTION_STRAINS,
    "support": FORCES,
    "reaction": [f"{frame} {name}" for frame in ("global", "K", "L") for name in FORCES],
    "spring": ("length [m] or angle [rad]", "rate [m/s] or [rad/s]", "tension [N] or torque [N m]"),
}


def write(folder: Path, result: Result, every: int = 1) -> list[Path]:
    """Write all tables into ``folder``, created if need be; returns the files.

    ``every``: one row in so many, and the last. The ledger's works and dissipations are then sums over the
    rows left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = chosen_rows(result, every)
    files = [_ledger(folder / "energy.csv", result, every), _steps(folder / "steps.csv", result)]
    for name, initial in result.initial.items():
        names = _record_names(initial) if initial.dtype.names else _names(name, result.model, initial.shape)
        if names:
            files.append(_write(folder / f"{name}.csv", names, _history(result, name, rows)))
    return files


def _history(result: Result, name: str, rows: list[int]) -> Iterator[list[Any]]:
    """Rows of time and values of one output, the state at the start first."""
    yield [result.info.start_time, *_flat(result.initial[name][None])[0]]
    for block in blocks(rows):
        values = _flat(read_rows(result, name, block))
        for row, line in zip(block, values, strict=True):
            yield [float(result.output_time[row]), *line]


def _flat(values: np.ndarray) -> list[list[float]]:
    """Every row as a list of numbers; of records, field by field for each record."""
    count = len(values)
    if values.dtype.names:
        fields = [values[name].reshape(*values.shape, -1).astype(float) for name in values.dtype.names]
        values = np.concatenate(fields, axis=2)
    return values.reshape(count, -1).tolist()


def _ledger(path: Path, result: Result, every: int) -> Path:
    count = result.steps
    ends = np.array([*range(every, count, every), count] if count else [], dtype=np.int64)
    columns = [result.time[ends - 1]]
    for name, column in result.energy.items():
        sums = np.diff(np.cumsum(column)[ends - 1], prepend=0.0)
        columns.append(column[ends - 1] if name in ENERGIES or every == 1 else sums)
    return _write(path, [f"{name} [J]" for name in result.energy], np.column_stack(columns).tolist())


def _steps(path: Path, result: Result) -> Path:
    names = [name for name in result.step if name != "time"]
    titles = [f"{name} [s]" if name == "dt" else name for name in names]
    columns = [result.time.tolist(), *(result.step[name].tolist() for name in names)]
    return _write(path, titles, zip(*columns, strict=True))


def _record_names(records: np.ndarray) -> list[str]:
    """Contacts: a name for every field of every record; vectors have three."""
    fields = []
    for field in records.dtype.names or ():
        width = int(np.prod(records.dtype[field].shape))
        fields += [field] if width == 1 else [f"{field} {c}" for c in (XYZ if width == 3 else range(width))]
    return [f"contact {k}: {field}" for k in range(len(records)) for field in fields]


def _names(output: str, model: dict[str, Any], shape: tuple[int, ...]) -> list[str]:
    """A name for every column of an output with rows of ``shape``."""
    count, width = (shape[0], int(np.prod(shape[1:]))) if shape else (1, 1)
    components = COMPONENTS.get(output, ())
    if len(components) != width:
        components = [str(k) for k in range(width)]
    owner = _OWNERS.get(output)
    owners = owner(model) if owner else []
    if len(owners) != count:
        owners = [f"{output} {k}" for k in range(count)]
    return [f"{who}: {what}" for who in owners for what in components]


def _node_names(model: dict[str, Any]) -> list[str]:
    return [node["name"] for node in model["nodes"]]


def _gauss_names(model: dict[str, Any]) -> list[str]:
    return [
        f"{part['name']} element {part['element']} point {k}"
        for part in model["parts"].get("beam", [])
        for k in range(len(part["nodes"]) - 1)
    ]


def _part_names(label: str) -> Callable[[dict[str, Any]], list[str]]:
    return lambda model: [part["name"] for part in model["parts"].get(label, [])]


_OWNERS: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    **dict.fromkeys(("position", "quaternion", "velocity", "omega"), _node_names),
    **dict.fromkeys(("section_force", "section_strain"), _gauss_names),
    "support": lambda model: list(model["supports"]),
    "reaction": _part_names("joint"),
    "spring": _part_names("spring"),
}


def _write(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time [s]", *names])
        table.writerows(rows)
    return path
