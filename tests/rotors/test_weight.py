"""Weight on a turning rotor: buckling's closed form for the tower, the nonlinear transient for the steady sway."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.machines import MachineFamily, assemble, read_hawc2_machine
from fem_mbd.machines.report import total_mass
from fem_mbd.modal.modes import modes_of
from fem_mbd.scheme.state import State
from tests.machines.htc_files import write_machine

ROUND = ("1 0 0.5 0 1000 400 500 600", "1 0 0 0 1000 400 400 600")
RATE = 4.0  # rad/s


def family(folder: Path, gravity: float) -> MachineFamily:
    machine = read_hawc2_machine(write_machine(folder, *ROUND))
    return MachineFamily(machine, shape="equilibrium", damped=False, gravity=gravity)


def test_the_steady_sway_is_one_of_the_nonlinear_transient(tmp_path: Path) -> None:
    """From the sway the tower's top stands still over a turn; from the shape without weight it swings."""
    swaying, unladen = family(tmp_path, 9.81).sway(RATE), family(tmp_path, 0.0).sway(RATE)
    made = assemble(read_hawc2_machine(write_machine(tmp_path, *ROUND)), gravity=9.81, damped=False)
    top = made.beams["tower"].end

    def swing(start: State) -> float:
        control = fm.StepControl.fixed(2 * np.pi / RATE / 100)
        result = fm.run(fm.Simulation(made.model, control, 2 * np.pi / RATE, initial=start))
        return float(np.ptp(result.of(top).position, axis=0).max())

    assert swing(swaying.start()) < 0.02 * swing(unladen.start())


def test_weight_lowers_the_tower_as_in_a_column_s_formula(tmp_path: Path) -> None:
    """f^2 falls by the load over the buckling load, P/(pi^2 E I/4 L^2), P all above and 0.3 of the column's own weight.

    Side-side: fore-aft the tower moves with the blades' flap. The rotor stands 1 % of the tower's height above its top.
    """
    parts = [family(tmp_path, g) for g in (9.81, 0.0)]
    values = [modes_of(part.at(RATE), 8) for part in parts]
    names = [part.names(found) for part, found in zip(parts, values, strict=True)]
    squares = [
        found.frequencies_hz[own.index("first tower side-side")] ** 2
        for found, own in zip(values, names, strict=True)
    ]
    mass, _ = total_mass(parts[0].made)
    tower = 20.0 * 200.0
    load = 9.81 * (mass - tower + 0.3 * tower)
    euler = np.pi**2 * 2.1e11 * 0.02 / (4 * 20.0**2)
    assert 1 - squares[0] / squares[1] == pytest.approx(load / euler, rel=0.05)
