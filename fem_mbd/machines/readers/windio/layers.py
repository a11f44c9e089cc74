"""Sections of a blade from the layers and webs of a windIO file, of version 1 or 2.

- The outline at a station is interpolated between the airfoils by their relative thickness (`rthick`, or that of the
  airfoils at their places), on a common grid of normalised arc length, monotonically (PCHIP), as windIO's schema says;
  it is scaled by the chord and placed by `section_offset_y` (version 1: `pitch_axis` times the chord) and
  `section_offset_x`. Section axis 2 points to the suction side, 3 to the trailing edge.
- Arcs are fractions of the outline from the suction side's trailing edge over the leading edge to the pressure side's.
- Layers are stacked from the outer surface inwards in the file's order; those of a web from the leading edge backwards.
- `fiber_orientation` is positive where fibres turn to the leading edge (version 2 in degrees, version 1 in rad).
- A layer exists within the grid of its thickness, which is linear between its stations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.blade import BladeAxis
from fem_mbd.elements.blades.stations import beamdyn_matrices
from fem_mbd.elements.section.mesh.laminate import Layer, Web
from fem_mbd.elements.section.mesh.mesh import Orthotropic, SectionMaterial, Strength
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.shapes import Material
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines.readers.windio.file import Entries, loaded, reference_points

PROFILE_POINTS = 200  # on either side of the leading edge
THINNEST = 1e-5  # m: thinner layers are left out
NARROWEST = 1e-4  # fraction of the outline: narrower layers are left out


@dataclass(frozen=True, eq=False)
class BladeLayers:
    """Outer shape, layers and webs of a blade.

    Attributes
    ----------
    source : the file
    reference_axis, shape, structure : its mappings; version_1: whether they are of version 1
    materials : by name, of those that can be used
    profiles : (n, k, 2) outlines of the airfoils for unit chord, ascending in relative thickness (n,)
    airfoils : places along the blade (p,), ascending, and relative thicknesses (p,) of its airfoils
    """

    source: str
    reference_axis: Entries
    shape: Entries
    structure: Entries
    version_1: bool
    materials: dict[str, SectionMaterial]
    thickness: Array
    profiles: Array
    airfoils: tuple[Array, Array]
    _arcs: dict[str, Entries] = field(repr=False, default_factory=dict)

    def section(self, at: float, size: float | None = None) -> Section:
        """The section at the fraction ``at`` of the blade's length.

        Parameters
        ----------
        at : from 0 to 1
        size : m, of the elements along the walls; by default a 160th of the outline

        Raises
        ------
        InputError
            Naming station, layer and place.
        """
        try:
            outline, leading_edge = self.outline(at)
            length = float(np.linalg.norm(np.diff(outline, axis=0, append=outline[:1]), axis=1).sum())
            layers, webs = self.laminate(at, leading_edge, length)
            return Section.from_laminate(outline, layers, webs, size=size)
        except InputError as error:
            raise InputError(f"{self.source}: blade at {at:.4g}: {error}") from error

    def table(self, stations: Sequence[float] | Array, size: float | None = None) -> SectionTable:
        """Sections at ``stations``, fractions that ascend from 0 to 1; ``size`` as for `section`."""
        return SectionTable(list(stations), [self.section(float(at), size) for at in stations])

    @property
    def length(self) -> float:
        """Arc length of the reference axis, m."""
        points = reference_points(self.reference_axis)[1]
        return BladeAxis(points, np.zeros(len(points))).length

    def outline(self, at: float) -> tuple[Array, float]:
        """(k, 2) m, and the place of its leading edge as a fraction of its length."""
        chord = _value(self.shape, "chord", at)
        if "rthick" in self.shape:
            relative = _value(self.shape, "rthick", at)
        else:
            relative = float(PchipInterpolator(*self.airfoils)(at))
        relative = float(np.clip(relative, self.thickness[0], self.thickness[-1]))
        unit = (
            PchipInterpolator(self.thickness, self.profiles)(relative)
            if len(self.thickness) > 1
            else self.profiles[0]
        )
        if self.version_1:
            offset = np.array([0.0, _value(self.shape, "pitch_axis", at) * chord])
        else:
            along = _value(self.shape, "section_offset_y", at)
            across = _value(self.shape, "section_offset_x", at) if "section_offset_x" in self.shape else 0.0
            offset = np.array([-across, along])
        points = unit[:, ::-1] * chord - offset
        steps = np.linalg.norm(
            np.diff(points, axis=0, append=points[:1]), axis=1
        )  # the last one is the flat back
        return points, float((steps[:PROFILE_POINTS].sum() + 0.5 * steps[-1]) / steps.sum())

    def laminate(self, at: float, leading_edge: float, length: float) -> tuple[list[Layer], list[Web]]:
        """Layers and webs at a station; ``leading_edge`` is its place on the outline of ``length`` (m)."""
        layers: list[Layer] = []
        by_web: dict[str, list[Layer]] = {}
        for k, row in enumerate(self.structure["layers"]):
            entry = Entries(row, f"layers[{k}]")
            name = str(entry["name"])
            thickness = _value(entry, "thickness", at, outside=0.0)
            if thickness < THINNEST:
                continue
            material = self.materials.get(str(entry["material"]))
            if material is None:
                raise InputError(f"layer '{name}': there is no usable material '{entry['material']}'")
            angle = _value(entry, "fiber_orientation", at) if "fiber_orientation" in entry else 0.0
            angle = float(np.degrees(angle)) if self.version_1 else angle
            if "web" in entry:
                by_web.setdefault(str(entry["web"]), []).append(Layer(material, thickness, angle, name=name))
                continue
            start, end = self._ends(entry, at, length)
            if abs(end - start) < NARROWEST:
                continue
            if start > end:
                raise InputError(
                    f"layer '{name}': its arc runs from {start:.4g} to {end:.4g}: the end lies before the start"
                )
            if angle == 0.0 or not start < leading_edge < end:
                sign = 1.0 if 0.5 * (start + end) < leading_edge else -1.0
                layers.append(Layer(material, thickness, sign * angle, start, end, f"layer '{name}'"))
            else:  # towards the leading edge is along the outline on the suction side, against it on the other
                layers.append(Layer(material, thickness, angle, start, leading_edge, f"layer '{name}'"))
                layers.append(Layer(material, thickness, -angle, leading_edge, end, f"layer '{name}'"))
        webs = []
        for k, row in enumerate(self.structure.get("webs") or []):
            entry = Entries(row, f"webs[{k}]")
            stack = by_web.get(name := str(entry["name"]))
            if stack:
                start, end = sorted(self._arc(entry, key, at) for key in ("start_nd_arc", "end_nd_arc"))
                webs.append(Web(start, end, stack[::-1], f"web '{name}'"))
        return layers, webs

    def _ends(self, entry: Entries, at: float, length: float) -> tuple[float, float]:
        """Start and end of a layer; one of them, or its middle, with its width, m."""
        width = _value(entry, "width", at) / length if "width" in entry else 0.0
        if width and "midpoint_nd_arc" in entry and "start_nd_arc" not in entry:
            middle = self._arc(entry, "midpoint_nd_arc", at)
            return max(middle - width / 2, 0.0), min(middle + width / 2, 1.0)
        if width and "start_nd_arc" not in entry:
            end = self._arc(entry, "end_nd_arc", at)
            return max(end - width, 0.0), end
        start = self._arc(entry, "start_nd_arc", at)
        return start, min(start + width, 1.0) if width and "end_nd_arc" not in entry else self._arc(
            entry, "end_nd_arc", at
        )

    def _arc(self, entry: Entries, key: str, at: float) -> float:
        """Start or end of a layer or web; anchors of version 2 are looked up by name."""
        part = entry[key]
        if isinstance(part, dict) and isinstance(part.get("anchor"), dict):
            anchor = part["anchor"]
            name, handle = str(anchor["name"]), str(anchor["handle"])
            if name not in self._arcs:
                raise InputError(f"{entry.where}: there is no anchor '{name}'")
            entry, key = self._arcs[name], handle
            part = entry.get(key)
        if not isinstance(part, dict) or "values" not in part:
            raise InputError(
                f"{entry.where}, '{entry.get('name', '')}': '{key}' has no grid and values; positions given by widths, "
                "offsets or planes have to be resolved first, as WISDEM does when it writes the file"
            )
        return float(np.clip(_value(entry, key, at), 0.0, 1.0))


def read_blade_layers(path: str | Path) -> BladeLayers:
    """Outer shape, layers and webs of the blade of a windIO file.

    Parameters
    ----------
    path : of the yaml file

    Raises
    ------
    InputError
        When the file cannot be read or has no outer shape, layers, materials or airfoils.
    MissingDependency
        Without the package windIO.
    """
    path = Path(path)
    tree = Entries(loaded(path, _without_polars), str(path))
    try:
        return _blade_layers(tree, path)
    except InputError:
        raise
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: layers, airfoils or materials of the blade are not as windIO's schema has them "
            f"({type(error).__name__}: {str(error)[:120]}): check the file with windIO's validator"
        ) from error


def _blade_layers(tree: Entries, path: Path) -> BladeLayers:
    blade = tree.part("components").part("blade")
    version_1 = "outer_shape_bem" in blade
    shape = blade.part("outer_shape_bem" if version_1 else "outer_shape")
    structure = blade.part("internal_structure_2d_fem" if version_1 else "structure")
    if not structure.get("layers"):
        raise InputError(f"{path}: components.blade has neither 'elastic_properties' nor 'layers'")
    if version_1:
        part = shape.part("airfoil_position")
        labels, grid = [str(label) for label in part["labels"]], part["grid"]
    else:
        grid = [row["spanwise_position"] for row in shape["airfoils"]]
        labels = [str(row["name"]) for row in shape["airfoils"]]
    profiles = [_profile(tree["airfoils"], label, str(path)) for label in labels]
    places, first = np.unique(np.asarray(grid, dtype=float), return_index=True)
    airfoils = places, np.array([profiles[k][0] for k in first])
    order = dict(profiles)
    thickness = np.array(sorted(order))
    axis = (blade if "reference_axis" in blade else shape).part("reference_axis")
    anchors: dict[str, Entries] = {}
    webs = [anchor for web in structure.get("webs") or [] for anchor in web.get("anchors") or []]
    for row in [*(structure.get("anchors") or []), *webs]:
        anchors[str(row["name"])] = Entries(row, f"anchor '{row['name']}'")
    return BladeLayers(
        str(path), axis, shape, structure, version_1, _materials(tree["materials"]), thickness,
        np.array([order[t] for t in thickness]), airfoils, anchors,
    )  # fmt: skip


def load_with_polars(path: Path) -> dict[str, Any]:
    """A windIO file as it stands, with the polars of its airfoils.

    Parameters
    ----------
    path : of the yaml file
    """
    return loaded(path, str)


def write_elastic_properties(source: str | Path, target: str | Path, table: SectionTable) -> Path:
    """Write a windIO file again with the sections of a table as the elastic properties of its blade.

    Parameters
    ----------
    source, target : files; the version stays
    table : sections over fractions of the reference axis

    Raises
    ------
    InputError
        When the source cannot be read.
    """
    import windIO

    tree = loaded(Path(source), str)
    blade, grid = tree["components"]["blade"], np.asarray(table.s).tolist()
    matrices = np.array([beamdyn_matrices(section) for section in table.sections])  # (n, 2, 6, 6)
    upper = np.triu_indices(6)
    if "outer_shape_bem" in blade:
        axis = blade["outer_shape_bem"]
        kept = blade.get("elastic_properties_mb", {}).get("six_x_six", {})
        rows = {
            name: {"grid": grid, "values": matrices[:, k][:, *upper].tolist()}
            for k, name in enumerate(("stiff_matrix", "inertia_matrix"))
        }
        six = {"reference_axis": axis["reference_axis"], "twist": axis["twist"]} | kept | rows
        blade["elastic_properties_mb"] = {"six_x_six": six}
    else:
        stiffness, mass = matrices[:, 0], matrices[:, 1]
        m = mass[:, 0, 0]
        inertia = {
            "mass": m, "cm_x": mass[:, 1, 5] / m, "cm_y": -mass[:, 0, 5] / m, "i_edge": mass[:, 3, 3],
            "i_flap": mass[:, 4, 4], "i_plr": mass[:, 5, 5], "i_cp": -mass[:, 3, 4],
        }  # fmt: skip
        names = [f"K{i + 1}{j + 1}" for i, j in zip(*upper, strict=True)]
        entries = dict(zip(names, stiffness[:, *upper].T.tolist(), strict=True))
        old = blade["structure"].get("elastic_properties", {})
        blade["structure"]["elastic_properties"] = old | {
            "stiffness_matrix": {"grid": grid} | entries,
            "inertia_matrix": {"grid": grid} | {name: values.tolist() for name, values in inertia.items()},
        }
    windIO.write_yaml(tree, str(target))
    return Path(target)


def _without_polars(text: str) -> str:
    """The text without the polars of airfoils, which are most of a file."""
    kept, depth = [], -1
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if depth >= 0 and (
            indent > depth or not line.strip() or (indent == depth and line.lstrip().startswith("- "))
        ):
            continue
        depth = indent if line.strip() == "polars:" else -1
        if depth < 0:
            kept.append(line)
    return "\n".join(kept)


def _profile(airfoils: Any, label: str, where: str) -> tuple[float, Array]:
    """Relative thickness and outline (2 PROFILE_POINTS + 1, 2) of an airfoil, chord 1, from the suction side's end."""
    matching = [a for a in airfoils or [] if a.get("name") == label]
    if not matching:
        raise InputError(f"{where}: there is no airfoil '{label}' in 'airfoils'")
    row = Entries(matching[0], f"{where}: airfoil '{label}'")
    part = row.part("coordinates")
    points = np.column_stack([np.asarray(part[c], dtype=float) for c in "xy"])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    points = points[np.append(True, steps > 0.0)]
    if points[: len(points) // 2, 1].mean() < points[len(points) // 2 :, 1].mean():
        points = points[::-1]  # from the pressure side's end
    nose = int(np.argmin(points[:, 0]))
    points = points - [points[nose, 0], 0.0]
    part_1 = 0.5 * (1 - np.cos(np.linspace(0.0, np.pi, PROFILE_POINTS + 1)))
    sides = []
    for side in (points[: nose + 1], points[nose:]):
        arc = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(side, axis=0), axis=1)))
        sides.append(PchipInterpolator(arc / arc[-1], side)(part_1))
    outline = np.vstack([sides[0], sides[1][1:]])
    relative = row.number("rthick" if "rthick" in row else "relative_thickness", float(np.ptp(points[:, 1])))
    return relative, outline


def _materials(rows: Any) -> dict[str, SectionMaterial]:
    """Materials by name; those with impossible numbers are left out, and missed where they are used."""
    materials: dict[str, SectionMaterial] = {}
    for row in rows or []:
        entry = Entries(row, f"material '{row.get('name')}'")
        try:
            if not entry.get("orth", 0):
                poisson = {"poisson": entry.number("nu")} if "nu" in entry else {"shear": entry.number("G")}
                materials[str(row.get("name"))] = Material(
                    entry.number("E"), density=entry.number("rho"), **poisson
                )
                continue
            E, G, nu = (entry.numbers(key, 3, 3) for key in ("E", "G", "nu"))
            materials[str(row.get("name"))] = Orthotropic(
                E[0], E[1], G[0], nu[0], entry.number("rho"), E[2], G[1], G[2], nu[1], nu[2], _strength(entry)
            )
        except InputError:
            continue
    return materials


def _strength(entry: Entries) -> Strength | None:
    """Strengths of a material; None where the file has none or zeros."""
    try:
        tension, compression, shear = (entry.numbers(key, 3, 3) for key in ("Xt", "Xc", "S"))
    except InputError:
        return None
    values = np.array([tension, compression, shear])
    return Strength(tension, compression, shear[::-1]) if values.min() > 0.0 else None


def _value(entry: Entries, key: str, at: float, outside: float | None = None) -> float:
    """A table of the file at a station, linear; ``outside`` beyond its grid, by default its ends."""
    part = entry.part(key)
    table = Entries({name: part[name] for name in ("grid", "values")}, part.where).table("values")
    return float(np.interp(at, table["grid"], table["values"], outside, outside))
