"""Foundations of HAWC2: a pile on springs of the soil against closed forms, nodes held in some directions."""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.errors import InputError
from fem_mbd.machines import LeftOutWarning, Machine, assemble, read_hawc2_machine
from fem_mbd.machines.assembly.bearings import nodal_values, soil_stiffness, water_at_nodes
from fem_mbd.machines.description.parts import Soil
from fem_mbd.machines.family import mass_with_weight
from tests.refusals import refused

HERE = Path(__file__).parent

LENGTH, MASS, BENDING = 30.0, 200.0, 2.1e11 * 0.02  # m, kg/m, N m^2
LATERAL, AXIAL, TURN = 4e6, 9e6, 5e7  # N/m^2, N/m^2, N m/rad/m
FREE_FREE = 4.730040744862704  # first root of cos(k) cosh(k) = 1

PILE = (HERE / "files/pile.htc").read_text()
ST = """#1 uniform
r m x_cg y_cg ri_x ri_y x_sh y_sh E G I_x I_y I_p k_x k_y A pitch x_e y_e
$1 2 pile
0 200 0 0 1e-2 1e-2 0 0 2.1e11 8e10 0.02 0.02 0.04 50 50 0.3 0 0 0
30 200 0 0 1e-2 1e-2 0 0 2.1e11 8e10 0.02 0.02 0.04 50 50 0.3 0 0 0
"""
ELEMENT = """begin soil_element;
 mbdy_name pile;
 datafile ./Soil.DAT;
 set {k};
 damping_k_factor 2e-3;
end soil_element;"""
HELD = "begin fix2;\n body pile;\n dof {up};\nend fix2;\nbegin fix3;\n body pile 1;\n dof {turn};\nend fix3;"


def curves(rows: dict[str, tuple[float, str]]) -> str:
    """A file with one set for each kind: the same force at z = 10 and 50 m."""
    text = "soil of a test\n"
    for k, (kind, (_, numbers)) in enumerate(rows.items()):
        text += f"#{k + 1}\n{kind}\n2 2 nrow ndefl\n0 0.5 x1 x2 [m]\n10 {numbers}\n50 {numbers} more\n"
    return text


KINDS = {
    "lateral": (LATERAL, f"0 {LATERAL / 2e3}"),
    "axial": (AXIAL, f"0 {AXIAL / 2e3}"),
    "rotation_z": (TURN, f"0 {TURN / 2e3}"),
}


def pile(
    folder: Path, sets: tuple[int, ...] = (1, 2, 3), up: str = "0 0 0", turn: str = "0 0 0", **more: str
) -> Machine:
    sections = "\n".join(f"sec {k + 1} 0 0 {-5 * k} 0;" for k in range(7))
    soil = "\n".join(ELEMENT.format(k=k) for k in sets)
    held = more.get("constraints", HELD.format(up=up, turn=turn))
    (folder / "pile.htc").write_text(PILE.format(sections=sections, constraints=held, soil=soil))
    (folder / "pile_st.dat").write_text(ST)
    (folder / "soil.dat").write_text(more.get("curves", curves(KINDS)))
    return read_hawc2_machine(folder / "pile.htc", radii_at="elastic centre")


def frequencies(machine: Machine, number: int) -> tuple[np.ndarray, np.ndarray]:
    found = fm.modes(assemble(machine).model, number)
    return 2 * np.pi * found.frequencies_hz, found.damping_ratios


def test_a_free_pile_in_uniform_soil(tmp_path: Path) -> None:
    """It translates and tilts at sqrt(k/m), and bends at sqrt(k/m + omega_b^2); damping is the factor's."""
    omega, zeta = frequencies(pile(tmp_path), 8)
    rigid = np.sqrt(LATERAL / MASS)
    bend = np.sqrt(rigid**2 + FREE_FREE**4 * BENDING / (MASS * LENGTH**4))
    heave = np.sqrt(AXIAL / MASS)
    wanted = np.sort([rigid] * 4 + [bend] * 2 + [heave])
    assert omega[: len(wanted)] == pytest.approx(wanted, rel=4e-3)
    assert zeta[0] == pytest.approx(0.5 * 2e-3 * rigid, rel=1e-2)


def test_directions_that_are_held(tmp_path: Path) -> None:
    """fix2 along z, fix3 about z: the pile is held in heave and twist, and its sway on the soil stays."""
    machine = pile(tmp_path, sets=(1,), up="0 0 1", turn="0 0 1")
    omega, _ = frequencies(machine, 4)
    assert omega == pytest.approx([np.sqrt(LATERAL / MASS)] * 4, rel=4e-3)
    # hinged: turns freely about both level axes; a rigid pile about its foot, J = m L^3/3, sways at the same sqrt(k/m)
    hinged = pile(tmp_path, sets=(1,), up="1 1 1", turn="0 0 1")
    omega, _ = frequencies(hinged, 2)
    assert omega == pytest.approx([np.sqrt(LATERAL / MASS)] * 2, rel=4e-3)


def test_y_of_hawc2_is_x_here(tmp_path: Path) -> None:
    holds = pile(tmp_path, up="0 1 0", turn="1 0 0").holds
    assert holds[0].translation == (True, False, False) and holds[1].rotation == (False, True, False)


def test_springs_at_nodes_carry_what_is_spread() -> None:
    """Force and moment of a linear k(z), and none outside of the soil."""
    soil = Soil("pile", "lateral", np.array([-20.0, -5.0]), np.array([3e6, 1e6]))
    inside = (np.array([-1.0, -np.sqrt(0.2), np.sqrt(0.2)]) + 1) / 2
    heights = np.append((np.linspace(-30.0, -1.5, 20)[:, None] + 1.5 * inside).ravel(), 0.0)
    places = np.column_stack([np.zeros(61), np.zeros(61), heights])
    for elements in (
        np.column_stack([np.arange(60), np.arange(1, 61)]),
        3 * np.arange(20)[:, None] + np.arange(4),
    ):
        found = nodal_values(places, elements, soil_stiffness(soil))
        assert found.sum() == pytest.approx(15 * 2e6, rel=2e-3)
        assert found @ places[:, 2] == pytest.approx(-(15 * 1e6 * 12.5 + 0.5 * 15 * 2e6 * 15.0), rel=2e-3)
        assert not found[places[:, 2] > -3.0].any() and found.min() >= 0.0


WATER = (HERE / "files/water.htc").read_text()


def in_water(folder: Path, level: float, more: str = "", **options: object) -> Machine:
    """The pile from z = 45 to 15 m of HAWC2, on the soil's springs, with water up to ``level``."""
    pile(folder, sets=(1,), up="0 0 1", turn="0 0 1")
    path = folder / "pile.htc"
    path.write_text(path.read_text() + WATER.format(level=level, more=more))
    return read_hawc2_machine(path, radii_at="elastic centre", **options)  # type: ignore[arg-type]


def test_water_moves_with_a_pile(tmp_path: Path) -> None:
    """sqrt(k/(m + rho Cm Vr)), all of it in the water."""
    omega, _ = frequencies(in_water(tmp_path, 0.0), 4)
    assert omega == pytest.approx([np.sqrt(LATERAL / (MASS + 1000.0 * 1.2 * 0.5))] * 4, rel=4e-3)


def test_there_is_no_water_above_its_level_and_none_weighs(tmp_path: Path) -> None:
    """15 of 30 m below: in weight alone, and the centre of what was added 7.5 m above the foot."""
    machine = in_water(tmp_path, 30.0)
    made = assemble(machine, gravity=9.81)
    mass = water_at_nodes(made, machine.water[0])
    heights = np.array([node.position[2] for node in made.beams["pile"].nodes])
    assert mass.sum() == pytest.approx(15.0 * 600.0, rel=2e-3)
    assert mass @ heights / mass.sum() == pytest.approx(-37.5, abs=0.1)
    assert mass_with_weight(made).sum() == pytest.approx(30.0 * MASS, rel=1e-6)
    assert mass_with_weight(assemble(in_water(tmp_path, 30.0, leave_out=("hydro",)))).sum() == pytest.approx(
        30.0 * MASS
    )


def test_columns_of_water_that_are_not_read_are_told(tmp_path: Path) -> None:
    with pytest.warns(LeftOutWarning, match="columns after the width"):
        in_water(tmp_path, 0.0, " 0 0 0 0 3.0")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mbdy_name pile;\n    hydro", "mbdy_name tower;\n    hydro", "'tower'"),
        ("    rho 1000;", "    ;", "'rho NUMBER'"),
        ("sec 30.0 1.2 1.0 0.7 0.5 1.0;", "sec 30.0 1.2 1.0 0.7;", "should read 'sec z Cm Cd V Vr width'"),
        ("sec 30.0 1.2", "sec 0.0 1.2", "z of 'sec z Cm Cd V Vr width' has to ascend"),
        ("sec 30.0 1.2", "sec 30.0 -1.2", "must not be negative"),
    ],
)
def test_bad_water_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    in_water(tmp_path, 0.0)
    path = tmp_path / "pile.htc"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    refused(message, read_hawc2_machine, path, radii_at="elastic centre")


def test_a_curve_that_bends_is_told(tmp_path: Path) -> None:
    bent = "soil\n#1\nlateral\n2 3 nrow ndefl\n0 0.5 1 x\n10 0 2000 2500\n50 0 2000 2500\n"
    with pytest.warns(
        LeftOutWarning, match="soil.dat, set 1: the curves are nonlinear; the springs of 'pile'"
    ):
        machine = pile(tmp_path, sets=(1,), curves=bent)
    assert machine.soil[0].stiffness == pytest.approx([4e6, 4e6])


def test_a_curve_that_bends_has_its_secant_at_a_deflection(tmp_path: Path) -> None:
    """2000 kN/m at 0.5 m, 2500 at 1 m and beyond."""
    bent = "soil\n#1\nlateral\n2 3 nrow ndefl\n0 0.5 1 x\n10 0 2000 2500\n50 0 2000 2500\n"
    with pytest.warns(LeftOutWarning, match="slope at no deflection"):
        pile(tmp_path, sets=(1,), curves=bent)
    for deflection, secant in ((0.25, 4e6), (0.75, 3e6), (1.0, 2.5e6), (2.0, 1.25e6)):
        with pytest.warns(LeftOutWarning, match=f"their secant at {deflection:g} m"):
            machine = read_hawc2_machine(tmp_path / "pile.htc", "elastic centre", soil_deflection=deflection)
        assert machine.soil[0].stiffness == pytest.approx([secant, secant])
    with pytest.raises(InputError, match="soil_deflection"):
        read_hawc2_machine(tmp_path / "pile.htc", "elastic centre", soil_deflection=-1.0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lateral", "sideways", r"soil.dat, line 3: set 1 is of the kind 'sideways': give lateral, axial"),
        ("2 2 nrow", "2.5 2 nrow", "line 4: set 1: give whole numbers"),
        ("0 0.5 x1", "0 x1", "line 5: the 2 deflections of set 1"),
        ("#1", "#7", "there is no set 1"),
        ("\n50 ", "\n10 ", "z has to ascend or descend"),
    ],
)
def test_bad_soil_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    refused(message, lambda: pile(tmp_path, curves=curves(KINDS).replace(old, new, 1)))


def test_bad_holds_are_refused(tmp_path: Path) -> None:
    refused(r"pile.htc, line \d+: dof: 1 holds a direction", pile, tmp_path, up="0 0 2")
    refused(
        r"no constraint holds main_body 'pile': fix it \(fix0, fix2, fix3\)", pile, tmp_path, constraints=""
    )
