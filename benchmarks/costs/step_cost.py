"""Cost of a time step: in the compiled loop, and with the same kernels called from Python and PETSc's SNES.

    python -m benchmarks step_cost

Both make the same steps, alternately in one process, so that other load of the machine affects both. The mean over the
whole run counts, since steps differ (an impact takes many iterations); the 10th and 90th percentiles of the means of
blocks of steps are given, too. Outputs are evaluated after every step; a run stores them in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from time import process_time
from typing import Any

import numpy as np

from benchmarks.comparison.study import Settings
from benchmarks.problems import flying_beam, right_angle, slider_crank_clearance, spin_up
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import Simulation
from fem_mbd.cases import load_case
from fem_mbd.core.stepping.step_record import Sink

WARM_UP, BLOCK = 60, 60  # steps before the timing, and of a block
QUICK = 2  # number of blocks
GOALS = {  # us of a step, mean over the run
    "slider-crank with clearance": 25.0,
    "crank mechanism, case 2": 85.0,
    "supercritical rotor": 190.0,
    "turbine blades": 300.0,
}
COMPILED = 7  # column of the mean
# SNES factorises by PETSc, the compiled iteration in place: each step ends within Newton's tolerance of 1e-10 of its
# motion, and differences of thousands of steps add up
AGREE = 1e-8
COLUMNS = (
    "model", "unknowns", "iterations/step", "factorisations/step", "difference of states",
    "steps", "from Python, us/step", "compiled, us/step", "compiled, 10 to 90 % of blocks", "ratio",
)  # fmt: skip
TIMED = frozenset(COLUMNS[6:])
PROBLEM = (
    "A step as a run does it, compiled and in blocks without Python, beside the same step with every kernel called\n"
    "from Python and PETSc's SNES: CPU time of a step with its outputs. Both ways make the same steps."
)


def of_case(name: str, **changes: Any) -> Simulation:
    """A case with some parameters changed."""
    case = load_case(name)
    made = case.build(replace(case.parameters(), **changes))
    assert isinstance(made, Simulation)
    return made


MODELS: dict[str, Callable[[], Simulation]] = {
    "flying beam": lambda: flying_beam.simulation(0.01, np.array([flying_beam.END]))[0],
    "spin-up": lambda: spin_up.simulation(0.00625)[0],
    "right-angle cantilever": lambda: right_angle.simulation(0.0125)[0],
    "slider-crank with clearance": lambda: slider_crank_clearance.simulation(3e-6)[0],
    "crank mechanism, case 2": lambda: of_case("crank_mechanism", case=2),
    "supercritical rotor": lambda: of_case("supercritical_rotor"),
    "turbine blades": lambda: of_case("turbine_blades"),
}


def both_ways(sim: Simulation) -> list[Simulation]:
    """Two new simulations: with kernels called from Python, and compiled."""
    return [
        Simulation(
            sim.system.model, sim.end_time, sim.control,
            newton=replace(sim.solver.options, compiled=compiled), initial=sim.state,
        )
        for compiled in (False, True)
    ]  # fmt: skip


class Stepped:
    """A simulation and the time of its steps, including the outputs of each."""

    def __init__(self, sim: Simulation):
        self.sim, self._steps = sim, sim.steps()
        rows = {name: np.stack([values] * BLOCK) for name, values in sim.outputs().items()}
        self._sink = Sink(rows, every=1)

    def block(self, count: int) -> tuple[float, int]:
        """CPU seconds of ``count`` steps, or of the remaining ones, and their number."""
        start, made = process_time(), 0
        while made < count and self.sim.time < self.sim.end_time:
            block = self.sim.hooks.make_steps(self.sim.end_time, min(count - made, BLOCK), self._sink, 0)
            if block is None:
                next(self._steps)
                self.sim.outputs()
            made += 1 if block is None else len(block.statistics)
        return process_time() - start, made


def compare(name: str, build: Callable[[], Simulation], most: int | None) -> tuple[str | float | int, ...]:
    """A row of the table, from the whole run or at most ``most`` blocks."""
    sims = both_ways(build())
    runs = [Stepped(sim) for sim in sims]
    for one in runs:
        one.block(WARM_UP)
    blocks: list[list[tuple[float, int]]] = []
    while (most is None or len(blocks) < most) and all(sim.time < sim.end_time for sim in sims):
        blocks.append([one.block(BLOCK) for one in runs])
    seconds, steps = np.moveaxis(np.array(blocks), 2, 0)  # (blocks, 2) each
    python, compiled = 1e6 * seconds.sum(axis=0) / steps.sum(axis=0)
    low, high = np.percentile(1e6 * seconds[:, 1] / steps[:, 1], (10, 90))
    here, there = (sim.state.to_flat() for sim in sims)
    apart = float(np.abs(here - there).max() / np.abs(here).max())
    counters = sims[0].counters
    iterations, factorisations = (
        counters[c] / counters["steps"] for c in ("newton_iterations", "factorisations")
    )
    made = int(steps[:, 1].sum())
    return (
        name, sims[0].system.size, iterations, factorisations, apart, made, float(python), float(compiled),
        f"{low:.0f} to {high:.0f}", float(compiled / python),
    )  # fmt: skip


def run(settings: Settings) -> Report:
    """Microseconds of a step by both, and the difference of the states."""
    report = Report("step_cost", "Cost of a step", PROBLEM)
    chosen = dict(islice(MODELS.items(), 1)) if settings.quick else MODELS
    rows = [compare(name, build, QUICK if settings.quick else None) for name, build in chosen.items()]
    report.tables.append(Table("Models", COLUMNS, rows, TIMED))
    for row in rows:
        report.goals.append(Goal(f"difference of states, {row[0]}", float(row[4]), AGREE))
    for row in rows:
        if (most := GOALS.get(str(row[0]))) is not None:
            report.goals.append(Goal(f"us of a step, {row[0]}", float(row[COMPILED]), most, timed=True))
    return report
