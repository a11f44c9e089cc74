"""Benchmark problem "right-angle cantilever": legs of 10 m, a force on the elbow for 2 s, then free until 30 s.

Source: Simo and Vu-Quoc, "On the dynamics in space of rods undergoing large motions - a geometrically exact approach",
Computer Methods in Applied Mechanics and Engineering 66 (1988), 125-161. The amplitude of the tip exceeds the length of
a leg.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.comparison.outcome import Outcome
from benchmarks.comparison.study import Study, Target, mbdyn_variants
from benchmarks.comparison.time_loop import fixed_steps, run_time_loop
from benchmarks.peers.exudyn_system import ALL_SIX, ExudynSystem
from benchmarks.peers.mbdyn_deck import Deck
from benchmarks.peers.mbdyn_system import solve_mbdyn
from fem_mbd import Model, NewtonOptions, Node, Simulation
from fem_mbd.core.model.time_functions import Table
from fem_mbd.elements import Beam, Force, Section

LEG, END, INTERVAL = 10.0, 30.0, 0.1
STIFFNESS, MASS, INERTIA = (1e6, 1e6, 1e6, 1e3, 1e3, 1e3), 1.0, (20.0, 10.0, 10.0)
RISE, FALL, PEAK = 1.0, 2.0, 50.0
ELEMENTS, PEER_ELEMENTS = 3, 10  # per leg: 4-node elements here, 2-node ones there
MBDYN_ELEMENTS = 5  # per leg, of three nodes, with the same number of nodes as Exudyn's
NEWTON = NewtonOptions(reuse=True, tolerance=1e-12)


def sample_times(end: float) -> np.ndarray:
    """Every tenth of a second."""
    return INTERVAL * np.arange(1, round(end / INTERVAL) + 1)


def simulation(dt: float, end: float = END, elements: int = ELEMENTS) -> tuple[Simulation, Node]:
    """Simulation with fixed steps of `dt` (s) and that many elements per leg; and the tip."""
    model = Model(name="right-angle cantilever")
    section = Section(np.diag(STIFFNESS), MASS, np.diag(INERTIA))
    first = model.add(Beam(section, (0, 0, 0), (LEG, 0, 0), elements=elements, name="first leg"))
    second = model.add(Beam(section, first.end, (LEG, LEG, 0), elements=elements, name="second leg"))
    model.fix(first.start)
    model.add(Force(first.end, np.array([0.0, 0.0, 1.0]) * Table((0.0, RISE, FALL), (0.0, PEAK, 0.0))))
    return Simulation(model, end, fixed_steps(dt, sample_times(end)), newton=NEWTON), second.end


def ours(dt: float, end: float = END, elements: int = ELEMENTS) -> Outcome:
    """Samples are the tip's displacement (3,), m."""
    sim, tip = simulation(dt, end, elements)
    return run_time_loop(
        sim, dt, sample_times(end), lambda t, now: now["position"][tip.index] - tip.position
    )[0]


def exudyn(steps: int, sparse: bool = True, end: float = END, elements: int = PEER_ELEMENTS) -> Outcome:
    """The same with Exudyn's generalised-alpha, spectral radius 0.9, modified Newton."""
    system = ExudynSystem()
    first = system.beam((0, 0, 0), (LEG, 0, 0), elements, STIFFNESS, MASS, INERTIA)
    second = system.beam((LEG, 0, 0), (LEG, LEG, 0), elements, STIFFNESS, MASS, INERTIA)
    elbow = system.at_node(first[-1])
    system.join(system.ground, system.at_node(first[0]))
    system.join(elbow, system.at_node(second[0]), ALL_SIX, turn=0.5 * np.pi)
    system.load(elbow, lambda t: [0.0, 0.0, PEAK * max(min(t / RISE, (FALL - t) / (FALL - RISE)), 0.0)])
    tip = system.watch(second[-1], "Displacement")
    return system.solve(steps, sample_times(end), [tip], sparse=sparse)


def mbdyn_model(elements: int = MBDYN_ELEMENTS) -> tuple[Deck, int]:
    """Input for MBDyn, and the tip; the legs share the node of the elbow."""
    deck = Deck()
    first = deck.beam((0, 0, 0), (LEG, 0, 0), elements, STIFFNESS, MASS, INERTIA)
    second = deck.beam((LEG, 0, 0), (LEG, LEG, 0), elements, STIFFNESS, MASS, INERTIA, first=first[-1])
    deck.clamp(first[0])
    deck.load(first[-1], (0, 0, 1), ((0.0, 0.0), (RISE, PEAK), (FALL, 0.0)))
    return deck, second[-1]


def mbdyn(
    steps: int, keep: int = 1, end: float = END, elements: int = MBDYN_ELEMENTS, limit: float = 300.0
) -> Outcome:
    """The same with MBDyn's finite-volume beams, its multistep scheme with spectral radius 0.6."""
    deck, tip = mbdyn_model(elements)
    seen = solve_mbdyn(deck, tip, sample_times(end), steps, keep=keep, limit=limit)
    return replace(seen, samples=seen.samples - deck.nodes[tip - 1])


STUDY = Study(
    name="right_angle",
    title="Right-angle cantilever",
    problem="Largest error of the tip's displacement (m, of an amplitude of 9.7) every 0.1 s to 30 s.\n"
    "Parameter: dt (s), or number of steps.",
    ours=ours,
    parameters=(0.1, 0.05, 0.025, 0.0125),
    fine=0.003125,
    variants={"Exudyn, dense solver": {"sparse": False}, "Exudyn, sparse solver": {"sparse": True}},
    peer_steps=(3000, 6000, 12000),
    peer_fine=48000,
    others=mbdyn_variants((3000, 6000, 12000, 24000), 96000),
    short=3.0,
    short_parameters=(0.1, 0.05),
    short_fine=0.0125,
    targets=(Target(1e-3, 0.25), Target(1e-4, 0.15)),
)
