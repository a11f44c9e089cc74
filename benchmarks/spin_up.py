"""Spin-up: a beam of 10 m whose root is turned from rest to 6 rad/s in 15 s, then held there to 20 s.

Source: Simo and Vu-Quoc, "On the dynamics of flexible beams under large overall motions - the plane case", Journal of
Applied Mechanics 53 (1986), 849-863. Observed in axes that turn with the root: the tip lags, stretches, and settles.
"""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

import numpy as np

from benchmarks.exudyn_system import ExudynSystem
from benchmarks.mbdyn_deck import Deck, vector
from benchmarks.mbdyn_system import solve_mbdyn
from benchmarks.outcome import Outcome
from benchmarks.study import Study, Target, mbdyn_variants
from benchmarks.time_loop import Outputs, fixed_steps, run_time_loop
from fem_mbd import Model, NewtonOptions, Node, PrescribedMotion, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import Harmonic, Piecewise, Polynomial, TimeFunction
from fem_mbd.elements import Beam, Section

LENGTH, END, INTERVAL = 10.0, 20.0, 0.1
STIFFNESS, MASS, INERTIA = (2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4), 1.2, (1.2e-3, 6e-4, 6e-4)
SPEED, RAMP = 6.0, 15.0  # rad/s, reached after s
ELEMENTS, PEER_ELEMENTS = 1, 10  # both meshes leave about 1e-3 m of error in space
MBDYN_ELEMENTS = 5  # of three nodes: as many nodes as Exudyn's


def root_angle() -> TimeFunction:
    """6/15 (t^2/2 + (15/2 pi)^2 (cos(2 pi t/15) - 1)) until 15 s, 6 t - 45 after."""
    swing = SPEED / RAMP * (RAMP / (2 * pi)) ** 2
    rising = Polynomial((-swing, 0.0, 0.5 * SPEED / RAMP)) + Harmonic(swing, 2 * pi / RAMP, 0.5 * pi)
    return Piecewise((RAMP,), (rising, Polynomial((-0.5 * SPEED * RAMP, SPEED))))


def plain_angle(t: float) -> float:
    """`root_angle` as plain arithmetic: the peer calls it at every iteration, and that time counts."""
    if t >= RAMP:
        return SPEED * (t - 0.5 * RAMP)
    return SPEED / RAMP * (0.5 * t * t + (RAMP / (2 * pi)) ** 2 * (cos(2 * pi * t / RAMP) - 1))


def plain_rate(t: float) -> float:
    """Its rate, rad/s."""
    return SPEED if t >= RAMP else SPEED / RAMP * (t - RAMP / (2 * pi) * sin(2 * pi * t / RAMP))


def sample_times(end: float) -> Array:
    """Every tenth of a second."""
    return INTERVAL * np.arange(1, round(end / INTERVAL) + 1)


def simulation(dt: float, end: float = END, elements: int = ELEMENTS) -> tuple[Simulation, Node]:
    """Fixed steps of `dt` (s), so many elements; and the tip."""
    model = Model(name="spin-up")
    section = Section(np.diag(STIFFNESS), MASS, np.diag(INERTIA))
    beam = model.add(Beam(section, (0, 0, 0), (LENGTH, 0, 0), elements=elements, name="blade"))
    model.add(PrescribedMotion(beam.start, axis=(0, 0, 1), angle=root_angle()))
    control = fixed_steps(dt, sample_times(end))
    return Simulation(model, end, control, newton=NewtonOptions(reuse="step")), beam.end


def ours(dt: float, end: float = END, elements: int = ELEMENTS) -> Outcome:
    """Samples are the transverse displacement (1,) of the tip in turning axes, m."""
    sim, end_node = simulation(dt, end, elements)
    tip = end_node.index

    def transverse(t: float, now: Outputs) -> Array:
        turn, (x, y, _) = plain_angle(t), now["position"][tip]
        return np.array([cos(turn) * y - sin(turn) * x])

    return run_time_loop(sim, dt, sample_times(end), transverse)[0]


def exudyn(steps: int, sparse: bool = True, end: float = END, elements: int = PEER_ELEMENTS) -> Outcome:
    """The same by Exudyn's beam in space; the root is welded to a hub whose third angle is driven."""
    system = ExudynSystem()
    nodes = system.beam((0, 0, 0), (LENGTH, 0, 0), elements, STIFFNESS, MASS, INERTIA)
    hub, _ = system.body((0, 0, 0), 1.0, (1, 1, 1))
    system.hold(hub, 0, 1, 2, 3, 4)
    system.drive(hub, 5, plain_angle, plain_rate)
    system.join(system.at_node(hub), system.at_node(nodes[0]))
    times = sample_times(end)
    seen = system.solve(steps, times, [system.watch(nodes[-1])], sparse=sparse)
    return replace(seen, samples=across(times, seen.samples))


def across(times: Array, places: Array) -> Array:
    """Transverse displacement (k, 1) in turning axes of places (k, 3), m."""
    turns = np.array([plain_angle(t) for t in times])
    return (np.cos(turns) * places[:, 1] - np.sin(turns) * places[:, 0])[:, None]


def mbdyn_model(elements: int = MBDYN_ELEMENTS) -> tuple[Deck, int]:
    """The same for MBDyn, and the tip; the root is turned by a joint with the ground.

    The angle is a sum of functions that MBDyn has built in, 1/2 6/15 min(t, 15)^2 + 6 max(t - 15, 0) and a period of a
    cosine: it would parse an expression anew at every iteration.
    """
    deck = Deck()
    nodes = deck.beam((0, 0, 0), (LENGTH, 0, 0), elements, STIFFNESS, MASS, INERTIA)
    swing = SPEED / RAMP * (RAMP / (2 * pi)) ** 2
    rising = (
        f"drive, parabolic, {vector((0.0, 0.0, 0.5 * SPEED / RAMP))}, ramp, {vector((1.0, 0.0, RAMP, 0.0))}"
    )
    steady = f"ramp, {vector((SPEED, RAMP))}, forever, 0.0"
    deck.pin(
        nodes[0], f"array, 3, {rising}, {steady}, cosine, {vector((0.0, 2 * pi / RAMP, -swing))}, one, 0.0"
    )
    return deck, nodes[-1]


def mbdyn(
    steps: int, keep: int = 1, end: float = END, elements: int = MBDYN_ELEMENTS, limit: float = 300.0
) -> Outcome:
    """The same by MBDyn's finite-volume beams, its multistep scheme with spectral radius 0.6."""
    deck, tip = mbdyn_model(elements)
    times = sample_times(end)
    seen = solve_mbdyn(deck, tip, times, steps, keep=keep, limit=limit)
    return replace(seen, samples=across(times, seen.samples))


STUDY = Study(
    name="spin_up",
    title="Spin-up",
    problem="Largest error of the tip's transverse displacement (m, at most 0.57) every 0.1 s to 20 s.\n"
    "Parameter: dt (s), or number of steps.",
    ours=ours,
    parameters=(0.05, 0.025, 0.0125, 0.00625),
    fine=0.0015625,
    variants={"Exudyn 3-D, dense solver": {"sparse": False}, "Exudyn 3-D, sparse solver": {"sparse": True}},
    peer_steps=(2000, 4000, 8000),
    peer_fine=64000,
    others=mbdyn_variants((2000, 4000, 8000, 16000), 64000),
    short=2.0,
    short_parameters=(0.1, 0.05),
    short_fine=0.0125,
    targets=(Target(3e-4, 0.1),),
)
