"""Function `read_windio_machine`: a machine from a windIO file (version 2), checked against windIO's schema.

Contents of the file (windIO, turbine schema 2.0, and its examples):

- `blade.reference_axis` in blade axes, `outer_shape.twist` in degrees about -z, `elastic_properties`: matrices about
  the reference axis in the axes and the order of BeamDyn. The schema's text states other axes, but the entries of the
  IEA 15 MW example equal those of its BeamDyn file: x to the suction side, y to the trailing edge; `i_edge` about x,
  `i_flap` about y, `i_cp` the product of inertia; stations lie where the reference axis has their grid.
  Blades without `elastic_properties` get them from their layers and webs, see `layers`;
- `tower`: `reference_axis` upwards, K44 about x (side-side), K55 about y (fore-aft), K66 torsion, K33 axial; or its
  walls, see `tube_walls`;
- `hub`: roots on a circle of `diameter`, `cone_angle` away from the tower, a rigid body in axes along the shaft;
- `drivetrain`: `uptilt` (which lifts the rotor, upwind or downwind), `overhang` (horizontal) and `distance_tt_hub`
  (vertical) from the tower's top to the rotor's apex; a rigid body in tower-top axes, without hub, used as the
  nacelle; `spring_constant` and `damping_coefficient` between rotor and generator. The generator's inertia about the
  shaft, times the square of the gear ratio, rotates with the rotor and is subtracted from the nacelle's;
- `yaw`: its mass on the tower's top.

Inertia of rigid bodies is about their mass centres. The tower is clamped at its foot, or stands on a monopile that is
clamped at the sea bed (`environment.water_depth`). Files of version 1 have no rigid body of the nacelle, or one of the
whole rotor-nacelle assembly (`RNA`), from which blades and hub are subtracted; blades without shear stiffness (K11 and
K22 zero) are rigid in shear. Warnings state missing data and their consequences.

The nacelle of such an assembly (`nacelle_of_assembly`): with m, c the mass and mass centre of the assembly from the
tower's top (windIO version 1, `RNA.elastic_properties_mb`), the nacelle's mass is m - n m_b - m_h, and its mass centre
preserves the first moment. Its rotary inertia is left out.

Aerodynamics of a windIO file: chord, aerodynamic centres and polars of the blade, of version 1 or 2.

The quarter chord lies behind the leading edge, whose place is that of `layers`. Sections follow the chord: there is no
twist against them. Between the airfoils polars are interpolated by relative thickness (`rthick`, or that of the
airfoils at their places, PCHIP). Of several configurations the first one is read, of several Reynolds numbers the
largest. Angles of attack are in degrees, in version 1 in rad.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import trapezoid
from scipy.interpolate import PchipInterpolator

from fem_mbd.aerodynamics.blade import BladeAerodynamics, Polar, PolarSet
from fem_mbd.aerodynamics.momentum import AIR
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.blades.stations import FROM_BEAMDYN, checked_section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines.building.blocks import Drivetrain, Hub, Nacelle, Rotor, Tower
from fem_mbd.machines.building.turbine import build_turbine
from fem_mbd.machines.description.beams import RIGID, plain_beam
from fem_mbd.machines.description.machine import Machine, check_tower_clearance
from fem_mbd.machines.description.parts import RotorAerodynamics, UnreadAerodynamics
from fem_mbd.machines.readers.left_out import warn_left_out
from fem_mbd.machines.readers.windio.file import Entries, read_windio_file, reference_points
from fem_mbd.machines.readers.windio.layers import load_with_polars, read_blade_layers
from fem_mbd.machines.readers.windio.tube_walls import read_pile, tube_sections

PERCENT = 100.0
QUARTER = 0.25


def read_aero(path: Path, axis: BladeAxis, blades: int, hub_radius: float) -> RotorAerodynamics:
    """The aerodynamics of the rotor of a windIO file.

    Parameters
    ----------
    path : of the yaml file
    axis : of the blade's structure
    blades : their number
    hub_radius : m

    Raises
    ------
    InputError
        Naming the file: entries that are missing or not as windIO's schema has them, polars that do not cover the
        circle.
    """
    tree = Entries(load_with_polars(path), str(path))
    try:
        aerodynamics = _blade_aerodynamics(tree, axis, path)
        density = _density(tree)
    except InputError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: outer shape or airfoils of the blade are not as windIO's schema has them "
            f"({type(error).__name__}: {str(error)[:120]}): check the file with windIO's validator"
        ) from error
    names = [f"blade{k}" for k in range(1, blades + 1)]
    return RotorAerodynamics(
        dict.fromkeys(names, aerodynamics), hub_radius=hub_radius, density=density, source=str(path)
    )


def _density(tree: Entries) -> float:
    environment = tree.get("environment")
    value = environment.get("air_density", AIR) if isinstance(environment, dict) else AIR
    return float(value)


def _blade_aerodynamics(tree: Entries, axis: BladeAxis, path: Path) -> BladeAerodynamics:
    blade = tree.part("components").part("blade")
    version_1 = "outer_shape_bem" in blade
    shape = blade.part("outer_shape_bem" if version_1 else "outer_shape")
    grid, chord = _table(shape.part("chord"))
    if version_1:
        place = shape.part("airfoil_position")
        at, labels = np.asarray(place["grid"], dtype=float), [str(label) for label in place["labels"]]
        from_leading_edge, across = _at(shape, "pitch_axis", grid) * chord, np.zeros(len(grid))
    else:
        at = np.array([row["spanwise_position"] for row in shape["airfoils"]], dtype=float)
        labels = [str(row["name"]) for row in shape["airfoils"]]
        from_leading_edge = _at(shape, "section_offset_y", grid)
        across = _at(shape, "section_offset_x", grid) if "section_offset_x" in shape else np.zeros(len(grid))
    airfoils = {
        str(row["name"]): Entries(row, f"{path}: airfoil '{row['name']}'") for row in tree["airfoils"]
    }
    missing = [label for label in labels if label not in airfoils]
    if missing:
        raise InputError(f"{path}: there is no airfoil '{missing[0]}' in 'airfoils'")
    relative = {label: _thickness(airfoils[label]) for label in dict.fromkeys(labels)}
    polars = _polars(airfoils, relative, version_1, str(path))
    if "rthick" in shape:
        thick = PERCENT * _at(shape, "rthick", grid)
    else:
        places, first = np.unique(at, return_index=True)
        thick = PchipInterpolator(places, [relative[labels[k]] for k in first])(grid)
    thick = np.clip(thick, polars.thickness[0], polars.thickness[-1])
    where, _ = reference_points((blade if "reference_axis" in blade else shape).part("reference_axis"))
    span = axis.length * np.interp(grid, where, axis.bounds)
    centre = np.column_stack([across, QUARTER * chord - from_leading_edge])
    return BladeAerodynamics(
        span, chord, [polars.at(float(t)) for t in thick], np.zeros(len(grid)), centre, str(path)
    )


def _at(shape: Entries, name: str, grid: Array) -> Array:
    return np.asarray(np.interp(grid, *_table(shape.part(name))))


def _table(part: Entries) -> tuple[Array, Array]:
    """Grid and values, without units and names beside them."""
    table = Entries({name: part[name] for name in ("grid", "values")}, part.where).table("values")
    return table["grid"], table["values"]


def _thickness(airfoil: Entries) -> float:
    """Relative thickness, %."""
    return PERCENT * airfoil.number("rthick" if "rthick" in airfoil else "relative_thickness")


def _polars(airfoils: dict[str, Entries], relative: dict[str, float], version_1: bool, path: str) -> PolarSet:
    by_thickness = {relative[label]: label for label in relative}
    for label, thickness in relative.items():
        if by_thickness[thickness] != label:
            raise InputError(
                f"{path}: airfoils '{label}' and '{by_thickness[thickness]}' are both {thickness:g} % thick: polars "
                "are interpolated by thickness, so that one of them would be lost"
            )
    order = sorted(by_thickness)
    polars = [
        _polar(airfoils[by_thickness[t]], version_1, f"{path}, airfoil '{by_thickness[t]}'") for t in order
    ]
    return PolarSet(np.array(order), polars, path)


def _polar(airfoil: Entries, version_1: bool, name: str) -> Polar:
    sets: Any = airfoil["polars"] if version_1 else airfoil["polars"][0]["re_sets"]
    chosen = Entries(max(sets, key=lambda row: float(row.get("re", 0.0))), name)
    names = ("c_l", "c_d", "c_m") if version_1 else ("cl", "cd", "cm")
    tables = [_table(chosen.part(column)) for column in names]
    alpha = np.unique(np.concatenate([grid for grid, _ in tables]))
    columns = [np.interp(alpha, *table) for table in tables]
    return Polar(np.degrees(alpha) if version_1 else alpha, *columns, name=name)


X, SIDEWAYS, Z = np.eye(3)
POINTS = 201  # along a blade, for its mass centre


def nacelle_of_assembly(rna: Entries, rotor: Rotor, drivetrain: Drivetrain, remarks: list[str]) -> Nacelle:
    """The nacelle; without mass where the file has no rotor-nacelle assembly.

    Parameters
    ----------
    rna : `RNA` of the file, may be empty
    rotor, drivetrain : of the machine
    remarks : list to which consequences are added

    Raises
    ------
    InputError
        For invalid numbers.
    """
    if "elastic_properties_mb" not in rna:
        remarks.append(
            "nacelle: no mass: frequencies of the tower are too high; give components.drivetrain.elastic_properties "
            "with mass, inertia and location"
        )
        return Nacelle()
    properties = rna.part("elastic_properties_mb")
    mass, moment = (
        properties.number("mass"),
        properties.number("mass") * properties.numbers("center_mass", 3, 3),
    )
    rotation = rotation_about(SIDEWAYS, drivetrain.tilt)
    apex = drivetrain.height * Z + rotation @ (drivetrain.overhang * X)
    for blade, cone in zip(rotor.blades, rotor.cones, strict=True):
        blade_mass, along = _along_shaft(blade, cone, rotor.hub.radius)
        mass -= blade_mass
        moment = moment - blade_mass * (apex + rotation @ (along * X))
    mass -= rotor.hub.mass
    moment = moment - rotor.hub.mass * (apex + rotation @ (rotor.hub.centre * X))
    if mass <= 0.0:
        remarks.append("nacelle: the rotor weighs more than the file's RNA: the nacelle has no mass here")
        return Nacelle()
    remarks.append(
        f"nacelle: {mass:.5g} kg, the mass of RNA minus that of the rotor (with the hub where that has none), a point"
    )
    return Nacelle(mass, moment / mass)


def _along_shaft(blade: Blade, cone: float, radius: float) -> tuple[float, float]:
    """Mass of a blade, and its centre along the shaft from the apex, the mean over the azimuth."""
    s = np.linspace(0.0, 1.0, POINTS)
    sections = [blade.sections(float(at)) for at in s]
    frames = [blade.axis.at(float(at)) for at in s]
    mass = np.array([section.mass_per_length for section in sections])
    points = np.array(
        [
            origin + axes[:, 1:] @ np.asarray(section.mass_centre)
            for (origin, axes), section in zip(frames, sections, strict=True)
        ]
    )
    centre = trapezoid(mass[:, None] * points, s, axis=0) / trapezoid(mass, s)
    in_rotor: Array = rotation_about(SIDEWAYS, cone) @ (centre + radius * Z)
    return blade.mass, float(in_rotor[0])


ELEMENTS = 25  # of a blade
STATIONS = 31  # of a blade whose sections are computed from its layers
# consequences of components that are not read
CONSEQUENCES = {
    "floating_platform": "the tower is clamped at its foot and does not float: modes of the tower are those on land",
    "mooring": "there are no mooring lines",
    "foundation": "the tower is clamped at its foot",
}
DEFAULT_CONSEQUENCE = "its mass is missing"
Y = np.array([0.0, 1.0, 0.0])


def read_windio_machine(path: str | Path, name: str = "", elements: int = ELEMENTS) -> Machine:
    """The machine of a windIO turbine file.

    Parameters
    ----------
    path : of the yaml file, of version 2 or of version 1, which goes through windIO's converter
    name : of the machine; that of the file when left out
    elements : largest number along a blade; files have a hundred stations and more

    Raises
    ------
    InputError
        When the file cannot be read, its structure violates the schema, or elastic properties of a part are missing.
    MissingDependency
        Without the package windIO.

    Warns
    -----
    LeftOutWarning
        For parts without mass or stiffness, and parts that are not read, with the consequence.
    """
    file = read_windio_file(Path(path))
    turbine, remarks = Entries(file.tree, str(path)), list(file.remarks)
    parts, assembly = turbine.part("components"), turbine.part("assembly")
    drive, hub = parts.part("drivetrain"), parts.part("hub")
    upwind = str(assembly["rotor_orientation"]).lower() == "upwind"
    blade = _blade(parts.part("blade"), str(path), remarks)
    cone = np.radians(hub.number("cone_angle")) * (-1.0 if upwind else 1.0)
    count = int(assembly.number("number_of_blades"))
    rotor = Rotor(blade, _hub(hub, remarks), count, float(cone), elements=elements)
    drivetrain = _drivetrain(drive, upwind, remarks)
    if "elastic_properties" in drive:
        nacelle = _nacelle(drive, drivetrain)
    else:
        nacelle = nacelle_of_assembly(parts.part("RNA"), rotor, drivetrain, remarks)
    tower = _tower(parts, turbine["materials"], str(path))
    substructure = None
    if "monopile" in parts:
        substructure = read_pile(
            parts["monopile"], turbine["materials"], turbine["water_depth"], tower.base, str(path), remarks
        )
    remarks += [
        f"component '{part}' is not read: {CONSEQUENCES.get(part, DEFAULT_CONSEQUENCE)}"
        for part in file.others
    ]
    warn_left_out(str(path), remarks)
    if file.converted:
        remarks.append("converted from version 1 by windIO's converter")
    built = build_turbine(
        name or Path(path).stem, tower, nacelle, drivetrain, rotor, tuple(remarks), str(path), substructure
    )
    return check_tower_clearance(replace(built, aerodynamics=_aerodynamics(Path(path), rotor)))


def _aerodynamics(path: Path, rotor: Rotor) -> UnreadAerodynamics | None:
    """Read when they are needed; None where the file has no airfoils."""
    if not re.search(r"^airfoils:", path.read_text(encoding="utf-8"), re.MULTILINE):
        return None
    return UnreadAerodynamics(partial(read_aero, path, rotor.blades[0].axis, rotor.number, rotor.hub.radius))


def _drivetrain(drive: Entries, upwind: bool, remarks: list[str]) -> Drivetrain:
    shape, properties = drive.part("outer_shape"), drive.part("elastic_properties")
    tilt, overhang = float(np.radians(shape.number("uptilt"))), shape.number("overhang")
    reach = overhang / np.cos(tilt)
    # the shaft rises from the nacelle to the rotor, on either side of the tower
    height = shape.number("distance_tt_hub") - overhang * np.tan(tilt)
    flexible = "spring_constant" in properties
    twist = (
        (properties.number("spring_constant"), properties.number("damping_coefficient")) if flexible else None
    )
    if not flexible:
        remarks.append("drivetrain: no 'spring_constant': it does not twist, and has no mode of its own")
    generator = _generator(drive)
    if generator == 0.0:
        remarks.append(
            "drivetrain: no inertia of the generator: frequencies of the free drivetrain are too high; give "
            "components.drivetrain.generator.elastic_properties.inertia"
        )
    return Drivetrain(
        -reach if upwind else reach,
        height,
        tilt if upwind else -tilt,
        twist,
        generator,
        gear_ratio=_gear_ratio(drive),
    )


def _generator(drive: Entries) -> float:
    """Inertia of the generator, kg m^2, referred to the rotor's speed."""
    properties = drive.part("generator").part("elastic_properties")
    return float(properties.numbers("inertia", 3, 6, np.zeros(6))[0]) * _gear_ratio(drive) ** 2


def _gear_ratio(drive: Entries) -> float:
    return drive.part("gearbox").number("gear_ratio", 1.0)


def _nacelle(drive: Entries, drivetrain: Drivetrain) -> Nacelle:
    """The rigid body of the drivetrain without the generator's inertia about the shaft."""
    properties = drive["elastic_properties"]
    generator = drivetrain.generator / drivetrain.gear_ratio**2
    shaft = rotation_about(Y, drivetrain.tilt)[:, 0]
    return Nacelle(
        properties.number("mass"),
        properties.numbers("location", 3, 3),
        _inertia(properties) - generator * np.outer(shaft, shaft),
    )


def _fractions(stations: Array, grid: Array, axis: BladeAxis) -> Array:
    """Fractions of the axis' length (n,) where the reference axis has the stations (n,) of its grid (k,)."""
    return np.interp(stations, grid, axis.bounds)


def _blade(part: Entries, path: str, remarks: list[str]) -> Blade:
    grid, points = reference_points(part.part("reference_axis"))
    twist = part.part("outer_shape").part("twist").table("values")
    axis = BladeAxis(points, -np.radians(np.interp(grid, twist["grid"], twist["values"])), rule="beamdyn")
    if "elastic_properties" not in part.part("structure"):
        remarks.append(
            f"blade: no 'elastic_properties': {STATIONS} sections are computed from its layers and webs; no damping"
        )
        table = read_blade_layers(path).table(np.linspace(0.0, 1.0, STATIONS))
        placed = SectionTable(_fractions(table.s, grid, axis), table.sections)
        return Blade(axis, placed, name="blade", source=path)
    properties = part["structure"].part("elastic_properties")
    stations, k, m = _matrices(properties)
    s = _fractions(stations, grid, axis)
    sections = []
    for n, at in enumerate(stations):
        matrix = np.zeros((6, 6))
        for i in range(6):
            for j in range(i, 6):
                matrix[i, j] = matrix[j, i] = k[f"K{i + 1}{j + 1}"][n] if f"K{i + 1}{j + 1}" in k else 0.0
        row = Entries({name: float(values[n]) for name, values in m.items()}, m.where)
        if _misplaced(row):
            row["i_flap"], row["i_cp"] = row["i_plr"] - row["i_edge"], 0.0
            if n == 0:
                remarks.append(
                    "blade: inertia_matrix has the entry (4, 4) at (4, 5) again and none at (5, 5): the polar moment "
                    "less (4, 4) is taken for (5, 5), and no product of inertia"
                )
        stiffness = _with_shear_stiffness(matrix, axis.length)
        if stiffness is not matrix and n == 0:
            remarks.append("blade: no shear stiffness (K11, K22): it does not shear")
        sections.append(checked_section(stiffness, _mass(row), FROM_BEAMDYN, f"{path}: blade at {at:g}"))
    damping = _damping(properties)
    if not np.any(damping):
        remarks.append("blade: no 'structural_damping' (mu): modes of the blades have no damping")
    return Blade(axis, SectionTable(s, sections), damping, name="blade", source=path)


def _misplaced(row: Entries) -> bool:
    """Whether the product of inertia repeats the inertia about x, as in files that WISDEM wrote in 2021."""
    polar = row.get("i_plr", 0.0)
    return bool(row["i_flap"] == 0.0 and abs(row["i_cp"]) == row["i_edge"] and polar > row["i_edge"])


def _with_shear_stiffness(matrix: Array, length: float) -> Array:
    """(6, 6) stiffness, nearly rigid in shear where the file has no shear stiffness."""
    if np.any(matrix[:2] != 0.0):
        return matrix
    stiffness = matrix.copy()
    stiffness[0, 0] = stiffness[1, 1] = RIGID * max(matrix[3, 3], matrix[4, 4]) / length**2
    return stiffness


def _damping(properties: Entries) -> Array:
    """(6,) stiffness-proportional damping times, s, in the order of this package's section axes."""
    mu = properties.part("structural_damping").numbers("mu", 6, 6, np.zeros(6))
    return np.concatenate([FROM_BEAMDYN @ mu[:3], FROM_BEAMDYN @ mu[3:]])


def _mass(row: Entries) -> Array:
    """Mass matrix (6, 6) of a section about the reference axis, in the order of BeamDyn."""
    m, x, y = row["mass"], row["cm_x"], row["cm_y"]
    matrix = np.diag([m, m, m, row["i_edge"], row["i_flap"], row["i_edge"] + row["i_flap"]])
    for i, j, value in ((0, 5, -m * y), (1, 5, m * x), (2, 3, m * y), (2, 4, -m * x), (3, 4, -row["i_cp"])):
        matrix[i, j] = matrix[j, i] = value
    return matrix


def _matrices(properties: Entries) -> tuple[Array, Entries, Entries]:
    """Stations (n,), entries of stiffness and of inertia at them (n,), interpolated linearly in the file's tables."""
    names = ("stiffness_matrix", "inertia_matrix")
    tables = [properties.part(name).table() for name in names]
    s = np.unique(np.concatenate([table["grid"] for table in tables]))
    k, m = (
        Entries(
            {key: np.interp(s, table["grid"], values) for key, values in table.items()},
            properties[name].where,
        )
        for name, table in zip(names, tables, strict=True)
    )
    return s, k, m


def _hub(part: Entries, remarks: list[str]) -> Hub:
    radius = 0.5 * part.number("diameter")
    if "elastic_properties" not in part:
        remarks.append(
            "hub: no mass: frequencies of the tower and the drivetrain are too high where no other body has it; give "
            "components.hub.elastic_properties with mass, inertia and location"
        )
        return Hub(radius)
    body = part.part("elastic_properties")
    location = body.numbers("location", 3, 3)
    return Hub(radius, body.number("mass"), float(location[0]), _inertia(body))


def _inertia(body: Entries) -> Array:
    """Inertia (3, 3) of a rigid body given as xx, yy, zz and optionally xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = body.numbers("inertia", 3, 6)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _tower(parts: Entries, materials: Any, path: str) -> Tower:
    part = parts.part("tower")
    grid, points = reference_points(part.part("reference_axis"))
    base = points[0, 2]
    axis = BladeAxis(points - [0.0, 0.0, base], np.zeros(len(points)))
    yaw = parts.part("yaw").part("elastic_properties")
    if "elastic_properties" in part.part("structure"):
        properties = part["structure"].part("elastic_properties")
        stations, k, m = _matrices(properties)
        s = _fractions(stations, grid, axis)
        bending = (k["K44"], k["K55"])
        beam = plain_beam(
            "tower", axis, s, m["mass"], bending, k.get("K33"), k.get("K66"), _damping(properties), path
        )
    else:
        where = f"{path}: components.tower"
        beam = Blade(axis, tube_sections(part, materials, where), name="tower", source=path)
    return Tower(beam, float(base), yaw.number("mass", 0.0))
