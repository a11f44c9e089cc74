"""Reading and writing of line and surface meshes in any format of meshio. The only module that imports meshio."""

from __future__ import annotations

import io
import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.errors import InputError

LINE_CELLS = {"line": 2, "line3": 3, "line4": 4}
# number of corners, which a cell lists first
SURFACE_CELLS = {"triangle": 3, "triangle6": 3, "quad": 4, "quad8": 4, "quad9": 4}
SECTION_CELLS = ("triangle", "quad", "triangle6", "quad8")
POINT_CELL = "vertex"
# integer cell data that number the groups, in the order of preference
TAGS = ("gmsh:physical", "cell_tags", "medit:ref", "nastran:ref", "material", "MaterialIds")
# memory that reading may allocate: a constant (bytes), and bytes per byte of the file
BASE_BYTES, PER_BYTE = 300_000_000, 100


@dataclass(frozen=True, eq=False)
class LineCells:
    """The lines and the named points of a mesh.

    points : (n, 3) coordinates in the file's unit; cells : points of each line, from one end to the other;
    tags : name of each line's group, "" without one; numbers : number of each line in the file, for messages
    named : groups of points by name; data : further values per line by name
    """

    source: str
    points: Array
    cells: list[Indices]
    tags: list[str]
    numbers: list[str]
    named: dict[str, list[int]] = field(default_factory=dict)
    data: dict[str, list[Any]] = field(default_factory=dict)


def read_lines(path: str | Path, tag: str | None = None, skip_others: bool = False) -> LineCells:
    """Lines of 2, 3 or 4 points and their groups from a mesh file.

    tag : name of the integer cell data that number the groups (by default Gmsh's physical groups or their equivalent
        in other formats, then sets of cells)
    skip_others : skip triangles and other cells instead of raising an error

    Raises
    ------
    InputError
        When there is no such file, meshio cannot read it, or it contains no lines or other cells too.
    """
    path = Path(path)
    mesh = _read(path)
    others = {b.type: len(b.data) for b in mesh.cells if b.type not in (*LINE_CELLS, POINT_CELL)}
    if others and not skip_others:
        kinds = ", ".join(f"{count} of type {kind}" for kind, count in others.items())
        raise InputError(
            f"{path}: it contains cells that are not lines ({kinds}): save the lines alone, or give skip_others=True"
        )
    if not any(block.type in LINE_CELLS and len(block.data) for block in mesh.cells):
        kinds = ", ".join(sorted({block.type for block in mesh.cells})) or "no cells at all"
        raise InputError(f"{path}: it contains no lines of 2, 3 or 4 points ({kinds})")
    if mesh.points.ndim != 2:
        raise InputError(f"{path}: it contains no list of points")
    if mesh.points.shape[1] > 3:
        raise InputError(
            f"{path}: its points have {mesh.points.shape[1]} numbers each, but a point has three coordinates at most: "
            "leave out the further columns (normals, for instance)"
        )
    points = np.zeros((len(mesh.points), 3))
    points[:, : mesh.points.shape[1]] = mesh.points
    groups = _groups(mesh, path, tag)
    cells = LineCells(str(path), points, [], [], [])
    for index, block in enumerate(mesh.cells):
        if block.type == POINT_CELL:
            for number, point in enumerate(block.data[:, 0]):
                if groups[index][number]:
                    cells.named.setdefault(groups[index][number], []).append(int(point))
        elif block.type in LINE_CELLS:
            if np.shape(block.data)[1:] != (LINE_CELLS[block.type],):
                raise InputError(
                    f"{path}: its lines of type {block.type} do not have {LINE_CELLS[block.type]} points each"
                )
            for number, members in enumerate(block.data):
                # meshio lists the two ends first, as Gmsh and VTK do
                cells.cells.append(members[[0, *range(2, len(members)), 1]].astype(np.int64))
                cells.tags.append(groups[index][number])
                cells.numbers.append(f"line {len(cells.cells)}")
            for name, values in mesh.cell_data.items():
                cells.data.setdefault(name, []).extend(values[index])
    _add_point_sets(mesh, cells)
    return cells


def read_surface(path: str | Path) -> tuple[Array, Indices]:
    """Points (n, 3), in the file's unit, and triangles (m, 3) of a surface; a quadrilateral becomes two triangles.

    Raises
    ------
    InputError
        When there is no such file, meshio cannot read it, or it contains no surface.
    """
    path = Path(path)
    mesh = _read(path)
    triangles = []
    for block in mesh.cells:
        if block.type in SURFACE_CELLS:
            try:
                members = np.asarray(block.data, dtype=np.int64)
            except OverflowError:
                raise InputError(f"{path}: its point numbers are larger than any mesh can have") from None
            triangles += [members[:, (0, k, k + 1)] for k in range(1, SURFACE_CELLS[block.type] - 1)]
    faces = np.concatenate(triangles) if triangles else np.zeros((0, 3), dtype=np.int64)
    if not len(faces) or mesh.points.ndim != 2 or mesh.points.shape[1] != 3:
        kinds = ", ".join(sorted({block.type for block in mesh.cells})) or "no cells at all"
        raise InputError(f"{path}: it contains no triangles or quadrilaterals in space ({kinds})")
    points = np.asarray(mesh.points, dtype=float)
    if not np.isfinite(points).all() or faces.min() < 0 or faces.max() >= len(points):
        raise InputError(f"{path}: it has points that are not finite, or triangles with undefined points")
    return points, faces


def read_section_cells(path: str | Path) -> tuple[Array, list[Indices], list[str], Array]:
    """Points (n, 2) in the file's unit, blocks of plane elements, group and (fibre, plane) angles of each element.

    Angles (m, 2) are cell data ``fibre_angle`` and ``plane_angle``, zero where the file has none. Points that no
    element uses are left out.

    Raises
    ------
    InputError
        When there is no such file, meshio cannot read it, it contains no surface, or this is not in the plane of x, y.
    """
    path = Path(path)
    mesh = _read(path)
    groups = _groups(mesh, path, None, dimension=2)
    keep = [k for k, block in enumerate(mesh.cells) if block.type in SECTION_CELLS and len(block.data)]
    others = sorted({b.type for b in mesh.cells if b.type in SURFACE_CELLS and b.type not in SECTION_CELLS})
    if not keep or others:
        kinds = ", ".join(others or sorted({block.type for block in mesh.cells})) or "no cells at all"
        raise InputError(f"{path}: a section needs cells of {', '.join(SECTION_CELLS)}; it contains {kinds}")
    points, blocks = np.asarray(mesh.points, dtype=float), [mesh.cells[k].data for k in keep]
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise InputError(f"{path}: it contains no list of points")
    used, numbers = np.unique(np.concatenate([block.ravel() for block in blocks]), return_inverse=True)
    points = points[used]
    if points.shape[1] == 3 and np.ptp(points[:, 2]) > 1e-9 * np.ptp(points):
        raise InputError(
            f"{path}: its points do not lie in a plane of x and y: turn the section into that plane"
        )
    ends = np.cumsum([block.size for block in blocks])[:-1]
    blocks = [new.reshape(old.shape) for new, old in zip(np.split(numbers, ends), blocks, strict=True)]
    angles = np.zeros((sum(len(block) for block in blocks), 2))
    for column, name in enumerate(("fibre_angle", "plane_angle")):
        if name in mesh.cell_data:
            angles[:, column] = np.concatenate([np.ravel(mesh.cell_data[name][k]) for k in keep])
    return points[:, :2], blocks, [name for k in keep for name in groups[k]], angles


def _read(path: Path) -> Any:
    """Mesh read by meshio. Where meshio cannot read a file it prints and calls sys.exit: both are intercepted."""
    import meshio

    if not path.is_file():
        raise InputError(f"{path}: there is no such mesh file")
    formats = meshio.extension_to_filetypes.get("".join(path.suffixes[-1:]).lower(), [])
    if not formats:
        known = " ".join(sorted(meshio.extension_to_filetypes))
        raise InputError(f"{path}: meshio knows no format with this ending; it knows {known}")
    if "ply" in formats and b"end_header" not in path.read_bytes():
        raise InputError(f"{path}: its header has no end")  # meshio would search for it in an endless loop
    reasons = []
    for name in formats:
        try:
            with _limited_memory(path), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                return meshio.read(path, file_format=name)
        except SystemExit:
            reasons.append(f"not {name}")
        except Exception as error:  # meshio's readers let through any error that a damaged file causes
            reasons.append(f"as {name}: {type(error).__name__} {error}".strip())
    raise InputError(f"{path}: meshio cannot read this file ({'; '.join(reasons)})")


@contextmanager
def _limited_memory(path: Path) -> Iterator[None]:
    """Limit memory to what a mesh file of this size needs: with a damaged point number meshio would allocate it all."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:  # not Linux: the present use is unknown
        yield
        return
    limit_bytes = pages * resource.getpagesize() + BASE_BYTES + PER_BYTE * path.stat().st_size
    limits = [limit for limit in (limit_bytes, *before) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _groups(mesh: Any, path: Path, tag: str | None, dimension: int = 1) -> list[list[str]]:
    """Group name for each block and cell: the number as text for a group without a name, "" for no group."""
    if tag is not None and tag not in mesh.cell_data:
        available = ", ".join(sorted(mesh.cell_data)) or "none"
        raise InputError(f"{path}: it has no cell data '{tag}'; its cell data: {available}")
    data_name = tag or next((name for name in TAGS if name in mesh.cell_data), None)
    groups = [[""] * len(block.data) for block in mesh.cells]
    if data_name is not None:
        for index, block in enumerate(mesh.cells):
            names = _group_names(mesh, 0 if block.type == POINT_CELL else dimension)
            for number, value in enumerate(mesh.cell_data[data_name][index]):
                if int(value) != 0:
                    groups[index][number] = names.get(int(value), str(int(value)))
    elif mesh.cell_sets:
        for name, members in mesh.cell_sets.items():
            for index, in_set in enumerate(members):
                for number in [] if in_set is None else in_set:
                    groups[index][int(number)] = name
    return groups


def _group_names(mesh: Any, dimension: int) -> dict[int, str]:
    """Group names by number: Gmsh's physical names of this dimension, or MED's families."""
    names = {int(v[0]): name for name, v in mesh.field_data.items() if len(v) == 2 and int(v[1]) == dimension}
    families = getattr(mesh, "cell_tags", None) or {}
    return names or {int(number): " ".join(members) for number, members in families.items()}


def _add_point_sets(mesh: Any, cells: LineCells) -> None:
    for name, members in mesh.point_sets.items():
        cells.named.setdefault(name, []).extend(int(point) for point in members)


def write_lines(
    path: Path,
    points: Array,
    pairs: Indices,
    single: Indices,
    values: Mapping[str, Array],
    numbers: Mapping[str, Indices],
) -> None:
    """Write segments ``pairs`` (m, 2) and points ``single`` (s,): values per point, ``numbers`` (m + s,) per cell."""
    import meshio

    cells = [("line", pairs), (POINT_CELL, single[:, None])]
    keep = [k for k, (_, members) in enumerate(cells) if len(members)]
    per_cell = {name: np.split(data, [len(pairs)]) for name, data in numbers.items()}
    mesh = meshio.Mesh(
        points,
        [cells[k] for k in keep],
        point_data=dict(values),
        cell_data={name: [parts[k] for k in keep] for name, parts in per_cell.items()},
    )
    mesh.write(path)


def write_surface(path: Path, points: Array, blocks: list[Indices], values: Mapping[str, Array]) -> None:
    """Write plane elements with ``points`` (n, 2), in ``blocks`` of one type each, and ``values`` (m,) per element."""
    import meshio

    names = {3: "triangle", 4: "quad", 6: "triangle6", 8: "quad8"}
    ends = np.cumsum([len(block) for block in blocks])[:-1]
    mesh = meshio.Mesh(
        np.column_stack([points, np.zeros(len(points))]),
        [(names[block.shape[1]], block) for block in blocks],
        cell_data={name: np.split(data, ends) for name, data in values.items()},
    )
    mesh.write(path)
