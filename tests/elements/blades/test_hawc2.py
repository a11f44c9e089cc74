"""HAWC2 files: known contents, shifted and rotated centres, the public blade against its BeamDyn files, bad input."""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd.cases
from fem_mbd.elements.blades import Blade, read_beamdyn, read_hawc2
from fem_mbd.elements.blades.stations import at_point
from fem_mbd.errors import InputError
from tests.elements.blades.files import AREA, RHO, B, E, G, H

DATA = Path(fem_mbd.cases.__file__).parent / "_data" / "iea15"
BODIES = DATA.parent / "iea15_turbine" / "IEA_15MW_RWT_WTG_bodies_noFPM.htc"
M = RHO * AREA
# a rectangle B along HAWC2's x, H along y; I_x about x
I_X, I_Y, I_P, K_X, K_Y = B * H**3 / 12, H * B**3 / 12, 1.1e-6, 0.8, 0.7
R_X, R_Y = np.sqrt([I_X / AREA, I_Y / AREA])
FULL = {
    "K11": K_X * G * AREA,
    "K22": K_Y * G * AREA,
    "K33": E * AREA,
    "K44": E * I_X,
    "K55": E * I_Y,
    "K66": G * I_P,
}


def constants(r: float, cg=(0, 0), sh=(0, 0), el=(0, 0), pitch: float = 0.0) -> str:
    row = [r, M, *cg, R_X, R_Y, *sh, E, G, I_X, I_Y, I_P, K_X, K_Y, AREA, pitch, *el]
    return " ".join(f"{x:.15e}" for x in row)


def full(r: float, cg=(0, 0), el=(0, 0), pitch: float = 0.0, **more: float) -> str:
    k = [{**FULL, **more}.get(f"K{i}{j}", 0.0) for i in range(1, 7) for j in range(i, 7)]
    return " ".join(f"{x:.15e}" for x in [r, M, *cg, R_X, R_Y, pitch, *el, *k])


def st_text(*rows: str, count: int | None = None) -> str:
    head = ["1 ; number of sets", "-----", "#1 ; a set", "r m x_cg and so on"]
    return "\n".join([*head, f"$1 {len(rows) if count is None else count}", *rows, ""])


def htc_text(sections: list[str], nsec: int | None = None, body: str = "blade1") -> str:
    count = len(sections) if nsec is None else nsec
    lines = [f"      sec {k + 1} {row} ;" for k, row in enumerate(sections)]
    return "\n".join(
        [
            "; htc",
            "begin main_body; hub",
            " name hub1 ;",
            "begin c2_def; ",
            " nsec 2;",
            " sec 1 0 0 0 0;",
            " sec 2 0 0 1 0;",
            "end c2_def ;",
            "end main_body;",
            "  begin main_body; blade",
            f"    name        {body} ;",
            "    begin c2_def;",
            f"      nsec {count} ;",
            *lines,
            "    end c2_def ;",
            "  end main_body;",
        ]
    )


STRAIGHT = ["0 0 0 0", "0 0 1.0 0", "0 0 2.0 0"]


def read(folder: Path, st: str, htc: str | None = None, **options) -> Blade:
    (folder / "blade.st").write_text(st)
    (folder / "turbine.htc").write_text(htc_text(STRAIGHT) if htc is None else htc)
    return read_hawc2(folder / "blade.st", folder / "turbine.htc", "blade1", **options)


def in_hawc2_order(blade: Blade, station: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Matrices in (x to the leading edge, y to the suction side, z): x = -3, y = 2, z = 1 of our section axes."""
    p = np.array([[0, 0, -1.0], [0, 1.0, 0], [1.0, 0, 0]])
    both = np.kron(np.eye(2), p)
    section = blade.sections.sections[station]
    return both @ section.stiffness @ both.T, both @ section.mass_matrix @ both.T


@pytest.mark.parametrize("kind", [constants, full])
def test_centred_section(tmp_path: Path, kind) -> None:
    k, m = in_hawc2_order(read(tmp_path, st_text(kind(0), kind(2))))
    assert k == pytest.approx(np.diag(list(FULL.values())), rel=1e-14)
    assert m == pytest.approx(
        np.diag([M] * 3 + [M * R_X**2, M * R_Y**2, M * (R_X**2 + R_Y**2)]), rel=1e-14, abs=1e-16
    )


@pytest.mark.parametrize("kind", [constants, full])
def test_axis_through_the_elastic_centres(tmp_path: Path, kind) -> None:
    """HAWC2's nodes are the elastic centres: a pull along the axis does not bend; y of blade axes is -x of HAWC2's."""
    x, y = 0.03, -0.02
    more = {"sh": (x, y)} if kind is constants else {}
    blade = read(tmp_path, st_text(kind(0, el=(x, y), **more), kind(2, el=(x, y), **more)))
    k, m = in_hawc2_order(blade)
    assert k == pytest.approx(np.diag(list(FULL.values())), rel=1e-13, abs=1e-6)
    assert m[:3, 3:][0, 2] == pytest.approx(
        M * y, rel=1e-12
    )  # the mass centre, at the half chord, is at -y from it
    assert blade.half_chord is not None
    for s, z in ((0.0, 0.0), (0.5, 1.0), (1.0, 2.0)):
        assert blade.axis.at(s)[0] == pytest.approx([y, -x, z], abs=1e-14)
        assert blade.half_chord.at(s)[0] == pytest.approx([0, 0, z], abs=1e-14)


@pytest.mark.parametrize("kind", [constants, full])
def test_sections_lie_across_the_line_through_the_elastic_centres(tmp_path: Path, kind) -> None:
    """x_e grows along a straight half-chord line: the axis is inclined by it, also between the points of c2_def."""
    slope = 0.1
    rows = [kind(r, el=(slope * r, 0), cg=(slope * r, 0)) for r in (0.0, 0.3, 2.0)]
    blade = read(tmp_path, st_text(*rows), radii_at="elastic centre")
    tangent = np.array([0.0, -slope, 1.0]) / np.hypot(1.0, slope)
    for s in (0.0, 0.4, 1.0):
        position, rotation = blade.axis.at(s)
        assert position == pytest.approx([0.0, -2.0 * slope * s, 2.0 * s], abs=1e-13)
        assert rotation[:, 0] == pytest.approx(tangent, abs=1e-13)
    assert blade.length == pytest.approx(2.0 * np.hypot(1.0, slope), rel=1e-13)
    assert blade.mass == pytest.approx(2.0 * M, rel=1e-13)  # per length of the half chord
    k, _ = in_hawc2_order(blade, 1)
    assert k[2, 4] == pytest.approx(0.0, abs=1e-9 * k[2, 2])  # no coupling of stretch and bending


def test_centres_between_the_points_of_c2_def(tmp_path: Path) -> None:
    """An elastic centre that leaves the line between two points of c2_def remains where the file has it."""
    x = 0.04
    rows = [full(0), full(0.5, el=(x, 0)), full(1.0), full(2.0)]
    blade = read(tmp_path, st_text(*rows), radii_at="mass centre")
    assert blade.axis.at(0.25)[0] == pytest.approx([0, 0, 0.5], abs=1e-14)
    k, _ = in_hawc2_order(blade, 1)
    # stretch of the fibre at (x, 0) from the axis: gamma_z - x kappa_y
    assert k[2, 4] == pytest.approx(-E * AREA * x, rel=1e-13)
    assert k[4, 4] == pytest.approx(E * I_Y + E * AREA * x**2, rel=1e-13)


def test_shear_centre_apart(tmp_path: Path) -> None:
    """Beam constants: shear and torsion at the shear centre, the rest at the elastic centre, on the axis."""
    row = constants(0, el=(0.03, 0.0), sh=(0.0, 0.05))
    k, _ = in_hawc2_order(read(tmp_path, st_text(row, row.replace("0.0", "2.0", 1))))
    # the shear of the shear centre at (x, y) from the axis: gamma_x - y kappa_z, gamma_y + x kappa_z
    assert k[0, 5] == pytest.approx(-K_X * G * AREA * 0.05, rel=1e-13)
    assert k[1, 5] == pytest.approx(-K_Y * G * AREA * 0.03, rel=1e-13)
    assert k[2, 4] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("last", "beyond"), [(1.99, 0.01), (2.01, -0.01)])
def test_stations_are_distances_along_the_half_chord_line(tmp_path: Path, last: float, beyond: float) -> None:
    """r is the "curved length distance" in m: not stretched to the line; the last section goes on to its end."""
    heavy = full(1.0).replace(f"{M:.15e}", f"{3 * M:.15e}")
    blade = read(tmp_path, st_text(full(0), heavy, full(last)))
    assert blade.sections.s[1] == pytest.approx(0.5, abs=1e-12)
    end = 0.0 if beyond > 0 else beyond**2 * M / (last - 1.0)  # of what is cut off, besides M
    assert blade.mass == pytest.approx(2.0 * M + (last - 1.0) * 2.0 * M + M * beyond - end, rel=1e-12)


@pytest.mark.parametrize("kind", [constants, full])
def test_principal_axes_turn_linearly_between_stations(tmp_path: Path, kind) -> None:
    """Half way between 0 and 40 degrees they are turned by 20 degrees, as in HAWC2, not the mean of matrices."""
    blade = read(tmp_path, st_text(kind(0), kind(2, pitch=40.0)))
    k = np.asarray(blade.sections(0.5).stiffness)
    p = np.kron(np.eye(2), np.array([[0, 0, -1.0], [0, 1.0, 0], [1.0, 0, 0]]))
    c, s = np.cos(np.radians(20)), np.sin(np.radians(20))
    assert (p @ k @ p.T)[3, 4] == pytest.approx(E * (I_X - I_Y) * c * s, rel=1e-12)
    assert (p @ k @ p.T)[3, 3] == pytest.approx(E * (I_X * c**2 + I_Y * s**2), rel=1e-12)


def test_pitch_rotates_about_plus_z(tmp_path: Path) -> None:
    """Bending energy for curvature about local x with principal axes turned by +30 degrees."""
    row = full(0, pitch=30.0)
    k, m = in_hawc2_order(read(tmp_path, st_text(row, row.replace("0.0", "2.0", 1))))
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    assert k[3, 3] == pytest.approx(E * (I_X * c**2 + I_Y * s**2), rel=1e-13)
    assert k[3, 4] == pytest.approx(E * (I_X - I_Y) * c * s, rel=1e-13)
    assert m[3, 4] == pytest.approx(M * (R_X**2 - R_Y**2) * c * s, rel=1e-13)


def test_radii_of_gyration(tmp_path: Path) -> None:
    st = st_text(full(0, cg=(0.01, 0.0)), full(2, cg=(0.01, 0.0)))
    _, m = in_hawc2_order(read(tmp_path, st))
    assert m[4, 4] == pytest.approx(M * (R_Y**2 + 0.01**2), rel=1e-13)
    _, m = in_hawc2_order(
        read(tmp_path, st_text(full(0, cg=(0.005, 0)), full(2, cg=(0.005, 0))), radii_at="elastic centre")
    )
    assert m[4, 4] == pytest.approx(M * R_Y**2, rel=1e-13)


def test_centre_line_axes_and_twist(tmp_path: Path) -> None:
    """x to the leading edge is -y of blade axes; +30 degrees turn x towards y about +z."""
    rows = ["0.1 0.2 0 30", "0.1 0.2 1 30", "0.1 0.2 2 30"]
    blade = read(tmp_path, st_text(full(0, cg=(0.5, 0)), full(2, cg=(0.5, 0))), htc_text(rows))
    x = 0.1 + 0.5 * np.cos(np.pi / 6)
    y = 0.2 + 0.5 * np.sin(np.pi / 6)
    assert blade.centre_of_mass == pytest.approx([y, -x, 1.0], abs=1e-12)


def test_public_blade_is_that_of_the_beamdyn_files() -> None:
    """The IEA 15 MW blade: two formats, two reference lines, opposite signs of twist, one blade.

    The files were written from different versions of the sections, up to 0.3 % of mass at the tip.
    """
    beamdyn = read_beamdyn(DATA / "IEA-15-240-RWT_BeamDyn.dat")
    hawc2 = read_hawc2(DATA / "IEA_15MW_RWT_Blade_st_FPM.st", BODIES, "blade1", radii_at="mass centre")
    assert hawc2.mass == pytest.approx(beamdyn.mass, rel=1e-4)
    assert hawc2.centre_of_mass == pytest.approx(beamdyn.centre_of_mass, abs=0.01)
    assert hawc2.half_chord is not None
    along = np.interp(beamdyn.sections.s, hawc2.half_chord.bounds, hawc2.axis.bounds)
    stations = zip(beamdyn.sections.s, along, beamdyn.sections.sections, strict=True)
    for s, at, section in list(stations)[2:-1]:
        other = hawc2.sections(float(at))
        ours, theirs = np.asarray(section.stiffness), np.asarray(other.stiffness)
        # the centre of stretching seen from both lines gives the offset between them, in section axes
        offset = [0.0, *(_stretch_centre(theirs) - _stretch_centre(ours))]
        size = np.sqrt(np.outer(np.diag(ours), np.diag(ours)))
        assert np.abs((at_point(theirs, offset) - ours) / size).max() < 4e-3
        # and with it the pitch axis is found from that through the elastic centres: position and twist together
        place, turn = hawc2.axis.at(float(at))
        assert place + turn @ offset == pytest.approx(beamdyn.axis.at(float(s))[0], abs=0.03)
        # sections lie across either line, which diverge by 2 degrees at the root: the direction x' shows the twist
        assert np.abs(turn - beamdyn.axis.at(float(s))[1])[:, 1].max() < 6e-3


def _stretch_centre(k: np.ndarray) -> np.ndarray:
    return np.array([-k[0, 5], k[0, 4]]) / k[0, 0]


def test_beam_constants_and_full_matrices_agree() -> None:
    """The public blade's two st files: the same mass, centre of stretching, and bending about it.

    E A of the constants is not K33 in these files, but up to 8 % off.
    """
    a, b = (
        read_hawc2(folder / f"IEA_15MW_RWT_Blade_st_{kind}.st", BODIES, "blade1", radii_at="mass centre")
        for folder, kind in ((DATA, "FPM"), (BODIES.parent, "noFPM"))
    )
    for s in _file_stations(a):
        one, two = a.sections(s), b.sections(s)
        left, right = np.asarray(one.stiffness), np.asarray(two.stiffness)
        assert _stretch_centre(left) == pytest.approx(_stretch_centre(right), abs=1e-9)
        bending = [k[4:, 4:] - np.outer(k[4:, 0], k[0, 4:]) / k[0, 0] for k in (left, right)]
        assert bending[0] == pytest.approx(bending[1], rel=1e-6, abs=1e-6 * bending[0].max())
        assert one.mass_matrix == pytest.approx(two.mass_matrix, rel=1e-6, abs=1e-6)


def _file_stations(blade: Blade) -> list[float]:
    """Fractions of the axis' length of the stations of the public file, without those inserted where axes turn."""
    rows = (DATA / "IEA_15MW_RWT_Blade_st_FPM.st").read_text().splitlines()
    r = [float(row.split()[0]) for row in rows if len(row.split()) == 30 and row.split()[0][0].isdigit()]
    assert blade.half_chord is not None
    fractions = np.array(sorted(set(r))) / blade.half_chord.length
    nearest = [
        int(np.argmin(np.abs(blade.sections.s - s)))
        for s in np.interp(fractions, blade.half_chord.bounds, blade.axis.bounds)
    ]
    return [float(blade.sections.s[k]) for k in nearest]


GOOD = (full(0.0), full(1.0), full(2.0))
BAD_ST = {
    "set": (st_text(*GOOD).replace("#1", "#2"), r"there is no set 1"),
    "subset": (st_text(*GOOD).replace("$1", "$2"), r"there is no subset of set 1 1"),
    "announced": (st_text(*GOOD, count=4), r"station 4 of 4 is missing"),
    "more": (st_text(*GOOD, count=2), r"(more stations than|is 2 m long)"),
    "no count": (st_text(*GOOD).replace("$1 3", "$1"), r"number of stations"),
    "columns": (st_text(GOOD[0], GOOD[1] + " 1", GOOD[2]), r"line 7: station 2 of 3: 31 columns"),
    "mixed": (st_text(GOOD[0], constants(1), GOOD[2]), r"station 2 of 3: 19 columns"),
    "order": (st_text(GOOD[0], GOOD[2], GOOD[1]), r"station 3 of 3 has r = 1 m: r must ascend"),
    "root": (st_text(full(0.5), GOOD[2]), r"station 1 of 2 has r = 0.5 m"),
    "length": (st_text(full(0.0), full(2.1)), r"r = 2.1 m, but the centre line of 'blade1' is 2 m long"),
    "word": (st_text(GOOD[0], GOOD[1].replace("1.", "x", 1), GOOD[2]), r"station 2 of 3"),
    "indefinite": (
        st_text(GOOD[0], full(1, K45=1e7), GOOD[2]),
        r"line 7, station 2 \(r = 1 m\): stiffness K11 … K66 is not pos",
    ),
    "mass": (st_text(GOOD[0], GOOD[1].replace(f"{M:.15e}", "-1"), GOOD[2]), r"station 2 .*m is -1 kg/m"),
    "young": (st_text(constants(0).replace(f"{E:.15e}", "0"), constants(2)), r"station 1 .*E is 0"),
}


@pytest.mark.parametrize("name", BAD_ST)
def test_bad_st_files(tmp_path: Path, name: str) -> None:
    text, message = BAD_ST[name]
    with pytest.raises(InputError, match=r"blade\.st.*" + message):
        read(tmp_path, text)


BAD_HTC = {
    "body": (htc_text(STRAIGHT, body="wing"), r"no main_body 'blade1'; there are hub1, wing"),
    "nsec": (htc_text(STRAIGHT, nsec=4), r"nsec is 4, there are 3 sections"),
    "no nsec": (htc_text(STRAIGHT).replace("nsec 3", "; 3"), r"block 'c2_def' has no 'nsec COUNT'"),
    "back": (htc_text([STRAIGHT[0], STRAIGHT[2], STRAIGHT[1]]), r"section 3 at z = 1 m does not lie beyond"),
    "numbers": (
        htc_text(STRAIGHT).replace("sec 2 0 0 1.0", "sec 3 0 0 1.0"),
        r"c2_def of 'blade1': 'sec 2 x y z twist' should stand here",
    ),
    "no c2_def": (
        htc_text(STRAIGHT).replace("    begin c2_def", "    ;"),
        r"'end c2_def' stands where block 'main_body' is open",
    ),
    "entries": (
        htc_text([STRAIGHT[0], "0 0 1", STRAIGHT[2]]),
        r"'sec 2 0 0 1' should read 'sec 2 x y z twist'",
    ),
}


@pytest.mark.parametrize("name", BAD_HTC)
def test_bad_htc_files(tmp_path: Path, name: str) -> None:
    text, message = BAD_HTC[name]
    with pytest.raises(InputError, match=r"turbine\.htc.*" + message):
        read(tmp_path, st_text(*GOOD), text)


def test_centre_of_the_radii_is_asked_for_where_two_readings_are_possible() -> None:
    """The public IEA 15 MW file allows both; a centre of mass far off allows one."""
    with pytest.raises(InputError, match=r"radii of gyration may refer .* give radii_at='elastic centre' or"):
        read_hawc2(DATA / "IEA_15MW_RWT_Blade_st_FPM.st", BODIES, "blade1")


def test_centre_of_the_radii_by_evidence(tmp_path: Path) -> None:
    far = st_text(full(0, cg=(0.5, 0)), full(2, cg=(0.5, 0)))
    same = st_text(full(0, cg=(0, 0)), full(2, cg=(0, 0)))
    for text, centre in ((far, "mass centre"), (same, "mass centre"), (same, "elastic centre")):
        found, given = read(tmp_path, text), read(tmp_path, text, radii_at=centre)
        for one, two in zip(found.sections.sections, given.sections.sections, strict=True):
            np.testing.assert_allclose(one.inertia, two.inertia, rtol=1e-12)
