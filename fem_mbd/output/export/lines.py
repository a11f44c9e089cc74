"""Polylines of a model with the recorded values on them, and their files: VTKHDF, VTU with PVD, XDMF.

Recorded states are read in blocks, so that no whole history is in memory.

Every part that its kind declares as a line (a beam element) becomes a polyline through its nodes and one point between
each two of them; elements share no points, since section forces jump at element boundaries. Nodes without a line (rigid
bodies, carriers of joints) become single points. Positions, section axes and velocities are interpolated with the
polynomial through the nodes, outputs along the line (`Output.along`) with the one through the positions of their rows.

Values at a point, all vectors of three:

    displacement [m], velocity [m/s], angular_velocity [rad/s]     global axes; displacement since the start
    d1, d2, d3                              section axes as unit vectors in global axes (node axes off beams)
    force [N] (axial, shear 2, shear 3), moment [N m] (torsion, bending 2, bending 3)         section axes
    strain (stretch, shear 2, shear 3), curvature [1/m] (twist, bending 2, bending 3)         section axes

Quantities along a line are NaN where there are none.

`write` makes a temporal VTKHDF file (version 2.0, PolyData), ParaView's own HDF5 format, for ParaView 5.12 or newer.
The lines are stored once and the points with their values at every step: VTK finds a step's part of an array by the
offsets in /VTKHDF/Steps (docs.vtk.org, "VTKHDF format specification", temporal data).

`write_vtu` and `write_xdmf` make time series described by an XML file. VTU, one file per step, and a PVD file with
their times are for all programs that read VTK. XDMF is a text file that describes a time series, with an HDF5 file of
its numbers (xdmf.org, version 3). Every line is written as segments of two points, which all readers of the format
support.

meshio's writer of time series is not used: it stores the points once for all times, and here they move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import h5py
import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.base.mesh_files import write_lines
from fem_mbd.base.validation import whole_number
from fem_mbd.core.model.output import outputs_from
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.beam import lagrange_matrix
from fem_mbd.runs.results.views.part import rotation_matrices

ROWS_AT_ONCE = 64
NODE_OUTPUTS = ("position", "quaternion", "velocity", "omega")


def chosen_rows(result: Result, every: int) -> list[int]:
    """Rows of the outputs, counted from 0: every ``every``-th, and the last."""
    whole_number(every, "every")
    count = len(result.output_time)
    rows = list(range(every - 1, count, every))
    return rows if not count or rows[-1:] == [count - 1] else [*rows, count - 1]


def blocks(rows: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[start : start + ROWS_AT_ONCE]


def read_rows(result: Result, name: str, rows: list[int]) -> np.ndarray:
    """Rows of one output; they are equally spaced except for the last."""
    step = rows[1] - rows[0] if len(rows) > 1 else 1
    regular = rows if len(rows) < 3 or rows[-1] - rows[-2] == step else rows[:-1]
    parts = [result.outputs.read(name, regular[0], regular[-1] + 1, step)]
    if len(regular) < len(rows):
        parts.append(result.outputs.read(name, rows[-1], rows[-1] + 1))
    return np.concatenate(parts)


@dataclass(frozen=True)
class Frame:
    """Data at one time: time (s), positions (p, 3) of the points in m, and values (p, 3) by name."""

    time: float
    points: Array
    values: dict[str, Array]


def joint_points(model: Mapping[str, Any]) -> dict[int, Array]:
    """Points (k, 3) of every node at which joints and contacts are attached to it, in the node's axes.

    Parameters
    ----------
    model : description stored with a run
    """
    points: dict[int, list[Any]] = {}
    for part in (p for parts in model["parts"].values() for p in parts if "point_k" in p and "point_l" in p):
        for node, side in zip(part["nodes"], "kl", strict=False):
            points.setdefault(node, []).append(part[f"point_{side}"])
    return {node: np.unique(np.array(of_node, dtype=float), axis=0) for node, of_node in points.items()}


class Lines:
    """Points and lines of a model, from its description in the results file.

    beam : (lines,) index into ``names`` of the beam of each line; element : (lines,)
    connectivity : per line, its points in order; single, single_nodes : (s,) points and nodes without a beam
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        elements = [part for parts in model["parts"].values() for part in parts if part["drawn"] == "line"]
        self.nodes = len(model["nodes"])
        self.names = list(dict.fromkeys(part["name"] for part in elements))
        self.beam = np.array([self.names.index(part["name"]) for part in elements], dtype=np.int64)
        self.element = np.array([part.get("element", 0) for part in elements], dtype=np.int64)
        self.along = {name: o for name, o in outputs_from(model["outputs"]).items() if o.along}
        self._rows: dict[str, list[tuple[list[int], Array]]] = {name: [] for name in self.along}
        nodes, rotations, self.connectivity = [], [], []
        count = 0
        for part in elements:
            xi, weights, section = _interpolation(part)
            nodes.append((part["nodes"], weights))
            for name, rows in self._rows.items():
                first, number = part["rows"].get(name, (0, 0))
                row_weights = section if number else np.full((len(xi), 0), np.nan)
                rows.append((list(range(first, first + number)), row_weights))
            rotations += [np.array(part.get("turn", np.eye(3)))] * len(xi)
            self.connectivity.append(np.arange(count, count + len(xi)))
            count += len(xi)
        in_beams = {node for part in elements for node in part["nodes"]}
        # the ground is node 0
        self.single_nodes = [node for node in range(1, self.nodes) if node not in in_beams]
        self.single = np.arange(count, count + len(self.single_nodes))
        for node in self.single_nodes:
            nodes.append(([node], np.ones((1, 1))))
            rotations.append(np.eye(3))
        self.points = count + len(self.single_nodes)
        self._on_lines = count
        self._section_rotations = np.array(rotations).reshape(-1, 3, 3)
        self._from_nodes = _block_matrix(nodes, self.nodes)

    @cached_property
    def _from_rows(self) -> dict[str, tuple[csr_matrix, Flags]]:
        """For each output along lines: its weights at the points, and which points have any."""
        weights = {}
        for name, rows in self._rows.items():
            last = max((indices[-1] for indices, _ in rows if indices), default=-1)
            has_values = np.concatenate(
                [np.full(len(w), bool(indices)) for indices, w in rows] or [np.zeros(0, bool)]
            )
            weights[name] = _block_matrix(rows, last + 1), has_values
        return weights

    def segments(self) -> Indices:
        """(m, 2) pairs of points of the segments of all lines."""
        pairs = [np.column_stack([line[:-1], line[1:]]) for line in self.connectivity]
        return np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=np.int64)

    def at_points(self, positions: Array) -> Array:
        """Points (p, 3) from the nodes' positions (n, 3), or from any other vectors of the nodes."""
        return np.asarray(self._from_nodes @ positions)

    def axes(self, rotations: Array) -> Array:
        """Section axes (p, 3, 3), columns, from the nodes' rotations (n, 3, 3)."""
        mean = np.asarray(self._from_nodes @ rotations.reshape(-1, 9)).reshape(-1, 3, 3)
        axes = np.einsum("pij,pkj->pik", mean, self._section_rotations)
        return axes / np.linalg.norm(axes, axis=1, keepdims=True)

    def along_lines(self, name: str, values: Array) -> Array:
        """(p, numbers) from the rows of an output along lines; NaN where there are none."""
        matrix, has_values = self._from_rows[name]
        out = np.full((self.points, values.shape[1]), np.nan)
        out[: self._on_lines][has_values] = (matrix @ values[: matrix.shape[1]])[has_values]
        return out

    def frames(self, result: Result, every: int = 1) -> Iterator[Frame]:
        """The state at the start, then every ``every``-th recorded one, and the last."""
        start = result.initial["position"]
        yield self._frame(result.info.start_time, result.initial, start)
        for rows in blocks(chosen_rows(result, every)):
            names = [name for name in (*NODE_OUTPUTS, *self.along) if name in result.outputs]
            block = {name: read_rows(result, name, rows) for name in names}
            for k, row in enumerate(rows):
                outputs = {name: values[k] for name, values in block.items()}
                yield self._frame(float(result.output_time[row]), outputs, start)

    def _frame(self, time: float, outputs: Mapping[str, Array], start: Array) -> Frame:
        position = outputs["position"]
        values = {"displacement": self.at_points(position - start)}
        if "velocity" in outputs:
            values["velocity"] = self.at_points(outputs["velocity"])
        if "quaternion" in outputs:
            rotations = rotation_matrices(outputs["quaternion"])
            axes = self.axes(rotations)
            values |= {f"d{k + 1}": axes[:, :, k] for k in range(3)}
            if "omega" in outputs:
                spin = np.einsum("nij,nj->ni", rotations, outputs["omega"])
                values["angular_velocity"] = self.at_points(spin)
        for name, output in self.along.items():
            if name in outputs and self._on_lines:
                at_points = self.along_lines(name, outputs[name])
                values |= {q.name: at_points[:, output.columns(q)] for q in output.quantities}
        return Frame(time, self.at_points(position), values)


def lines_of(result: Result) -> Lines:
    """The lines of a run; InputError when its positions were not recorded or there is nothing to draw."""
    if "position" not in result.outputs:
        raise InputError(
            "this run did not record positions, so there is nothing to draw; run it with position among "
            "--quantities"
        )
    lines = Lines(result.model)
    if not lines.points:
        raise InputError("this model has no nodes besides the ground: there is nothing to draw")
    return lines


def _interpolation(part: Mapping[str, Any]) -> tuple[Array, Array, Array]:
    """Positions in [-1, 1] of a line's points, and the weights of its nodes and of its Gauss points there."""
    count = len(part["nodes"])
    at = np.array(part.get("nodes_at", np.linspace(-1, 1, count)))
    xi = np.sort(np.concatenate([at, 0.5 * (at[1:] + at[:-1])]))
    gauss = np.array(part.get("gauss_at", [0.0]))
    return xi, lagrange_matrix(at, xi), lagrange_matrix(gauss, xi)


def _block_matrix(blocks: list[tuple[list[int], Array]], columns: int) -> csr_matrix:
    """Sparse matrix of blocks one below the other, each with the columns to which it applies."""
    row, column, data, count = [], [], [], 0
    for indices, weights in blocks:
        n_rows, n_columns = weights.shape
        row.append(np.repeat(np.arange(count, count + n_rows), n_columns))
        column.append(np.tile(indices, n_rows))
        data.append(weights.ravel())
        count += n_rows
    if not blocks:
        return csr_matrix((0, columns))
    entries = (np.concatenate(data), (np.concatenate(row), np.concatenate(column)))
    return csr_matrix(entries, shape=(count, columns))


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


_POLYVERTEX, _POLYLINE = 1, 2  # cell types of a mixed topology, each followed by its number of points


def write_vtu(path: Path, lines: Lines, frames: Iterable[Frame]) -> int:
    """Write PATH.pvd and the folder PATH with PATH/00000.vtu, ...; returns the number of frames."""
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("[0-9]*.vtu"):
        old.unlink()
    root = ElementTree.Element("VTKFile", type="Collection", version="0.1", byte_order="LittleEndian")
    collection = ElementTree.SubElement(root, "Collection")
    pairs = lines.segments()
    cells, no_beam = [len(c) - 1 for c in lines.connectivity], np.full(len(lines.single), -1)
    numbers = {
        name: np.concatenate([np.repeat(values, cells), no_beam])
        for name, values in (("beam", lines.beam), ("element", lines.element))
    }
    count = 0
    for frame in frames:
        file = folder / f"{count:05d}.vtu"
        write_lines(file, frame.points, pairs, lines.single, frame.values, numbers)
        ElementTree.SubElement(
            collection, "DataSet", timestep=repr(frame.time), part="0", file=f"{folder.name}/{file.name}"
        )
        count += 1
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    return count


def write_xdmf(path: Path, lines: Lines, frames: Iterable[Frame]) -> int:
    """Write PATH.xdmf and PATH.h5; returns the number of frames."""
    data_file = path.with_suffix(".h5")
    root = ElementTree.Element("Xdmf", Version="3.0")
    domain = ElementTree.SubElement(root, "Domain")
    series = ElementTree.SubElement(
        domain, "Grid", Name="fem_mbd", GridType="Collection", CollectionType="Temporal"
    )
    pairs = lines.segments()
    cells = len(pairs) + len(lines.single)
    owner = np.concatenate(
        [np.repeat(lines.beam, [len(c) - 1 for c in lines.connectivity]), -1 * (lines.single >= 0)]
    )
    count = 0
    with h5py.File(data_file, "w") as file:
        topology = _store(file, data_file.name, "topology", _mixed(pairs, lines.single))
        beam = _store(file, data_file.name, "beam", owner.astype(np.int64))
        for frame in frames:
            grid = ElementTree.SubElement(series, "Grid", Name=f"step {count}", GridType="Uniform")
            ElementTree.SubElement(grid, "Time", Value=repr(frame.time))
            shape = ElementTree.SubElement(
                grid, "Topology", TopologyType="Mixed", NumberOfElements=str(cells)
            )
            _item(shape, topology)
            geometry = ElementTree.SubElement(grid, "Geometry", GeometryType="XYZ")
            _item(geometry, _store(file, data_file.name, f"points/{count}", frame.points))
            for name, values in frame.values.items():
                kind = "Vector" if values.shape[1] == 3 else "Scalar"
                attribute = ElementTree.SubElement(
                    grid, "Attribute", Name=name, AttributeType=kind, Center="Node"
                )
                _item(attribute, _store(file, data_file.name, f"{name}/{count}", values))
            attribute = ElementTree.SubElement(
                grid, "Attribute", Name="beam", AttributeType="Scalar", Center="Cell"
            )
            _item(attribute, beam)
            count += 1
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    return count


def _mixed(pairs: np.ndarray, single: np.ndarray) -> np.ndarray:
    """Cells in sequence: type, number of points, points."""
    segments = np.column_stack([np.full((len(pairs), 2), (_POLYLINE, 2)), pairs]).ravel()
    vertices = np.column_stack([np.full((len(single), 2), (_POLYVERTEX, 1)), single]).ravel()
    return np.concatenate([segments, vertices]).astype(np.int64)


def _store(file: h5py.File, name: str, dataset: str, values: np.ndarray) -> dict[str, str]:
    """Write a dataset; returns the data item that refers to it."""
    file[dataset] = values
    return {
        "Dimensions": " ".join(map(str, values.shape)),
        "NumberType": "Float" if values.dtype.kind == "f" else "Int",
        "Precision": "8",
        "Format": "HDF",
        "text": f"{name}:/{dataset}",
    }


def _item(parent: ElementTree.Element, item: dict[str, str]) -> None:
    attributes = {key: value for key, value in item.items() if key != "text"}
    ElementTree.SubElement(parent, "DataItem", attributes).text = item["text"]
