"""Block `aero` of an htc file: layout of the blades (ae), polars (pc), models of induction and stall.

The aerodynamic centre is a quarter of the chord ahead of the half-chord line, which is the line of `c2_def`, and the
chord has the twist of `c2_def`. Radii of the ae file are lengths along that line. Relative thickness is interpolated
along it, the polars between those of the two next thicknesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics, PolarSet, along_line
from fem_mbd.aerodynamics.files import AeFile, read_ae, read_pc
from fem_mbd.aerodynamics.momentum import Induction, Momentum, NoInduction, StallModel
from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.hawc2_htc import Block, HtcFile, centre_line
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.errors import InputError
from fem_mbd.machines.description.parts import Member, RotorAerodynamics, TowerAerodynamics

STALL: dict[int, StallModel] = {0: "none", 1: "oye", 2: "hgm"}
MAX_BLADES = 100


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
