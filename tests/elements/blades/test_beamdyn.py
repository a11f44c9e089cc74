"""BeamDyn files: known contents, shifted and rotated references, bad input."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd import Model, modes
from fem_mbd.elements.blades import Blade, read_beamdyn
from tests.elements.blades.files import (
    AREA,
    MASS,
    RHO,
    ROWS,
    STIFFNESS,
    blade_text,
    matrix_text,
    moved,
    primary_text,
    turned,
    write_beamdyn,
)
from tests.refusals import refused

MU = "  mu1 mu2 mu3 mu4 mu5 mu6\n (-) (-) (-) (-) (-) (-)\n"
PROPORTIONAL = ("1  damp_type - type", MU + " 1.0D-3 2e-3 3e-3 4e-3 5e-3 6E-03")
MODAL = ("2  damp_type - type", " 3  n_modes - number", " 0.01 0.02 0.03   zeta - ratios")


def frequencies(blade: Blade, count: int = 6) -> np.ndarray:
    model = Model()
    blade.add_to(model, elements=4)
    return modes(model, count, undamped=True).frequencies_hz


def test_order_of_forces(tmp_path: Path) -> None:
    """(Fx, Fy, Fz, Mx, My, Mz) becomes (stretch, shear x', shear y', twist, bend about x', about y')."""
    k = np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) * 1e6
    k[0, 5] = k[5, 0] = 0.5e6  # shear x' with twist
    k[2, 3] = k[3, 2] = -0.25e6  # stretch with bending about x'
    blade = read_beamdyn(write_beamdyn(tmp_path, blade=blade_text([(0, k, MASS), (1, k, MASS)])))
    expected = np.diag([3.0, 1.0, 2.0, 6.0, 4.0, 5.0]) * 1e6
    expected[1, 3] = expected[3, 1] = 0.5e6
    expected[0, 4] = expected[4, 0] = -0.25e6
    assert blade.sections.sections[0].stiffness == pytest.approx(expected, rel=1e-14)


def test_mass_centre(tmp_path: Path) -> None:
    """The user guide's matrix: M16 = -m Ycm, M26 = m Xcm, M34 = m Ycm, M35 = -m Xcm."""
    m, x, y = RHO * AREA, 0.02, -0.05
    mass = np.diag([m, m, m, 0.3, 0.2, 0.5])
    mass[0, 5] = mass[5, 0] = -m * y
    mass[1, 5] = mass[5, 1] = m * x
    mass[2, 3] = mass[3, 2] = m * y
    mass[2, 4] = mass[4, 2] = -m * x
    blade = read_beamdyn(
        write_beamdyn(tmp_path, blade=blade_text([(0, STIFFNESS, mass), (1, STIFFNESS, mass)]))
    )
    section = blade.sections.sections[1]
    assert section.mass_centre == pytest.approx([x, y], rel=1e-14)
    assert section.mass_matrix[4:, 4:] == pytest.approx(np.diag([0.3, 0.2]), abs=1e-15)
    assert blade.mass == pytest.approx(2 * m, rel=1e-14)
    assert blade.centre_of_mass == pytest.approx([x, y, 1.0], rel=1e-12)


def test_twist_is_about_minus_z(tmp_path: Path) -> None:
    """With 30 degrees of twist x' points to (cos 30, -sin 30): a mass in front of the axis moves there."""
    rows = [row[:-3] + "30.0" for row in ROWS]
    mass = moved(MASS, 0.1, 0.0)
    path = write_beamdyn(
        tmp_path, primary_text(rows), blade_text([(0, STIFFNESS, mass), (1, STIFFNESS, mass)])
    )
    centre = read_beamdyn(path).centre_of_mass
    assert centre == pytest.approx([0.1 * np.cos(np.pi / 6), -0.1 * np.sin(np.pi / 6), 1.0], abs=1e-12)


@pytest.mark.parametrize(
    ("x", "y", "angle"), [(0.05, 0.0, 0.0), (0.0, -0.07, 0.0), (0.03, 0.02, 0.7), (0, 0, -1.2)]
)
def test_the_reference_does_not_matter(tmp_path: Path, x: float, y: float, angle: float) -> None:
    """The same bar, described about an eccentric line and in rotated axes, has the same frequencies and mass.

    The axis is at -(x, y) rotated; twist is about -z, so that axes rotated by `angle` about +z have twist -angle.
    """
    plain = read_beamdyn(write_beamdyn(tmp_path))
    k, m = (moved(turned(matrix, -angle), x, y) for matrix in (STIFFNESS, MASS))
    c, s = np.cos(angle), np.sin(angle)
    at = f"{-(c * x - s * y):.15e} {-(s * x + c * y):.15e}"
    rows = [f"{at} {z} {-np.degrees(angle):.15e}" for z in (0.0, 1.0, 2.0)]
    other = read_beamdyn(write_beamdyn(tmp_path, primary_text(rows), blade_text([(0, k, m), (1, k, m)])))
    assert other.centre_of_mass == pytest.approx(plain.centre_of_mass, abs=1e-12)
    assert other.inertia == pytest.approx(plain.inertia, rel=1e-9, abs=1e-9)
    assert frequencies(other) == pytest.approx(frequencies(plain), rel=1e-8)


def test_frequencies_of_the_bar(tmp_path: Path) -> None:
    """Slender bending about y' (the soft axis): beta L = 1.8751, less shear and rotary inertia."""
    blade = read_beamdyn(write_beamdyn(tmp_path))
    first = 1.8751040687**2 * np.sqrt(STIFFNESS[4, 4] / (MASS[0, 0] * 2.0**4)) / (2 * np.pi)
    assert frequencies(blade, 1)[0] == pytest.approx(first, rel=1e-3)


def test_members_share_a_key_point(tmp_path: Path) -> None:
    rows = [f"0.0 0.0 {z} 0.0" for z in (0.0, 0.5, 1.0, 1.5, 2.0)]
    blade = read_beamdyn(write_beamdyn(tmp_path, primary_text(rows, members="1 3\n2 3")))
    assert blade.length == pytest.approx(2.0, rel=1e-14)
    assert len(blade.axis.points) == 5


def test_damping_types(tmp_path: Path) -> None:
    none = read_beamdyn(write_beamdyn(tmp_path))
    assert (none.damping, none.modal_ratios) == (0.0, ())
    six = read_beamdyn(write_beamdyn(tmp_path, blade=blade_text(damping=PROPORTIONAL)))
    assert six.damping == pytest.approx([3e-3, 1e-3, 2e-3, 6e-3, 4e-3, 5e-3], rel=1e-15)
    modal = read_beamdyn(write_beamdyn(tmp_path, blade=blade_text(damping=MODAL)))
    assert modal.modal_ratios == (0.01, 0.02, 0.03)


def test_modal_damping_of_the_file(tmp_path: Path) -> None:
    blade = read_beamdyn(write_beamdyn(tmp_path, blade=blade_text(damping=MODAL)))
    model = Model()
    blade.add_to(model, elements=3)
    assert modes(model, 4).damping_ratios == pytest.approx([0.01, 0.02, 0.03, 0.0], abs=1e-8)


def test_six_damping_times(tmp_path: Path) -> None:
    """Uncoupled bending about one axis is damped by its own time: zeta = mu omega / 2."""
    blade = read_beamdyn(write_beamdyn(tmp_path, blade=blade_text(damping=PROPORTIONAL)))
    model = Model()
    blade.add_to(model, elements=3)
    found = modes(model, 2)
    # axis 3 = y' is the soft one: mu5; then x': mu4. Shear takes a little part, with mu1 and mu2.
    expected = np.array([5e-3, 4e-3]) * np.pi * found.frequencies_hz
    assert found.damping_ratios == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("exponent", ["D", "d", "e"])
def test_line_endings_and_fortran_exponents(tmp_path: Path, ending: str, exponent: str) -> None:
    blade = blade_text([(0, STIFFNESS, MASS), (1, STIFFNESS, MASS)]).replace("e+", f"{exponent}+")
    path = tmp_path / "primary.dat"
    path.write_bytes(primary_text().replace("\n", ending).encode())
    (tmp_path / "blade.dat").write_bytes(
        b"\xef\xbb\xbf" + blade.replace("e-", f"{exponent}-").replace("\n", ending).encode()
    )
    assert read_beamdyn(path).mass == pytest.approx(2 * RHO * AREA, rel=1e-14)


def replaced(matrix: np.ndarray, i: int, j: int, value: float) -> np.ndarray:
    new = np.array(matrix)
    new[i, j] = value
    return new


def stations(k: np.ndarray = STIFFNESS, m: np.ndarray = MASS) -> list:
    return [(0.0, STIFFNESS, MASS), (0.5, k, m), (1.0, STIFFNESS, MASS)]


INDEFINITE = replaced(replaced(STIFFNESS, 3, 4, 1e7), 4, 3, 1e7)
BAD_BLADES = {
    "unsymmetric": (
        blade_text(stations(replaced(STIFFNESS, 1, 4, 1e5))),
        r"station 2 \(eta = 0.5\).*not symmetric.*\(2, 5\)",
    ),
    "indefinite": (blade_text(stations(INDEFINITE)), r"station 2.*stiffness matrix is not positive definite"),
    "negative": (blade_text(stations(-STIFFNESS)), r"station 2.*stiffness matrix has -.* on its diagonal, row"),
    "mass not isotropic": (
        blade_text(stations(m=replaced(MASS, 1, 1, 9.0))),
        r"station 2.*entry \(\d, \d\).*same in all",
    ),
    "polar moment": (
        blade_text(stations(m=replaced(MASS, 5, 5, 1.0))),
        r"station 2.*entry \(6, 6\), the polar moment",
    ),
    "coupling": (
        blade_text(stations(m=replaced(replaced(MASS, 0, 4, 0.05), 4, 0, 0.05))),
        r"station 2.*entry \(\d, \d\).*mass centre in the section plane",
    ),
    "order": (
        blade_text([*stations()[:2], (0.5, STIFFNESS, MASS), (1.0, STIFFNESS, MASS)]),
        r"station 3 has eta = 0.5, not",
    ),
    "first": (blade_text([(0.1, STIFFNESS, MASS), (1.0, STIFFNESS, MASS)]), r"station 1 has eta = 0.1"),
    "last": (blade_text([(0.0, STIFFNESS, MASS), (0.9, STIFFNESS, MASS)]), r"station 2, the last, has eta = 0.9"),
    "too few": (blade_text(count=3), r"station 3 of 3 is missing"),
    "too many": (blade_text(stations(), count=2), r"(more stations than|the last, has eta)"),
    "no keyword": (blade_text().replace("station_total", "stations"), r"keyword 'station_total' is missing"),
    "no damp_type": (blade_text().replace("damp_type", "dampening"), r"keyword 'damp_type' is missing"),
    "damp_type": (blade_text(damping=("3 damp_type",)), r"damp_type is 3"),
    "mu missing": (blade_text(damping=("1 damp_type",)), r"damping coefficients mu1 … mu6 is missing"),
    "mu count": (blade_text(damping=(PROPORTIONAL[0], MU + "1 2 3 4 5")), r"mu1 … mu6: 5 entries, 6"),
    "mu negative": (blade_text(damping=(PROPORTIONAL[0], MU + "1 2 3 4 -5 6")), r"mu5 is -5"),
    "zeta count": (blade_text(damping=(*MODAL[:2], "0.01 0.02 zeta")), r"2 damping ratios zeta, but n_modes is 3"),
    "heading": (blade_text().replace("DISTRIBUTED", "SOME"), r"heading of the stations is missing"),
    "word": (
        blade_text().replace(matrix_text(STIFFNESS)[:21], "nonsense"),
        r"line 7: .*row 1 of the stiffness.*nonsense",
    ),
    "short row": (
        blade_text().replace(matrix_text(MASS).split("\n")[2], "1 2 3"),
        r"row 3 of the mass matrix: 3 entries",
    ),
    "not finite": (blade_text().replace(matrix_text(STIFFNESS)[:21], "nan"), r"entry 1 is not finite"),
    "cut": (blade_text()[:1200], r"(the file ends|entries, 6 are needed|is missing)"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_BLADES)
def test_bad_blade_files(tmp_path: Path, name: str) -> None:
    text, message = BAD_BLADES[name]
    refused(r"blade\.dat.*" + message, lambda: read_beamdyn(write_beamdyn(tmp_path, blade=text)))


BAD_PRIMARIES = {
    "members": (primary_text(members="1 4"), r"the members have 4 key points.*kp_total is 3"),
    "two members": (primary_text(members="1 3\n2 3"), r"the members have 6 key points, 1 of them shared"),
    "member number": (primary_text(members="2 3"), r"member 1 of 1"),
    "few": (primary_text(total=4, members="1 4"), r"key point 4 of 4 is missing"),
    "many": (primary_text([*ROWS, "0 0 3 0"], total=3), r"more key points than kp_total = 3"),
    "back": (primary_text([ROWS[0], ROWS[2], ROWS[1]]), r"key point 3 of 3 is at z = 1 m, not beyond"),
    "columns": (primary_text([ROWS[0], "0 0 1", ROWS[2]]), r"key point 2 of 3: 3 entries, 4"),
    "no total": (primary_text().replace("kp_total", "points"), r"keyword 'kp_total' is missing"),
    "no file": (primary_text().replace("BldFile", "file"), r"keyword 'BldFile' is missing"),
    "half a point": (
        primary_text().replace("3   kp_total", "3.5   kp_total"),
        r"kp_total is '3.5': give a whole number",
    ),
}


@pytest.mark.parametrize("name", BAD_PRIMARIES)
def test_bad_primary_files(tmp_path: Path, name: str) -> None:
    text, message = BAD_PRIMARIES[name]
    refused(r"primary\.dat.*" + message, lambda: read_beamdyn(write_beamdyn(tmp_path, primary=text)))


def test_missing_files(tmp_path: Path) -> None:
    refused(r"primary file '.*none.dat' cannot be read", lambda: read_beamdyn(tmp_path / "none.dat"))
    path = write_beamdyn(tmp_path)
    (tmp_path / "blade.dat").unlink()
    refused(r"blade file '.*blade.dat' cannot be read", read_beamdyn, path)
    path.write_bytes(b"\x00\x01")
    refused("is not a text file", read_beamdyn, path)


def test_stations_are_lines_of_the_message(tmp_path: Path) -> None:
    """The line named is where the station's matrices begin."""
    text = blade_text(stations(replaced(STIFFNESS, 1, 4, 1e5)))
    line = 1 + next(k for k, row in enumerate(text.split("\n")) if row.strip() == "0.5") + 1
    refused(rf"blade\.dat, line {line}, station 2", lambda: read_beamdyn(write_beamdyn(tmp_path, blade=text)))


def test_names_of_files_in_another_case(tmp_path: Path) -> None:
    """Decks written on Windows name `Blade.DAT`, the file is `blade.dat`: read as machines are."""
    path = write_beamdyn(tmp_path)
    expected = read_beamdyn(path)
    text = path.read_text()
    assert '"blade.dat"' in text
    path.write_text(text.replace('"blade.dat"', '".\\BLADE.Dat"'))
    assert read_beamdyn(path).mass == expected.mass
    path.write_text(text.replace('"blade.dat"', '"wing.dat"'))
    refused("wing.dat", read_beamdyn, path)
