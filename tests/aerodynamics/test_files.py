"""Readers of ae, pc and AeroDyn's files, polars and their interpolation; what is refused, with line and remedy."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd import InputError
from fem_mbd.aerodynamics.blade import Polar, PolarSet
from fem_mbd.aerodynamics.files import read_ae, read_aerodyn_blade, read_aerodyn_polar, read_pc
from fem_mbd.machines.steady import read_operation

DATA = Path(__file__).parent / "data"
DECKS = Path(__file__).parent.parent / "machines" / "decks"
ALPHA = np.array([-180.0, -90.0, 0.0, 90.0, 180.0])


def test_ae_and_pc() -> None:
    ae = read_ae(DECKS / "iea10" / "iea10mw_rc1_hawc2_ae.dat")
    assert len(ae.radius) == 30
    np.testing.assert_allclose(
        [ae.radius[1], ae.chord[1], ae.thickness[1]], [3.34697401, 4.60248359, 97.57344370]
    )
    (polars,) = read_pc(DECKS / "iea10" / "iea10mw_rc1_hawc2_pc.dat")
    assert len(polars.polars) == 8
    np.testing.assert_allclose(polars.thickness[[0, 1, -1]], [1.0, 21.1, 100.0], atol=3.0)
    first = polars.at(float(polars.thickness[0]))
    assert (first.alpha[0], first.alpha[-1], first.cd[0]) == (-180.0, 180.0, 2.464146255885971e-02)


def test_polars_between_two_thicknesses() -> None:
    thin, thick = Polar(ALPHA, [0, 1, 0.2, 1, 0], 0 * ALPHA), Polar(ALPHA, 0 * ALPHA, 1 + 0 * ALPHA)
    middle = PolarSet([20.0, 40.0], [thin, thick]).at(25.0)
    np.testing.assert_allclose(middle.cl, 0.75 * thin.cl)
    np.testing.assert_allclose(middle.cd, 0.25)


def test_aerodyn() -> None:
    blade = read_aerodyn_blade(DATA / "IEA-22-280-RWT_AeroDyn15_blade.dat")
    assert len(blade.chord) == 59
    np.testing.assert_allclose(
        blade.centre[3], [-0.29018446986544037, -0.1367024413086805 * 10, 7.12758620689655], rtol=1e-9
    )
    assert np.degrees(blade.twist[0]) == pytest.approx(12.0)
    polar = read_aerodyn_polar(DATA / "IEA-22-280-RWT_AeroDyn15_Polar_55.dat")
    # the file's own numbers: -2.968756 deg, 7.030043 per rad (of the normal force)
    assert np.degrees(polar.zero_lift) == pytest.approx(-2.968756, abs=2e-3)
    assert polar.slope == pytest.approx(7.030043, rel=0.06)


def ae(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "blade_ae.dat"
    file.write_text(text)
    return file


AE = "1 sets\n1 3 r,c,t/c\n0 3 100 1\n10 3 50 1\n20 1 20 1\n"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("1 sets", "none", "line 1: the number of sets is missing"),
        ("1 3 r", "1 x r", "line 2: number of rows of the set is missing"),
        ("10 3 50 1", "10 3 x 1", "line 4: radius, chord, thickness, set of polars: entry 3 is 'x'"),
        ("10 3 50 1", "10 3 50", "line 4: .* 3 entries, 4 are needed"),
        ("10 3 50", "0 3 50", "radii of set 1 do not ascend"),
        ("20 1 20", "20 0 20", "chords of set 1 have to be above zero"),
        ("20 1 20 1\n", "", "the file ends before"),
    ],
)
def test_bad_ae(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_ae(ae(tmp_path, AE.replace(old, new)))


def test_ae_without_the_set(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="set 2 is asked for: the file has 1"):
        read_ae(ae(tmp_path, AE), 2)


def pc(rows: list[str]) -> str:
    return f"1 sets\n1\n1 {len(rows)} 20 thin\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            ["-180 0 0 0", "0 0 0 0", "90 0 0 0"],
            "line 3: angles of attack run from -180 to 90 deg: .* -180 to 180",
        ),
        (["-180 0 0 0", "0 0 0 0", "0 0 0 0", "180 0 0 0"], "do not ascend: 0 deg follows 0 deg"),
        (["-180 0 0", "0 0 0 0", "180 0 0 0"], "line 4: alpha, cl, cd, cm: 3 entries, 4 are needed"),
        (["-180 0 0 0", "0 nan 0 0", "180 0 0 0"], "line 5: .* not finite"),
    ],
)
def test_bad_pc(tmp_path: Path, rows: list[str], says: str) -> None:
    file = tmp_path / "pc.dat"
    file.write_text(pc(rows))
    with pytest.raises(InputError, match=says):
        read_pc(file)


def test_thickness_outside_the_set() -> None:
    polars = PolarSet([20.0], [Polar(ALPHA, 0 * ALPHA, 0 * ALPHA)], "file_pc.dat, set 1")
    with pytest.raises(InputError, match=r"file_pc\.dat, set 1: relative thickness 60 % is outside"):
        polars.at(60.0)


def test_aerodyn_blade_without_chord(tmp_path: Path) -> None:
    text = (DATA / "IEA-22-280-RWT_AeroDyn15_blade.dat").read_text().replace("BlChord", "BlCrd")
    file = tmp_path / "blade.dat"
    file.write_text(text)
    with pytest.raises(InputError, match="line 5: there is no column blchord"):
        read_aerodyn_blade(file)


def test_mutations_end_in_a_message(tmp_path: Path) -> None:
    """Damaged files are read or refused, without any other error."""
    random = np.random.default_rng(1)
    readers = {
        DECKS / "iea10" / "iea10mw_rc1_hawc2_ae.dat": read_ae,
        DECKS / "iea10" / "iea10mw_rc1_hawc2_pc.dat": read_pc,
        DATA / "IEA-22-280-RWT_AeroDyn15_blade.dat": read_aerodyn_blade,
        DATA / "IEA-22-280-RWT_AeroDyn15_Polar_55.dat": read_aerodyn_polar,
        DECKS / "iea22" / "iea_22mw_rwt.opt": read_operation,
    }
    refused = 0
    for path, reader in readers.items():
        text = path.read_text()
        words = ["nan", "x", "-1", "1e30", "", "0", "999999"]
        for _ in range(200):
            at, length = random.integers(len(text)), random.integers(1, 12)
            file = tmp_path / "mutated.dat"
            file.write_text(text[:at] + words[random.integers(len(words))] + text[at + length :])
            try:
                reader(file)  # type: ignore[operator]
            except InputError:
                refused += 1
    assert refused > 200
