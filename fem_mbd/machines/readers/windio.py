"""A machine from a windIO file (version 2), checked against windIO's schema.

What the file means (windIO, turbine schema 2.0, and its own examples):

- `blade.reference_axis` in blade axes, `outer_shape.twist` in degrees about -z, `elastic_properties`: matrices about
  the reference axis in the axes and the order of BeamDyn. The schema's words give other axes, but the entries of the
  IEA 15 MW example are those of its BeamDyn file: x to the suction side, y to the trailing edge; `i_edge` about x,
  `i_flap` about y, `i_cp` the product of inertia; grids are fractions of the arc length;
- `tower`: `reference_axis` upwards, K44 about x (side-side), K55 about y (fore-aft), K66 torsion, K33 stretching;
- `hub`: roots on a circle of `diameter`, `cone_angle` away from the tower, a rigid body in axes along the shaft;
- `drivetrain`: `uptilt`, `overhang` (horizontal) and `distance_tt_hub` (vertical) from the tower's top to the rotor's
  apex; a rigid body in tower-top axes, without hub, which is the nacelle here; `spring_constant` and
  `damping_coefficient` between rotor and generator. The generator's inertia about the shaft turns with the rotor, times
  the square of the gear ratio, and is taken out of the nacelle's;
- `yaw`: its mass on the tower's top.

Inertia of rigid bodies is about their mass centres. The tower is held at its foot.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.blades.frames import FROM_BEAMDYN
from fem_mbd.elements.blades.stations import checked_section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError, MissingDependency
from fem_mbd.machines.blocks import Drivetrain, Hub, Nacelle, Rotor, Tower
from fem_mbd.machines.building import build_turbine
from fem_mbd.machines.machine import Machine
from fem_mbd.machines.plain_beam import plain_beam
from fem_mbd.machines.readers.entries import Entries
from fem_mbd.rotations import rotation_about

ELEMENTS = 25  # of a blade
SCHEMA = "turbine/turbine_schema"
USED = ("blade", "hub", "tower", "drivetrain", "yaw")
MOST_VALUES = 2_000_000  # the largest example of windIO has 47,000
Y = np.array([0.0, 1.0, 0.0])


def read_windio_machine(path: str | Path, name: str = "", elements: int = ELEMENTS) -> Machine:
    """The machine of a windIO turbine file.

    Parameters
    ----------
    path : of the yaml file
    name : of the machine; that of the file when left out
    elements : along a blade, at most; files have a hundred stations and more

    Raises
    ------
    InputError
        When the file cannot be read, does not obey the schema, or has no elastic properties of a part; says which.
    MissingDependency
        Without the package windIO.
    """
    turbine = Entries(_checked(Path(path)), str(path))
    parts, assembly = turbine.part("components"), turbine.part("assembly")
    drive, hub = parts["drivetrain"], parts["hub"]
    upwind = str(assembly["rotor_orientation"]).lower() == "upwind"
    blade = _blade(parts["blade"], str(path))
    cone = np.radians(hub.number("cone_angle")) * (-1.0 if upwind else 1.0)
    rotor = Rotor(blade, _hub(hub), int(assembly["number_of_blades"]), float(cone), elements=elements)
    shape = drive["outer_shape"]
    tilt, overhang = float(np.radians(shape.number("uptilt"))), shape.number("overhang")
    reach = overhang / np.cos(tilt)
    height = shape.number("distance_tt_hub") - overhang * np.tan(tilt) * (1.0 if upwind else -1.0)
    own = drive["elastic_properties"]
    generator = drive.part("generator").part("elastic_properties")
    made = float(generator.numbers("inertia", 3, 6, np.zeros(6))[0])
    sprung = "spring_constant" in own
    twist = (own.number("spring_constant"), own.number("damping_coefficient")) if sprung else None
    ratio = drive.part("gearbox").number("gear_ratio", 1.0)
    drivetrain = Drivetrain(-reach if upwind else reach, height, tilt, twist, made * ratio**2)
    shaft = rotation_about(Y, tilt)[:, 0]
    location = own.numbers("location", 3, 3)
    nacelle = Nacelle(own.number("mass"), location, _inertia(own) - made * np.outer(shaft, shaft))
    tower, ignored = _tower(parts, str(path)), tuple(f"component '{p}'" for p in parts if p not in USED)
    return build_turbine(name or Path(path).stem, tower, nacelle, drivetrain, rotor, ignored, str(path))


def _checked(path: Path) -> dict[str, Any]:
    """The file's contents, obeying the schema."""
    try:
        import jsonschema
        import windIO
    except ImportError as error:
        raise MissingDependency("windIO files need the package windIO: pip install windIO") from error
    if not path.is_file():
        raise InputError(f"windIO file '{path}' cannot be read")
    try:
        turbine: dict[str, Any] = windIO.load_yaml(path)
        _check_size(turbine, path)
        windIO.validate(turbine, SCHEMA)
    except jsonschema.ValidationError as error:
        place = ".".join(str(word) for word in error.absolute_path)
        raise InputError(
            f"{path}: does not obey windIO's schema at '{place}': {error.message[:200]}"
        ) from error
    except InputError:
        raise
    except Exception as error:  # whatever the yaml reader makes of a file that is none
        raise InputError(f"windIO file '{path}' cannot be read: {str(error)[:200]}") from error
    return turbine


def _check_size(tree: Any, path: Path) -> None:
    """InputError where aliases make a small file a tree too large to look at, or one without an end."""
    left, count = [tree], 0
    while left:
        value = left.pop()
        count += 1
        if count > MOST_VALUES:
            raise InputError(
                f"{path}: more than {MOST_VALUES:,} values, aliases written out: no turbine has so many"
            )
        if isinstance(value, dict | list):
            left.extend(value.values() if isinstance(value, dict) else value)


def _points(axis: Entries) -> tuple[Array, Array]:
    """Grid (n,) and points (n, 3) of a reference axis, m."""
    tables = [_table(axis[c]) for c in "xyz"]
    grid = np.unique(np.concatenate([table["grid"] for table in tables]))
    points = [np.interp(grid, table["grid"], table["values"]) for table in tables]
    return grid, np.stack(points, axis=1)


def _table(part: Entries) -> dict[str, Array]:
    """The columns of a table over its grid; InputError for those that are not as long, or no numbers."""
    where = part.where
    try:
        columns = {key: np.asarray(part[key], dtype=float) for key in ("grid", *part)}
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: give lists of numbers") from error
    grid = columns["grid"]
    for key, values in columns.items():
        if values.shape != grid.shape or not np.all(np.isfinite(values)):
            raise InputError(f"{where}: '{key}' has to be {grid.size} finite numbers, one for each of 'grid'")
    if grid.ndim != 1 or grid.size < 2 or np.any(np.diff(grid) < 0.0):
        raise InputError(f"{where}: 'grid' has to be two numbers or more that ascend")
    return columns


def _blade(part: Entries, path: str) -> Blade:
    grid, points = _points(part["reference_axis"])
    twist = _table(part["outer_shape"]["twist"])
    axis = BladeAxis(points, -np.radians(np.interp(grid, twist["grid"], twist["values"])), rule="beamdyn")
    own = part["structure"]["elastic_properties"]
    s, k, m = _matrices(own)
    sections = []
    for n, at in enumerate(s):
        matrix = np.zeros((6, 6))
        for i in range(6):
            for j in range(i, 6):
                matrix[i, j] = matrix[j, i] = k[f"K{i + 1}{j + 1}"][n] if f"K{i + 1}{j + 1}" in k else 0.0
        row = Entries({name: float(values[n]) for name, values in m.items()}, m.where)
        sections.append(checked_section(matrix, _mass(row), FROM_BEAMDYN, f"{path}: blade at {at:g}"))
    return Blade(axis, SectionTable(s, sections), _damping(own), name="blade", source=path)


def _damping(own: Entries) -> Array:
    """(6,) s, stiffness-proportional, along our section axes."""
    mu = own.part("structural_damping").numbers("mu", 6, 6, np.zeros(6))
    return np.concatenate([FROM_BEAMDYN @ mu[:3], FROM_BEAMDYN @ mu[3:]])


def _mass(row: Entries) -> Array:
    """(6, 6) of a section about the reference axis, in the order of BeamDyn."""
    m, x, y = row["mass"], row["cm_x"], row["cm_y"]
    matrix = np.diag([m, m, m, row["i_edge"], row["i_flap"], row["i_edge"] + row["i_flap"]])
    for i, j, value in ((0, 5, -m * y), (1, 5, m * x), (2, 3, m * y), (2, 4, -m * x), (3, 4, -row["i_cp"])):
        matrix[i, j] = matrix[j, i] = value
    return matrix


def _matrices(own: Entries) -> tuple[Array, Entries, Entries]:
    """Stations (n,), entries of stiffness and of inertia at them (n,), linear between those of the file."""
    names = ("stiffness_matrix", "inertia_matrix")
    tables = [_table(own[name]) for name in names]
    s = np.unique(np.concatenate([table["grid"] for table in tables]))
    k, m = (
        Entries({key: np.interp(s, table["grid"], values) for key, values in table.items()}, own[name].where)
        for name, table in zip(names, tables, strict=True)
    )
    return s, k, m


def _hub(part: Entries) -> Hub:
    body = part["elastic_properties"]
    location = body.numbers("location", 3, 3)
    return Hub(0.5 * part.number("diameter"), body.number("mass"), float(location[0]), _inertia(body))


def _inertia(body: Entries) -> Array:
    """(3, 3) of a rigid body given as xx, yy, zz and, if at all, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = body.numbers("inertia", 3, 6)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _tower(parts: Entries, path: str) -> Tower:
    part = parts["tower"]
    _, points = _points(part["reference_axis"])
    base = points[0, 2]
    own = part["structure"]["elastic_properties"]
    s, k, m = _matrices(own)
    axis = BladeAxis(points - [0.0, 0.0, base], np.zeros(len(points)))
    bending = (k["K44"], k["K55"])
    beam = plain_beam("tower", axis, s, m["mass"], bending, k.get("K33"), k.get("K66"), _damping(own), path)
    yaw = parts.part("yaw").part("elastic_properties")
    return Tower(beam, float(base), yaw.number("mass", 0.0))
