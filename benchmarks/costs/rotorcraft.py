"""Cost of rotors in flight and of drivelines: a revolution, a trim, the steps of ten inertias in a row.

    python -m benchmarks rotorcraft

The rotor in forward flight has four elastic blades of ten elements on flap hinges, twenty aerodynamic stations each,
the inflow of Pitt and Peters, 120 steps a revolution. It is trimmed, and the rotor of `fem-mbd trim articulated_rotor`,
which has two elements a blade and 60 steps. The ten inertias of the drivelines turn about one axis and are joined by
gears with elastic teeth, by torsion springs, or by springs in torsional plays, whose stops are hit; a torque that
changes with time acts on the first. CPU time of one process, kernels compiled before, results in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.comparison.study import Settings
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import Model, Simulation, StepControl, run as run_simulation, trim
from fem_mbd.aerodynamics import BladeAerodynamics, PittPeters, Polar
from fem_mbd.aerodynamics.free_flight import FreeFlight
from fem_mbd.aerodynamics.trim import TrimTask
from fem_mbd.cases import load_case
from fem_mbd.core.model.time_functions import Harmonic
from fem_mbd.elements import Blade, BladeAxis, Moment, RotationalSpringDamper, Section, SectionTable
from fem_mbd.friction import Linear
from fem_mbd.joints import GearPair, ShaftInertia, TorsionalPlay
from fem_mbd.machines import Hinge, Hub, Rotor, Rotorcraft

SPEED, SPAN, OFFSET, CHORD, MASS = 40.0, 4.3, 0.3, 0.27, 7.0  # rad/s, m, m from the axis, m, kg/m
STIFFNESS = (5e7, 1e7, 1e7, 1e5, 3e5, 2e4)  # N and N m^2, of a blade
CONTROLS = {"collective": 0.13, "lateral": 0.01, "longitudinal": -0.04, "shaft_angle": -0.05}
STEPS = 120  # of a revolution
INERTIAS, DRIVE_STEP, DRIVE_STEPS = 10, 1e-4, 20_000
Z = (0.0, 0.0, 1.0)
MISSED = 1e-6  # of the thrust
PROBLEM = (
    "CPU seconds of a revolution of a rotor with four elastic blades in forward flight (ten elements a blade,\n"
    "inflow of Pitt and Peters, 120 steps), of a trim at one advance ratio, and of 100,000 steps of drivelines of ten\n"
    "inertias."
)


def craft() -> Rotorcraft:
    """The rotor with elastic blades."""
    section = Section(np.diag(STIFFNESS), MASS, MASS * np.diag([0.02, 0.019, 0.001]))
    blade = Blade(BladeAxis([[0, 0, 0], [0, 0, SPAN]], [0, 0]), SectionTable([0, 1], [section, section]))
    alpha = np.linspace(-180.0, 180.0, 721)
    polar = Polar(alpha, 5.7 * np.sin(np.radians(alpha)), np.full(721, 0.01))
    profile = BladeAerodynamics([0.0, SPAN], [CHORD] * 2, [polar] * 2, [0.0, 0.0], np.zeros((2, 2)))
    hinge = Hinge("flap", OFFSET)
    own = Rotor(blade, Hub(OFFSET + 0.04, 50.0, inertia=10.0), 4, hinges=(hinge,), elements=10)
    return Rotorcraft(own, profile, SPEED, flight_speed=35.0, induction=PittPeters())


def _gears(k: Any, l: Any) -> GearPair:
    return GearPair(k, l, Z, 0.1, 0.1, stiffness=1e6, damping=500.0)


def _spring(k: Any, l: Any) -> RotationalSpringDamper:
    return RotationalSpringDamper(k, l, Z, 1e4, 5.0)


def _play(k: Any, l: Any) -> TorsionalPlay:
    return TorsionalPlay(k, l, Z, 1e-3, Linear(1e6), stiffness=1e4, damping=5.0)


DRIVES: dict[str, Callable[[Any, Any], Any]] = {"gears": _gears, "springs": _spring, "plays": _play}


def driveline(join: Callable[[Any, Any], Any]) -> Model:
    """Ten inertias in a row."""
    model = Model()
    shafts = [model.add(ShaftInertia(1.0 + 0.1 * k, Z, name=f"inertia {k}")) for k in range(INERTIAS)]
    for k, l in zip(shafts, shafts[1:], strict=False):
        model.add(join(k, l))
    model.add(Moment(shafts[0], Harmonic((0.0, 0.0, 500.0), 40.0)))
    return model


def _of_run(simulation: Simulation, per: float) -> tuple[float, int, float, float]:
    """CPU seconds per unit of simulated time, steps, iterations and factorisations of a step."""
    begin, start = simulation.state.time, process_time()
    summary = run_simulation(simulation, progress=False).summary
    seconds = (process_time() - start) * per / (simulation.end_time - begin)
    steps = summary["steps"]
    return seconds, steps, summary["newton_iterations"] / steps, summary["factorisations"] / steps


def _of_rotor(revolutions: int) -> tuple[float, int, float, float]:
    turn = 2.0 * np.pi / SPEED
    model = craft()(CONTROLS)
    return _of_run(Simulation(model, revolutions * turn, StepControl.fixed(turn / STEPS)), turn)


def _of_driveline(name: str, steps: int) -> tuple[float, int, float, float]:
    control = StepControl.fixed(DRIVE_STEP)
    return _of_run(Simulation(driveline(DRIVES[name]), steps * DRIVE_STEP, control), 1e5 * DRIVE_STEP)


def _of_trim(task: TrimTask) -> tuple[float, int, float]:
    """CPU seconds, Newton's iterations, thrust over its target less one."""
    assert not isinstance(task.targets, FreeFlight)
    start = process_time()
    found = trim(task.rotor, task.targets, task.controls, values=task.values, steps=task.steps)
    seconds = process_time() - start
    return seconds, found.iterations, abs(found.loads["thrust"] / task.targets["thrust"] - 1.0)


def _trims(quick: bool) -> dict[str, TrimTask]:
    case = load_case("articulated_rotor")
    assert case.trim is not None
    found: dict[str, TrimTask] = {"articulated_rotor": case.trim(case.parameters())}
    if not quick:
        targets = {"thrust": 8000.0, "longitudinal_flapping": 0.0, "lateral_flapping": 0.0}
        controls = {"collective": 0.1, "lateral": 0.0, "longitudinal": -0.03}
        found["four elastic blades"] = TrimTask(craft(), targets, controls, {"shaft_angle": -0.05}, STEPS)
    return found


def run(settings: Settings) -> Report:
    """The tables and their goals."""
    turns, steps, repeats = (2, 500, 1) if settings.quick else (10, DRIVE_STEPS, settings.repeats)
    runs: dict[str, Callable[[], tuple[float, int, float, float]]] = {
        "rotor in forward flight, per revolution": lambda: _of_rotor(turns)
    }
    for name in DRIVES:
        runs[f"driveline with {name}, per 100,000 steps"] = partial(_of_driveline, name, steps)
    rows = [(name, *min(one() for _ in range(repeats))) for name, one in runs.items()]
    columns = ("run", "CPU s", "steps", "iterations/step", "factorisations/step")
    tables = [Table("Runs", columns, rows, frozenset(columns[1:2]))]
    most = (0.2, 1.0, 1.0)
    goals = [Goal(f"CPU s, {row[0]}", float(row[1]), own, True) for row, own in zip(rows, most, strict=False)]
    trims = []
    for name, task in _trims(settings.quick).items():
        seconds, iterations, missed = min(_of_trim(task) for _ in range(repeats))
        trims.append((name, seconds, iterations))
        goals += [
            Goal(f"CPU s of a trim, {name}", seconds, 10.0, True),
            Goal(f"thrust missed by the trim, {name}", missed, MISSED),
        ]
    tables.append(Table("Trims", ("rotor", "CPU s", "iterations"), trims, frozenset(("CPU s",))))
    return Report("rotorcraft", "Rotorcraft and drivelines", PROBLEM, tables, goals)
