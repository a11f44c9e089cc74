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


def test_elastic_centre(tmp_path: Path) -> None:
    """A pull at the half chord bends: M_x = -y_e N, M_y = x_e N for the strain of the half chord."""
    x, y = 0.03, -0.02
    for kind in (full(0, el=(x, y)), constants(0, el=(x, y), sh=(x, y))):
        k, _ = in_hawc2_order(read(tmp_path, st_text(kind, kind.replace("0.0", "2.0", 1))))
        ea = E * AREA
        # stretch of the fibre at (x, y): gamma_z + y kappa_x - x kappa_y
        assert k[2, 3:5] == pytest.approx([ea * y, -ea * x], rel=1e-13)
        assert k[3, 3] == pytest.approx(E * I_X + ea * y**2, rel=1e-13)
        # the shear of the fibre: gamma_x - y kappa_z, gamma_y + x kappa_z
        assert k[0, 5] == pytest.approx(-K_X * G * AREA * y, rel=1e-13)
        assert k[1, 5] == pytest.approx(K_Y * G * AREA * x, rel=1e-13)


def test_shear_centre_apart(tmp_path: Path) -> None:
    """Beam constants: shear and torsion at the shear centre, the rest at the elastic centre."""
    row = constants(0, el=(0.03, 0.0), sh=(0.0, 0.05))
    k, _ = in_hawc2_order(read(tmp_path, st_text(row, row.replace("0.0", "2.0", 1))))
    assert k[0, 5] == pytest.approx(-K_X * G * AREA * 0.05, rel=1e-13)
    assert k[1, 5] == pytest.approx(0.0, abs=1e-6)
    assert k[2, 4] == pytest.approx(-E * AREA * 0.03, rel=1e-13)


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
    stations = zip(beamdyn.sections.s, beamdyn.sections.sections, hawc2.sections.sections, strict=True)
    for s, section, other in list(stations)[2:-1]:
        ours, theirs = np.asarray(section.stiffness), np.asarray(other.stiffness)
        # the centre of stretching seen from both lines gives the offset between them, in section axes
        offset = [0.0, *(_stretch_centre(theirs) - _stretch_centre(ours))]
        size = np.sqrt(np.outer(np.diag(ours), np.diag(ours)))
        assert np.abs((at_point(theirs, offset) - ours) / size).max() < 4e-3
        # and with it the pitch axis is found from the half-chord line: position and twist together
        place, turn = hawc2.axis.at(float(s))
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
    for one, two in zip(a.sections.sections, b.sections.sections, strict=True):
        left, right = np.asarray(one.stiffness), np.asarray(two.stiffness)
        assert _stretch_centre(left) == pytest.approx(_stretch_centre(right), abs=1e-9)
        bending = [k[4:, 4:] - np.outer(k[4:, 0], k[0, 4:]) / k[0, 0] for k in (left, right)]
        assert bending[0] == pytest.approx(bending[1], rel=1e-6, abs=1e-6 * bending[0].max())
        assert one.mass_matrix == pytest.approx(two.mass_matrix, rel=1e-6, abs=1e-6)


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
