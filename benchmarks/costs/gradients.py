"""Cost of derivatives, in runs of the same model: gradients forward and backward, the matrix of a periodic motion.

    python -m benchmarks gradients

CPU times of all, the set-up's models included, over that of the run whose derivatives they are. The run is one of the
compiled loop with its outputs in memory.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import fem_mbd as fm
from benchmarks.comparison.study import Settings
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd.analysis.periodic.problem import Point, Problem
from fem_mbd.analysis.periodic.shooting import Shooting
from fem_mbd.applications.gradients.gradient import Build
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.cases import load_case
from fem_mbd.core.model.time_functions import Table as TimeTable
from fem_mbd.elements import Beam, Force, Moment, PointMass, Section
from fem_mbd.errors import FemMbdWarning

COLUMNS = ("derivatives", "model", "unknowns", "steps", "a run, s", "derivatives, s", "runs")
TIMED = frozenset(COLUMNS[4:])
PROBLEM = (
    "CPU seconds of a run and of derivatives of its outputs, or of the end of a period by its start. The models of\n"
    "the set-up, whose number does not depend on the steps, and the outputs' reductions are included. Cases are run\n"
    "as long as their studies do, and shorter. Beams: the flying beam with masses on its nodes, one parameter each.\n"
    "Response: a motion of the blades over the frequency of their force, on a branch whose bifurcations are looked\n"
    "for, with its multipliers."
)
MOTIONS, RESPONSE = 12, 200  # of the branch; those of the goal
SECONDS = 90.0  # for these


def beam_with_masses(
    elements: int, masses: int, steps: int, on: int | None = None
) -> tuple[Build, dict[str, float]]:
    """The flying beam with masses on its nodes, one after the other, or all on one of them."""

    def build(values: Mapping[str, float]) -> fm.Simulation:
        model = fm.Model(name="flying beam with masses")
        section = Section(np.diag([1e4] * 3 + [500.0] * 3), 1.0, np.diag([10.0] * 3))
        beam = model.add(Beam(section, (6.0, 0.0, 0.0), (0.0, 8.0, 0.0), elements=elements, order=2))
        history = TimeTable((0.0, 2.5, 5.0), (0.0, 200.0, 0.0))
        model.add(Force(beam.start, np.array([0.1, 0.0, 0.0]) * history))
        model.add(Moment(beam.start, np.array([0.0, -0.5, -1.0]) * history))
        for k, mass in enumerate(values.values()):
            node = beam.nodes[1 + k % elements if on is None else on]
            model.add(PointMass(mass, node=node, name=f"mass {k}"))
        return fm.Simulation(model, 0.05 * steps, fm.StepControl.fixed(0.05))

    return build, {f"mass {k}": 0.1 + 1e-4 * k for k in range(masses)}


def of_case(name: str, wrt: Sequence[str], **changes: Any) -> tuple[Build, dict[str, float]]:
    """What builds a case from some of its parameters."""
    case = load_case(name)
    base = dataclasses.replace(case.parameters(), **changes)

    def build(values: Mapping[str, float]) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FemMbdWarning)
            return case.build(dataclasses.replace(base, **values))

    return build, {one: float(getattr(base, one)) for one in wrt}


K1 = ("damping", "beam_length", "axial_factor", "slider_inertia", "radius_socket", "radius_ball", "contact_stiffness",
      "friction", "sigma_0", "stribeck_velocity")  # fmt: skip
K2 = ("damping", "bending_2", "bending_3", "torsion", "mass_per_length", "eccentricity", "disk_mass", "torque",
      "radius_cylinder", "contact_stiffness")  # fmt: skip
K9 = ("preload", "sigma_0", "sigma_1", "mu_k", "mu_s", "sigma", "contact_damping", "damping_mass",
      "damping_stiffness", "stribeck_velocity")  # fmt: skip
Made = Callable[[], tuple[Build, dict[str, float]]]


class Wanted(NamedTuple):
    """Derivatives of an output of a run.

    Attributes
    ----------
    what, model : labels
    method : of `fem_mbd.gradient`
    made : build and values
    output : that is differentiated
    most : runs that they may cost
    whole : whether it is a case as long as its study has it, which is run once
    """

    what: str
    model: str
    method: str
    made: Made
    output: Any
    most: float = np.inf
    whole: bool = False


TEN, SEVERAL, BEAM = "forward, 10 parameters", "adjoint, {} parameters", "final(mass 3.position[0])"
CRANK, ROTOR, BLADES = "crank mechanism, case 2", "supercritical rotor", "turbine blades"
PEAK_OF_CRANK, PEAK_OF_ROTOR, SPEED = "max(Q.normal_force)", "max(T.normal_force)", "rms(left.tip.velocity)"
GRADIENTS = (
    Wanted(
        TEN, f"{CRANK}, half a revolution", "forward", lambda: of_case("crank_mechanism", K1, revolutions=0.5),
        PEAK_OF_CRANK, 1.5,
    ),
    Wanted(
        TEN, f"{ROTOR}, 1.5 s", "forward",
        lambda: of_case("supercritical_rotor", K2, end_time=1.5, whirl_time=0.0), PEAK_OF_ROTOR, 1.5,
    ),
    Wanted(
        TEN, f"{BLADES}, 1 s", "forward", lambda: of_case("turbine_blades", K9, end_time=1.0), SPEED, 1.5
    ),
    Wanted(TEN, "beam, 20 elements", "forward", lambda: beam_with_masses(20, 10, 201), BEAM, 1.5),
    Wanted(SEVERAL.format(20), "beam, 20 elements", "adjoint", lambda: beam_with_masses(20, 20, 201), BEAM),
    Wanted(
        SEVERAL.format(50), "beam, 20 elements, one node", "adjoint", lambda: beam_with_masses(20, 50, 201, 3), BEAM
    ),
    Wanted(
        SEVERAL.format(1000), "beam, 1000 elements", "adjoint", lambda: beam_with_masses(1000, 1000, 100), BEAM, 4.0
    ),
    Wanted(
        TEN, f"{CRANK}, whole study", "forward", lambda: of_case("crank_mechanism", K1), PEAK_OF_CRANK, 1.5, True
    ),
    Wanted(
        TEN, f"{ROTOR}, whole study", "forward", lambda: of_case("supercritical_rotor", K2, whirl_time=0.0),
        PEAK_OF_ROTOR, 1.5, True,
    ),
    Wanted(TEN, f"{BLADES}, whole study", "forward", lambda: of_case("turbine_blades", K9), SPEED, 1.5, True),
)  # fmt: skip


def of_gradient(wanted: Wanted, repeats: int) -> tuple[str | float | int, ...]:
    """A row of the table."""
    build, values = wanted.made()
    several = [
        fm.gradient(build, {"y": wanted.output}, values, method=wanted.method) for _ in range(repeats + 1)
    ]
    found = several[0]
    run, derivatives = (min(one.seconds[k] for one in several) for k in (0, 1))
    simulation = build(values)
    steps = len(found.result.time)
    return wanted.what, wanted.model, simulation.system.size, steps, run, derivatives, derivatives / run


def of_monodromy(repeats: int) -> tuple[str | float | int, ...]:
    """The blades over a period of 100 steps, from where a run over their preload has come to."""
    build, values = of_case("turbine_blades", ("frequency",))
    period, steps = 1.0 / values["frequency"], 100
    problem = Problem(lambda given: build(given).system.model, None, 0.0, steps, 1, 2.0 * np.pi / period)
    shooting, arcs = Shooting(problem), problem.arcs(values, period)
    end = arcs.run(arcs.reference(), (period / steps * np.arange(1, 61)).tolist()).end
    problem.start = end.time
    problem.cache.clear()
    point = Point((end,), values, period)
    best = np.inf, np.inf
    with one_blas_thread():
        for _ in range(repeats + 1):
            start = process_time()
            evaluation = shooting.evaluate(point)
            middle = process_time()
            shooting.linearise(evaluation, {})
            best = min(best[0], middle - start), min(best[1], process_time() - middle)
    size = arcs.system.size
    return "monodromy matrix", "turbine blades", size, steps, *best, best[1] / best[0]


def of_response(period: float) -> tuple[str | float | int, ...]:
    """Motions of the blades beside their resonance; ``period`` : s, of a run over one."""
    build, values = of_case("turbine_blades", ("frequency",))
    values["frequency"] = 48.0
    orbit = fm.periodic(build, values, period=lambda given: 1.0 / given["frequency"], start=1.8, steps=100)
    start = process_time()
    branch = fm.continuation(orbit, "frequency", (48.0, 60.0), points=MOTIONS, step=(0.1, 0.3))
    each = (process_time() - start) / len(branch.rows)
    return "response, a motion", "turbine blades", 432, 100, period, each, each / period


def run(settings: Settings) -> Report:
    """All of them, in runs."""
    report = Report("gradients", "Cost of derivatives", PROBLEM)
    repeats = 1 if settings.quick else settings.repeats
    rows = []
    for wanted in GRADIENTS[3:5] if settings.quick else GRADIENTS:
        rows.append(of_gradient(wanted, repeats))
        if np.isfinite(wanted.most):
            label = f"runs, {wanted.what}, {wanted.model}"
            report.goals.append(Goal(label, float(rows[-1][-1]), wanted.most, timed=True))
    if not settings.quick:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FemMbdWarning)
            rows.append(of_monodromy(repeats))
            rows.append(of_response(float(rows[-1][4])))
        label = "runs, monodromy matrix, turbine blades"
        report.goals.append(Goal(label, float(rows[-2][-1]), 2.0, timed=True))
        label = f"seconds for {RESPONSE} motions of the turbine blades"
        report.goals.append(Goal(label, RESPONSE * float(rows[-1][5]), SECONDS, timed=True))
    report.tables.append(Table("Runs", COLUMNS, rows, TIMED, keys=2))
    return report
