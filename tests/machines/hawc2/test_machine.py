"""Machines from HAWC2 files: places and senses by hand, masses by a sum of the files, bad input."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from fem_mbd import modes
from fem_mbd.base.arrays import Array
from fem_mbd.cases._blades import DATA
from fem_mbd.core.rotations import rotation_about
from fem_mbd.machines import Assembly, LeftOutWarning, assemble, read_hawc2_machine
from fem_mbd.machines.description.machine import rotor_of
from tests.machines.hawc2.htc_files import write_machine
from tests.refusals import refused

HERE = Path(__file__).parent

TURBINE = DATA / "iea15_turbine" / "IEA_15MW_RWT_FixedSubstructure.htc"
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


def test_the_turbine_weighs_what_a_sum_of_its_files_says() -> None:
    """Tables integrated along the centre lines, places by the angles of the htc files, without any of the readers."""
    made = assemble(read_hawc2_machine(TURBINE, radii_at="mass centre"))
    mass, first, second = _properties(made)
    total = np.zeros((4, 4))  # sum of m p p^T with p = (1, x, y, z), HAWC2's global axes
    for rotation, origin, line, table in _bodies():
        total += _moments(rotation, origin, line, table)
    for place, m, inertia in _lumps():
        p = np.array([1.0, *place])
        total += m * np.outer(p, p)
        total[1:, 1:] += 0.5 * np.trace(inertia) * np.eye(3) - inertia
    change = np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]])
    spread = change @ total[1:, 1:] @ change.T
    assert mass == pytest.approx(total[0, 0], rel=1e-6)
    assert first == pytest.approx(change @ total[0, 1:], rel=1e-6, abs=1e-6 * total[0, 0])
    inertia = np.trace(spread) * np.eye(3) - spread
    assert second == pytest.approx(inertia, rel=1e-6, abs=1e-6 * np.abs(inertia).max())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("begin new_htc_structure", "begin structure", "where block 'structure' is open"),
        ("set 1 2", "set 1 7", "all_st.dat: there is no subset of set 1 7"),
        ("copy_main_body blade1", "copy_main_body wing", "bodies.htc, line 48: there is no main_body 'wing'"),
        (
            "mbdy2_eulerang 90 0 0;\n      mbdy2_eulerang 5 0 0;",
            "",
            "main.htc, line 13: .*no 'mbdy2_eulerang x y z'",
        ),
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
        (
            "sec 3 0 0 8 0",
            "sec 3 0 0 9 0",
            "the last station has r = 8 m, but the centre line of 'blade1' is 9 m",
        ),
        ("FPM 0", "FPM 1", "needs full matrices"),
        ("damping_posdef 0 0 0", "damping_posdef 0 0 1", "damping proportional to mass"),
        ("concentrated_mass 1 0", "concentrated_mass 5 0", "at node 5: it has nodes 1 to 2"),
        ("0 1000 400", "0 -1000 400", "has mass -1000 kg"),
        ("end orientation", "end orient", "'end orient' stands where block 'orientation' is open"),
        ("end wind;\n", "", "block 'wind' has no 'end wind'"),
    ],
)
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


def _turn(*angles: tuple[float, float, float]) -> Array:
    """Rotation of successive turns about x, y, z of the turned axes, degrees."""
    total = np.eye(3)
    for x, y, z in angles:
        for axis, angle in zip(np.eye(3), (x, y, z), strict=True):
            total = total @ rotation_about(axis, np.radians(angle))
    return total


def _frames() -> dict[str, tuple[Array, Array]]:
    """Rotation and origin of the bodies of the IEA 15 MW turbine, HAWC2's global axes, from its htc files."""
    shaft = _turn((90, 0, 0), (6, 0, 0))
    top = np.array([0, 0, -15 - 129.386])
    nacelle = top + [0, 0, -4.349459414248071]
    bearing = nacelle + shaft @ [0, 0, 5.96769163920947]
    hub = bearing + shaft @ [0, 0, 6.129880124703066]
    found = {
        "tower": (np.eye(3), np.array([0, 0, -15.0])),
        "towertop": (np.eye(3), top),
        "connector": (shaft, nacelle),
        "shaft": (shaft, bearing),
        "rotor": (shaft, hub),
    }
    for k, angle in ((1, 180.0), (2, 60.0), (3, -60.0)):
        blade = shaft @ _turn((-90, 0, 0), (0, angle, 0), (4, 0, 0))
        found[f"hub{k}"], found[f"blade{k}"] = (blade, hub), (blade, hub + blade @ [0, 0, 3.97])
    return found


def _rows(name: str, first: int, count: int) -> Array:
    lines = (DATA / "iea15_turbine" / name).read_text().splitlines()[first - 1 : first - 1 + count]
    return np.array([[float(word) for word in line.split()] for line in lines])


def _bodies() -> list[tuple[Array, Array, Array, Array]]:
    """Rotation, origin, centre line (n, 4) and table (k, columns) of each body."""
    frames = _frames()
    text = (DATA / "iea15_turbine" / "IEA_15MW_RWT_WTG_bodies_noFPM.htc").read_text()
    lines = [line.split(";")[0].split() for line in text.split("blade1")[1].splitlines()]
    blade = np.array([[float(w) for w in line[2:]] for line in lines if line[:1] == ["sec"]])
    tower = np.array([[0, 0, -z, 0] for z in [*range(0, 121, 15), 129.386]])
    dummy, shaft = _rows("IEA_15MW_RWT_Dummy_st.dat", 4, 2), _rows("IEA_15MW_RWT_Shaft_st.dat", 4, 2)
    st, table = _rows("IEA_15MW_RWT_Blade_st_noFPM.st", 6, 26), _rows("IEA_15MW_RWT_Tower_st.dat", 4, 11)
    lengths = {
        "towertop": -4.349459414248071,
        "connector": 5.96769163920947,
        "hub1": 3.97,
        "hub2": 3.97,
        "hub3": 3.97,
    }
    bodies = [(*frames["tower"], tower, table)]
    bodies += [(*frames[n], np.array([[0, 0, 0, 0], [0, 0, z, 0]]), dummy) for n, z in lengths.items()]
    bodies += [(*frames["shaft"], np.array([[0, 0, 0, 0], [0, 0, 6.129880124703066, 0]]), shaft)]
    return bodies + [(*frames[f"blade{k}"], blade, st) for k in (1, 2, 3)]


def _moments(rotation: Array, origin: Array, line: Array, table: Array) -> Array:
    """(4, 4) integral of m p p^T, p = (1, x, y, z): sections along a natural spline, half chord seen along z."""
    chord = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line[:, :3], axis=0), axis=1))])
    spline = CubicSpline(chord, line, bc_type="natural")
    fine = np.unique(
        np.concatenate([np.linspace(a, b, 40) for a, b in zip(chord[:-1], chord[1:], strict=True)])
    )
    x, w = np.polynomial.legendre.leggauss(4)
    places = 0.5 * (fine[1:] + fine[:-1])[:, None] + 0.5 * np.diff(fine)[:, None] * x
    speed = np.linalg.norm(spline(places, 1)[..., :3], axis=2)
    pieces = 0.5 * np.diff(fine) * (speed @ w)
    start = np.concatenate([[0], np.cumsum(pieces)])
    r = table[:, 0] / table[-1, 0] * start[-1]
    total = np.zeros((4, 4))
    for k, row in enumerate(places):
        for j, s in enumerate(row):
            at = start[k] + (start[k + 1] - start[k]) * 0.5 * (1 + x[j])
            total += (
                0.5
                * np.diff(fine)[k]
                * w[j]
                * speed[k, j]
                * _section(rotation, origin, spline, s, at, r, table)
            )
    return total


def _section(
    rotation: Array, origin: Array, spline: CubicSpline, s: float, at: float, r: Array, table: Array
) -> Array:
    """(4, 4) m p p^T of a section, linear between the stations' own: mass centre and radii of gyration about it."""
    tangent = spline(s, 1)[:3] / np.linalg.norm(spline(s, 1)[:3])
    place, angle = spline(s)[:3], np.radians(float(spline(s)[3]))
    x_axis = np.array([np.cos(angle), np.sin(angle), 0.0])
    x_axis[2] = -(x_axis[:2] @ tangent[:2]) / tangent[2]
    x_axis /= np.linalg.norm(x_axis)
    axes = np.stack([x_axis, np.cross(tangent, x_axis)], axis=1)
    k = int(np.clip(np.searchsorted(r, at) - 1, 0, len(r) - 2))
    share = (at - r[k]) / (r[k + 1] - r[k])
    zero, first, second = 0.0, np.zeros(2), np.zeros((2, 2))
    for part, row in ((1 - share, table[k]), (share, table[k + 1])):
        m, centre, turn = part * row[1], row[2:4], np.radians(row[16])
        principal = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        zero, first = zero + m, first + m * centre
        # the radius of gyration about x is the spread along y
        second += m * (
            principal @ np.diag([row[5] ** 2, row[4] ** 2]) @ principal.T + np.outer(centre, centre)
        )
    body = np.zeros((4, 4))
    at_line = np.array([1.0, *(origin + rotation @ place)])
    across = np.zeros((4, 2))
    across[1:] = rotation @ axes
    body += zero * np.outer(at_line, at_line) + across @ second @ across.T
    both = np.outer(at_line, across @ first)
    return body + both + both.T


def _lumps() -> list[tuple[Array, float, Array]]:
    frames = _frames()
    top, shaft, rotor = (frames[name] for name in ("towertop", "shaft", "rotor"))
    about = lambda frame, values: frame[0] @ np.diag(values) @ frame[0].T  # noqa: E731
    return [
        (top[1], 28280.0, np.zeros((3, 3))),
        (top[1] + [0, -4.72, -4.275], 646895.0, np.diag([7.674778e6, 1.055686e7, 8.127143e6])),
        (shaft[1], 0.0, about(shaft, [0, 0, 1836784.0])),
        (rotor[1], 69360.0, about(shaft, [0, 0, 973520.0])),
    ]


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
