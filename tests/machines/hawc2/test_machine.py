"""Machines from HAWC2 files: places and senses by hand, masses by a sum of the files, bad input."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import modes
from fem_mbd.base.arrays import Array
from fem_mbd.cases._machine_file import machine_case
from fem_mbd.core.rotations import rotation_about
from fem_mbd.errors import InputError
from fem_mbd.machines import Assembly, LeftOutWarning, assemble, read_hawc2_machine
from fem_mbd.machines.description.machine import pitch_bearings, rotor_of
from tests.machines.hawc2.htc_files import write_machine
from tests.refusals import refused

HERE = Path(__file__).parent

TILT, CONE = np.radians(5.0), np.radians(3.0)
UPWIND = np.array([-np.cos(TILT), 0.0, np.sin(TILT)])  # along the shaft, global axes: x downwind, z up


def test_members_stand_where_hand_calculation_puts_them(tmp_path: Path) -> None:
    made = assemble(read_hawc2_machine(write_machine(tmp_path)))
    assert made.beams["tower"].end.position == pytest.approx([0, 0, 22], abs=1e-12)
    hub = made.beams["shaft"].end.position
    assert hub == pytest.approx([0, 0, 22] + 3 * UPWIND, abs=1e-12)
    # blade 1 upright in the tilted plane, coned upwind; the others 120 degrees on
    up = np.array([np.sin(TILT), 0.0, np.cos(TILT)])
    tip = hub + 8 * (np.cos(CONE) * up + np.sin(CONE) * UPWIND)
    assert made.beams["blade1"].end.position == pytest.approx(tip, abs=1e-12)
    for blade, angle in (("blade2", -120.0), ("blade3", 120.0)):
        turned = hub + rotation_about(-UPWIND, np.radians(angle)) @ (tip - hub)
        gap = [np.linalg.norm(made.beams[b].end.position - turned) for b in ("blade2", "blade3")]
        assert min(gap) < 1e-12, blade
    assert made.beams["blade1"].start is made.beams["shaft"].end


def test_pitch_turns_the_leading_edge_upwind_and_the_rotor_runs_with_it_ahead(tmp_path: Path) -> None:
    machine = read_hawc2_machine(write_machine(tmp_path))
    leading = -machine.frames()["blade1"].rotation[:, 1]  # y is to the trailing edge
    pitched = -machine.frames({"pitch1": 0.2})["blade1"].rotation[:, 1]
    assert pitched @ UPWIND > 0.15 + leading @ UPWIND
    made = assemble(machine, turning=True)
    velocity, omega = made.model.velocities[made.beams["blade1"].end.index]
    assert velocity @ leading > 0.0
    assert omega == pytest.approx(-1.5 * UPWIND, abs=1e-12)
    assert np.linalg.norm(velocity) == pytest.approx(1.5 * 8 * np.cos(CONE), rel=1e-12)
    azimuth = assemble(machine, {"rot": np.radians(120.0)})
    places = [made.beams[f"blade{k}"].end.position for k in (1, 2, 3)]
    assert min(np.linalg.norm(azimuth.beams["blade1"].end.position - p) for p in places[1:]) < 1e-12


def test_lumps_add_offset_inertia_and_inertia_about_one_axis(tmp_path: Path) -> None:
    made = assemble(read_hawc2_machine(write_machine(tmp_path)))
    bare = assemble(read_hawc2_machine(write_machine(tmp_path, "  concentrated_mass", "  ;", 2)))
    both, without = _properties(made), _properties(bare)
    mass, centre, inertia = both[0] - without[0], both[1] - without[1], both[2] - without[2]
    # body axes of the shaft in global ones: x horizontal (global y), z upwind, y = z x x
    axes = np.stack([[0, 1, 0], np.cross(UPWIND, [0, 1, 0]), UPWIND], axis=1)
    place = np.array([0, 0, 22]) + axes @ [0, 0.5, 0]
    assert mass == pytest.approx(1000, rel=1e-12)
    assert centre == pytest.approx(1000 * place, rel=1e-10)
    about = axes @ np.diag([400, 500, 600 + 700]) @ axes.T
    wanted = about + 1000 * (place @ place * np.eye(3) - np.outer(place, place))
    assert inertia == pytest.approx(wanted, rel=1e-9, abs=1e-3)


def test_members_weigh_what_rods_do(tmp_path: Path) -> None:
    """Tower, shaft and blades as thin rods of linear mass per length, with the radii of gyration of their sections."""
    top, up = np.array([0, 0, 22.0]), np.array([np.sin(TILT), 0.0, np.cos(TILT)])
    rods: list[
        tuple[Any, ...]
    ] = [  # start, way, mass per length at both ends, axis across, radii along it and third
        (np.array([0, 0, 2.0]), np.array([0, 0, 20.0]), (200.0, 200.0), np.eye(3)[1], (0.5, 0.5)),
        (top, 3 * UPWIND, (200.0, 200.0), np.eye(3)[1], (0.5, 0.5)),
    ]
    for angle in (0.0, 120.0, -120.0):
        turn = rotation_about(UPWIND, np.radians(angle))
        way, across = 8 * turn @ (np.cos(CONE) * up + np.sin(CONE) * UPWIND), turn @ np.eye(3)[1]
        rods.append((top + 3 * UPWIND, way, (30.0, 15.0), across, (0.2, 0.05)))
    total = np.zeros((4, 4))  # sum of m p p^T with p = (1, x, y, z)
    for start, way, masses, across, radii in rods:
        length = np.linalg.norm(way)
        axes = (across, np.cross(way, across) / length)
        for s in (0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12)):  # two points are exact for cubics
            mass, place = 0.5 * length * np.interp(s, (0, 1), masses), np.array([1.0, *(start + s * way)])
            total += mass * np.outer(place, place)
            total[1:, 1:] += mass * sum(r**2 * np.outer(a, a) for r, a in zip(radii, axes, strict=True))
    bare = assemble(read_hawc2_machine(write_machine(tmp_path, "  concentrated_mass", "  ;", 2)))
    mass, first, inertia = _properties(bare)
    assert mass == pytest.approx(total[0, 0], rel=1e-9)
    assert first == pytest.approx(total[0, 1:], rel=1e-9, abs=1e-9 * mass)
    wanted = np.trace(total[1:, 1:]) * np.eye(3) - total[1:, 1:]
    assert inertia == pytest.approx(wanted, rel=1e-9, abs=1e-9 * wanted.max())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("begin new_htc_structure", "begin structure", "where block 'structure' is open"),
        ("set 1 2", "set 1 7", "all_st.dat: there is no subset of set 1 7"),
        ("copy_main_body blade1", "copy_main_body wing", "bodies.htc, line 48: there is no main_body 'wing'"),
        ("mbdy2_eulerang 90 0 0;\n      mbdy2_eulerang 5 0 0;", "", "main.htc, line 13: .*no 'mbdy2_eulerang x y z'"),
        ("mbdy1 tower last", "mbdy1 towr last", "main.htc, line 14: there is no main_body 'towr'; .*tower"),
        ("mbdy1 tower last", "mbdy1 tower 4", "node '4' of body 'tower': give a number from 1 to 3"),
        ("begin fix0;\n      body tower;\n    end fix0;", "", "no constraint holds main_body 'tower'"),
        ("mbdy2_eulerang 90 0 0", "mbdy2_eulerang 90 0", "should read 'mbdy2_eulerang x y z'"),
        (
            "begin fix0;\n      body tower;\n    end fix0",
            "begin fix9;\n    end fix9",
            "constraint 'fix9' is not known here",
        ),
        ("bearing_vector 2 0 0 -1", "bearing_vector 2 0 0 0", "must not be zero"),
        ("./htc/bodies.htc", "./htc/parts.htc", "main.htc, line 6: file './htc/parts.htc' is neither"),
        ("  nsec 3", "  nsec 4", "nsec is 4, there are 3 sections"),
        ("sec 3 0 0 -20 0", "sec 3 0 0 -5 0", "section 3 at z = -5 m does not lie beyond"),
        ("sec 3 0 0 8 0", "sec 3 0 0 9 0", "the last station has r = 8 m, but the centre line of 'blade1' is 9 m"),
        ("FPM 0", "FPM 1", "needs full matrices"),
        ("damping_posdef 0 0 0", "damping_posdef 0 0 1", "damping proportional to mass"),
        ("concentrated_mass 1 0", "concentrated_mass 5 0", "at node 5: it has nodes 1 to 2"),
        ("0 1000 400", "0 -1000 400", "has mass -1000 kg"),
        ("end orientation", "end orient", "'end orient' stands where block 'orientation' is open"),
        ("end wind;\n", "", "block 'wind' has no 'end wind'"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_by_file_and_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    refused(message, lambda: read_hawc2_machine(write_machine(tmp_path, old, new)))


def test_unknown_bearings_are_named(tmp_path: Path) -> None:
    machine = read_hawc2_machine(write_machine(tmp_path))
    refused(r"no bearing 'pich1'; .*pitch1", assemble, machine, {"pich1": 0.1})


def test_what_is_no_structure_is_listed(tmp_path: Path) -> None:
    ignored = read_hawc2_machine(write_machine(tmp_path)).ignored
    assert [line.split(" (")[0] for line in ignored] == ["block 'simulation'", "block 'wind'"]


def _properties(made: Assembly) -> tuple[float, Array, Array]:
    """Mass, first moment (3,), and inertia (3, 3) about the global origin, of the model's nodes."""
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for node, lump in zip(made.model.nodes, made.model.inertia, strict=True):
        centre = node.position + node.rotation @ lump.centre
        mass += lump.mass
        first += lump.mass * centre
        own = node.rotation @ lump.about_centre @ node.rotation.T
        second += own + lump.mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return mass, first, second


def frequencies(main: Path, **options: Any) -> np.ndarray:
    """Hz, of the six lowest modes."""
    return modes(assemble(read_hawc2_machine(main, **options), locked=True).model, 6).frequencies_hz


def test_a_body_that_nothing_holds_is_held_on_request(tmp_path: Path) -> None:
    """Decks of floaters leave the platform to another program."""
    wanted = frequencies(write_machine(tmp_path))
    main = write_machine(tmp_path, "    begin fix0;\n      body tower;\n    end fix0;\n")
    refused(r"bodies.htc, line \d+: no constraint holds main_body 'tower'.*'held'", read_hawc2_machine, main)
    with pytest.warns(LeftOutWarning, match="'tower' is held at its first node on request"):
        found = frequencies(main, platform="held")
    assert found == pytest.approx(wanted, rel=1e-9)


STRUT = (HERE / "files/strut.htc").read_text()


def test_a_body_that_is_fixed_at_its_middle_node(tmp_path: Path) -> None:
    """As the columns of a semi-submersible: a rod of 400 kg acts like a lump with its inertia."""
    main = write_machine(tmp_path)
    bodies = main.parent / "bodies.htc"
    bodies.write_text(bodies.read_text().replace("exit;\n", STRUT, 1))
    place = "begin relative;\n mbdy1 tower last;\n mbdy2 strut 1;\n mbdy2_eulerang 0 0 0;\nend relative;\n"
    text = main.read_text().replace("  end orientation;", place + "  end orientation;")
    fix = "begin fix1;\n mbdy1 tower last;\n mbdy2 strut 2;\nend fix1;\n"
    main.write_text(text.replace("  end constraint;", fix + "  end constraint;"))
    found = frequencies(main)
    along = 400.0 * 2.0**2 / 12.0 + 400.0 * 0.5**2
    lump = f"  name tower;\n  concentrated_mass 3 0 0 0 400 {along} {along} {2 * 400.0 * 0.5**2};"
    wanted = frequencies(write_machine(tmp_path, "  name tower;", lump))
    assert found == pytest.approx(wanted, rel=1e-3)


def test_end_bearing1_closes_a_bearing3(tmp_path: Path) -> None:
    main = write_machine(tmp_path, "    begin bearing1;\n", "    begin bearing3;\n      omegas 0.5;\n")
    assert rotor_of(read_hawc2_machine(main)).kind == "speed"


def test_commas_between_numbers(tmp_path: Path) -> None:
    wanted = frequencies(write_machine(tmp_path))
    main = write_machine(tmp_path, "sec 2 0 0 4 0;", "sec 2, 0, 0, 4, 0;")
    assert frequencies(main) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("names", [("blade_pitch1", "blade_pitch2", "blade_pitch3"), ("", "", "")])
def test_pitch_bearings_are_found_by_their_kind(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Whatever they are called: pitch of all blades is the same as the angles of the three bearings."""
    main = write_machine(tmp_path)
    text = main.read_text()
    for k, name in enumerate(names, start=1):
        text = text.replace(f"name pitch{k};", f"name {name};" if name else "")
    main.write_text(text)
    machine = read_hawc2_machine(main)
    bearings = [link.name for link in pitch_bearings(machine)]
    assert bearings == [link.name for link in machine.links if link.kind == "angle"]
    case = machine_case(main)
    parameters = case.parameters(pitch=90.0)
    assert parameters.angles == pytest.approx(dict.fromkeys(bearings, np.pi / 2))
    with pytest.raises(InputError, match=r"Machine\.modes has no option 'pich'"):
        machine.modes(pich=0.1)


def test_the_shaft_turns_forward_whatever_its_vector(tmp_path: Path) -> None:
    """bearing_vector along or against the rotation of the file: speeds and torques count in the sense of rotation."""
    axes = []
    for number, vector in enumerate(("0 0 -1", "0 0 1")):
        folder = tmp_path / str(number)
        folder.mkdir()
        old = "mbdy2 shaft 1;\n      bearing_vector 2 0 0 -1"
        machine = read_hawc2_machine(write_machine(folder, old, old.replace("0 0 -1", vector)))
        made = assemble(machine, {"rot": 0.3}, turning=True)
        omega = made.model.velocities[made.beams["blade1"].end.index][1]
        assert omega @ made.rotor.axis == pytest.approx(1.5, abs=1e-12)
        axes.append((made.rotor.axis, made.beams["blade1"].end.position))
    np.testing.assert_allclose(axes[0][0], axes[1][0], atol=1e-12)
    np.testing.assert_allclose(axes[0][1], axes[1][1], atol=1e-12)
