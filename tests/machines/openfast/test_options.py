"""What OpenFAST's files can ask for: degrees of freedom, tuners, two blades and one, free yaw, monopiles.

References: OpenFAST's own linearisations (eigenvalues of the state matrices in files of OpenFAST's r-test and of
openfast_toolbox), closed forms and sums by hand.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import EquilibriumWarning, InputError, Machine
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.machines import LeftOutWarning, MachineFamily, assemble, read_openfast_machine
from fem_mbd.machines.report import describe
from tests.machines.hawc2.decks import DECKS
from tests.machines.openfast.openfast_files import BLADES_ONLY, deck
from tests.machines.openfast.windpact import WINDPACT

pytestmark = pytest.mark.slow


def warned(path: Path, **options: str) -> tuple[Machine, str]:
    """The machine and all that was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine = read_openfast_machine(path, **options)  # type: ignore[arg-type]
    assert all(each.category is LeftOutWarning for each in caught)
    return machine, "\n".join(str(each.message) for each in caught)


def frequencies(machine: Machine, number: int, gravity: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    found = modes_of(MachineFamily(machine, machine.start, gravity=gravity).at(0.0), number)
    return found.frequencies_hz, found.damping_ratios


def test_angles_with_which_the_files_begin() -> None:
    machine = read_openfast_machine(WINDPACT)
    assert machine.start == pytest.approx({f"pitch{k}": np.radians(2.6) for k in (1, 2, 3)})


def test_one_blade_alone_as_openfast_linearises_it(tmp_path: Path) -> None:
    """All flags but those of the blade are False: openfast_toolbox, data/NREL5MW/5MW_Land_Lin_BladeOnly."""
    machine, said = warned(deck(tmp_path, elasto={"NumBl": "1"} | BLADES_ONLY))
    found, ratios = frequencies(machine, 3, gravity=9.81)
    assert found[:2] == pytest.approx([0.67167, 1.07914], rel=0.015)
    assert found[2] == pytest.approx(1.98086, rel=0.03)
    assert ratios[:2] == pytest.approx([0.00474, 0.00471], rel=0.05)
    assert said == ""


@pytest.mark.parametrize(
    ("flags", "missing"),
    [
        (("TwFADOF1", "TwFADOF2"), "first tower fore-aft"),
        (("TwSSDOF1", "TwSSDOF2"), "first tower side-side"),
        (("EdgeDOF",), "first edge vertical"),
        (("FlapDOF1", "FlapDOF2"), "first flap collective"),
    ],
)
def test_directions_that_flags_hold_do_not_move(tmp_path: Path, flags: tuple[str, ...], missing: str) -> None:
    machine = read_openfast_machine(deck(tmp_path, elasto=dict.fromkeys(flags, "False")))
    family = MachineFamily(machine)
    found = modes_of(family.at(0.0), 10)
    names = family.names(found)
    below = [name for name, f in zip(names, found.frequencies_hz, strict=True) if f < 1.5]
    assert missing not in below
    assert "first tower fore-aft" in below or "first tower side-side" in below


def test_tuners_scale_the_stiffness(tmp_path: Path) -> None:
    """All shapes by one factor: frequencies of the blade by its root."""
    flags = {"NumBl": 1} | BLADES_ONLY
    found = {}
    for factor in (1.0, 1.21):
        (tmp_path / f"{factor}").mkdir()
        tuned = {"FlStTunr(1)": factor, "FlStTunr(2)": factor}
        path = deck(tmp_path / f"{factor}", elasto=flags | {"EdgeDOF": "False"}, blade=tuned)
        found[factor], ratios = frequencies(warned(path)[0], 2)
        assert ratios[0] == pytest.approx(0.00477, rel=0.02)  # of the deck, whatever the stiffness
    assert found[1.21] / found[1.0] == pytest.approx([1.1, 1.1], rel=2e-3)


def test_a_tower_of_one_station_is_uniform(tmp_path: Path) -> None:
    """Clamped beam: f = 1.8751^2/(2 pi) sqrt(EI/m)/L^2, with nothing on its top."""
    path = deck(tmp_path, elasto={"NacMass": 1e-3, "NacYIner": 1e-2})
    table = path.with_name("NREL_5MW_ElastoDyn_Tower.dat")
    rows = table.read_text().splitlines()
    first = next(k for k, line in enumerate(rows) if line.split()[:1] == ["0.0"] or line.split()[:1] == ["0"])
    rows = [line for k, line in enumerate(rows) if not first < k <= first + 10]
    text = "\n".join(rows).replace("11   NTwInpSt", "1   NTwInpSt")
    assert "1   NTwInpSt" in text
    table.write_text(text + "\n")
    tower = read_openfast_machine(path).member("tower").blade
    own = [float(word) for word in rows[first].split()]
    for s in (0.0, 0.4, 1.0):
        assert tower.sections(s).mass_per_length == pytest.approx(own[1])
        assert np.diag(tower.sections(s).stiffness)[4:] == pytest.approx([own[3], own[2]])


def test_a_nacelle_without_yaw_spring_is_free_to_yaw(tmp_path: Path) -> None:
    """Two motions without stiffness: the rotor's and the yaw; without the spring refused before."""
    flags = {"YawDOF": "True", "NacYaw": 20}
    machine = read_openfast_machine(deck(tmp_path, elasto=flags, servo={"YawSpr": 0, "YawDamp": 0}))
    found = modes_of(MachineFamily(machine, machine.start).at(0.0), 4)
    assert found.frequencies_hz[:2] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert found.frequencies_hz[2] > 0.2
    undamped = MachineFamily(machine, machine.start, damped=False)
    assert undamped.names(modes_of(undamped.at(0.0), 2)) == ["shaft rotation", "yaw"]
    assert machine.start == {"yaw": np.radians(20.0)}


def test_a_nacelle_that_is_free_to_yaw_is_held_in_statics(tmp_path: Path) -> None:
    """Loads are those of a stiff yaw drive; in modes and runs it stays free."""
    flags = {"YawDOF": "True", "NacYaw": 20}
    free = read_openfast_machine(deck(tmp_path, elasto=flags, servo={"YawSpr": 0, "YawDamp": 0}))
    with pytest.warns(EquilibriumWarning, match="nothing resists the rotation of yaw: fixed"):
        found = free.loads(elements=3)
    held = {"YawSpr": 1e13, "YawDamp": 0, "YawNeut": flags["NacYaw"]}
    stiff = read_openfast_machine(deck(tmp_path, elasto=flags, servo=held))
    wanted = stiff.loads(elements=3)
    for channel in ("TwrBsFzt", "TwrBsMyt", "TwrBsMxt", "YawBrMyp", "RootMyc1"):
        assert found[channel] == pytest.approx(wanted[channel], rel=1e-3)
    shape = MachineFamily(free, free.start, shape="equilibrium").at(0.5)
    assert modes_of(shape, 4).frequencies_hz[:2] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_generator_that_turns_at_a_given_speed(tmp_path: Path) -> None:
    """GenDOF False: no motion without stiffness is left, and the drivetrain's frequency is that of a locked one."""
    given = read_openfast_machine(deck(tmp_path, elasto={"GenDOF": "False"}))
    found = modes_of(MachineFamily(given).at(0.0), 3).frequencies_hz
    locked = modes_of(MachineFamily(read_openfast_machine(deck(tmp_path)), locked=True).at(0.0), 3)
    assert found == pytest.approx(locked.frequencies_hz, rel=1e-6)


TWO = {
    "NumBl": 2, "TeetDOF": "True", "UndSling": 0.5, "HubCM": 0.2, "HubMass": 5000.0, "HubIner": 2000.0,
    "TeetMod": 1, "TeetSStP": 0, "TeetSSSp": 2e8, "TeetDmpP": 0, "TeetDmp": 3e5, "TeetHStP": 180, "TeetCDmp": 0,
    "FlapDOF1": "False", "FlapDOF2": "False", "EdgeDOF": "False", "PreCone(1)": 0, "PreCone(2)": 0,
}  # fmt: skip


def test_teeter_hinge_of_two_blades(tmp_path: Path) -> None:
    """Stiff rotor on its hinge: f = sqrt(k/I)/(2 pi) about the pin, zeta = c/(2 sqrt(k I)); the apex is upwind of the
    pin by UndSling, OverHang ends at the pin."""
    machine, said = warned(deck(tmp_path, elasto=TWO | BLADES_ONLY))
    frames = machine.frames()
    shaft = np.array([-np.cos(np.radians(5.0)), 0.0, np.sin(np.radians(5.0))])  # upwind
    apex = frames["hub1"].origin
    assert apex - frames["teeter"].origin == pytest.approx(0.5 * shaft, abs=1e-9)
    blade = machine.member("blade1").blade
    about_root, mass, centre = blade.inertia[1, 1], blade.mass, blade.centre_of_mass[2]
    about_axis = about_root + 2 * 1.5 * mass * centre + 1.5**2 * mass  # HubRad 1.5 m
    # HubIner is about the pin
    inertia = 2 * (about_axis + mass * 0.5**2) + 2000.0
    found, ratios = frequencies(machine, 1)
    assert found[0] == pytest.approx(np.sqrt(2e8 / inertia) / (2 * np.pi), rel=2e-3)
    assert ratios[0] == pytest.approx(3e5 / (2 * np.sqrt(2e8 * inertia)), rel=5e-3)
    assert said == ""


def test_a_rotor_without_undersling_teeters_about_its_apex(tmp_path: Path) -> None:
    machine, _ = warned(deck(tmp_path, elasto=TWO | BLADES_ONLY | {"UndSling": 0, "HubCM": 0}))
    frames = machine.frames()
    assert frames["hub1"].origin == pytest.approx(frames["teeter"].origin, abs=1e-12)
    assert frames["blade2"].origin + frames["blade1"].origin == pytest.approx(2 * frames["hub1"].origin)
    assert frequencies(machine, 1)[0][0] > 0.0


def test_a_rotor_held_by_its_hub_stands_where_the_pin_would_have_put_it(tmp_path: Path) -> None:
    teetering = assemble(read_openfast_machine(deck(tmp_path, elasto=TWO)))
    fixed = assemble(read_openfast_machine(deck(tmp_path, elasto=TWO | {"TeetDOF": "False"})))
    for name in ("blade1", "blade2"):
        assert teetering.beams[name].end.position == pytest.approx(fixed.beams[name].end.position, abs=1e-9)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (TWO | {"Delta3": 10}, "Delta3 is not zero"),
        (TWO | {"TeetMod": 2}, "TeetMod is 2: a user's routine is not supported"),
        (TWO | {"HubIner": 1.0}, "hub's inertia about the teeter axis is less"),
        ({"Furling": "True"}, "furling machines are not supported"),
        ({"NumBl": 4}, "ElastoDyn has three blades at most"),
        ({"PtfmSgDOF": "True"}, "PtfmSgDOF is True, but there is no module that supports the platform"),
    ],
)
def test_what_is_refused(tmp_path: Path, changed: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_openfast_machine(deck(tmp_path, elasto=changed))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"elasto": {"FlapDOF2": "False", "TwSSDOF2": "False"}},
            ("FlapDOF2 is False: a beam has all flap motions or none", "TwSSDOF2 is False"),
        ),
        (
            {"blade": {"FlStTunr(1)": 1.44, "FlStTunr(2)": 1.0}},
            ("FlStTunr(2) is 1, FlStTunr(1) 1.44", "1.2 times ElastoDyn's"),
        ),
        (
            {"elasto": TWO | {"TeetSStP": 3, "TeetHStP": 5, "TeetCDmp": 10}},
            ("TeetSStP 3 deg", "TeetHStP 5 deg", "TeetCDmp"),
        ),
        (
            {"elasto": {"YawDOF": "True", "YawFrctMod": 1}, "servo": {"NumTStC": 1, "YawSpr": 9e9, "YawDamp": 1e7}},
            ("NumTStC: structural controls", "YawFrctMod: friction of the yaw bearing is not read"),
        ),
    ],
    ids=["half a direction", "tuners that differ", "teeter stops", "tuned masses, yaw friction"],
)  # fmt: skip
def test_what_is_left_out_is_warned_of(
    tmp_path: Path, changed: dict[str, Any], words: tuple[str, ...]
) -> None:
    _, said = warned(deck(tmp_path, **changed))
    assert all(each in said for each in words), said


def test_platforms_that_nothing_holds_are_refused_or_held_on_request(tmp_path: Path) -> None:
    floating: dict[str, Mapping[str, object]] = {"elasto": {"PtfmHvDOF": "True"}}
    with pytest.raises(
        InputError, match=r"PtfmHvDOF is True, but there is no module that supports.*platform='held'"
    ):
        read_openfast_machine(deck(tmp_path, **floating))
    machine, said = warned(deck(tmp_path, **floating), platform="held")
    assert "the platform is held" in said
    assert describe(machine)["mass_kg"] == pytest.approx(
        describe(read_openfast_machine(deck(tmp_path)))["mass_kg"]
    )


def test_radii_may_miss_beamdyn_s_key_points(tmp_path: Path) -> None:
    """Of 61.5 m, 4 mm count as rounding; up to 1 % the blade is as long as BeamDyn's, with a warning."""
    main = "NREL_5MW_BeamDyn.fst"
    read_openfast_machine(deck(tmp_path, main, elasto={"TipRad": 63.004}))
    machine, said = warned(deck(tmp_path, main, elasto={"TipRad": 63.5}))
    assert "blade 1 end at z = 61.5 m: the blade is as long as BeamDyn's" in said
    assert machine.member("blade1").blade.axis.points[-1, 2] == pytest.approx(61.5)
    with pytest.raises(InputError, match=r"blade 1 end at z = 61\.5 m: correct TipRad"):
        read_openfast_machine(deck(tmp_path, main, elasto={"TipRad": 63.7}))


@pytest.mark.filterwarnings("ignore::fem_mbd.analysis.statics.bordered_newton.PrecisionWarning")
def test_an_over_damped_drivetrain_and_its_massless_inner_nodes_are_named(tmp_path: Path) -> None:
    """A shaft without mass creeps with k/c of its spring and damper, here 1 1/s."""
    machine = read_openfast_machine(deck(tmp_path, elasto={"DTTorSpr": "867637000", "DTTorDmp": "867637000"}))
    family = MachineFamily(machine)
    found = modes_of(family.at(0.0), 8)
    names = family.names(found)
    creeping = [
        abs(value) for value, name in zip(found.eigenvalues, names, strict=True) if "massless part" in name
    ]
    assert creeping == pytest.approx([1.0] * len(creeping), rel=1e-3) and creeping
    assert "drivetrain, over-damped" in names


def awt() -> Machine:
    """Two blades on a teeter hinge without spring, but with a damper; free yaw."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_openfast_machine(DECKS / "rtest" / "AWT_YFree_WSt" / "AWT_YFree_WSt.fst")


@pytest.mark.parametrize("damped", [False, True])
def test_yaw_shaft_and_teeter_are_three_motions_of_zero_frequency(damped: bool) -> None:
    """With a damper the zero of the teeter is single, those of yaw and shaft are double: none stands for another."""
    machine = awt()
    family = MachineFamily(machine, machine.start, damped=damped)
    linear = family.at(0.0)
    found = modes_of(linear, 6)
    assert (found.eigenvalues[:3] == 0.0).all() and (np.abs(found.eigenvalues[3:]) > 0.5).all()
    yaw = next(link for link in machine.links if link.name == "yaw")
    hub, nacelle = family.assembly.rotor.hub.index, family.assembly.node(*yaw.second).index
    motions = [linear.displacements(vector) for vector in found.vectors[:, :3].T]
    axis, across = family.assembly.rotor.axis, np.cross(family.assembly.rotor.axis, [0.0, 0.0, 1.0])
    turns = [((each[hub] - each[nacelle])[3:], each[nacelle, 5]) for each in motions]
    table = np.array([[hinge @ axis, hinge @ across, yaw] for hinge, yaw in turns])
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    assert np.linalg.matrix_rank(table, tol=0.1) == 3


def test_weight_on_a_teeter_hinge_that_nothing_holds_is_refused() -> None:
    machine = awt()
    family = MachineFamily(machine, machine.start, gravity=9.81)
    with pytest.raises(InputError, match="the weight turns 'teeter'"):
        family.at(0.0)


def test_the_yaw_of_a_machine_whose_shaft_is_driven_has_its_name() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = read_openfast_machine(DECKS / "rtest" / "AOC_YFree_WTurb" / "AOC_YFree_WTurb.fst")
    family = MachineFamily(machine, machine.start)
    found = modes_of(family.at(0.0), 3)
    assert found.eigenvalues[0] == 0.0
    assert family.names(found)[0] == "yaw"
