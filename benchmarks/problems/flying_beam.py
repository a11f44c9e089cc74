"""Benchmark problem "flying beam": a free beam loaded by a force and a moment at one end for 5 s, simulated to 60 s.

Source: Simo and Vu-Quoc, "On the dynamics in space of rods undergoing large motions - a geometrically exact approach",
Computer Methods in Applied Mechanics and Engineering 66 (1988), 125-161; simulated four times as long as there; not all
programs reach the end. After 5 s the beam is free of loads: momentum and angular momentum are constant, and energy must
not grow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.comparison.outcome import Outcome, PeerStopped
from benchmarks.comparison.study import Settings, Study, Target, mbdyn_variants
from benchmarks.comparison.time_loop import Outputs, fixed_steps, run_time_loop
from benchmarks.peers.exudyn_system import ExudynSystem
from benchmarks.peers.mbdyn_deck import Deck
from benchmarks.peers.mbdyn_system import solve_mbdyn, why_no_mbdyn
from benchmarks.peers.peer import peer_versions, run_peer
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import Model, Node, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import Table as TimeTable
from fem_mbd.core.scheme.ledger import ENERGIES
from fem_mbd.elements import Beam, Force, Moment, Section
from fem_mbd.runs.results.views.part import rotation_matrices

START, OTHER, END = (6.0, 0.0, 0.0), (0.0, 8.0, 0.0), 60.0
STIFFNESS, MASS, INERTIA = (1e4, 1e4, 1e4, 500.0, 500.0, 500.0), 1.0, (10.0, 10.0, 10.0)
FORCE, MOMENT = np.array([0.1, 0.0, 0.0]), np.array([0.0, -0.5, -1.0])  # factors of the load history
PEAK, RISE, FALL = 200.0, 2.5, 5.0
ELEMENTS, ORDER, PEER_ELEMENTS = 5, 3, 10
MBDYN_ELEMENTS = 5  # of three nodes, with the same number of nodes as Exudyn's
SMOOTH = 10.0  # s, range in which both programs agree: errors are compared up to there
SIZES = (0.2, 0.1, 0.05, 0.02, 0.01)  # s
COLUMNS = (
    "program", "dt", "steps", "iterations/step", "most", "rejected", "reached", "E(end)/E(5 s)", "change of p",
    "change of L", "ledger", "CPU s",
)  # fmt: skip
PROBLEM = (
    "Time reached (s, of 60) with steps dt (s). Most: most Newton iterations of a step; rejected: steps halved since\n"
    "Newton failed; change of momentum p and of moment of momentum L after 5 s, relative. Energy E may only decay."
)


def conserved(sim: Simulation, now: Outputs) -> Array:
    """Momentum (3,) and angular momentum (3,) about the origin."""
    work = sim.system.workspace
    momentum = work.mass[:, None] * now["velocity"]
    spin = np.einsum("nij,njk,nk->ni", rotation_matrices(now["quaternion"]), work.inertia, now["omega"])
    return np.concatenate([momentum.sum(axis=0), (np.cross(now["position"], momentum) + spin).sum(axis=0)])


def simulation(dt: float, times: Array, elements: int = ELEMENTS) -> tuple[Simulation, Node]:
    """Fixed steps of `dt` (s), halved where Newton fails, that also end at ``times``; and the free end."""
    model = Model(name="flying beam")
    section = Section(np.diag(STIFFNESS), MASS, np.diag(INERTIA))
    beam = model.add(Beam(section, START, OTHER, elements=elements, order=ORDER))
    history = TimeTable((0.0, RISE, FALL), (0.0, PEAK, 0.0))
    model.add(Force(beam.start, FORCE * history))
    model.add(Moment(beam.start, MOMENT * history))
    return Simulation(model, float(times[-1]), fixed_steps(dt, times)), beam.end


def ours(dt: float, end: float = END) -> Outcome:
    """Samples are the `conserved` at 5 s and at the end; the fact "decay" is the energy at the end over that at 5 s."""
    times = np.array([FALL, end])
    sim, _ = simulation(dt, times)
    outcome, result = run_time_loop(
        sim, dt, times, lambda t, now: conserved(sim, now), ("position", "velocity", "quaternion", "omega")
    )
    energy = np.sum([result.energy[name] for name in ENERGIES], axis=0)
    decay = energy[-1] / energy[np.searchsorted(result.time, FALL - 1e-9)]
    return replace(outcome, facts=outcome.facts | {"decay": float(decay)})


def free_end(dt: float, end: float = SMOOTH, elements: int = ELEMENTS) -> Outcome:
    """Samples are the free end's position (3,) every second, m."""
    times = seconds(end)
    sim, node = simulation(dt, times, elements)
    return run_time_loop(sim, dt, times, lambda t, now: now["position"][node.index])[0]


def seconds(end: float) -> Array:
    """Every second up to ``end``."""
    return np.arange(1.0, end + 0.5)


def exudyn(steps: int, adaptive: bool = False, end: float = END, elements: int = PEER_ELEMENTS) -> Outcome:
    """The same with Exudyn; samples are the free end's position (3,) every second."""
    system = ExudynSystem()
    nodes = system.beam(START, OTHER, elements, STIFFNESS, MASS, INERTIA)
    loaded = system.at_node(nodes[0])
    for direction, is_moment in ((FORCE, False), (MOMENT, True)):
        system.load(loaded, _triangle(direction.tolist()), is_moment)
    return system.solve(steps, seconds(end), [system.watch(nodes[-1])], adaptive=adaptive)


def _triangle(direction: list[float]) -> Callable[[float], list[float]]:
    """The load history in plain arithmetic: the peer calls it at every iteration, and this time counts."""

    def value(t: float) -> list[float]:
        size = PEAK * max(min(t / RISE, (FALL - t) / (FALL - RISE)), 0.0)
        return [size * component for component in direction]

    return value


def mbdyn_model(elements: int = MBDYN_ELEMENTS) -> tuple[Deck, int]:
    """Input for MBDyn, and the free end."""
    deck = Deck()
    nodes = deck.beam(START, OTHER, elements, STIFFNESS, MASS, INERTIA)
    for direction, is_moment in ((FORCE, False), (MOMENT, True)):
        deck.load(nodes[0], direction.tolist(), ((0.0, 0.0), (RISE, PEAK), (FALL, 0.0)), is_moment)
    return deck, nodes[-1]


def mbdyn(
    steps: int, keep: int = 1, end: float = END, elements: int = MBDYN_ELEMENTS, limit: float = 300.0
) -> Outcome:
    """The same with MBDyn's multistep scheme with spectral radius 0.6; samples are the free end's position (3,)."""
    deck, free = mbdyn_model(elements)
    return solve_mbdyn(deck, free, seconds(end), steps, keep=keep, limit=limit)


def run(settings: Settings) -> Report:
    """All available programs at all step sizes."""
    end, sizes = (8.0, (0.2, 0.1)) if settings.quick else (END, SIZES)
    ours(sizes[0], 6.0)
    runs = [ours(dt, end) for dt in sizes]
    rows = [_our_row(run) for run in runs]
    versions = peer_versions() if settings.peer and not settings.quick else {}
    for program, label, arguments in (
        ("exudyn", "Exudyn {}, equal steps", {"adaptive": False}),
        ("exudyn", "Exudyn {}, smaller steps allowed", {"adaptive": True}),
        ("mbdyn", "MBDyn {}, equal steps", {}),
    ):
        if program in versions:
            rows += [_peer_row(program, label.format(versions[program]), dt, arguments) for dt in sizes]
    goals = [Goal(f"seconds missing at dt {run.parameter:g}", end - run.reached, 0.0) for run in runs]
    goals += [
        Goal(f"energy at the end over that at 5 s, dt {run.parameter:g}", run.facts["decay"], 1.0 + 1e-12)
        for run in runs
    ]
    table = Table("Runs", COLUMNS, rows, frozenset({"CPU s"}), keys=2)
    absent = why_no_mbdyn()
    notes = [absent] if absent else []
    return Report("flying_beam", "Flying beam in space", PROBLEM, [table], goals, notes)


def _relative_change(before: Array, after: Array) -> float:
    return float(np.linalg.norm(after - before) / np.linalg.norm(before))


def _our_row(run: Outcome) -> tuple[str | float | int, ...]:
    before, after = run.samples
    change = [_relative_change(before[s], after[s]) for s in (slice(3), slice(3, 6))]
    return (
        "fem_mbd", run.parameter, run.steps, run.newton_iterations / run.steps, int(run.facts["most_iterations"]),
        int(run.facts["rejected"]), run.reached, f"{run.facts['decay']:.5f}", *change, run.facts["ledger"],
        run.cpu_seconds,
    )  # fmt: skip


def _peer_row(
    program: str, label: str, dt: float, arguments: dict[str, Any]
) -> tuple[str | float | int, ...]:
    try:
        run = run_peer("flying_beam", limit=60.0, program=program, steps=round(END / dt), **arguments)
    except PeerStopped as reason:
        return (label, dt, *["-"] * 4, f"{reason}", *["-"] * 5)
    per_step = run.newton_iterations / max(run.steps, 1)
    return (label, dt, run.steps, per_step, "-", "-", run.reached, "-", "-", "-", "-", run.cpu_seconds)


ACCURACY = Study(
    name="flying_beam",
    title="Flying beam in space: accuracy",
    problem="Largest error of the free end's position (m) every second to 10 s, while both programs get on.\n"
    "Parameter: dt (s), or number of steps.",
    ours=free_end,
    parameters=(0.05, 0.025, 0.0125, 0.00625),
    fine=0.0015625,
    variants={"Exudyn": {"end": SMOOTH}},
    peer_steps=(500, 1000, 2000, 4000),
    peer_fine=32000,
    others=mbdyn_variants((500, 1000, 2000, 4000, 8000), 32000, end=SMOOTH),
    short=2.0,
    short_parameters=(0.1, 0.05),
    short_fine=0.0125,
    targets=(Target(1e-3, 0.25),),
)
