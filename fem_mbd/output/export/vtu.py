"""Writer of VTU files, one per step, and a PVD file with their times, for all programs that read VTK."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from fem_mbd.base.mesh_files import write_lines
from fem_mbd.output.export.lines import Frame, Lines


def write(path: Path, lines: Lines, frames: Iterable[Frame]) -> int:
    """Write PATH.pvd and the folder PATH with PATH/00000.vtu, ...; returns the number of frames."""
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("[0-9]*.vtu"):
        old.unlink()
    root = ElementTree.Element("VTKFile", type="Collection", version="0.1", byte_order="LittleEndian")
    collection = ElementTree.SubElement(root, "Collection")
    pairs = lines.segments()
    cells, none = [len(c) - 1 for c in lines.connectivity], np.full(len(lines.single), -1)
    numbers = {
        name: np.concatenate([np.repeat(given, cells), none])
        for name, given in (("beam", lines.beam), ("element", lines.element))
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
