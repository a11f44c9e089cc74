"""Machines from OpenFAST's files: places and masses by hand, NREL/TP-500-38060's frequencies, bad input."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.cases import nrel5mw_turbine
from fem_mbd.cases._blades import DATA
from fem_mbd.core.rotations import rotation_about
from fem_mbd.errors import InputError
from fem_mbd.machines import MachineFamily, assemble, read_openfast_machine
from fem_mbd.machines.report import total_mass

FILES = DATA / "nrel5mw"
TILT, CONE = np.radians(5.0), np.radians(2.5)


def deck(folder: Path, file: str = "", old: str = "", new: str = "") -> Path:
    """The main file of a copy in which ``old`` is ``new`` in one of the files."""
    for path in FILES.iterdir():
        shutil.copy(path, folder)
    if file:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))
    return folder / "NREL_5MW.fst"


def test_parts_stand_where_hand_calculation_puts_them() -> None:
    made = assemble(read_openfast_machine(FILES / "NREL_5MW.fst"))
    shaft = np.array([-np.cos(TILT), 0.0, np.sin(TILT)])  # from the yaw axis to the rotor
    apex = np.array([0.0, 0.0, 87.6 + 1.96256]) + 5.0191 * shaft
    assert made.beams["shaft"].end.position == pytest.approx(apex, abs=1e-9)
    assert apex[2] == pytest.approx(90.0, abs=1e-4)  # the definition's hub height
    # blade 1 upright in the tilted plane, coned upwind
    up = np.array([np.sin(TILT), 0.0, np.cos(TILT)])
    tip = 63.0 * (np.cos(CONE) * up + np.sin(CONE) * shaft)
    places = [made.beams[f"blade{k}"].end.position - apex for k in (1, 2, 3)]
    for k, place in enumerate(places):
        turned = rotation_about(-shaft, 2 * np.pi * k / 3) @ tip
        assert place == pytest.approx(turned, abs=1e-9)
    assert made.rotor.axis == pytest.approx(-shaft, abs=1e-12)


def test_the_turbine_weighs_what_a_sum_of_its_files_says() -> None:
    """Trapezoids of the tables, which are linear between stations; lumps at their places."""
    mass, centre = total_mass(assemble(read_openfast_machine(FILES / "NREL_5MW.fst")))
    tower = _rows("NREL_5MW_ElastoDyn_Tower.dat", "HtFract", 11)
    blade = _rows("NREL_5MW_ElastoDyn_Blade.dat", "BlFract", 49)
    own = 1.04536 * _integral(61.5 * blade[:, 0], blade[:, 2])
    parts = [_integral(87.6 * tower[:, 0], tower[:, 1]), 3 * own, 240000.0, 56780.0]
    assert mass == pytest.approx(sum(parts), rel=1e-6)
    # downwind: nothing of the tower, nacelle 1.9 m, hub at -5 m, blades' centres on the cone before it
    reach = 1.5 + 1.04536 * _integral(61.5 * blade[:, 0], blade[:, 2] * 61.5 * blade[:, 0], cubic=True) / own
    rotor = -5.0191 * np.cos(TILT) - np.cos(TILT) * np.sin(CONE) * reach
    downwind = 240000 * 1.9 - 56780 * 5.0191 * np.cos(TILT) + 3 * own * rotor
    assert mass * centre[0] == pytest.approx(downwind, rel=1e-5)


def test_frequencies_of_the_definition() -> None:
    """Table 9-1: between FAST and ADAMS, or 1.2 % from the nearer; the generator locked, at standstill."""
    family = nrel5mw_turbine.family(nrel5mw_turbine.Parameters(locked=True))
    found = modes_of(family.at(0.0), 14)
    by_name = dict(zip(family.names(found), found.frequencies_hz, strict=True))
    for name, pair in nrel5mw_turbine.TABLE_9_1.items():
        assert min(pair) * (1 - 0.012) <= by_name[name] <= max(pair) * (1 + 0.012), name
    with pytest.raises(InputError, match="its shaft is locked, it cannot turn at 1 rad/s"):
        family.at(1.0)


def test_beamdyn_blades_drivetrain_and_damping_as_openfast_linearises_them() -> None:
    """OpenFAST's regression test 5MW_Land_BD_Linear, frequencies.txt: tower 0.358 and 0.353 %, drivetrain 1.69 Hz,
    2.12 %. Its blades are seen at one azimuth, in rotating axes: frequencies of the blades cannot be compared."""
    machine = read_openfast_machine(FILES / "NREL_5MW_BeamDyn.fst")
    family = MachineFamily(machine, gravity=9.80665)
    found = modes_of(family.at(12.1 * np.pi / 30), 10)
    names = family.names(found)
    drivetrain = names.index("drivetrain")
    assert found.frequencies_hz[drivetrain] == pytest.approx(1.6916, rel=0.02)
    assert found.damping_ratios[drivetrain] == pytest.approx(0.0212, rel=0.06)
    for name, ratio in (("first tower fore-aft", 0.00353), ("first tower side-side", 0.00358)):
        assert found.damping_ratios[names.index(name)] == pytest.approx(ratio, rel=0.04)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("NREL_5MW.fst", "EDFile", "EFile", "NREL_5MW.fst: keyword 'EDFile' is missing"),
        ("NREL_5MW.fst", "NREL_5MW_ElastoDyn.dat", "no.dat", "ElastoDyn file '.*no.dat' cannot be read"),
        ("NREL_5MW.fst", "1   CompElast", "3   CompElast", "line 4: CompElast is 3"),
        ("NREL_5MW.fst", "1   CompServo", "0   CompServo", "nothing restrains the nacelle"),
        ("NREL_5MW_ElastoDyn.dat", "63   TipRad", "x   TipRad", "TipRad is 'x': give a number"),
        ("NREL_5MW_ElastoDyn.dat", "63   TipRad", "1   TipRad", "TipRad has to be larger than HubRad"),
        ("NREL_5MW_ElastoDyn.dat", "240000   NacMass", "-1   NacMass", "NacMass is '-1': give a number from 0"),
        ("NREL_5MW_ElastoDyn.dat", "2.60789E+06", "2.6", "NacYIner is less than the moment of inertia of NacMass"),
        ("NREL_5MW_ElastoDyn.dat", "87.6   TowerHt", "-87.6   TowerHt", "not above its foot"),
        ("NREL_5MW_ElastoDyn.dat", "-5.0191   OverHang", "0   OverHang", "overhang is 0 m"),
        ("NREL_5MW_ElastoDyn_Tower.dat", "TwSSStif", "TwStif", "the table has no column 'TwSSStif'"),
        ("NREL_5MW_ElastoDyn_Tower.dat", "   0.5   ", "   0.3   ", "column 'HtFract' has to ascend from 0 to 1"),
        ("NREL_5MW_ElastoDyn_Tower.dat", "2536.27", "0", "the mass of 'tower' has to be above zero"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_by_file_and_line(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_openfast_machine(deck(tmp_path, file, old, new))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("NREL_5MW.fst", '"NREL_5MW_ElastoDyn.dat"', '"../../../NREL_5MW_ElastoDyn.dat"'),
        ("NREL_5MW_ElastoDyn.dat", '"NREL_5MW_ElastoDyn_Tower.dat"', r'"..\..\..\..\etc\passwd"'),
    ],
)
def test_files_outside_of_the_machine_s_folder_are_not_read(
    tmp_path: Path, file: str, old: str, new: str
) -> None:
    """Published machines keep what they share up to two folders up, as HAWC2's; further up is somebody else's."""
    (tmp_path / "machine").mkdir()
    with pytest.raises(InputError, match=r"names a file outside of .*; files from elsewhere are not read"):
        read_openfast_machine(deck(tmp_path / "machine", file, old, new))


@pytest.mark.parametrize(
    ("place", "named"),
    [("machine", "../shared/tower.dat"), ("linear/campbell", r"..\..\Shared\Tower.dat")],
)
def test_files_in_folders_of_the_machine_s_tree_are_read(tmp_path: Path, place: str, named: str) -> None:
    """Beside the main file's folder, and beside the one above it, as the DTU 10 MW deck of v3.3.0 has its rotor."""
    folder = tmp_path / place
    folder.mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    old = '"NREL_5MW_ElastoDyn_Tower.dat"'
    main = deck(folder, "NREL_5MW_ElastoDyn.dat", old, f'"{named}"')
    (folder / old.strip('"')).rename(tmp_path / "shared" / "tower.dat")
    assert len(read_openfast_machine(main).members) > 0


def test_beamdyn_blades_have_the_length_that_elastodyn_says(tmp_path: Path) -> None:
    deck(tmp_path, "NREL_5MW_ElastoDyn.dat", "63   TipRad", "62   TipRad")
    with pytest.raises(InputError, match=r"TipRad less HubRad is 60.5 m, .* blade 1 end at z = 61.5 m"):
        read_openfast_machine(tmp_path / "NREL_5MW_BeamDyn.fst")


def _rows(name: str, first: str, count: int) -> np.ndarray:
    lines = (FILES / name).read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.split()[:1] == [first]) + 2
    return np.array([[float(word) for word in line.split()] for line in lines[start : start + count]])


def _integral(x: np.ndarray, y: np.ndarray, cubic: bool = False) -> float:
    """Of a table that is linear between stations; ``cubic``: y is such a table times x, on a fine grid."""
    if not cubic:
        return float(np.sum(0.5 * (y[1:] + y[:-1]) * np.diff(x)))
    fine = np.unique(np.concatenate([np.linspace(a, b, 20) for a, b in zip(x[:-1], x[1:], strict=True)]))
    density = np.divide(y, x, out=np.zeros_like(y), where=x > 0)
    density[0] = density[1]
    values = np.interp(fine, x, density) * fine
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(fine)))
