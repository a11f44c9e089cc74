"""Load tables on a rotor: thrust, torque and root loads in closed form, work in the ledger, axes, what is refused.

Blades of the length L on a hub of the radius R turn about x. Loads that are linear in the span s, per blade:

    thrust   int Fx ds        torque about the shaft   -int (R + s) Fy ds     (y points to the trailing edge)
    pitching moment about the blade's axis at the root  int (Mz + x_ac Fy - y_ac Fx) ds
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import LoadTable, TableLoad
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines import Assembly, Hub, Rotor, add_load_tables, assemble, build_rotor

LENGTH, RADIUS, NUMBER = 6.0, 0.5, 3
SPAN = np.array([0.0, LENGTH])
# N/m at root and tip along x and y, N m/m about z; the aerodynamic centre ahead of the axis (y to the trailing edge)
FX, FY, MZ, CENTRE = np.array([20.0, 80.0]), np.array([-5.0, -11.0]), np.array([0.3, 0.9]), (0.02, -0.15)


def rotor(speed: float | None = None) -> Any:
    stiffness = np.diag([1e8, 1e8, 1e8, 1e7, 1e7, 1e7])
    section = Section(stiffness, 7.0, 7.0 * np.diag([2e-3, 1e-3, 1e-3]))
    blade = Blade(
        BladeAxis([[0, 0, 0], [0, 0, LENGTH]], [0.0, 0.0]), SectionTable([0.0, 1.0], [section, section])
    )
    hub = Hub(RADIUS, 10.0, inertia=1.0)
    return build_rotor("rotor", Rotor(blade, hub, NUMBER), axis=np.array([1.0, 0.0, 0.0]), speed=speed)


def linear() -> LoadTable:
    force, moment = np.zeros((2, 3)), np.zeros((2, 3))
    force[:, 0], force[:, 1], moment[:, 2] = FX, FY, MZ
    return LoadTable(SPAN, force, moment=moment, centre=CENTRE)


def mean(ends: np.ndarray) -> float:
    """Integral over the span of what is linear."""
    return float(LENGTH * ends.mean())


def torque() -> float:
    """Of one blade: int (R + s) Fy ds, linear times linear."""
    first = RADIUS * mean(FY) + LENGTH**2 * (FY[0] / 6 + FY[1] / 3)
    return float(-first)


def loads_of(made: Assembly) -> dict[str, float]:
    return fm.find_equilibrium(made.model, load_steps=2).loads()


@pytest.mark.parametrize("axes", ["section", "rotor"])
def test_thrust_torque_and_root_loads(axes: Any) -> None:
    # the moment is cubic along the blade, loads of sections are quadratic in an element
    made = assemble(rotor(), {"shaft": 0.4}, locked=True, refine=4)
    add_load_tables(made, linear(), axes)
    found = loads_of(made)
    assert found["RotThrust"] == pytest.approx(NUMBER * mean(FX), rel=1e-3)
    assert found["RotTorq"] == pytest.approx(NUMBER * torque(), rel=1e-3)
    assert found["RootFyc2"] == pytest.approx(mean(FY), rel=1e-3)
    assert found["RootMyc1"] == pytest.approx(LENGTH**2 * (FX[0] / 6 + FX[1] / 3), rel=1e-3)
    pitching = mean(MZ + CENTRE[0] * FY - CENTRE[1] * FX)
    assert found["RootMzc1"] == pytest.approx(pitching, rel=1e-2)


def test_section_axes_pitch_with_the_blade_and_rotor_axes_do_not() -> None:
    """Feathered by 90 degrees the suction side looks where the leading edge was, to -y."""
    angles = {f"pitch{k}": np.pi / 2 for k in (1, 2, 3)}
    for axes, channel, wanted in (("section", "RootFyc1", -mean(FX)), ("rotor", "RootFxc1", mean(FX))):
        made = assemble(rotor(), angles, locked=True)
        add_load_tables(made, linear(), axes)  # type: ignore[arg-type]
        assert loads_of(made)[channel] == pytest.approx(wanted, rel=1e-3)


def test_every_blade_has_its_own_azimuth() -> None:
    """A table that pushes at 90 degrees only, between 0 and 180: of blades at 90, 210 and 330 degrees the first."""
    force = np.zeros((2, 4, 3))
    force[:, 1, 0] = FX
    table = LoadTable(SPAN, force, azimuth=np.radians([0.0, 90.0, 180.0, 270.0]))
    made = assemble(rotor(), {"shaft": np.pi / 2}, locked=True)
    add_load_tables(made, table, "rotor")
    found = loads_of(made)
    assert found["RootFxc1"] == pytest.approx(mean(FX), rel=1e-3)
    assert found["RootFxc2"] == pytest.approx(0.0, abs=1e-3) == found["RootFxc3"]
    # half way to it: 45 degrees
    made = assemble(rotor(), {"shaft": np.pi / 4}, locked=True)
    add_load_tables(made, table, "rotor")
    assert loads_of(made)["RootFxc1"] == pytest.approx(0.5 * mean(FX), rel=1e-3)


@pytest.mark.parametrize("axes", ["section", "rotor"])
def test_work_of_a_driven_rotor(axes: Any) -> None:
    """torque x angle, in the books; the drive takes it out."""
    speed, end = 2.0, 1.5
    made = assemble(rotor(speed), turning=True)
    add_load_tables(made, linear(), axes)
    result = fm.run(fm.Simulation(made.model, end, fm.StepControl.fixed(0.05)))
    energy = result.summary["energy"]
    assert energy["totals"]["work_loads"] == pytest.approx(NUMBER * torque() * speed * end, rel=5e-3)
    assert abs(energy["relative"]) < 1e-10


def test_one_table_for_each_blade() -> None:
    made = assemble(rotor(), locked=True)
    zero = LoadTable(SPAN, np.zeros((2, 3)))
    add_load_tables(made, [zero, linear(), zero])
    found = loads_of(made)
    assert found["RootFxc2"] == pytest.approx(mean(FX), rel=1e-3) and abs(found["RootFxc1"]) < 1e-3
    with pytest.raises(InputError, match="2 load tables are given for 3 blades"):
        add_load_tables(assemble(rotor(), locked=True), [zero, zero])


def test_tables_that_do_not_cover_the_span_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.csv"
    path.write_text("span [m], Fx [N/m]\n5.5, 2\n0, 1\n")
    with pytest.raises(
        InputError, match=r"short.csv, line 2: the span ends at 5.5 m, but beam 'blade1'.*6 m"
    ):
        add_load_tables(assemble(rotor(), locked=True), path)
    path.write_text("span [m], Fx [N/m]\n0.2, 2\n6, 1\n")
    with pytest.raises(InputError, match=r"short.csv, line 2: the span begins at 0.2 m"):
        add_load_tables(assemble(rotor(), locked=True), path)


def test_what_a_table_load_needs() -> None:
    made = assemble(rotor(), locked=True)
    beam = made.beams["blade1"]
    with pytest.raises(InputError, match="need a spoke"):
        made.model.add(TableLoad(beam, linear(), axes="rotor"))
    with pytest.raises(InputError, match="give 'section' or 'rotor'"):
        made.model.add(TableLoad(beam, linear(), axes="global"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="give a LoadTable"):
        made.model.add(TableLoad(beam, "loads.csv"))  # type: ignore[arg-type]
