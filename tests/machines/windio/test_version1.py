"""Machines from windIO files of version 1, as they are published, beside windIO's own files of version 2."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import trapezoid

from fem_mbd.errors import InputError
from fem_mbd.machines import LeftOutWarning, Machine, read_windio_machine
from fem_mbd.machines.report import describe

windIO = pytest.importorskip("windIO")
EXAMPLES = Path(windIO.__file__).parent / "examples" / "turbine"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::fem_mbd.machines.LeftOutWarning")]
DATA = Path(__file__).parent.parent / "decks" / "windio1"


def read(path: Path) -> tuple[Machine, str]:
    """The machine and all that was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine = read_windio_machine(path)
    assert all(issubclass(each.category, LeftOutWarning) for each in caught)
    return machine, "\n".join(str(each.message) for each in caught)


def test_iea22_of_version_1_is_that_of_version_2() -> None:
    """windIO's package has the turbine in version 2, with the tower's sections that WISDEM made of its walls."""
    ours, said = read(DATA / "IEA-22-280-RWT.yaml")
    other, _ = read(EXAMPLES / "IEA-22-280-RWT.yaml")
    assert "structural_damping" in said
    assert ours.ignored[-1] == "converted from version 1 by windIO's converter"
    for s in (0.0, 1.0):
        one, two = (m.member("blade1").blade.sections(s).stiffness for m in (ours, other))
        assert one == pytest.approx(two, rel=1e-5, abs=1e-6 * np.max(two))
        place, axes = ours.member("blade1").blade.axis.at(s)
        wanted, along = other.member("blade1").blade.axis.at(s)
        assert place == pytest.approx(wanted, abs=1e-3)
        assert axes == pytest.approx(along, abs=0.01)  # a fifth of the stations
    assert ours.member("tower").blade.mass == pytest.approx(other.member("tower").blade.mass, rel=1e-3)
    for s in (0.25, 0.75):
        one, two = (np.diag(m.member("tower").blade.sections(s).stiffness) for m in (ours, other))
        assert one[3:] == pytest.approx(two[3:], rel=0.015)  # WISDEM takes means between stations


def test_rigid_bodies_of_version_1_are_carried_over() -> None:
    """windIO's converter drops them. The report of the turbine has 821.2 t of nacelle in its OpenFAST file too."""
    machine, said = read(DATA / "IEA-22-280-RWT.yaml")
    lumped = {m["name"]: m["lumped_mass_kg"] for m in describe(machine)["members"]}
    assert lumped["nacelle"] == pytest.approx(821239.8, rel=1e-3)
    assert lumped["shaft"] == pytest.approx(120447.70, rel=1e-6)
    assert lumped["tower"] == pytest.approx(28740.99, rel=1e-6)
    assert "no inertia of the generator" in said


def test_the_nacelle_is_what_the_assembly_leaves() -> None:
    """BAR has one body for rotor and nacelle: 379118.35 kg at (-4.6439, -0.0829, 1.7097) m from the tower's top."""
    machine, said = read(DATA / "BAR_URC.yaml")
    data = describe(machine)
    tower = next(m for m in data["members"] if m["name"] == "tower")
    top = np.array([0.0, 0.0, tower["end"][2]])
    above = data["mass_kg"] - tower["mass_kg"]
    assert above == pytest.approx(379118.35, rel=1e-3)
    blade = machine.member("tower").blade
    s = np.linspace(0.0, 1.0, 2001)
    mass = np.array([blade.sections(float(x)).mass_per_length for x in s])
    height = tower["start"][2] + trapezoid(mass * s, s) / trapezoid(mass, s) * tower["length"]
    centre = (np.array(data["centre_of_mass"]) * data["mass_kg"] - [0, 0, height * tower["mass_kg"]]) / above
    assert centre - top == pytest.approx([-4.6439, -0.0829, 1.7097], abs=0.01)
    for words in ("no shear stiffness", "(4, 4) at (4, 5) again", "hub: no mass"):
        assert words in said


def test_the_monopile_is_held_at_the_sea_bed() -> None:
    machine, said = read(DATA / "IEA-22-280-RWT.yaml")
    assert "clamped at the sea bed, z = -34 m" in said
    frames = machine.frames()
    assert frames["monopile"].origin[2] == pytest.approx(-34.0)
    assert frames["tower"].origin[2] == pytest.approx(15.0)


def test_a_pile_without_a_sea_bed_is_warned_of(tmp_path: Path) -> None:
    _, said = read(edited(tmp_path, "water_depth", "depth", "IEA-22-280-RWT.yaml"))
    assert "not read without 'environment.water_depth'" in said


def edited(folder: Path, old: str, new: str, name: str = "BAR_URC.yaml") -> Path:
    text = (DATA / name).read_text()
    assert old in text
    path = folder / name
    path.write_text(text.replace(old, new, 1))
    return path


def test_what_is_no_structure_does_not_stand_in_the_way(tmp_path: Path) -> None:
    text = (DATA / "BAR_URC.yaml").read_text()
    for extra in ("control:\n  pitch: [nonsense\n", "airfoils: 3\n", "costs: {a: [1, {b: 2}]}\n"):
        kept = text[: text.index("control:")] + text[text.index("materials:") :]
        (tmp_path / "other.yaml").write_text(kept + extra)
        machine, _ = read(tmp_path / "other.yaml")
        assert machine.member("blade1").blade.length == pytest.approx(100.0, abs=0.01)


def test_errors_name_the_first_three_places(tmp_path: Path) -> None:
    text = (DATA / "IEA-22-280-RWT.yaml").read_text()
    for word in ("diameter", "uptilt", "overhang", "distance_tt_hub", "gear_ratio"):
        at = text.index(f" {word}: ") + len(word) + 3
        text = text[:at] + "[1.0] #" + text[at:] if word != "uptilt" else text
    (tmp_path / "wrong.yaml").write_text(text)
    with pytest.raises(
        InputError, match=r"schema at 'components\.\w+.*; all \d places are in (\S+\.txt)"
    ) as caught:
        read_windio_machine(tmp_path / "wrong.yaml")
    listed = Path(str(caught.value).split()[-1])
    places = listed.read_text().splitlines()
    listed.unlink()
    assert len(places) == 4
    assert sum(str(caught.value).count(place.split(":")[0]) for place in places) == 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("elastic_properties_mb:\n", "elastic:\n", r"blade has neither 'elastic_properties' nor 'layers'"),
        ("outer_shape_bem:\n", "outer_shape_bem: 3\n        other:\n", "converter from version 1 to 2 stops at"),
        ("name: steel", "name: wood", "there is no material 'steel'"),
        ("number_of_blades: 3", "number_of_blades: three", "number_of_blades"),
        ("components:", "parts:", r"there is no 'components\.blade'"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_windio_machine(edited(tmp_path, old, new))


@pytest.mark.parametrize(
    ("file", "mass"),
    [(EXAMPLES / "IEA-22-280-RWT.yaml", 82301.0), (DATA / "IEA-10-198-RWT.yaml", 48678.7)],
)
def test_masses_of_blades(file: Path, mass: float) -> None:
    """Stations are fractions of the reference axis's grid, not of its length: by hand from the files, to 0.2 kg.

    The IEA 22 MW blade has 82,301.0 kg by its HAWC2 deck as well. By arc lengths the masses are 0.23 and 0.46 % more.
    """
    machine, _ = read(file)
    assert machine.member("blade1").blade.mass == pytest.approx(mass, abs=0.2)
