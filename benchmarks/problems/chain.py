"""Benchmark problem "chain": a very flexible beam of 10 m, clamped at one end, released from the horizontal.

Cost of a step over the size of the model, 10 to 50,000 elements with two nodes each: time per step must not grow faster
than the number of elements. `large` continues to 200,000.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.comparison.curves import exponent
from benchmarks.comparison.outcome import Outcome, PeerStopped
from benchmarks.comparison.study import Settings
from benchmarks.comparison.time_loop import fixed_steps, run_time_loop
from benchmarks.peers.exudyn_system import ExudynSystem
from benchmarks.peers.mbdyn_deck import Deck
from benchmarks.peers.mbdyn_system import solve_mbdyn, why_no_mbdyn
from benchmarks.peers.peer import peer_versions, run_peer
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import Model, NewtonOptions, Simulation
from fem_mbd.elements import Beam, BeamHandle, Section

LENGTH, GRAVITY, DT = 10.0, 9.81, 1e-3
STIFFNESS, MASS, INERTIA = (1e5, 5e4, 5e4, 10.0, 10.0, 10.0), 1.0, (2e-2, 1e-2, 1e-2)
SIZES, QUICK_SIZES = (10, 30, 100, 300, 1000, 5000, 50_000), (10, 30)
LARGEST_OF_PEER = 5000  # elements
LINEAR_FROM = 100  # elements; below this size the fixed cost of a step matters
STEPS = 50
FULL = NewtonOptions(reuse=False)
OURS, PEER, OTHER, FULLY = "fem_mbd", "Exudyn", "MBDyn", ", full Newton"
KEPT = 10  # number of solutions per factorisation in MBDyn's modified Newton-Raphson
# limits of the ratio at the largest size of the peer: 8 of 51 ms with reused factorisations, 30 of 118 ms with fresh
# ones
AGAINST = {"": 8 / 51, FULLY: 30 / 118}
MILLISECONDS = {"": 9.0, FULLY: 30.0}  # limits of a step at that size
COLUMNS = (
    "program", "elements", "unknowns", "steps", "iterations/step", "factorisations", "ms/step",
    "microseconds/step/element",
)  # fmt: skip


def beam_chain(elements: int) -> tuple[Model, BeamHandle]:
    """The model."""
    model = Model(gravity=(0, -GRAVITY, 0), name="chain")
    section = Section(np.diag(STIFFNESS), MASS, np.diag(INERTIA))
    beam = model.add(Beam(section, (0, 0, 0), (LENGTH, 0, 0), elements=elements, order=2))
    model.fix(beam.start, rotation=False)
    return model, beam


def ours(elements: int, newton: NewtonOptions | None = None, steps: int = STEPS) -> Outcome:
    """Make `steps` steps of 1 ms; the sample is the tip's height (1,), m."""
    model, beam = beam_chain(elements)
    times = np.array([steps * DT])
    sim = Simulation(model, float(times[0]), fixed_steps(DT, times), newton=newton)
    return run_time_loop(sim, float(elements), times, lambda t, now: now["position"][beam.end.index, 1:2])[0]


def exudyn(elements: int, steps: int = STEPS, full_newton: bool = False) -> Outcome:
    """The same with Exudyn's sparse solver, modified or full Newton; gravity as forces on the nodes."""
    system = ExudynSystem()
    nodes = system.beam((0, 0, 0), (LENGTH, 0, 0), elements, STIFFNESS, MASS, INERTIA)
    system.hold(nodes[0], 0, 1, 2)
    weight = MASS * GRAVITY * LENGTH / elements
    for k, node in enumerate(nodes):
        share = 0.5 if k in (0, elements) else 1.0
        marker = system.mbs.AddMarker(system.lib.MarkerNodePosition(nodeNumber=node))
        system.mbs.AddLoad(system.lib.Force(markerNumber=marker, loadVector=[0, -share * weight, 0]))
    times = np.array([steps * DT])
    tip = system.watch(nodes[-1], "Displacement")
    return system.solve(steps, times, [tip], full_newton=full_newton).seeing([1])


def mbdyn_model(elements: int) -> tuple[Deck, int]:
    """Input for MBDyn, and the tip: two of these elements correspond to one of MBDyn's, with the same three nodes."""
    deck = Deck()
    nodes = deck.beam((0, 0, 0), (LENGTH, 0, 0), elements // 2, STIFFNESS, MASS, INERTIA)
    deck.pin(nodes[0])
    deck.weigh((0, -1, 0), GRAVITY)
    return deck, nodes[-1]


def mbdyn(elements: int, steps: int = STEPS, keep: int = 1, limit: float = 300.0) -> Outcome:
    """The same with MBDyn, Newton-Raphson, or modified where `keep` is above 1."""
    deck, tip = mbdyn_model(elements)
    return solve_mbdyn(deck, tip, np.array([steps * DT]), steps, keep=keep, limit=limit).seeing([1])


def run(settings: Settings) -> Report:
    """Time per step over the number of elements, for all available programs."""
    sizes = QUICK_SIZES if settings.quick else SIZES
    ours(sizes[0])
    ours(sizes[0], FULL)
    best: dict[tuple[str, int], Outcome] = {}
    notes: set[str] = set()
    for _ in range(1 if settings.quick else settings.repeats):
        for size in sizes:
            for label, outcome in _runs(size, settings, notes):
                best[label, size] = outcome.faster_of(best.get((label, size)))
    rows = sorted(
        (_row(label, size, outcome) for (label, size), outcome in best.items()), key=lambda r: str(r[0])
    )
    absent = why_no_mbdyn()
    said = [*([absent] if absent else []), *sorted(notes)]
    report = Report("chain", "Chain", "Milliseconds of one step of 1 ms.", notes=said)
    report.tables.append(
        Table("Runs", COLUMNS, rows, frozenset({"ms/step", "microseconds/step/element"}), keys=2)
    )
    for label in dict.fromkeys(label for label, _ in best):
        large = [size for size in sizes if size >= LINEAR_FROM and (label, size) in best]
        if len(large) > 1 and label.startswith("fem_mbd"):
            growth = exponent(large, [best[label, size].cpu_seconds for size in large])
            report.goals.append(Goal(f"p of CPU seconds ~ elements^p, {label}", growth, 1.1, timed=True))
    for newton, most in MILLISECONDS.items():
        own = best.get((OURS + newton, LARGEST_OF_PEER))
        if own:
            text = f"ms of a step, {LARGEST_OF_PEER:,} elements{newton or ', defaults'}"
            report.goals.append(Goal(text, 1e3 * own.cpu_seconds / own.steps, most, timed=True))
    for newton, ratio in AGAINST.items():
        own, peer = (best.get((program + newton, LARGEST_OF_PEER)) for program in (OURS, PEER))
        if own and peer:
            text = f"CPU seconds over those of Exudyn, {LARGEST_OF_PEER:,} elements{newton or ', defaults'}"
            report.goals.append(Goal(text, own.cpu_seconds / peer.cpu_seconds, ratio, timed=True))
    return report


def _runs(size: int, settings: Settings, notes: set[str]) -> Iterator[tuple[str, Outcome]]:
    yield OURS, ours(size)
    yield OURS + FULLY, ours(size, FULL)
    if not settings.peer or settings.quick or size > LARGEST_OF_PEER:
        return
    versions = peer_versions()
    for program, label, arguments in (
        ("exudyn", PEER, {}),
        ("exudyn", PEER + FULLY, {"full_newton": True}),
        ("mbdyn", OTHER, {"keep": KEPT}),
        ("mbdyn", OTHER + FULLY, {}),
    ):
        if program in versions:
            try:
                yield label, run_peer("chain", program=program, elements=size, **arguments)
            except PeerStopped as reason:
                notes.add(f"{label}, {size:,} elements: {reason}")


def _row(label: str, size: int, run: Outcome) -> tuple[str | float | int, ...]:
    per_step = run.cpu_seconds / run.steps
    unknowns = int(run.facts["unknowns"]) if "unknowns" in run.facts else "-"
    return (
        label, size, unknowns, run.steps, run.newton_iterations / run.steps, run.factorisations, 1e3 * per_step,
        1e6 * per_step / size,
    )  # fmt: skip
