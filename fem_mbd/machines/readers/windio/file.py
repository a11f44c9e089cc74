"""Structural data of a windIO file in the form of version 2: read, converted from version 1, checked by the schema.

Files of version 1 (`outer_shape_bem`, `elastic_properties_mb`, angles in rad) are converted by windIO's converter. It
gets structural data only, so that it cannot fail on layers, airfoils and controllers; rigid bodies, which it drops, are
converted here. Only the structure is checked against windIO's schema: missing entries are reported where they are used,
unknown ones are remarked.

`Entries` are mappings of a YAML file that know their path, for messages about missing or wrong entries;
`reference_points` gives the points of a reference axis.
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError, MissingDependency

SCHEMA = "turbine/turbine_schema"
MAX_DEPTH = 1e5  # m, of the water
MAX_VALUES = 2_000_000  # in a file; the largest example of windIO has 47,000
NON_STRUCTURAL = ("airfoils", "control", "costs", "bos")  # sections at the top level
MAX_ERRORS_SHOWN = 3  # errors of the schema in a message
# entries read of each component
STRUCTURE: dict[str, tuple[str, ...]] = {
    "blade": ("reference_axis", "outer_shape.twist", "structure.elastic_properties"),
    "hub": ("diameter", "cone_angle", "elastic_properties"),
    "tower": ("reference_axis", "outer_shape.outer_diameter", "structure"),
    "drivetrain": ("outer_shape", "elastic_properties", "gearbox.gear_ratio", "generator.elastic_properties"),
    "yaw": ("elastic_properties",),
    "monopile": ("reference_axis", "outer_shape.outer_diameter", "structure", "transition_piece_mass"),
}
ERROR = re.compile(
    r'Error \d+: Failed at instance path `(.*?)` with error message: "(.*?)"\n(?=Error |\Z)', re.S
)
ZERO_TABLE = {"grid": [0.0, 1.0], "values": [0.0, 0.0]}
# entries of a rigid body: names of version 2 by those of versions 1 and 2
BODY = {
    "mass": "mass", "inertia": "inertia", "location": "location", "center_mass": "location",
    "system_mass": "mass", "system_inertia": "inertia", "system_center_mass": "location",
}  # fmt: skip


@dataclass(frozen=True)
class WindioTurbine:
    """The structure of a turbine.

    Attributes
    ----------
    tree : as in a file of version 2; with the component `RNA` if a file of version 1 has it
    converted : whether the file is of version 1
    remarks : entries unknown to the schema
    others : components that are not read
    """

    tree: dict[str, Any]
    converted: bool
    remarks: tuple[str, ...]
    others: tuple[str, ...]


def read_windio_file(path: Path) -> WindioTurbine:
    """Read the structural data of a file.

    Parameters
    ----------
    path : of the yaml file

    Raises
    ------
    InputError
        When the file cannot be read, is not of a turbine, cannot be converted, or its structure violates the schema.
    MissingDependency
        Without the package windIO.
    """
    data = loaded(path, _structural_sections)
    parts = data.get("components")
    if not isinstance(parts, dict) or not isinstance(parts.get("blade"), dict):
        raise InputError(f"{path}: there is no 'components.blade': this is not a windIO file of a turbine")
    if not isinstance(data.get("assembly"), dict):
        raise InputError(f"{path}: there is no 'assembly', with number_of_blades and rotor_orientation")
    version_1 = "outer_shape_bem" in parts["blade"]
    if version_1:
        parts = _converted(data, path)
    tree = {"windIO_version": "2.0", "name": str(data.get("name", path.stem)), "assembly": data["assembly"]}
    tree["components"] = _structure(parts)
    remarks = _check_schema(tree, path)
    tree["materials"] = data.get("materials", [])
    depth = (
        environment.get("water_depth") if isinstance(environment := data.get("environment"), dict) else None
    )
    tree["water_depth"] = depth if isinstance(depth, int | float) and abs(depth) < MAX_DEPTH else None
    if "RNA" in parts:
        tree["components"]["RNA"] = parts["RNA"]
    others = tuple(sorted(set(parts) - set(STRUCTURE) - {"RNA"}))
    return WindioTurbine(tree, version_1, tuple(remarks), others)


def loaded(path: Path, select: Callable[[str], str]) -> dict[str, Any]:
    """The entries of a windIO file.

    Parameters
    ----------
    path : of the yaml file
    select : from its text those lines that are read, as yaml is slow; all are where an anchor is among the others

    Raises
    ------
    InputError
        When it cannot be read or contains no mapping.
    """
    try:
        import windIO
    except ImportError as error:
        raise MissingDependency("windIO files need the package windIO: pip install windIO") from error
    if not path.is_file():
        raise InputError(f"windIO file '{path}' cannot be read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # anchors that a file uses twice
            try:
                tree = windIO.load_yaml(io.StringIO(select(path.read_text(encoding="utf-8"))))
            except Exception:  # an anchor in what was left out, a file that includes others
                tree = windIO.load_yaml(path)
    except Exception as error:  # the reader raises many kinds of errors for invalid files
        message = " ".join(str(error).split())[:300]
        raise InputError(f"windIO file '{path}' cannot be read: {message or type(error).__name__}") from error
    check_size(tree, path)
    if not isinstance(tree, dict):
        raise InputError(f"{path}: contains no mapping: this is not a windIO file of a turbine")
    return tree


def _structural_sections(text: str) -> str:
    """The text without the non-structural sections at its top level."""
    pieces = re.split(r"^(?=[A-Za-z_])", text, flags=re.M)
    return "".join(piece for piece in pieces if piece.split(":")[0] not in NON_STRUCTURAL)


def check_size(tree: Any, path: Path) -> None:
    """InputError for a tree that is too large, or infinite, when its aliases are expanded."""
    stack, count = [tree], 0
    while stack:
        value = stack.pop()
        count += 1
        if count > MAX_VALUES:
            raise InputError(
                f"{path}: more than {MAX_VALUES:,} values with aliases expanded: too many for a turbine"
            )
        if isinstance(value, dict | list):
            stack.extend(value.values() if isinstance(value, dict) else value)


def _structure(parts: dict[str, Any]) -> dict[str, Any]:
    """The structural entries of components."""
    structure: dict[str, Any] = {}
    for name, entries in STRUCTURE.items():
        if name not in parts:
            continue
        if not isinstance(parts[name], dict):
            structure[name] = parts[name]  # for the schema to refuse
            continue
        structure[name] = {}
        for entry in entries:
            *parents, last = entry.split(".")
            source, target = parts[name], structure[name]
            for word in parents:
                source = source.get(word) if isinstance(source, dict) else None
                target = target.setdefault(word, {}) if isinstance(source, dict) else target
            if isinstance(source, dict) and last in source:
                target[last] = source[last]
    return structure


def _check_schema(tree: dict[str, Any], path: Path) -> list[str]:
    """Remarks on entries unknown to the schema; InputError for violations."""
    from jsonschema import ValidationError
    from windIO import validate

    try:
        validate(tree, SCHEMA)
    except ValidationError as error:
        failures = ERROR.findall(error.message + "\n") or [("$", error.message)]
    else:
        return []
    # missing entries are reported where they are used: not all required ones are structural
    errors = [(entry, message) for entry, message in failures if "is a required property" not in message]
    unknown = [(entry, message) for entry, message in errors if message.startswith("Additional properties")]
    wrong = [
        f"'{entry.removeprefix('$.')}': {message}"
        for entry, message in errors
        if (entry, message) not in unknown
    ]
    if wrong:
        raise InputError(f"{path}: violates windIO's schema at {_shortened(wrong, path)}")
    return [f"'{entry.removeprefix('$.')}': {message}: not read" for entry, message in unknown]


def _shortened(errors: list[str], path: Path) -> str:
    """Text of the first errors; if there are more, all are written to a file."""
    text = "; ".join(
        error if len(error) < 200 else f"{error[:120]} … {error[-70:]}" for error in errors[:MAX_ERRORS_SHOWN]
    )
    if len(errors) <= MAX_ERRORS_SHOWN:
        return text
    with tempfile.NamedTemporaryFile(
        "w", prefix=f"{path.stem}-errors-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write("\n".join(errors) + "\n")
    return f"{text}; all {len(errors)} places are in {file.name}"


def _converted(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """Components of a file of version 1 in the form of version 2."""
    from windIO.converters.windIO2windIO import v1p0_to_v2p0

    parts = _convertible(data["components"])
    tree = {"components": parts, "airfoils": [], "materials": []}
    with tempfile.TemporaryDirectory() as folder:
        converter = v1p0_to_v2p0(str(path), str(Path(folder, "v2.yaml")))
    # rigid bodies, which the converter drops
    nacelle = parts.get("nacelle", {})
    drive = nacelle.get("drivetrain", {}) if isinstance(nacelle, dict) else {}
    bodies = _bodies(drive if isinstance(drive, dict) else {}, parts.get("hub"))
    for name, convert in (
        ("blade", converter.convert_blade),
        ("nacelle", converter.convert_nacelle),
        ("tower", converter.convert_tower),
        *([("monopile", converter.convert_monopile)] if "monopile" in parts else []),
    ):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                convert(tree)
        except Exception as error:  # the converter raises many kinds of errors
            raise InputError(
                f"{path}: windIO's converter from version 1 to 2 stops at 'components.{name}' "
                f"({type(error).__name__}: {str(error)[:120]}): convert the file by hand"
            ) from error
    for name, body in bodies.items():
        parts.setdefault(name, {})["elastic_properties"] = body
    _as_lists(parts)
    return parts


def _convertible(components: dict[str, Any]) -> dict[str, Any]:
    """A copy with placeholders for non-structural entries that the converter requires."""
    parts: dict[str, Any] = deepcopy(
        {key: value for key, value in components.items() if isinstance(value, dict)}
    )
    blade = parts["blade"]
    shape = blade.get("outer_shape_bem")
    if isinstance(shape, dict):
        shape.update(chord=dict(ZERO_TABLE), pitch_axis=dict(ZERO_TABLE), rthick=dict(ZERO_TABLE))
        shape["airfoil_position"] = {"grid": [], "labels": []}
    walls = blade.setdefault("internal_structure_2d_fem", {})
    if isinstance(walls, dict):
        walls.update(webs=[], layers=[])
        walls.setdefault("reference_axis", {})
    elastic = blade.get("elastic_properties_mb", {})
    if isinstance(elastic, dict) and isinstance(elastic.get("six_x_six"), dict):
        elastic["six_x_six"].setdefault("twist", {})
        elastic["six_x_six"].setdefault("reference_axis", {})
    for name, place in (("hub", ()), ("tower", ("outer_shape_bem",)), ("monopile", ("outer_shape_bem",))):
        part = parts.get(name, {})
        for word in place:
            part = part.get(word, {})
        if isinstance(part, dict):
            part.setdefault("drag_coefficient", 0.0 if name == "hub" else dict(ZERO_TABLE))
    for name in ("tower", "monopile"):
        walls = parts.get(name, {}).get("internal_structure_2d_fem")
        if isinstance(walls, dict):
            walls.setdefault("reference_axis", {})
    drive = parts.get("nacelle", {}).get("drivetrain")
    if isinstance(drive, dict) and "uptilt_angle" in drive:
        drive.setdefault("uptilt", drive["uptilt_angle"])  # its name before version 1.0
    return parts


def _bodies(drive: dict[str, Any], hub: Any) -> dict[str, dict[str, Any]]:
    """Rigid bodies of version 1 under the names of version 2, by component."""
    bodies: dict[str, dict[str, Any]] = {}
    hub_body = hub.pop("elastic_properties_mb", None) if isinstance(hub, dict) else None
    nacelle_body = drive.pop("elastic_properties_mb", None)
    for name, body in (("hub", hub_body), ("drivetrain", nacelle_body)):
        if isinstance(body, dict):
            bodies[name] = {BODY[key]: value for key, value in body.items() if key in BODY}
    if isinstance(nacelle_body, dict) and "yaw_mass" in nacelle_body:
        bodies["yaw"] = {"mass": nacelle_body["yaw_mass"]}
    if "hub" in bodies:
        bodies["hub"].setdefault("location", [0.0, 0.0, 0.0])
    return bodies


def _as_lists(tree: Any) -> None:
    """Replace the converter's arrays by lists, in place, as the schema requires."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if hasattr(value, "tolist"):
            tree[key] = value.tolist()
        elif isinstance(value, dict | list):
            _as_lists(value)


class Entries(dict[str, Any]):
    """A mapping of a file, and those inside it; a missing key is an InputError that names its path.

    Schemas leave many keys and the lengths of lists open; entries are checked here when they are used.

    Attributes
    ----------
    where : the file's path and the keys of the mapping
    """

    def __init__(self, part: dict[str, Any], where: str, mark: str = ": ") -> None:
        super().__init__()
        self.where = where
        for key, value in part.items():
            nested = isinstance(value, dict)
            self[key] = Entries(value, f"{where}{mark}{key}", ".") if nested else value

    def __missing__(self, key: str) -> Any:
        raise InputError(f"{self.where}: there is no '{key}'")

    def part(self, key: str) -> Entries:
        """The mapping `key`; an empty one where it is missing."""
        value = self.get(key, Entries({}, f"{self.where}.{key}"))
        if not isinstance(value, Entries):
            raise InputError(f"{self.where}: '{key}' must be a mapping, not {value!r:.60}")
        return value

    def number(self, key: str, otherwise: float | None = None) -> float:
        """The finite number `key`; `otherwise`, if given, where it is missing."""
        value = self[key] if otherwise is None else self.get(key, otherwise)
        return float(self._finite(key, value, 1, 1)[0])

    def numbers(self, key: str, least: int, most: int, otherwise: Array | None = None) -> Array:
        """(most,) finite numbers of the list `key`, which has `least` of them or more; missing ones are zero."""
        value = self[key] if otherwise is None else self.get(key, otherwise)
        numbers = self._finite(key, value, least, most)
        return np.concatenate([numbers, np.zeros(most - numbers.size)])

    def table(self, *needed: str) -> dict[str, Array]:
        """The columns of a table over its grid; InputError for different lengths or entries that are not numbers."""
        try:
            columns = {key: np.asarray(self[key], dtype=float) for key in ("grid", *needed, *self)}
        except InputError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"{self.where}: give lists of numbers") from error
        grid = columns["grid"]
        for key, values in columns.items():
            if values.shape != grid.shape or not np.all(np.isfinite(values)):
                raise InputError(
                    f"{self.where}: '{key}' has to be {grid.size} finite numbers, one for each of 'grid'"
                )
        if grid.ndim != 1 or grid.size < 2 or np.any(np.diff(grid) < 0.0):
            raise InputError(f"{self.where}: 'grid' has to be two numbers or more that ascend")
        return columns

    def _finite(self, key: str, value: Any, least: int, most: int) -> Array:
        try:
            numbers = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError, OverflowError):
            numbers = np.array([np.nan])
        if numbers.ndim != 1 or not least <= numbers.size <= most or not np.all(np.isfinite(numbers)):
            count = f"{least}" if least == most else f"{least} to {most}"
            raise InputError(
                f"{self.where}: '{key}' has to be finite numbers, {count} of them, not {value!r:.60}"
            )
        return numbers


def reference_points(axis: Entries) -> tuple[Array, Array]:
    """Grid (n,) and points (n, 3) of a reference axis, m."""
    tables = [axis.part(c).table("values") for c in "xyz"]
    grid = np.unique(np.concatenate([table["grid"] for table in tables]))
    points = [np.interp(grid, table["grid"], table["values"]) for table in tables]
    return grid, np.stack(points, axis=1)
