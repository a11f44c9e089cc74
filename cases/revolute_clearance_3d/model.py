"""Parameters (Marques 2015, tables 4.2 to 4.4) and model: joint with clearance between ground and crank, its laws.

Table 2.2 of the source gives the crank's speed to 1e-4 rad/s. Starts that differ by less are equivalent to it; here
they diverge within 0.1 s (docs/how-to/chaos.md) and have only their statistics in common for the rest of the second.

Statements about groups of runs are checked by the exact test of Mann and Whitney (1947). It counts the pairs in which
the run of one group is above that of the other, and gives the probability of at least this count if both groups came
from one distribution. Of three runs against three only a complete order (1 in 20) passes; with more runs some may be
out of order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import product
from math import sqrt
from statistics import median
from typing import Literal, Self

import numpy as np
from scipy.signal import find_peaks
from scipy.stats import mannwhitneyu

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import whole_number
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.cases._spatial_slider_crank import START_SPEED, build_mechanism
from fem_mbd.core.model.node import Node
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.ledger import DISSIPATIONS
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import Penetration
from fem_mbd.friction import (
    BoPavelescu,
    ClassicalDahl,
    ClassicalLuGre,
    Dahl,
    DryCoulomb,
    FrictionLaw,
    Frictionless,
    Hertz,
    LankaraniNikravesh,
    LuGre,
)
from fem_mbd.joints import RevoluteClearance
from fem_mbd.runs.results.checks import Check, at_most
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import run

# R_i, R_j, L_i, L_j of table 4.2, m: radii and lengths of bearing (i) and journal (j)
SIZES = {
    1: (0.01, 0.0095, 0.02, 0.019),
    2: (0.01, 0.0095, 0.02, 0.0195),
    3: (0.01, 0.00975, 0.02, 0.019),
}
FEWEST, MOST = 3, 11  # number of starts: fewer give no significance, more exceed the printed digits


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the source, or assumed where the text gives none (marked so). SI units."""

    simulation: Literal[1, 2, 3] = parameter(
        1, "", "sizes of journal and bearing: table 4.2; 2 halves the axial clearance, 3 the radial one"
    )
    friction: Literal["none", "coulomb", "stribeck", "dahl", "lugre"] = parameter(
        "none", "", "friction law in the joint, section 4.3"
    )
    bristles: Literal["per_normal_force", "in_newtons"] = parameter(
        "per_normal_force",
        "",
        "units of stiffness and damping of Dahl's and LuGre's bristles: see the case's text",
    )
    compare: bool = parameter(True, "", "run the other clearances or laws too, and compare")
    starts: int = parameter(
        MOST, "", "runs of each clearance or law, 3 to 11, whose starts are equal to the digits of table 2.2"
    )
    start_speed: float = parameter(START_SPEED, "rad/s", "of the crank at the start; table 2.2: 6.2832")
    end_time: float = parameter(1.0, "s", "simulated time")
    stiffness: float = parameter(6.71e10, "N/m^1.5", "of a contact, Hertz's exponent 3/2")
    restitution: float = parameter(0.9, "", "coefficient of restitution, Lankarani and Nikravesh")
    mu_s: float = parameter(0.2, "", "static coefficient of friction")
    mu_k: float = parameter(0.1, "", "kinetic coefficient of friction")
    v_s: float = parameter(1e-3, "m/s", "Stribeck velocity")
    sigma_0: float = parameter(1e5, "1/m", "stiffness of the bristles; N/m with bristles=in_newtons")
    sigma_1: float = parameter(
        sqrt(1e5), "s/m", "damping of LuGre's bristles; N s/m with bristles=in_newtons"
    )
    crown: float = parameter(9.5e-6, "m", "height of the crown on the journal's faces, assumed")
    dt_max: float = parameter(1e-4, "s", "largest step")
    penetration: float = parameter(1.25e-7, "m", "eps_p of the contact rule of step control")

    def __post_init__(self) -> None:
        whole_number(self.starts, "revolute_clearance_3d: starts", FEWEST, MOST)
        check_positive(self, "revolute_clearance_3d", "end_time crown dt_max penetration start_speed")


def friction_law(p: Parameters) -> FrictionLaw:
    """The friction law selected by the parameters."""
    if p.friction == "coulomb":
        return DryCoulomb(p.mu_k)
    if p.friction == "stribeck":
        return BoPavelescu(p.mu_s, p.mu_k, p.v_s)
    in_newtons = p.bristles == "in_newtons"
    if p.friction == "dahl":
        return (ClassicalDahl if in_newtons else Dahl)(p.mu_k, p.sigma_0)
    if p.friction == "lugre":
        law = ClassicalLuGre if in_newtons else LuGre
        return law(sigma_0=p.sigma_0, sigma_1=p.sigma_1, mu_s=p.mu_s, mu_k=p.mu_k, v_s=p.v_s)
    return Frictionless()


def build(p: Parameters) -> Simulation:
    """Journal on the ground, bearing in the crank; steps by the change of the gaps, on a geometric grid of sizes."""

    def bearing(ground: Node, crank: Node) -> RevoluteClearance:
        law = LankaraniNikravesh(Hertz(p.stiffness), p.restitution)
        return RevoluteClearance(
            crank.at_global((0, 0, 0)), ground, *SIZES[p.simulation], law, friction_law(p), axis=(0, 1, 0),
            crown=p.crown, name="bearing",
        )  # fmt: skip

    control = StepControl(
        Penetration(p.penetration), dt_initial=1e-6, dt_min=1e-12, dt_max=p.dt_max, quantise=True
    )
    # bristle damping makes friction so stiff that reused factorisations leave an energy residual
    newton = NewtonOptions(reuse=p.friction != "lugre" or p.sigma_1 == 0.0)
    model = build_mechanism(bearing=bearing, start_speed=p.start_speed).model
    return Simulation(model, p.end_time, control, newton=newton)


def build_ideal(p: Parameters) -> Simulation:
    """The mechanism with an ideal joint."""
    return Simulation(build_mechanism().model, p.end_time, StepControl.fixed(1e-3))


SAMPLE = 1e-5  # s, a tenth of an impact
PEAK_COUNT, PEAK_SPACING = 5, 5e-3  # peaks of the acceleration used; s, smallest distance between them
QUANTITIES = ("position", "velocity", "quaternion", "omega", "contact", "journal")


@dataclass(frozen=True)
class Histories:
    """One run; one row per step, (k,)."""

    result: Result

    @cached_property
    def time(self) -> Array:
        return self.result.time

    @cached_property
    def position(self) -> Array:
        """Position of the slider along y, m."""
        return self.result.of("slider").position[:, 1]

    @cached_property
    def velocity(self) -> Array:
        """Velocity of the slider along y, m/s."""
        return self.result.of("slider").velocity[:, 1]

    @cached_property
    def grid(self) -> Array:
        """(m,) s, equally spaced times between which mean accelerations are computed: some steps are too short for
        differences.
        """
        return np.arange(SAMPLE, self.time[-1] + 0.5 * SAMPLE, SAMPLE)

    @cached_property
    def acceleration(self) -> Array:
        """(m,) m/s^2, of the slider along y, mean up to each instant of ``grid``."""
        velocity = np.interp(self.grid, self.time, self.velocity)
        return np.diff(velocity, prepend=0.0) / SAMPLE

    @cached_property
    def crank_angle(self) -> Array:
        """Angle of the crank about -y from upright, rad, counting full revolutions."""
        x, _, z = self.result.of("crank").position.T
        return np.unwrap(np.arctan2(-x, z))

    @cached_property
    def energy(self) -> Array:
        """Change of the mechanical energy of all parts since the start, J: the losses of the ledger."""
        lost: Array = np.cumsum(sum(self.result.energy[name] for name in DISSIPATIONS))
        return -lost

    @cached_property
    def lost(self) -> float:
        """Energy lost by the end of the run, J."""
        return -float(self.energy[-1])

    @cached_property
    def peaks(self) -> float:
        """Mean of the five highest peaks of the slider's acceleration, m/s^2, at least 5 ms apart."""
        size = np.abs(self.acceleration)
        rows, _ = find_peaks(size, distance=round(PEAK_SPACING / SAMPLE))
        return float(np.sort(size[rows])[-PEAK_COUNT:].sum()) / PEAK_COUNT

    @cached_property
    def amplitude(self) -> float:
        """Stroke of the slider between its extreme positions after it has first been out, the crank down, m."""
        return float(np.ptp(self.position[int(np.argmax(self.crank_angle >= np.pi)) :]))

    @cached_property
    def forward_oscillation(self) -> float:
        """Root mean square of the slider's acceleration while it moves outwards, m/s^2."""
        outwards = np.interp(self.grid, self.time, self.velocity) > 0.0
        return float(np.sqrt(np.mean(self.acceleration[outwards] ** 2)))

    @cached_property
    def scenario(self) -> Array:
        """Number of the contact scenario at the end of each step."""
        return self.result.of("bearing").scenario

    @cached_property
    def force(self) -> Array:
        """Sum of the normal forces of all contacts, N."""
        wall, face = (self.result.of(f"bearing.{part}").normal_force for part in ("wall", "face"))
        return np.asarray(wall.sum(axis=1) + face.sum(axis=1))


def in_memory(p: Parameters) -> Histories:
    """A run with these parameters in memory."""
    return Histories(run(build(p), progress=False, quantities=QUANTITIES))


@lru_cache(maxsize=2)
def ideal(p: Parameters) -> Result:
    """A run of the mechanism with an ideal joint, in memory."""
    return run(build_ideal(p), progress=False, quantities=QUANTITIES[:4])


# relative difference of the crank's speed from one start to the next; five of them remain 6.2832 rad/s
NEIGHBOUR = 1e-6
CURVE_POINTS = 1001  # number of times of the energy curve
SIMULATIONS: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
LAWS = ("none", "coulomb", "stribeck", "dahl", "lugre")
Group = Sequence[float]
LEVEL = 0.05
SIMILARITY_RATIO = 0.5  # fraction of the distance to another group, up to which runs count as similar


@dataclass(frozen=True)
class Outcome:
    """One run.

    ``turns`` : of the crank, largest number of revolutions; ``lost`` : J; ``peaks`` : m/s^2, of `Histories`;
        ``amplitude`` : m;
    ``forward`` : m/s^2, oscillation moving outwards; ``time`` (s) and ``energy`` (J), (`CURVE_POINTS`,).
    """

    turns: float
    lost: float
    peaks: float
    amplitude: float
    forward: float
    time: Array
    energy: Array

    @classmethod
    def of(cls, h: Histories) -> Self:
        """The outcome of a run."""
        time = np.linspace(h.time[0], h.time[-1], CURVE_POINTS)
        turns = float(np.abs(h.crank_angle).max()) / (2 * np.pi)
        return cls(
            turns,
            h.lost,
            h.peaks,
            h.amplitude,
            h.forward_oscillation,
            time,
            np.interp(time, h.time, h.energy),
        )


@cache
def outcome(p: Parameters) -> Outcome:
    """The outcome of a run with these parameters in memory."""
    return Outcome.of(in_memory(p))


def starts(p: Parameters) -> list[Parameters]:
    """The run's own start and its neighbours, alternately above and below."""
    steps = [(k + 1) // 2 * (1 if k % 2 else -1) for k in range(p.starts)]
    return [replace(p, start_speed=p.start_speed * (1.0 + NEIGHBOUR * k)) for k in steps]


def simulations(first: Outcome, p: Parameters) -> dict[int, list[Outcome]]:
    """Outcomes of all starts for all three clearances, including the run itself."""
    return {n: _all(first, p, replace(p, simulation=n)) for n in SIMULATIONS}


def laws(first: Outcome, p: Parameters) -> dict[str, list[Outcome]]:
    """Outcomes of all starts for all friction laws and without friction, including the run itself."""
    return {n: _all(first, p, replace(p, friction=n)) for n in LAWS}  # type: ignore[arg-type]


def _all(first: Outcome, p: Parameters, parameters: Parameters) -> list[Outcome]:
    return [first if start == p else outcome(start) for start in starts(parameters)]


def rank_probability(larger: Group, smaller: Group) -> float:
    """Probability of at least such a clear order among runs from one distribution."""
    return float(mannwhitneyu(larger, smaller, alternative="greater", method="exact").pvalue)


def check_above(label: str, larger: Sequence[Group], smaller: Sequence[Group], source: str) -> Check:
    """Check that each of the ``larger`` groups is significantly above each of the ``smaller`` ones."""
    return at_most(
        f"{label} (probability by chance)",
        max(rank_probability(a, b) for a, b in product(larger, smaller)),
        LEVEL,
        source,
    )


def check_alike(label: str, first: Group, second: Group, other: Group, source: str) -> Check:
    """Check that the runs of two groups differ little compared with their distance to a third group.

    The test is not used: with enough runs it separates groups that differ arbitrarily little.
    """
    spread = max(abs(a - b) for a, b in product(first, second))
    distance = abs(median(other) - median([*first, *second]))
    return at_most(
        f"{label}: largest difference / distance to no friction", spread / distance, SIMILARITY_RATIO, source
    )
