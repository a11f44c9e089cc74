"""Checks of a run: energy balance, frequencies, preload, and the paper's statements about its two simulations.

Contact forces while the faces stick follow from harmonic linear dynamics of the three blades. Cut at the faces, the
blades have dynamic flexibilities; the contact is a spring and damper along the face and rigid across it. Neither the
contact model nor the time integration is used, so that this is an independent check of the onset of slip.

Statements that fail with the paper's data are explained in turbine_blades.md and reported as known differences. Some
of them compare two runs: both laws in simulation 1, two stick zones of GKF in the sweep. The second run is in
memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arrays import Array, Complex
from fem_mbd.case import RunHistories
from fem_mbd.cases.turbine_blades.model import (
    CONTACT_EXPONENT,
    FREQUENCY,
    GROWN,
    GROWS,
    PLACES,
    PRELOADED,
    STEEL,
    SWEEP_FROM,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    THICKNESS,
    TIE,
    WIDTH,
    Blade,
    Parameters,
    Row,
    add_blade,
    amplitude,
    blade_frequencies,
    build,
    build_model,
    coupled_frequencies,
    frequency,
    row_of,
)
from fem_mbd.core.model.model import Model
from fem_mbd.runs.results.checks import Check, at_least, at_most, balance, near, within
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

if TYPE_CHECKING:
    from fem_mbd.analysis.modal.linear_model import LinearModel


@dataclass(frozen=True)
class Histories(RunHistories[Parameters]):
    """One run. Faces: left, right; blades: centre, left, right."""

    @cached_property
    def tips(self) -> Array:
        """(k, 3) displacement of the tips along i1, m."""
        _, blades = build_model(self.parameters)
        return np.asarray(self.result.of([blade.tip.node for blade in blades]).displacement[..., 0])

    @cached_property
    def contacts(self) -> dict[str, Array]:
        """Quantities of the points by name, (k, 2, points) or (k, 2, points, 3)."""
        points = range(1, self.parameters.points + 1)
        faces = [self.result.of([f"{name}.{n}" for n in points]) for name, _ in PLACES[1:]]
        names = ("gap", "normal_force", "friction_force", "slip_velocity", "normal")
        return {name: np.stack([face[name] for face in faces], axis=1) for name in names}

    @cached_property
    def normal_force(self) -> Array:
        """(k, 2) N, of the faces."""
        return self.contacts["normal_force"].sum(axis=2)

    @cached_property
    def friction(self) -> Array:
        """(k, 2, 3) N, of the faces, on the outer blades."""
        return self.contacts["friction_force"].sum(axis=2)

    @cached_property
    def slip(self) -> Array:
        """(k, 2, 3) m/s, mean of a face's points, of the outer blade on the centre one."""
        return self.contacts["slip_velocity"].mean(axis=2)

    @cached_property
    def power(self) -> Array:
        """(k, 2) W dissipated by friction at each face."""
        c = self.contacts
        return -np.einsum("kfpi,kfpi->kf", c["friction_force"], c["slip_velocity"])

    def envelope(self, values: Array, width: float) -> tuple[Array, Array]:
        """Middles (m,) of windows of ``width`` (s), and the largest |value| in each."""
        window = (self.time / width).astype(int)
        count = int(window[-1]) + 1
        peaks = np.zeros(count)
        np.maximum.at(peaks, window, np.abs(values))
        return width * (np.arange(count) + 0.5), peaks


@dataclass(frozen=True)
class StickingResponse:
    """Amplitudes per N of force at the centre tip along i1.

    tip : m/N, of the centre tip along i1
    slip : (2,) m/N, at the faces, left and right, along them
    tangential, normal : (2,) N/N, forces at the faces
    """

    tip: float
    slip: Array
    tangential: Array
    normal: Array

    def onset(self, mu: float, preload: float) -> float:
        """Force (N) at which a face first carries mu times its normal force at that time."""
        return float((mu * preload / (self.tangential + mu * self.normal)).min())


def flexibility(p: Parameters, turn: float, arms: list[Array], hertz: float) -> Array:
    """(3k + 3, 3k + 3) m/N of one blade at k points of its tie-boss, ``arms`` from its middle, and at its tip."""
    from fem_mbd.analysis.modal.linear_model import linearise  # not at module level: a run does not need it

    model = Model(name="blade")
    blade = add_blade(model, p, "blade", np.zeros(3), turn)
    linear = linearise(model)
    motions = _motions(linear, blade, arms)
    inertia = (2 * pi * hertz) ** 2 * linear.reduced(linear.mass)
    dynamic = (linear.reduced(linear.stiffness) - inertia).toarray()
    return motions.T @ np.linalg.solve(dynamic, motions)


def _motions(linear: LinearModel, blade: Blade, arms: list[Array]) -> Array:
    """(r, 3k + 3) displacements of the points for each reduced unknown."""
    shapes = np.array([linear.displacements(unit).real for unit in np.eye(linear.freedoms)])
    tie, tip = shapes[:, blade.tie.node.index], shapes[:, blade.tip.node.index]
    faces = [tie[:, :3] + np.cross(tie[:, 3:], arm) for arm in arms]
    return np.concatenate([*faces, tip[:, :3]], axis=1)


def sticking_response(
    p: Parameters, hertz: float, row: Row | None = None, contact: complex = np.inf
) -> StickingResponse:
    """Amplitudes at ``hertz`` with one point per face and the dynamic stiffness ``contact`` (N/m) along it."""
    row = row or row_of(p)
    normal = np.array(row.pitch) / np.linalg.norm(row.pitch)
    along = np.eye(3) - np.outer(normal, normal)
    # from the centre blade to the middle of its faces, and from there to the outer blades
    arms = [0.5 * row.foot(side) for side in (-1.0, 1.0)]
    centre = flexibility(p, 0.0, arms, hertz)
    compliance: Complex = centre[:6, :6].astype(complex)
    for rows, turn, arm in zip((slice(0, 3), slice(3, 6)), row.turns, arms, strict=True):
        outer = flexibility(p, turn, [-arm], hertz)[:3, :3]
        compliance[rows, rows] += outer + along / contact
    loads = np.linalg.solve(compliance, centre[:6, 6])  # exerted by the centre blade on the outer ones
    forces = loads.reshape(2, 3)
    across = forces @ normal
    tangential = np.linalg.norm(forces - np.outer(across, normal), axis=1)
    tip = abs(complex(centre[6, 6] - centre[6, :6] @ loads))
    return StickingResponse(tip, tangential / abs(contact), tangential, np.abs(across))


def bond(p: Parameters, hertz: float) -> complex:
    """Dynamic stiffness of a sticking face under the preload, N/m: of bristles, or of the regularised zone."""
    rate = 2j * pi * hertz
    if p.friction == "lugre":
        return p.preload * (p.sigma_0 + rate * p.sigma_1)
    top = p.mu_k + (p.mu_s - p.mu_k) * np.exp(-((p.threshold / p.stribeck_velocity) ** 2))
    return complex(p.preload * top / p.threshold * rate)


PAPER = "Colantonio et al., section 5"
PERIOD = 0.05  # s, of envelopes
SETTLED = 1.3  # s, in simulation 1: full sliding
MICRO_SLIP_FORCE, MICRO_SLIP = 3.0, 20.0  # N, um: an experiment mentioned in the paper
RESONANCE = 55.0  # Hz
ENERGY_LOST = {"lugre": 0.15, "gkf": 0.12}  # J, in the sweep
RESONANCE_WINDOW = (1.5, 2.0)  # s: the paper refers to "around 30 Hz" around 2 s
AFTER_RESONANCE = 65.0  # Hz: after resonance
CYCLE_TIME = 1.0 / FREQUENCY  # s
WIDE_THRESHOLD = 1e-3  # m/s, the other threshold of GKF's stick zone
GOOD, WEAK = 0.1, 0.1  # limits for "good agreement" and for "a weak impact"


def stick_to_slip(h: Histories) -> list[Check]:
    """Simulation 1: time at which slip exceeds v_st, compared with the paper and with the forces of sticking faces.

    GKF sticks until the required friction exceeds its maximum, mu_s. LuGre yields before, but does not slide until its
    bristles carry mu_k.
    """
    p = h.parameters
    speed = np.linalg.norm(h.slip[:, 0], axis=1)
    middle, peaks = h.envelope(speed, PERIOD)
    onset = float(middle[int(np.argmax(peaks > p.stribeck_velocity))])
    bound, rigid = slip_time(p, p.mu_s, complex(np.inf)), "sticking faces as rigid links"
    if p.friction == "gkf":
        leaving = h.time[(h.time > GROWS) & (speed > p.threshold)]
        first = float(leaving[0]) if len(leaving) else np.inf
        # the force peaks twice in a period, and it grows
        statics = within(
            "speed leaves the stick zone [s]",
            first,
            bound - 1 / FREQUENCY,
            bound + 1 / FREQUENCY,
            rigid + ": mu_s reached, within a period",
        )
    else:
        early = slip_time(p, p.mu_k, bond(p, FREQUENCY))
        statics = at_least(
            "slip beyond v_st begins, statics [s]", onset, early, "sticking faces as bristles at mu_k"
        )
    checks = [
        statics,
        within("slip beyond v_st begins [s]", onset, 0.9, 1.1, PAPER + ".1: around 1 s"),
    ]
    if p.friction == "lugre":
        checks.append(_micro_slip(h))
    established = float(peaks[(middle > SETTLED) & (middle < h.time[-1])].min()) / p.stribeck_velocity
    return [
        *checks,
        at_least(
            "largest slip of each period after 1.3 s / v_st", established, 2.0, PAPER + ".1: largely over"
        ),
    ]


def _micro_slip(h: Histories) -> Check:
    """Check of "The order of magnitude of the displacement with LuGre is closer to": within a factor of two."""
    p = h.parameters
    reached = GROWS + (GROWN - GROWS) * MICRO_SLIP_FORCE / p.amplitude
    tip = 1e6 * float(np.abs(h.tips[np.abs(h.time - reached) < 0.5 / FREQUENCY, 0]).max())
    name = f"centre tip at {MICRO_SLIP_FORCE:g} N [um]"
    return within(name, tip, MICRO_SLIP / 2, MICRO_SLIP * 2, PAPER + ".1: 20 um for 3 N at 30 Hz")


def slip_time(p: Parameters, mu: float, contact: complex) -> float:
    """Time (s), in simulation 1, at which sticking faces of dynamic stiffness ``contact`` (N/m) would carry mu times
    the preload.
    """
    share = float(sticking_response(p, FREQUENCY, contact=contact).tangential.max())
    times = np.linspace(GROWS, GROWN, 16001)
    needed = share * np.array([amplitude(p, t) for t in times])
    reached = needed > mu * p.preload * np.minimum(times / PRELOADED, 1.0)
    return float(times[int(np.argmax(reached))]) if reached.any() else np.inf


def sweep(h: Histories) -> list[Check]:
    """Simulation 2, both laws."""
    p, source = h.parameters, PAPER + ".2"
    peak_time = resonance(h)
    speed = np.linalg.norm(h.slip[:, 0], axis=1)
    coefficient = np.linalg.norm(h.friction[:, 0], axis=1) / np.maximum(h.normal_force[:, 0], 1e-12)
    early, around = h.between(*RESONANCE_WINDOW), np.abs(h.time - peak_time) < PERIOD
    middle, peaks = h.envelope(speed, PERIOD)
    after = np.array([frequency(p, t) > AFTER_RESONANCE for t in middle]) & (middle < h.time[-1] - PERIOD)
    lost = float(h.dt @ h.power.sum(axis=1))
    checks = [
        near("resonance of the centre tip [s]", peak_time, 6.0, 0.05, source + ": about 6 s"),
        near("frequency there [Hz]", frequency(p, peak_time), RESONANCE, 0.02, source),
        at_least("slip at resonance / v_st", float(speed[around].max()) / p.stribeck_velocity, 1.0, source),
        at_least("slip of each period after resonance / v_st", float(peaks[after].min()) / p.stribeck_velocity,
                 1.0, source),
        near("energy lost in both faces [J]", lost, ENERGY_LOST[p.friction], 0.1, source),
    ]  # fmt: skip
    if p.friction == "gkf":
        slip = float(speed[early].max()) / p.threshold
        name = f"slip at {SWEEP_FROM:g} Hz / threshold of the stick zone"
        return [
            *checks,
            at_most(name, slip, 1.0, source + ", fig. 28"),
            at_most(
                "friction (r.m.s.) at resonance / before it slides",
                _force_ratio(h, peak_time),
                1.0,
                source + ", fig. 30: decreases",
            ),
        ]
    return [
        *checks,
        at_most(f"largest coefficient at {SWEEP_FROM:g} Hz / mu_s", float(coefficient[early].max()) / p.mu_s, 1.0,
                source + ": stick at low frequency"),
        at_least("largest coefficient at resonance / mu_s", float(coefficient[around].max()) / p.mu_s, 1.0,
                 source + ", fig. 32"),
    ]  # fmt: skip


def _force_ratio(h: Histories, peak_time: float) -> float:
    """Root mean square of the friction force at resonance over that in the last tenth of a second of sticking."""
    force, speed = np.linalg.norm(h.friction[:, 0], axis=1), np.linalg.norm(h.slip[:, 0], axis=1)
    slides = (h.time > PRELOADED) & (speed > h.parameters.stribeck_velocity)
    begins = float(h.time[int(np.argmax(slides))]) if slides.any() else peak_time
    sizes = [
        np.sqrt((h.dt * force**2)[rows].sum() / h.dt[rows].sum())
        for rows in (np.abs(h.time - peak_time) < PERIOD, h.between(begins - 2 * PERIOD, begins))
    ]
    return float(sizes[0] / sizes[1])


def resonance(h: Histories) -> float:
    """Time (s) of the largest displacement of the centre tip after the preload."""
    middle, peaks = h.envelope(h.tips[:, 0], PERIOD)
    swept = middle > PRELOADED
    return float(middle[swept][int(np.argmax(peaks[swept]))])


def other_run(parameters: Parameters, **changed: Any) -> Histories:
    """A run with some parameters changed."""
    p = replace(parameters, **changed)
    return Histories(run(build(p), progress=False), p)


def both_laws(h: Histories) -> list[Check]:
    """Simulation 1: smoothness of break-away of the two laws, and their agreement when both slide."""
    other = other_run(h.parameters, friction="gkf" if h.parameters.friction == "lugre" else "lugre")
    lugre, gkf = (h, other) if h.parameters.friction == "lugre" else (other, h)
    smoothness = _sharpest(lugre) / _sharpest(gkf)
    tips = _peak_difference(lugre, gkf, lambda of: of.tips[:, 0])
    slips = _peak_difference(lugre, gkf, _speed)
    source = PAPER + ".1"
    return [
        at_most("fastest growth of slip, LuGre / GKF", smoothness, 1.0, source + ": smoother for LuGre"),
        at_most("tips after 1.3 s, difference of LuGre and GKF", tips, GOOD, source + ": good agreement"),
        at_most("slip after 1.3 s, difference of LuGre and GKF", slips, GOOD, source + ": good agreement"),
    ]


def wider_stick_zone(h: Histories) -> list[Check]:
    """Simulation 2, GKF: largest tip and energy with the other threshold over those with the paper's."""
    other = other_run(h.parameters, threshold=WIDE_THRESHOLD)
    tip, lost = (
        size(other) / size(h)
        for size in (
            lambda of: float(np.abs(of.tips[of.time > PRELOADED, 0]).max()),
            lambda of: float(of.dt @ of.power.sum(axis=1)),
        )
    )
    ratio = f"with a threshold of {WIDE_THRESHOLD:g} m/s / that of {h.parameters.threshold:g}"
    source = PAPER + ".3: a weak impact"
    return [
        within(f"largest tip {ratio}", tip, 1 - WEAK, 1 + WEAK, source),
        within(f"energy lost {ratio}", lost, 1 - WEAK, 1 + WEAK, source),
    ]


def _speed(h: Histories) -> Array:
    return np.asarray(np.linalg.norm(h.slip[:, 0], axis=1))


def _sharpest(h: Histories) -> float:
    """Largest growth of the slip from one period to the next, while the force grows."""
    middle, peaks = h.envelope(_speed(h), CYCLE_TIME)
    grows = (middle[1:] > GROWS + 2 * CYCLE_TIME) & (middle[1:] < GROWN - CYCLE_TIME)
    return float((peaks[1:] / np.maximum(peaks[:-1], np.finfo(float).tiny))[grows].max())


def _peak_difference(a: Histories, b: Histories, quantity: Callable[[Histories], Array]) -> float:
    """Mean difference of a quantity's largest values in each period, over their mean."""
    middle, first = a.envelope(quantity(a), CYCLE_TIME)
    _, second = b.envelope(quantity(b), CYCLE_TIME)
    late = (middle > SETTLED) & (middle < GROWN - CYCLE_TIME)
    return float(np.abs(first - second)[late].mean() / (0.5 * (first + second))[late].mean())


PAGE = "docs/studies/turbine_blades.md"  # explains why these checks fail
KNOWN_DIFFERENCES = (
    "slip beyond v_st begins [s]",
    "centre tip at 3 N",
    "slip after 1.3 s, difference of LuGre and GKF",
    "tips after 1.3 s, difference of LuGre and GKF",
    "energy lost in both faces",
    "energy lost with a threshold",
)
# the energy residual is unbalanced forces times the motion of the step. Smooth friction is solved with reused
# factorisations and a hundred times more accurately than Newton's tolerance of 1e-10, GKF at its kink is not
BALANCE = {"lugre": 1e-11, "gkf": 1e-10}
# The paper prints 53 Hz, which is rounded by up to 0.94 %. Its solid model and its beams differ by 2.9 and 6.9 % in the
# higher modes of one blade: the tolerance of beams against the solid model is half of the smaller difference.
ROUNDED, SOLID = 0.01, 0.015


def checks(result: Result, parameters: Parameters) -> list[Check]:
    """Energy balance and the set's frequencies always; all statements of the paper for the simulated set.

    The solid model, set "cad", was not simulated in the paper, so there is no reference for its contacts.
    """
    p = parameters
    h = Histories(result, p)
    work = float(h.power.sum(axis=1) @ h.dt)
    checks = [
        *balance(result.summary, BALANCE[p.friction]),
        at_least("energy dissipated by friction [J]", work, 0.0, "friction dissipates"),
        *frequencies(p),
    ]
    if p.set == "simulated":
        checks += _preload(h)
        if p.end_time == 0:
            known = KNOWN_DIFFERENCES if _is_paper_data(p) else ()
            checks += [replace(c, known=PAGE) if c.name.startswith(known) else c for c in _statements(h)]
    return checks


def _statements(h: Histories) -> list[Check]:
    """Statements of the paper about the simulation; those that compare two runs with its own data only."""
    p = h.parameters
    if p.simulation == 1:
        return stick_to_slip(h) + (both_laws(h) if _is_paper_data(p) else [])
    return sweep(h) + (wider_stick_zone(h) if _is_paper_data(p) and p.friction == "gkf" else [])


def _is_paper_data(p: Parameters) -> bool:
    """Whether the data are those of the paper or the assumed ones."""
    return p == Parameters(simulation=p.simulation, friction=p.friction, dt=p.dt)


def frequencies(p: Parameters) -> list[Check]:
    """The frequencies of the paper's tables for the set."""
    if p.set == "simulated":
        return _table_checks("one blade", blade_frequencies(p), TABLE_3, ROUNDED, "table 3")
    return [
        *_table_checks("one blade", blade_frequencies(p), TABLE_4, SOLID, "table 4"),
        *_table_checks("the linked blades", coupled_frequencies(p), TABLE_5, SOLID, "table 5"),
    ]


def _table_checks(
    part: str, computed: np.ndarray, printed: tuple[float, ...], relative: float, table: str
) -> list[Check]:
    return [
        near(f"frequency {n} of {part} [Hz]", float(f), w, relative, f"{PAPER}, {table}")
        for n, (f, w) in enumerate(zip(computed, printed, strict=True), 1)
    ]


def _preload(h: Histories) -> list[Check]:
    p, after = h.parameters, h.time > PRELOADED
    if not after.any():
        return []
    force = h.normal_force[after]
    reason = f"bending of the outer blades takes at most {bending_share(p):.3f} of the crushing force"
    least = (1.0 - bending_share(p)) * p.preload
    difference = float(np.abs(h.tips[:, 1] - h.tips[:, 2]).max() / np.abs(h.tips[:, 0]).max())
    return [
        at_least("smallest normal force of a face [N]", float(force.min()), least, reason),
        near("largest normal force of a face [N]", float(force.max()), p.preload, 0.03, PAPER + ", fig. 16"),
        at_most(
            "difference of the outer tips / centre's displacement", difference, 1e-3, PAPER + ", figs. 18, 19"
        ),
    ]


def bending_share(p: Parameters) -> float:
    """Share of the crushing force that bends an outer blade whose tie-boss cannot rotate, due to the flexibility of the
    face.
    """
    bending = STEEL.young * WIDTH * THICKNESS**3 / 12.0
    indentation = p.sigma * (p.preload / (TIE[0] * TIE[2])) ** (1.0 / CONTACT_EXPONENT)
    return 12.0 * bending / p.geometry.lower_length**3 * indentation / p.preload
