"""Monopiles: SubDyn's files, water that moves with the pile, foundations by stiffness matrix."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import Machine, Model
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.elements import Force, Material, Section
from fem_mbd.elements.blades import Blade, BladeAxis
from fem_mbd.elements.loads.loads import Moment
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.machines import Link, MachineFamily, Member, Placement, assemble, read_openfast_machine
from fem_mbd.machines.building.substructure import Substructure, foundation_piece, in_soil
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.strips import read_water
from tests.machines.openfast.openfast_files import deck
from tests.refusals import refused

HERE = Path(__file__).parent

# OC3's monopile (J. Jonkman, W. Musial, NREL/TP-5000-48191): 6 m by 60 mm of steel, from -20 m to 10 m
SUBDYN = (HERE / "files/sub.dat").read_text()
HYDRODYN = (HERE / "files/hydro.dat").read_text()
MOVING = dict.fromkeys(("PtfmSgDOF", "PtfmSwDOF", "PtfmHvDOF", "PtfmRDOF", "PtfmPDOF", "PtfmYDOF"), "True")
ELASTO = MOVING | {
    "TowerBsHt": 10,
    "PtfmMass": 0, "PtfmRIner": 0, "PtfmPIner": 0, "PtfmYIner": 0, "PtfmCMxt": 0, "PtfmCMyt": 0, "PtfmCMzt": 10
}  # fmt: skip


def monopile(folder: Path, subdyn: str = SUBDYN, hydro: bool = False) -> Path:
    """The NREL 5 MW deck on that monopile."""
    (folder / "sub.dat").write_text(subdyn)
    (folder / "hydro.dat").write_text(HYDRODYN)
    main = {"CompSub": 1, "SubFile": '"sub.dat"', "CompHydro": int(hydro), "HydroFile": '"hydro.dat"'}
    return deck(folder, main=main, elasto=ELASTO)


def test_the_pile_alone_as_subdyn_has_it(tmp_path: Path) -> None:
    """Eigenfrequencies that SubDyn prints of this pile, held at its foot: 6.0727 Hz in bending, 25.7256 Hz in torsion
    (SD.sum of r-test's 5MW_OC3Mnpl, in openfast_toolbox), and 28.32 Hz, mostly shear, where its shear factor of a thin
    tube, 0.50, and Cowper's here, 0.53, make a difference."""
    machine = read_openfast_machine(monopile(tmp_path))
    pile = machine.member("monopile").blade
    model = Model()
    handle = model.add(pile.beam(elements=12))
    model.fix(handle.start)
    found = fm.modes(model, 6).frequencies_hz
    assert found[:2] == pytest.approx([6.0727, 6.0727], rel=0.01)
    assert found[2] == pytest.approx(25.7256, rel=0.005)
    assert found[3:5] == pytest.approx([28.3203, 28.3203], rel=0.04)


def test_the_tower_stands_on_the_pile(tmp_path: Path) -> None:
    """A force F at the tower's top, H above the pile of length L: the pile's end moves by F (L^3/3 + H L^2/2)/EI +
    F L/GA and turns by F (L^2/2 + H L)/EI, which the tower's top feels besides its own bending."""
    machine = read_openfast_machine(monopile(tmp_path, hydro=True))
    frames = machine.frames()
    assert frames["monopile"].origin == pytest.approx([0.0, 0.0, -20.0])
    assert frames["tower"].origin == pytest.approx([0.0, 0.0, 10.0])
    made = assemble(machine, locked=True)
    top, foot = made.beams["tower"].end, made.beams["tower"].start
    made.model.add(Force(top, (1e4, 0.0, 0.0)))
    found = fm.find_equilibrium(made.model)
    area, second = np.pi * 5.94 * 0.06, np.pi / 64 * (6.0**4 - 5.88**4)
    bending, shear = 2.1e11 * second, 8.08e10 * 0.53 * area
    moved = 1e4 * ((30.0**3 / 3 + 77.6 * 30.0**2 / 2) / bending + 30.0 / shear)
    turned = 1e4 * (30.0**2 / 2 + 77.6 * 30.0) / bending
    assert found.of(foot).displacement[0] == pytest.approx(moved, rel=5e-3)
    assert (found.of(foot).rotation_matrix @ foot.rotation.T)[0, 2] == pytest.approx(turned, rel=5e-3)


def test_water_that_moves_with_a_pile(tmp_path: Path) -> None:
    """rho Ca pi D^2/4 outside below the sea, rho pi d^2/4 inside up to its level."""
    (tmp_path / "hydro.dat").write_text(HYDRODYN)
    water = read_water(Deck(tmp_path / "hydro.dat", "HydroDyn file"), 1025.0, 0.0, [])
    outside, inside = 1025 * 0.97 * np.pi * 9.0, 1025 * np.pi * 2.94**2
    assert water.mass(-20.0, 10.0) == pytest.approx(20 * outside + 15 * inside, rel=2e-3)
    assert water.mass(-4.0, -2.0) == pytest.approx(2 * outside, rel=1e-9)
    assert water.mass(1.0, 5.0) == 0.0


def total(machine: Machine) -> float:
    return sum(lump.mass for lump in machine.member("monopile").lumps)


def test_water_makes_the_tower_slower_and_does_not_weigh(tmp_path: Path) -> None:
    dry, wet = (tmp_path / name for name in ("dry", "wet"))
    dry.mkdir()
    wet.mkdir()
    machines = [read_openfast_machine(monopile(dry)), read_openfast_machine(monopile(wet, hydro=True))]
    slower = [modes_of(MachineFamily(m).at(0.0), 3).frequencies_hz[1] for m in machines]
    assert 0.99 < slower[1] / slower[0] < 1.0
    pushes = []
    for machine in machines:
        made = assemble(machine, gravity=9.81, locked=True)
        found = fm.find_equilibrium(made.model, load_steps=2)
        pushes.append(next(iter(found.reactions.values()))[2])
    assert total(machines[1]) > 5e5
    assert pushes[1] == pytest.approx(pushes[0], rel=1e-9)


def test_a_pile_on_its_soil(tmp_path: Path) -> None:
    """SSIfile: a stiffness so large that it holds leaves the frequencies, a soft one lowers them."""
    text = SUBDYN.replace(' 1 1 1 1 1 1 1 ""', ' 1 0 0 0 0 0 0 "soil.dat"')
    found = {}
    for name, factor in (("held", None), ("stiff", 1e3), ("soft", 1.0)):
        folder = tmp_path / name
        folder.mkdir()
        if factor is not None:
            rows = {"Kxx": 2.5e9, "Kyy": 2.5e9, "Kzz": 1e10, "Ktxtx": 2.6e11, "Ktyty": 2.6e11, "Ktztz": 1e11}
            lines = [f"{value * factor} {key}" for key, value in rows.items()]
            lines += [f"{-1.6e10 * factor} Kxty", f"{1.6e10 * factor} Kytx"]
            (folder / "soil.dat").write_text("\n".join(lines))
        path = monopile(folder, SUBDYN if factor is None else text)
        found[name] = modes_of(MachineFamily(read_openfast_machine(path)).at(0.0), 3).frequencies_hz[1]
    assert found["stiff"] == pytest.approx(found["held"], rel=1e-3)
    assert found["soft"] < 0.97 * found["held"]


def test_the_end_of_a_foundation_has_the_stiffness_it_was_given() -> None:
    """Small loads of all six kinds: u = K^-1 f."""
    stiffness = np.diag([2.5e9, 2.1e9, 1e10, 2.6e11, 2.4e11, 1e11])
    stiffness[0, 4] = stiffness[4, 0] = -1.6e10
    stiffness[1, 3] = stiffness[3, 1] = 1.5e10
    stiffness[2, 5] = stiffness[5, 2] = 2e9
    piece = foundation_piece("soil", stiffness)
    for k in range(6):
        model = Model()
        handle = model.add(piece.blade.beam(elements=1))
        model.fix(handle.start)
        load = np.zeros(6)
        load[k] = 1e5
        model.add(Force(handle.end, load[:3]) if k < 3 else Moment(handle.end, load[3:]))
        found = fm.find_equilibrium(model).of(handle.end)
        r = found.rotation_matrix @ handle.end.rotation.T
        moved = np.concatenate([found.displacement, [r[2, 1], r[0, 2], r[1, 0]]])
        assert moved == pytest.approx(np.linalg.solve(stiffness, load), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" 1 NReact", " 0 NReact", "0 reaction joints: only a monopile"),
        (" 3 3 4 1 1", " 3 1 4 1 1", "2 members go on from joint 1: only a monopile"),
        (" 3 0.0 0.0 0.0", " 3 1.0 0.0 0.0", "does not stand upright"),
        (" 3 3 4 1 1", " 3 3 4 1 7", "there is no property set 7"),
        (" 3 3 4 1 1", " 3 3 9 1 1", "there is no joint 9"),
        ("8500.0 6.0 0.06", "8500.0 6.0 6.5", "sub.dat, line 32"),
        (" 4 0.0 0.0 10.0", " 4 0.0 0.0 12.0", "interface joint is at z = 12 m"),
        (' 1 1 1 1 1 1 1 ""', ' 1 1 1 1 0 0 1 ""', "nothing holds the pile"),
        (' 1 1 1 1 1 1 1 ""', ' 1 1 1 1 0 0 1 "../../../x"', "names a file outside of"),
        (" 3 NMembers", " x NMembers", "NMembers is 'x': give the number of rows"),
    ],
)
def test_other_substructures_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SUBDYN
    refused(message, lambda: read_openfast_machine(monopile(tmp_path, SUBDYN.replace(old, new, 1))))


def test_a_foundation_has_to_hold_every_motion() -> None:
    refused("positive definite", lambda: foundation_piece("soil", np.diag([1e9, 1e9, 1e9, 1e9, 1e9, 0.0])))


def test_a_pile_on_springs_along_it() -> None:
    """A long pile in soil of k N/m per m, beta = (k/4 EI)^(1/4): a force H at its head moves it by 2 H beta/k and turns
    it by 2 H beta^2/k (M. Hetenyi, Beams on Elastic Foundation, 1946)."""
    given, length = 5e7, 120.0
    ring = Section.tube(2.97, 0.06, Material(2.1e11, 0.3, 7850.0))
    stiff = replace(ring, stiffness=np.asarray(ring.stiffness) * np.diag([1.0, 1e3, 1e3, 1.0, 1.0, 1.0]))
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, length]], [0.0, 0.0])
    blade = Blade(axis, SectionTable([0.0, 1.0], [stiff, stiff]), name="pile")
    pile = Member("pile", blade, np.array([0.0, 1.0]))
    substructure = in_soil(Substructure((pile,), -length), lambda depth: given, 0.0, number=30)
    placement = Placement("pile", None, 0, np.array([0.0, 0.0, -length]), np.eye(3))
    foot = Link("foot", "fixed", None, ("pile", 0))
    machine = Machine("pile", substructure.members, (placement,), (foot,), soil=substructure.soil)
    force, beta = 1e5, (given / (4 * float(stiff.stiffness[4, 4]))) ** 0.25
    assert beta * length > 6.0
    for along in (0, 1):
        made = assemble(machine)
        head = made.beams["pile"].end
        made.model.add(Force(head, force * np.eye(3)[along]))
        found = fm.find_equilibrium(made.model).of(head)
        assert found.displacement[along] == pytest.approx(2 * force * beta / given, rel=5e-3)
        turned = (found.rotation_matrix @ head.rotation.T)[along, 2]
        assert turned == pytest.approx(2 * force * beta**2 / given, rel=5e-3)


def test_a_pile_that_does_not_reach_the_soil() -> None:
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, 10.0]], [0.0, 0.0])
    ring = Section.tube(2.97, 0.06, Material(2.1e11, 0.3, 7850.0))
    blade = Blade(axis, SectionTable([0.0, 1.0], [ring, ring]), name="pile")
    substructure = Substructure((Member("pile", blade, np.array([0.0, 1.0])),), -5.0)
    refused("not below the mudline", in_soil, substructure, lambda depth: 1e7, -5.0)
    refused("finite and not negative", in_soil, substructure, lambda depth: -1.0, 0.0)
