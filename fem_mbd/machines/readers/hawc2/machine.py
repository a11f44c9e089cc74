"""Function `read_hawc2_machine`: a machine from the structure block of a HAWC2 htc file.

Contents of the file (HAWC2 manual, "new_htc_structure"):

- HAWC2's global axes have z down and y downwind; here x = y_HAWC2, y = x_HAWC2, z = -z_HAWC2. Body axes are changed
  to those of blades, x = y_HAWC2, y = -x_HAWC2, z = z_HAWC2, see `fem_mbd.elements.blades.hawc2`;
- `main_body`: centre line `c2_def` in body axes, sections of a `timoschenko_input`; the origin of the body's axes, not
  its first node, is at the node on which it is placed. `nbodies`, `node_distribution` (HAWC2's elements) are ignored;
- `concentrated_mass node x y z m Ixx Iyy Izz [Ixy Ixz Iyz]`: offset from the node, inertia about the mass centre, body
  axes;
- `orientation`: `base` places a body in the global frame; `relative` places body 2 at a node of body 1. Each `eulerang`
  line rotates the axes about x, then the new y, then the new z (degrees, right-handed), after the lines above it;
- `constraint`: `fix0` fixes a body's first node, `fix2` in some directions, `fix3` a node about some axes; `fix1`
  connects two nodes rigidly, `bearing1` is a free bearing, `bearing2` has an angle that the analysis sets (pitch),
  `bearing3` a given speed (`omegas`);
- `soil`: springs along bodies; `hydro`: water that moves with them, see `bodies`.

Block `aero` of an htc file: layout of the blades (ae), polars (pc), models of induction and stall.

The aerodynamic centre is a quarter of the chord ahead of the half-chord line, which is the line of `c2_def`, and the
chord has the twist of `c2_def`. Radii of the ae file are lengths along that line. Relative thickness is interpolated
along it, the polars between those of the two next thicknesses.

Block `dll` of an htc file: the constants of the DTU controller, as those of the package's own controller.

The library itself is not loaded. Its constants by number (manual of the controller, DTU Wind Energy E-0028, appendix,
and its later release): 1 rated electrical power (kW), 2 and 3 least and rated speed (rad/s), 4 largest torque, 5 to 7
pitch (deg, deg, deg/s), 8 and 9 filter of the speed (Hz, 1), 11 gain K, 12 and 13 gains of the torque, 15 constant
power, 16 and 17 gains of the pitch, 19 and 20 those of the power, 21 and 22 schedule of gains (deg, deg^2), 23 relative
speed of doubled gains, 33 time in which the limits of the torque rise to the largest one (s), 34 pitch above which the
torque is the rated one (deg), 35 relative speed at which its limits are open (%), 36 and 37 time constants of the
filters of wind and pitch (rated revolutions). A least pitch (5) of more than 90 deg is the number n of a table in
`wpdata.n`: a line that begins with the number of rows, rows of wind (m/s) and pitch (deg); the wind is that of the
block `output`, at the hub or `aero wsp_rotor_avg`, the mean over the rotor. Torques are electrical: the
generator's is that over the efficiency of the block `generator_servo`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics, PolarSet, along_line
from fem_mbd.aerodynamics.files import AeFile, read_ae, read_pc
from fem_mbd.aerodynamics.momentum import Induction, Momentum, NoInduction, StallModel
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite
from fem_mbd.elements.blades.blade import BladeAxis
from fem_mbd.elements.blades.hawc2 import Radii
from fem_mbd.elements.blades.hawc2_htc import Block, HtcFile, centre_line, read_htc
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.elements.blades.text import TextFile, tokens
from fem_mbd.errors import InputError
from fem_mbd.machines.description.control import PitchActuator, Ratings, VariableSpeed
from fem_mbd.machines.description.machine import Machine, axis_of, check_tower_clearance, has_blades, rotor_of
from fem_mbd.machines.description.parts import (
    Hold,
    Link,
    Member,
    Placement,
    RotorAerodynamics,
    TowerAerodynamics,
)
from fem_mbd.machines.readers.hawc2.bodies import copied_body, read_body, read_hydro, read_soil
from fem_mbd.machines.readers.hawc2.orientation import EXTERNAL, read_links, read_placements
from fem_mbd.machines.readers.left_out import Platform, leave_out_advice, warn_left_out

STALL: dict[int, StallModel] = {0: "none", 1: "oye", 2: "hgm"}
MAX_BLADES, MAX_ROWS = 100, 10000


def read_aero(htc: HtcFile, members: Sequence[Member]) -> RotorAerodynamics | str | None:
    """The aerodynamics of the rotor; a remark where a file of it is missing, None where there is no block.

    Parameters
    ----------
    htc : the files
    members : of the machine

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, unknown bodies and sets, other models.
    """
    block = htc.root.block("aero")
    if block is None:
        return None
    files = []
    for name in ("ae_filename", "pc_filename"):
        command = block.need(f"{name} PATH", name)
        try:
            files.append(htc.find(command.text(f"{name} PATH"), command))
        except InputError:
            return f"block 'aero' ({command.path.name}, line {command.line}): file '{command.text(name)}' is not there"
    ae_path, pc_path = files
    polars, sets = read_pc(pc_path), _sets(block)
    blades = {}
    for command in block.all("link"):
        usage = "link NUMBER mbdy_c2_def BODY"
        if len(command.words) < 3 or command.words[1].lower() != "mbdy_c2_def":
            command.fail(f"'{usage}' should stand here")
        number, body = command.whole(0, usage), command.words[2]
        if body not in [member.name for member in members]:
            command.fail(f"there is no main_body '{body}' for a blade")
        if not 1 <= number <= len(sets):
            command.fail(f"ae_sets has {len(sets)} entries, and blade {number} is linked")
        member = next(m for m in members if m.name == body)
        ae = read_ae(ae_path, sets[number - 1])
        blades[body] = _blade(_half_chord(htc, body), member, ae, polars, f"{ae_path}, {pc_path}")
    if not blades:
        block.fail("block 'aero' has no line 'link NUMBER mbdy_c2_def BODY'")
    return RotorAerodynamics(
        blades, _induction(block), _stall(block), _stations(block), source=str(ae_path), tower=_tower(htc)
    )


def _tower(htc: HtcFile) -> TowerAerodynamics | None:
    """The tower of block `tower_shadow_potential_2` and its drag of block `aerodrag`; None without both."""
    wind, drags = htc.root.block("wind"), htc.root.block("aerodrag")
    shadow = None if wind is None else wind.block("tower_shadow_potential_2")
    linked = None if shadow is None else shadow.one_of("tower_mbdy_link")
    name = "tower" if linked is None else linked.text("tower_mbdy_link BODY")
    rows = [] if shadow is None else [c.numbers(2, "radius HEIGHT RADIUS") for c in shadow.all("radius")]
    drag: list[Array] = []
    for block in [] if drags is None else drags.blocks:
        body = block.one_of("mbdy_name")
        if body is not None and body.text("mbdy_name BODY") == name:
            drag = [c.numbers(3, "sec HEIGHT CD WIDTH") for c in block.all("sec")]
    if len(rows) < 2 and len(drag) < 2:
        return None
    table = (
        np.array([[z, 2.0 * radius] for z, radius in rows]) if len(rows) > 1 else np.array(drag)[:, [0, 2]]
    )
    heights = table[:, 0] if len(drag) < 2 else np.union1d(table[:, 0], np.array(drag)[:, 0])
    widths = (
        np.interp(heights, *table.T) if len(drag) < 2 else np.interp(heights, *np.array(drag)[:, [0, 2]].T)
    )
    coefficients = 0.0 * heights if len(drag) < 2 else np.interp(heights, *np.array(drag)[:, :2].T)
    if not (np.all(np.diff(heights) > 0.0) and np.all(widths > 0.0) and np.all(coefficients >= 0.0)):
        (shadow or drags).fail(f"heights and widths of '{name}' have to ascend and to be above zero")  # type: ignore[union-attr]
    return TowerAerodynamics(name, heights, widths, coefficients, len(rows) > 1)


def _half_chord(htc: HtcFile, body: str) -> BladeAxis:
    """The line of `c2_def` of a body, or of the body that it copies."""
    structure = htc.root.block("new_htc_structure")
    assert structure is not None
    bodies = {b.need("name NAME", "name").text("name"): b for b in structure.blocks if b.name == "main_body"}
    block = bodies[body]
    copied = block.one_of("copy_main_body")
    if copied is not None:
        return _half_chord(htc, copied.text("copy_main_body NAME"))
    line = centre_line(block, body)
    return BladeAxis(line[:, :3] @ BLADE_FROM_HAWC2.T, np.radians(line[:, 3]), rule="hawc2")


def _blade(
    half_chord: BladeAxis, member: Member, ae: AeFile, polars: Sequence[PolarSet], source: str
) -> BladeAerodynamics:
    radius = _with_thicknesses(ae, polars, source)
    chord, thickness = (np.interp(radius, ae.radius, column) for column in (ae.chord, ae.thickness))
    frames = [half_chord.at(r / half_chord.length)[:2] for r in radius]
    trailing = np.array([axes[:, 2] for _, axes in frames])
    centres = np.array([x for x, _ in frames]) - 0.25 * chord[:, None] * trailing
    # beyond the end of the line by the rounding of the two files
    centres += np.maximum(radius - half_chord.length, 0.0)[:, None] * np.array(
        [axes[:, 0] for _, axes in frames]
    )
    set_of = ae.polar_set[
        np.clip(np.searchsorted(ae.radius, radius, side="right") - 1, 0, len(ae.radius) - 1)
    ]
    found = [polars[k - 1].at(float(t)) for k, t in zip(set_of, thickness, strict=True)]
    along = along_line(member.blade.axis, centres, trailing, chord, found, source)
    return replace(along, ends=radius[[0, -1]])


def _with_thicknesses(ae: AeFile, polars: Sequence[PolarSet], source: str) -> Array:
    """Radii of the ae file, and those between at which the thickness is that of a polar."""
    radii = [*ae.radius]
    if not np.all((ae.polar_set >= 1) & (ae.polar_set <= len(polars))):
        raise InputError(
            f"{ae.path}: sets of polars are {np.unique(ae.polar_set).tolist()}: the pc file has {len(polars)}"
        )
    for k in range(len(ae.radius) - 1):
        a, b = ae.thickness[k], ae.thickness[k + 1]
        inside = [t for t in polars[ae.polar_set[k] - 1].thickness if min(a, b) < t < max(a, b)]
        radii += [ae.radius[k] + (t - a) / (b - a) * (ae.radius[k + 1] - ae.radius[k]) for t in inside]
    return np.unique(radii)


def _sets(block: Block) -> list[int]:
    command = block.one_of("ae_sets")
    blades = block.need("nblades COUNT", "nblades")
    count = blades.whole(0, "nblades")
    if not 1 <= count <= MAX_BLADES:
        blades.fail(f"nblades is {count}: give the number of blades, 1 to {MAX_BLADES}")
    return (
        [1] * count
        if command is None
        else [command.whole(k, "ae_sets") for k in range(len(command.words[:count]))]
    )


def _choice(block: Block, name: str, choices: Sequence[int], otherwise: int) -> int:
    command = block.one_of(name)
    value = otherwise if command is None else command.whole(0, name)
    if command is not None and value not in choices:
        command.fail(f"{name} is {value}: known are {', '.join(map(str, choices))}")
    return value


def _induction(block: Block) -> Induction:
    if _choice(block, "induction_method", (0, 1), 1) == 0:
        return NoInduction()
    return Momentum(relation="hawc2", tip_loss=_choice(block, "tiploss_method", (0, 1), 1) == 1)


def _stall(block: Block) -> StallModel:
    return STALL[_choice(block, "dynstall_method", tuple(STALL), 2)]


def _stations(block: Block) -> int:
    command = block.one_of("aerosections")
    return 50 if command is None else command.whole(0, "aerosections")


CONTROLLER, GENERATOR = "dtu_we_controller", "generator_servo"
EFFICIENCY = 4  # constant of the generator
FIRST_TABLE = 90.0  # deg, a larger least pitch names a table over the wind
USAGE = "constant NUMBER VALUE"


def read_controller(htc: HtcFile) -> tuple[VariableSpeed | None, list[str]]:
    """The controller, None where there is no such block, and what is left out of it.

    Parameters
    ----------
    htc : the files

    Raises
    ------
    InputError
        Naming file and line: missing constants, numbers that do not fit.
    """
    block = htc.root.block("dll")
    own = None if block is None else _named(block, CONTROLLER)
    if own is None or block is None:
        return None, []
    c, generator = _constants(own), _named(block, GENERATOR)
    needed = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 20, 21, 22, 23)
    if missing := [k for k in needed if k not in c]:
        own.fail(f"constants {missing} of '{CONTROLLER}' are missing")
    efficiency = 1.0 if generator is None else _constants(generator).get(EFFICIENCY, 1.0)
    if not (c[3] > 0.0 and 0.0 < efficiency <= 1.0 and c[7] > 0.0 and c[1] > 0.0):
        own.fail("rated power, rated speed, pitch rate and efficiency have to be above zero")
    table = _least_pitch(htc, own, c[5])
    least = float(np.radians(c[5])) if abs(c[5]) < FIRST_TABLE else 0.0 if table is None else table
    rated = 1e3 * c[1] / efficiency / c[3]
    ratings = Ratings(c[11] / efficiency, c[2], c[3], rated, least, c.get(35, 100.0) / 100.0)
    # without a quadratic term the first one is the pitch at which the gains are halved
    second = float(np.radians(1.0) ** 2 * c[22]) if c[22] else np.inf
    controller = VariableSpeed(
        ratings, torque_gains=(c[12] / efficiency, c[13] / efficiency), pitch_gains=(c[16], c[17]),
        power_gains=(efficiency * c[19], efficiency * c[20]),
        schedule=(float(np.radians(c[21])) if c[21] else np.inf, second),
        double_gains=c[23] if c[23] > 1.0 else np.inf, constant_power=c[15],
        full_load_pitch=float(np.radians(max(c.get(34, 2.0), 0.1))),
        actuator=PitchActuator(float(np.min(least)), float(np.radians(c[6])), float(np.radians(c[7]))),
        low_pass=(c[8], c[9]), torque_rate=c[4] / efficiency / c[33] if c.get(33, 0.0) > 0.0 else np.inf,
        wind="rotor" if _sees_rotor(own) else "hub",
        wind_filter=c.get(36, 0.0) * 2.0 * np.pi / c[3], schedule_filter=c.get(37, 0.0) * 2.0 * np.pi / c[3],
    )  # fmt: skip
    remarks = [f"'{CONTROLLER}': filters of the drive train, start and stop, safety systems"]
    if table is None and abs(c[5]) >= FIRST_TABLE:
        remarks.append(
            f"'{CONTROLLER}': file wpdata.{int(abs(c[5]))} of the least pitch over the wind, not there; it is 0 deg"
        )
    return controller, remarks


def _sees_rotor(dll: Block) -> bool:
    """Whether the DLL is given the mean wind over the rotor, in place of that at the hub."""
    output = dll.block("output")
    commands = [] if output is None else output.all("aero")
    return any(command.words[:1] == ("wsp_rotor_avg",) for command in commands)


def _least_pitch(htc: HtcFile, dll: Block, number: float) -> Array | None:
    """(n, 2) wind (m/s) and least pitch (rad) of a table; None for a file that is not there, and for no table."""
    if abs(number) < FIRST_TABLE:
        return None
    try:
        path = htc.find(f"control/wpdata.{int(abs(number))}", dll.begin)
    except InputError:
        return None
    text = TextFile(path, "table of least pitch")
    count = text.convert(tokens(text.line("the number of rows"))[:1], "number of rows")
    if not (count.size and 2 <= count[0] <= MAX_ROWS and count[0].is_integer()):
        text.fail(f"the line has to begin with the number of rows, 2 to {MAX_ROWS}")
    rows = np.array([text.numbers(2, "wind (m/s) and pitch (deg)") for _ in range(int(count[0]))])
    if not np.all(np.diff(rows[:, 0]) > 0.0):
        text.fail("the winds of the table have to ascend")
    return rows * [1.0, np.radians(1.0)]


def _named(block: Block, name: str) -> Block | None:
    """The DLL whose name or file has that name."""
    for dll in block.blocks:
        words = [
            " ".join(command.words).lower()
            for command in dll.commands
            if command.name in ("name", "filename")
        ]
        if any(name in text for text in words):
            return dll
    return None


def _constants(dll: Block) -> dict[int, float]:
    """Constants of its block `init`, by number."""
    init = dll.block("init")
    found = {}
    for command in [] if init is None else init.all("constant"):
        values = command.numbers(2, USAGE)
        found[int(values[0])] = float(values[1])
    return found


BLOCKS_READ = ("main_body", "orientation", "constraint")


def read_hawc2_machine(
    path: str | Path,
    radii_at: Radii | None = None,
    name: str = "",
    leave_out: Collection[str] = (),
    soil_deflection: float = 0.0,
    platform: Platform = "as in the files",
) -> Machine:
    """The machine of an htc file.

    Parameters
    ----------
    path : of the main file
    radii_at : "mass centre" or "elastic centre", where `_st` files give the radii of gyration; has to be given where
        the two differ and both are possible, see `fem_mbd.elements.blades.read_hawc2`
    name : of the machine; that of the file when left out
    leave_out : names of blocks of constraints and of the structure to skip, such as "dll" for a constraint of another
        program; they are listed in `Machine.ignored`
    soil_deflection : m, of the pile in its soil: lateral and axial springs are the secants of p-y curves there; by
        default the slopes at no deflection
    platform : "held" fixes the first node of a body without constraint, such as a floater whose hydrodynamics and
        mooring another program computes

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, missing blocks or entries, unknown bodies, sets and nodes,
        bodies without orientation or constraint.
    """
    if finite(soil_deflection, "soil_deflection (m)") < 0.0:
        raise InputError(f"soil_deflection is {soil_deflection:g} m: it must not be negative")
    htc = read_htc(path)
    structure = htc.root.block("new_htc_structure")
    if structure is None:
        raise InputError(f"{path}: there is no block 'new_htc_structure'")
    members = _members(htc, structure, radii_at)
    placements = read_placements(structure, members)
    left_out = {leave_out.lower()} if isinstance(leave_out, str) else {word.lower() for word in leave_out}
    for block in structure.blocks:
        if block.name in EXTERNAL and block.name not in left_out:
            block.fail(f"block '{block.name}' is computed by another program; {leave_out_advice(block.name)}")
    links, holds = read_links(structure, members, left_out)
    soil = [] if "soil" in left_out else read_soil(htc, members, soil_deflection)
    water = [] if "hydro" in left_out else read_hydro(htc, members)
    if platform == "held":
        links += _fix_free_bodies(members, links, holds)
    _check_connected(members, links, holds, placements)
    aero = None if "aero" in left_out else read_aero(htc, members)
    controller, remarks = (None, []) if "dll" in left_out else read_controller(htc)
    read = [*(["aero"] if isinstance(aero, RotorAerodynamics) else []), *(["dll"] if controller else [])]
    ignored = (
        *_ignored(htc, structure, left_out, read),
        *([aero] if isinstance(aero, str) else []),
        *remarks,
    )
    machine = Machine(
        name or Path(path).stem,
        tuple(members),
        tuple(placements),
        tuple(links),
        ignored,
        str(path),
        tuple(holds),
        tuple(soil),
        water=tuple(water),
        aerodynamics=None if isinstance(aero, str) else aero,
        controller=controller,
    )
    return check_tower_clearance(_turning_forward(machine))


def _turning_forward(machine: Machine) -> Machine:
    """The machine with its shaft's axis in the sense in which the file turns it.

    `bearing_vector` may point either way along the shaft; the rotor's speed, torque and azimuth count in the sense of
    rotation.
    """
    if not has_blades(machine):
        return machine
    shaft, frames = rotor_of(machine), machine.frames()
    first, second = frames[shaft.first[0]], frames[shaft.second[0]]  # type: ignore[index]
    axis = axis_of(shaft, first.rotation, second.rotation)
    speed = shaft.speed if shaft.kind == "speed" else float(axis @ (second.omega - first.omega))
    if speed >= 0.0:
        return machine
    forward = replace(shaft, axis=-np.asarray(shaft.axis), speed=-shaft.speed)
    return replace(machine, links=tuple(forward if link is shaft else link for link in machine.links))


def _members(htc: HtcFile, structure: Block, radii_at: Radii | None) -> list[Member]:
    members: list[Member] = []
    for block in structure.blocks:
        if block.name != "main_body":
            continue
        command = block.need("name NAME", "name")
        name = command.text("name NAME")
        if any(member.name == name for member in members):
            command.fail(f"there is a main_body '{name}' already")
        copy_command = block.one_of("copy_main_body")
        where = f"{block.begin.path}, line {block.begin.line}"
        if copy_command is not None:
            source_name = copy_command.text("copy_main_body NAME")
            source = next((m for m in members if m.name == source_name), None)
            if source is None:
                copy_command.fail(f"there is no main_body '{source_name}' above this line to copy")
            members.append(copied_body(source, block, copy_command, name, where))
        else:
            members.append(read_body(htc, block, name, where, radii_at))
    if not members:
        structure.fail("block 'new_htc_structure' has no main_body")
    return members


def _fix_free_bodies(members: list[Member], links: list[Link], holds: list[Hold]) -> list[Link]:
    """Links that fix the bodies which have no hold and are second in no link."""
    held = {link.second[0] for link in links} | {hold.end[0] for hold in holds}
    free = [member for member in members if member.name not in held]
    for member in free:
        remark = (
            f"main_body '{member.name}' is held at its first node on request: modes are those on fixed ground"
        )
        warn_left_out(member.where, [remark])
    return [Link(f"held {m.name}", "fixed", None, (m.name, 0), where=m.where) for m in free]


def _check_connected(
    members: list[Member], links: list[Link], holds: list[Hold], placements: list[Placement]
) -> None:
    """InputError for a body that is not connected to the ground."""
    held = {link.second[0] for link in links if link.first is None} | {hold.end[0] for hold in holds}
    for _ in members:
        held |= {link.second[0] for link in links if link.first is not None and link.first[0] in held}
    for member in members:
        if member.name not in held:
            raise InputError(
                f"{member.where}: no constraint holds main_body '{member.name}': fix it (fix0, fix2, fix3) or join it "
                "as second body (fix1, bearing1, bearing2, bearing3) to one that is held; where another program "
                "carries it, as a floater: platform='held' (command line: --platform held, or of other commands than "
                "import --set platform=held)"
            )
    if len(placements) != len(members):
        raise InputError("some bodies have no orientation")


def _ignored(
    htc: HtcFile, structure: Block, left_out: Collection[str], read: Collection[str]
) -> tuple[str, ...]:
    """Data that are not read, and files found elsewhere, one line each."""
    lines = [
        f"block '{block.name}' ({block.begin.path.name}, line {block.begin.line})"
        for block in [*htc.root.blocks, *(b for b in structure.blocks if b.name not in BLOCKS_READ)]
        if block is not structure and (block.name not in ("soil", "hydro", *read) or block.name in left_out)
    ]
    lines += [
        f"command '{command.name}' ({command.path.name}, line {command.line})"
        for command in [*htc.root.commands, *structure.commands]
    ]
    constraint = structure.block("constraint")
    lines += [
        f"constraint '{block.name}' ({block.begin.path.name}, line {block.begin.line}), left out as requested"
        for block in ([] if constraint is None else constraint.blocks)
        if block.name in left_out
    ]
    lines += [f"'{file}' was found beside {htc.path.name}" for file in htc.beside]
    return tuple(lines)
