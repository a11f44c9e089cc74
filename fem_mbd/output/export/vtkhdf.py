"""Writer of temporal VTKHDF files (version 2.0, PolyData), ParaView's own HDF5 format, for ParaView 5.12 or newer.

The lines are stored once and the points with their values at every step: VTK finds a step's part of an array
by the offsets in /VTKHDF/Steps (docs.vtk.org, "VTKHDF format specification", temporal data).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import h5py
import numpy as np

from fem_mbd.output.export.lines import Frame, Lines

KINDS = ("Vertices", "Lines", "Polygons", "Strips")
CHUNK_ROWS = 4096


def write(path: Path, lines: Lines, frames: Iterable[Frame]) -> int:
    """Write all frames; returns their number."""
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([2, 0], dtype=np.int64)
        root.attrs.create("Type", b"PolyData", dtype=h5py.string_dtype("ascii", len("PolyData")))
        times: list[float] = []
        arrays: dict[str, h5py.Dataset] = {}
        for frame in frames:
            columns = {"Points": frame.points} | {f"PointData/{k}": v for k, v in frame.values.items()}
            for name, values in columns.items():
                if name not in arrays:
                    arrays[name] = _growing(root, name, values)
                array = arrays[name]
                array.resize(len(array) + len(values), axis=0)
                array[len(array) - len(values) :] = values
            times.append(frame.time)
        _write_lines(root, lines, len(times))
        _write_steps(root, lines, times, [name for name in arrays if name != "Points"])
    return len(times)


def _growing(root: h5py.Group, name: str, values: np.ndarray) -> h5py.Dataset:
    shape = values.shape[1:]
    chunk = (min(CHUNK_ROWS, max(len(values), 1)), *shape)
    return root.create_dataset(name, (0, *shape), "f8", maxshape=(None, *shape), chunks=chunk)


def _write_lines(root: h5py.Group, lines: Lines, steps: int) -> None:
    """Write the lines, which all steps share, and the counts repeated for every step."""
    root["NumberOfPoints"] = np.full(steps, lines.points, dtype=np.int64)
    cells = {"Vertices": [np.array([k]) for k in lines.single], "Lines": lines.connectivity}
    for kind in KINDS:
        group, members = root.create_group(kind), cells.get(kind, [])
        sizes = np.array([len(member) for member in members], dtype=np.int64)
        group["NumberOfCells"] = np.full(steps, len(members), dtype=np.int64)
        group["NumberOfConnectivityIds"] = np.full(steps, sizes.sum(), dtype=np.int64)
        group["Offsets"] = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        joined = np.concatenate(members) if members else np.zeros(0)
        group["Connectivity"] = joined.astype(np.int64)
    no_beam = np.full(len(lines.single), -1)
    root["CellData/beam"] = np.concatenate([no_beam, lines.beam])
    root["CellData/element"] = np.concatenate([no_beam, lines.element])


def _write_steps(root: h5py.Group, lines: Lines, times: list[float], values: list[str]) -> None:
    """Write the offsets at which each step's data begin."""
    count = len(times)
    group = root.create_group("Steps")
    group.attrs["NSteps"] = count
    group["Values"] = np.array(times)
    first_point = lines.points * np.arange(count, dtype=np.int64)
    group["PointOffsets"] = first_point
    group["PartOffsets"] = np.arange(count, dtype=np.int64)
    group["NumberOfParts"] = np.ones(count, dtype=np.int64)
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        group[name] = np.zeros((count, len(KINDS)), dtype=np.int64)
    for name in values:
        group[f"PointDataOffsets/{name.removeprefix('PointData/')}"] = first_point
    for name in ("beam", "element"):
        group[f"CellDataOffsets/{name}"] = np.zeros(count, dtype=np.int64)
