"""Floating machines: hydrostatics, mass and natural frequencies against reports and other programs."""

import re
import shutil
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.errors import InputError
from fem_mbd.machines import LeftOutWarning, MachineFamily, with_elements
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.floater import read_potential
from fem_mbd.machines.readers.openfast.strips import Strip, added_mass, displaced, read_strips, restoring
from tests.machines.hawc2.decks import DECKS
from tests.refusals import refused

FLOATING = DECKS / "floating"
MAINS = {
    "OC3": FLOATING / "oc3_hywind" / "5MW_OC3Spar_DLL_WTurb_WavesIrr.fst",
    "OC4": FLOATING / "oc4_semi" / "5MW_OC4Semi_WSt_WavesWN.fst",
    "TLP": FLOATING / "mit_tlp" / "5MW_TLP_DLL_WTurb_WavesIrr_WavesMulti.fst",
    "IEA 15": FLOATING / "IEA-15-240-RWT-UMaineSemi" / "IEA-15-240-RWT-UMaineSemi.fst",
    "IEA 22": FLOATING / "IEA-22-280-RWT-Semi" / "IEA-22-280-RWT-Semi.fst",
}
IEA22_STRIPS = FLOATING / "IEA-22-280-RWT-Semi" / "IEA-22-280-RWT-Semi_HydroDyn.dat"


def read(name: str, **options: str) -> fm.Machine:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        return fm.Machine.read(MAINS[name], **options)


@cache
def frequencies(name: str, added: str) -> dict[str, float]:
    """Hz by name, at standstill."""
    found = read(name, added_mass=added).modes(number=10, elements=6)
    return dict(zip(found.names, found.frequencies_hz, strict=True))


@pytest.mark.parametrize("name", MAINS)
def test_six_motions_of_the_platform_have_names(name: str) -> None:
    found = frequencies(name, "infinite frequency")
    motions = {f"platform {kind}" for kind in ("surge", "sway", "heave", "roll", "pitch", "yaw")}
    assert motions <= set(found)
    assert found["platform surge"] < found["platform pitch"] < found["first tower fore-aft"]


def test_surge_and_heave_are_those_of_one_mass_on_a_spring() -> None:
    """OC3: sqrt(C/(m + A)) of heave to the digits of the lines; of surge pitch takes part."""
    machine = read("OC3")
    assert machine.floater is not None
    mass = sum(m.blade.mass + sum(lump.mass for lump in m.lumps) for m in machine.members)
    heave = machine.floater.stiffness[2, 2] / (mass + machine.floater.added_mass[2, 2])
    found = frequencies("OC3", "infinite frequency")
    assert found["platform heave"] == pytest.approx(np.sqrt(heave) / (2 * np.pi), rel=1e-3)


def test_rigid_pitch_stiffness_is_water_and_weight() -> None:
    """Of all that floats, turned as one body about the reference point: C55 - g sum m z."""
    machine = with_elements(read("OC3"), 4)
    assert machine.floater is not None
    family = MachineFamily(machine)
    linear = family.at(0.0)
    places = linear.state.u - machine.floater.reference
    turn = np.array([0.0, 1.0, 0.0])
    motion = np.concatenate([np.cross(turn, places), np.einsum("nij,i->nj", linear.state.r, turn)], axis=1)
    x = motion[~linear.system.fixed]
    weight = machine.floater.gravity * float(linear.system.workspace.mass @ places[:, 2])
    assert x @ linear.stiffness @ x == pytest.approx(machine.floater.stiffness[4, 4] - weight, rel=1e-4)


def test_hydrostatics_of_the_spar_are_those_of_its_report() -> None:
    """NREL/TP-500-47535, eq. 4-3."""
    found = read_potential(FLOATING / "5MW_Baseline" / "HydroData" / "Spar", 1.0, 1025.0, 9.80665)
    assert found.restoring[2, 2] == pytest.approx(332941, rel=1e-4)
    assert found.restoring[3, 3] == pytest.approx(-4999180000, rel=1e-4)


def test_strip_theory_has_the_hydrostatics_of_potential_flow() -> None:
    """The IEA 22 MW platform by its members, and by WAMIT."""
    strips = read_strips(Deck(IEA22_STRIPS, "HydroDyn file"))
    found = restoring(strips, 1025.0, 9.81, np.zeros(3))
    wamit = read_potential(IEA22_STRIPS.parent / "HydroData" / "semi", 1.0, 1025.0, 9.81).restoring
    assert displaced(strips) == pytest.approx(24460.244, rel=1e-3)
    assert found[2, 2] == pytest.approx(wamit[2, 2], rel=1e-4)
    assert np.diag(found)[3:5] == pytest.approx(np.diag(wamit)[3:5], rel=0.015)
    assert np.abs(found - found.T).max() == 0.0


def test_hydrostatics_of_an_upright_cylinder() -> None:
    """Textbook: water plane A with second moments pi D^4/64, volume A d with its centre at half the draft d."""
    size, draft, x, y = 6.0, 15.0, 4.0, -3.0
    ends = np.array([(x, y, -draft), (x, y, 5.0)])
    strip = Strip(ends, np.full(2, size), np.zeros(2), np.ones(2), ("1", "2"), False)
    found = restoring({"1": strip}, 1000.0, 10.0, np.zeros(3)) / 1e4
    area, own = np.pi * size**2 / 4, np.pi * size**4 / 64 - np.pi * size**2 / 4 * draft**2 / 2
    expected = np.zeros((6, 6))
    expected[2:5, 2:5] = area * np.array([(1, y, -x), (y, y * y, -x * y), (-x, -x * y, x * x)])
    expected[3, 3], expected[4, 4] = area * y**2 + own, area * x**2 + own
    assert found == pytest.approx(expected, rel=1e-12)


def test_lengths_of_wamit_are_in_its_unit(tmp_path: Path) -> None:
    """WAMIT manual, chapter 4: C over rho g L^2, L^3, L^4, A over rho L^3, L^4, L^5, by how many motions are turns."""
    (tmp_path / "body.hst").write_text("3 3 1.0\n3 5 1.0\n5 5 1.0\n")
    limits = ((-1.0, 1.0), (0.0, 2.0))
    rows = [f"{per} {i} {j} {a}\n" for per, a in limits for i, j in ((1, 1), (1, 5), (5, 5))]
    (tmp_path / "body.1").write_text("".join(rows))
    found = read_potential(tmp_path / "body", 3.0, 1000.0, 10.0)
    assert [found.restoring[k] for k in ((2, 2), (2, 4), (4, 4))] == pytest.approx([9e4, 27e4, 81e4])
    assert [found.slow[k] for k in ((0, 0), (0, 4), (4, 4))] == pytest.approx([27e3, 81e3, 243e3])
    assert found.fast == pytest.approx(2.0 * found.slow)


def test_added_mass_of_a_cylinder_is_the_water_that_it_displaces(tmp_path: Path) -> None:
    """Ca 1 across, at the depth of its middle; its end has AxCa 2/3 pi R^3."""
    strips = read_strips(Deck(IEA22_STRIPS, "HydroDyn file"))
    column = {"1": strips["1"]}
    found = added_mass(Deck(IEA22_STRIPS, "HydroDyn file"), column, 1000.0, np.zeros(3))
    mass, end = 1000.0 * np.pi * 36.0 * 25.0, 1000.0 * 2 / 3 * np.pi * 216.0
    assert np.diag(found)[:3] == pytest.approx([mass, mass, end], rel=1e-9)
    assert found[0, 4] == pytest.approx(-12.5 * mass, rel=1e-9)
    assert found[4, 4] == pytest.approx(mass * (25.0**2 / 3), rel=1e-4)


def test_ballast_makes_the_platform_of_the_report() -> None:
    """OC4 DeepCwind with ballast: NREL/TP-5000-60601, table 3-3."""
    lumps = [lump for lump in read("OC4").member("tower").lumps if lump.node == 0]
    mass = sum(lump.mass for lump in lumps)
    centre = np.sum([lump.mass * lump.centre for lump in lumps], axis=0) / mass
    arms = [lump.centre - centre for lump in lumps]
    inertia = sum(
        lump.inertia + lump.mass * (a @ a * np.eye(3) - np.outer(a, a))
        for lump, a in zip(lumps, arms, strict=True)
    )
    assert mass == pytest.approx(1.3473e7, rel=1e-3)
    assert centre[2] + 10.0 == pytest.approx(-13.46, abs=0.02)
    assert np.diag(inertia) == pytest.approx([6.827e9, 6.827e9, 1.226e10], rel=0.01)


def test_what_is_left_out_is_said() -> None:
    with pytest.warns(LeftOutWarning) as said:
        fm.Machine.read(MAINS["IEA 22"])
    text = "\n".join(str(one.message) for one in said)
    for part in (
        "radiation is left out",
        "surge 1.26",
        "drag is quadratic",
        "not at the depth of the water",
        "lifted by",
    ):
        assert part in text


def test_a_floating_machine_has_a_campbell_diagram_about_its_equilibrium() -> None:
    found = read("IEA 15").campbell([0.0, 0.4, 0.8], number=9, elements=3, shape="equilibrium")
    pitch = found.frequencies_hz[:, found.names.index("platform pitch")]
    assert pitch == pytest.approx(0.0352, rel=0.02)


@pytest.mark.parametrize(
    ("ending", "keyword", "value", "said"),
    [
        ("_HydroDyn.dat", "PotMod", "2", r"PotMod is 2: give 0 \(strip theory\) or 1"),
        ("_HydroDyn.dat", "NBody", "2", r"NBody is 2: only one body is supported"),
        ("_HydroDyn.dat", "PtfmRefztRot", "5", r"PtfmRefztRot is not 0"),
        ("_HydroDyn.dat", "PotFile", '"HydroData/none"', r"none.hst' cannot be read"),
        ("_HydroDyn.dat", "AddCLin", "0 0 0 much 0 0", r"row 1 of AddCLin: give six numbers"),
        (".fst", "CompMooring", "2", r"CompMooring is 2: give 0 \(none\), 1"),
        ("_ElastoDyn.dat", "PtfmYIner", "9e10", r"a principal moment of inertia"),
        ("_ElastoDyn.dat", "PtfmXYIner", "1.0", r"PtfmXYIner is not 0"),
    ],
)
def test_what_is_not_read_is_refused(
    tmp_path: Path, ending: str, keyword: str, value: str, said: str
) -> None:
    for folder in ("IEA-15-240-RWT-UMaineSemi", "IEA-15-240-RWT"):
        shutil.copytree(FLOATING / folder, tmp_path / folder)
    path = tmp_path / "IEA-15-240-RWT-UMaineSemi" / f"IEA-15-240-RWT-UMaineSemi{ending}"
    text, found = re.subn(rf"^[^\n]*?(\s{keyword}\s)", rf"{value}\1", path.read_text(), count=1, flags=re.M)
    assert found
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        refused(said, lambda: fm.Machine.read(path.parent / "IEA-15-240-RWT-UMaineSemi.fst"))


def test_a_row_of_wamit_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    source = FLOATING / "5MW_Baseline" / "HydroData"
    shutil.copy(source / "Spar.hst", tmp_path)
    (tmp_path / "Spar.1").write_text("-1.0 1 1 7000\n 0.0 1 7 7000\n")
    with pytest.raises(InputError, match=r"Spar.1, line 2: .*I and J are 1 and 7"):
        read_potential(tmp_path / "Spar", 1.0, 1025.0, 9.81)
    (tmp_path / "Spar.1").write_text("-1.0 1 1 7000\n")
    with pytest.raises(InputError, match=r"the added mass of fast \(PER = 0\) motions is missing"):
        read_potential(tmp_path / "Spar", 1.0, 1025.0, 9.81)


def test_weight_cannot_be_left_out_of_what_floats() -> None:
    refused("floats: weight and buoyancy hold it upright", lambda: read("OC3").modes(gravity=0.0, elements=3))


def test_loads_without_weight_of_what_floats_are_refused() -> None:
    refused("read it with platform='held'", lambda: read("OC3").loads(elements=3, gravity=0.0))


def test_an_unknown_added_mass_is_refused() -> None:
    refused("added_mass is 'slow'", read, "OC3", added_mass="slow")
