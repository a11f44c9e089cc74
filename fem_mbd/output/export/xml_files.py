"""Writers of time series described by an XML file: VTU with PVD, and XDMF.

VTU, one file per step, and a PVD file with their times are for all programs that read VTK. XDMF is a text file that
describes a time series, with an HDF5 file of its numbers (xdmf.org, version 3). Every line is written as segments of
two points, which all readers of the format support.

meshio's writer of time series is not used: it stores the points once for all times, and here they move.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import h5py
import numpy as np

from fem_mbd.base.mesh_files import write_lines
from fem_mbd.output.export.lines import Frame, Lines

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
