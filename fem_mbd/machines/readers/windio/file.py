"""The structure of a turbine in a windIO file, as version 2 has it: read, brought up to date, checked.

Files of version 1 (degrees of freedom of the blade below `outer_shape_bem`, `elastic_properties_mb`, angles in rad) go
through windIO's own converter. It is given what is structure and nothing else, so that layers, airfoils and controllers
it cannot convert never stand in the way; the rigid bodies, which it drops, are carried over here. Only the structure is
checked against windIO's schema: what is missing is said where it is used, what is unknown is remarked.
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import warnings
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fem_mbd.errors import InputError, MissingDependency

SCHEMA = "turbine/turbine_schema"
DEEPEST = 1e5  # m
MOST_VALUES = 2_000_000  # the largest example of windIO has 47,000
NON_STRUCTURAL = ("airfoils", "control", "costs", "bos")  # at the top level, no structure
MAX_ERRORS_SHOWN = 3  # errors of the schema in a message
# what is read of each component; an empty tuple takes all of it
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
TABLE = {"grid": [0.0, 1.0], "values": [0.0, 0.0]}
# of a rigid body: names of version 1 and of version 2
BODY = {
    "mass": "mass", "inertia": "inertia", "location": "location", "center_mass": "location",
    "system_mass": "mass", "system_inertia": "inertia", "system_center_mass": "location",
}  # fmt: skip


@dataclass(frozen=True)
class WindioTurbine:
    """The structure of a turbine.

    Attributes
    ----------
    tree : as in a file of version 2; `RNA` among the components where a file of version 1 has it
    converted : whether it came from version 1
    remarks : what of it the schema does not know
    others : components that are not read
    """

    tree: dict[str, Any]
    converted: bool
    remarks: tuple[str, ...]
    others: tuple[str, ...]


def read_windio_file(path: Path) -> WindioTurbine:
    """What of a file is structure.

    Parameters
    ----------
    path : of the yaml file

    Raises
    ------
    InputError
        When the file cannot be read, is none of a turbine, cannot be converted, or its structure does not obey the
        schema.
    MissingDependency
        Without the package windIO.
    """
    whole = _loaded(path)
    parts = whole.get("components")
    if not isinstance(parts, dict) or not isinstance(parts.get("blade"), dict):
        raise InputError(f"{path}: there is no 'components.blade': this is not a windIO file of a turbine")
    if not isinstance(whole.get("assembly"), dict):
        raise InputError(f"{path}: there is no 'assembly', with number_of_blades and rotor_orientation")
    old = "outer_shape_bem" in parts["blade"]
    if old:
        parts = _converted(whole, path)
    tree = {"windIO_version": "2.0", "name": str(whole.get("name", path.stem)), "assembly": whole["assembly"]}
    tree["components"] = _structure(parts)
    remarks = _check(tree, path)
    tree["materials"] = whole.get("materials", [])
    depth = (
        environment.get("water_depth") if isinstance(environment := whole.get("environment"), dict) else None
    )
    tree["water_depth"] = depth if isinstance(depth, int | float) and abs(depth) < DEEPEST else None
    if "RNA" in parts:
        tree["components"]["RNA"] = parts["RNA"]
    others = tuple(sorted(set(parts) - set(STRUCTURE) - {"RNA"}))
    return WindioTurbine(tree, old, tuple(remarks), others)


def _loaded(path: Path) -> dict[str, Any]:
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
                # most of a file is polars, and yaml is slow to read
                tree = windIO.load_yaml(io.StringIO(_without_others(path.read_text(encoding="utf-8"))))
            except Exception:  # an anchor in what was left out, a file that includes others
                tree = windIO.load_yaml(path)
    except Exception as error:  # whatever the yaml reader makes of a file that is none
        said = " ".join(str(error).split())[:300]
        raise InputError(f"windIO file '{path}' cannot be read: {said or type(error).__name__}") from error
    check_size(tree, path)
    if not isinstance(tree, dict):
        raise InputError(f"{path}: contains no mapping: this is not a windIO file of a turbine")
    return tree


def _without_others(text: str) -> str:
    """The text without the sections at its top level that hold no structure."""
    pieces = re.split(r"^(?=[A-Za-z_])", text, flags=re.M)
    return "".join(piece for piece in pieces if piece.split(":")[0] not in NON_STRUCTURAL)


def check_size(tree: Any, path: Path) -> None:
    """InputError where aliases make a small file a tree too large to look at, or one without an end."""
    left, count = [tree], 0
    while left:
        value = left.pop()
        count += 1
        if count > MOST_VALUES:
            raise InputError(
                f"{path}: more than {MOST_VALUES:,} values with aliases expanded: too many for a turbine"
            )
        if isinstance(value, dict | list):
            left.extend(value.values() if isinstance(value, dict) else value)


def _structure(parts: dict[str, Any]) -> dict[str, Any]:
    """Components with what is read of them."""
    found: dict[str, Any] = {}
    for name, wanted in STRUCTURE.items():
        if name not in parts:
            continue
        if not isinstance(parts[name], dict):
            found[name] = parts[name]  # for the schema to refuse
            continue
        found[name] = {}
        for place in wanted:
            *above, last = place.split(".")
            source, target = parts[name], found[name]
            for word in above:
                source = source.get(word) if isinstance(source, dict) else None
                target = target.setdefault(word, {}) if isinstance(source, dict) else target
            if isinstance(source, dict) and last in source:
                target[last] = source[last]
    return found


def _check(tree: dict[str, Any], path: Path) -> list[str]:
    """Remarks about what the schema does not know; InputError for what it forbids."""
    from jsonschema import ValidationError
    from windIO import validate

    try:
        validate(tree, SCHEMA)
    except ValidationError as error:
        found = ERROR.findall(error.message + "\n") or [("$", error.message)]
    else:
        return []
    # what is missing is for those to say who need it: a file need not hold what is no structure
    errors = [(place, said) for place, said in found if "is a required property" not in said]
    unknown = [(place, said) for place, said in errors if said.startswith("Additional properties")]
    wrong = [
        f"'{place.removeprefix('$.')}': {said}" for place, said in errors if (place, said) not in unknown
    ]
    if wrong:
        raise InputError(f"{path}: violates windIO's schema at {_shortened(wrong, path)}")
    return [f"'{place.removeprefix('$.')}': {said}: not read" for place, said in unknown]


def _shortened(errors: list[str], path: Path) -> str:
    """The first errors; all of them go into a file where there are more."""
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


def _converted(whole: dict[str, Any], path: Path) -> dict[str, Any]:
    """Components of a file of version 1 as version 2 has them."""
    from windIO.converters.windIO2windIO import v1p0_to_v2p0

    parts = _convertible(whole["components"])
    tree = {"components": parts, "airfoils": [], "materials": []}
    with tempfile.TemporaryDirectory() as folder:
        converter = v1p0_to_v2p0(str(path), str(Path(folder, "v2.yaml")))
    # what it drops
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
        except Exception as error:  # whatever windIO's converter makes of a file that is not as it expects
            raise InputError(
                f"{path}: windIO's converter from version 1 to 2 stops at 'components.{name}' "
                f"({type(error).__name__}: {str(error)[:120]}): convert the file by hand"
            ) from error
    for name, body in bodies.items():
        parts.setdefault(name, {})["elastic_properties"] = body
    _as_lists(parts)
    return parts


def _convertible(given: dict[str, Any]) -> dict[str, Any]:
    """A copy with stand-ins for what the converter needs though it is no structure."""
    parts: dict[str, Any] = deepcopy({key: value for key, value in given.items() if isinstance(value, dict)})
    blade = parts["blade"]
    shape = blade.get("outer_shape_bem")
    if isinstance(shape, dict):
        shape.update(chord=dict(TABLE), pitch_axis=dict(TABLE), rthick=dict(TABLE))
        shape["airfoil_position"] = {"grid": [], "labels": []}
    inside = blade.setdefault("internal_structure_2d_fem", {})
    if isinstance(inside, dict):
        inside.update(webs=[], layers=[])
        inside.setdefault("reference_axis", {})
    elastic = blade.get("elastic_properties_mb", {})
    if isinstance(elastic, dict) and isinstance(elastic.get("six_x_six"), dict):
        elastic["six_x_six"].setdefault("twist", {})
        elastic["six_x_six"].setdefault("reference_axis", {})
    for name, place in (("hub", ()), ("tower", ("outer_shape_bem",)), ("monopile", ("outer_shape_bem",))):
        part = parts.get(name, {})
        for word in place:
            part = part.get(word, {})
        if isinstance(part, dict):
            part.setdefault("drag_coefficient", 0.0 if name == "hub" else dict(TABLE))
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
    found: dict[str, dict[str, Any]] = {}
    of_hub = hub.pop("elastic_properties_mb", None) if isinstance(hub, dict) else None
    of_nacelle = drive.pop("elastic_properties_mb", None)
    for name, body in (("hub", of_hub), ("drivetrain", of_nacelle)):
        if isinstance(body, dict):
            found[name] = {BODY[key]: value for key, value in body.items() if key in BODY}
    if isinstance(of_nacelle, dict) and "yaw_mass" in of_nacelle:
        found["yaw"] = {"mass": of_nacelle["yaw_mass"]}
    if "hub" in found:
        found["hub"].setdefault("location", [0.0, 0.0, 0.0])
    return found


def _as_lists(tree: Any) -> None:
    """Arrays of the converter as the lists that a schema knows, in place."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if hasattr(value, "tolist"):
            tree[key] = value.tolist()
        elif isinstance(value, dict | list):
            _as_lists(value)
