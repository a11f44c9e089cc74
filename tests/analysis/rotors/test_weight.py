"""Tests of weight on a rotating rotor: buckling formula for the tower, nonlinear transient for the steady sway."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.rotors.weight import SteadySway, shaft_motion
from fem_mbd.cases import _turbines, iea15mw_turbine
from fem_mbd.cases._turbines import TurbineParameters
from fem_mbd.core.scheme.state import State
from fem_mbd.machines import MachineFamily, assemble, read_hawc2_machine
from fem_mbd.machines.report import total_mass
from tests.machines.hawc2.htc_files import write_machine

ROUND = ("1 0 0.5 0 1000 400 500 600", "1 0 0 0 1000 400 400 600")
RATE = 4.0  # rad/s


def family(folder: Path, gravity: float) -> MachineFamily:
    machine = read_hawc2_machine(write_machine(folder, *ROUND))
    return MachineFamily(machine, shape="equilibrium", damped=False, gravity=gravity)


def test_the_steady_sway_is_one_of_the_nonlinear_transient(tmp_path: Path) -> None:
    """Starting from the sway the tower's top is at rest over a revolution; from the shape without weight it
    oscillates.
    """
    swaying, unladen = family(tmp_path, 9.81).sway(RATE), family(tmp_path, 0.0).sway(RATE)
    made = assemble(read_hawc2_machine(write_machine(tmp_path, *ROUND)), gravity=9.81, damped=False)
    top = made.beams["tower"].end

    def swing(start: State) -> float:
        control = fm.StepControl.fixed(2 * np.pi / RATE / 100)
        result = fm.run(fm.Simulation(made.model, 2 * np.pi / RATE, control, initial=start))
        return float(np.ptp(result.of(top).position, axis=0).max())

    assert swing(swaying.start()) < 0.02 * swing(unladen.start())


def test_weight_lowers_the_tower_as_in_a_column_s_formula(tmp_path: Path) -> None:
    """f^2 falls by the load over the buckling load, P/(pi^2 E I/4 L^2), P all above and 0.3 of the column's own weight.

    In side-side motion, since in fore-aft motion the blades flap. The rotor stands 1 % of the tower's height above its
    top.
    """
    parts = [family(tmp_path, g) for g in (9.81, 0.0)]
    values = [modes_of(part.at(RATE), 8) for part in parts]
    names = [part.names(found) for part, found in zip(parts, values, strict=True)]
    squares = [
        found.frequencies_hz[own.index("first tower side-side")] ** 2
        for found, own in zip(values, names, strict=True)
    ]
    mass, _ = total_mass(parts[0].assembly)
    tower = 20.0 * 200.0
    load = 9.81 * (mass - tower + 0.3 * tower)
    euler = np.pi**2 * 2.1e11 * 0.02 / (4 * 20.0**2)
    assert 1 - squares[0] / squares[1] == pytest.approx(load / euler, rel=0.05)


def test_the_weight_does_not_turn_the_free_shaft() -> None:
    """Round-off of the stiffness against rotation was as large as the added holding stiffness: unstable with 13
    elements.
    """
    sizes = []
    for elements in (10, 13):
        p = iea15mw_turbine.Parameters(shape="equilibrium", gravity=True, elements=elements)
        sway = iea15mw_turbine.family(p).sway(p.omega)
        shaft = shaft_motion(sway.linear, sway.blades.spin)
        inertia = sway.linear.mass @ shaft
        assert abs(inertia @ sway.motion) < 1e-9 * (inertia @ shaft)
        state = sway.start()
        assert sway.out_of_balance(state) < 0.05
        sizes.append(np.abs(state.u - sway.linear.state.u).max(axis=0))
    assert sizes[1] == pytest.approx(sizes[0], rel=2e-3)


@pytest.mark.filterwarnings("ignore::fem_mbd.runs.running.runs.NumericalDissipationWarning")
def test_a_start_that_is_not_steady_is_seen(tmp_path: Path) -> None:
    """By the unbalanced forces, and by the run: without weight, and after a first-order rotation of the shaft."""
    machine = read_hawc2_machine(write_machine(tmp_path, *ROUND))
    p = TurbineParameters(gravity=True, rotor_speed=RATE * 30 / np.pi, end_time=1.0, dt=0.01)
    simulation = _turbines.simulation(machine, p)
    linear_family = _turbines.family(machine, replace(p, shape="equilibrium"))
    sway = linear_family.sway(p.omega)
    turned = replace(sway, motion=sway.motion + 0.3 * shaft_motion(sway.linear, sway.blades.spin))
    unladen = SteadySway.of(sway.linear, sway.blades, np.zeros((sway.linear.system.workspace.n, 6)))

    def failed(start: State) -> list[str]:
        sim = fm.Simulation(simulation.system.model, p.end_time, fm.StepControl.fixed(p.dt), initial=start)
        return [check.name for check in _turbines.motion_checks(fm.run(sim), machine, p) if not check.passed]

    names = ["start: unbalanced forces / weight", "swing of the tower's top / that of a start without weight"]
    assert failed(sway.start()) == []
    assert failed(unladen.start()) == names
    assert failed(turned.start())[0] == names[0]
