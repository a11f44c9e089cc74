"""Lateral buckling of a thin cantilever: critical load, and motion when a crank lifts the tip beyond it.

S. P. Timoshenko, J. M. Gere, Theory of elastic stability, section 6.3: a strip clamped at one end and loaded at the
other across its depth buckles sideways at 4.0126 sqrt(EI GJ)/L^2, EI that of the weak direction; the ten digits are
from Bessel functions of the order 1/4. Linear theory neglects the prebuckling deflection, so EI of the stiff direction
is 1e6 times as large there.

O. A. Bauchau and others, Validation of flexible multibody dynamics beam formulations using benchmark problems,
Multibody System Dynamics 37 (2016) 29-48, third problem, drives such a beam by crank and link; the problem here is
similar, with other data, as the published ones were not available: strip of 1 m, 10 x 100 mm, aluminium; crank of 50
mm, in half a turn within 0.4 s, angle pi (1 - cos(pi t/0.4))/2; steel link of 250 mm, 24 mm thick; ball joints; crank
and link 0.1 mm outside the beam's plane. Digits: a refined model of this program, an eighth of the step and twice the
elements. Until the snap-through at 0.17 s the error of the step of 1 ms is below 3e-7 m; afterwards the beam vibrates
in modes of short period, which that step damps: the difference is 1e-5 m at 0.25 s, 9e-4 m at 0.5 s.
"""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import jv

from fem_mbd import Model, PrescribedMotion, Simulation, StepControl, buckling
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import FromCallable
from fem_mbd.elements import Beam, Force, Material, RigidBody, Section
from fem_mbd.joints import Spherical
from tests.core.scheme_tools import now, worst_residual
from tests.validation.cantilevers import clamped, section
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

CRITICAL = 4.012599344
BESIDE, LIFT_TIME = 1e-4, 0.4
# time: place of the tip, m, and what this step and mesh may miss
REFINED = {
    0.1: ((0.9999903738, 0.0000003067, 0.0042101361), 1e-08),
    0.15: ((0.999807490, 0.000269198, 0.018320367), 1e-07),
    0.165: ((0.99962243, 0.00289594, 0.02518054), 1e-06),
    0.2: ((0.9827426, 0.1736645, -0.0231525), 2e-05),
    0.25: ((0.9811593, 0.1497517, 0.0271967), 2e-05),
    0.4: ((0.97920, 0.17048, 0.03165), 0.0015),
    0.5: ((0.97533, 0.16792, 0.03354), 0.0015),
}
LARGEST = 5012.4  # N, force of the link along z


def critical_load() -> float:
    """Times L^2/sqrt(EI GJ), by eight 4-node elements."""
    model, beam = clamped(section(1e8, 1e8, 2.0, 3.0, 3e6), 1.5, elements=8)
    model.add(Force(beam.end, (0, 1, 0)))
    return float(buckling(model).critical * 1.5**2 / np.sqrt(2.0 * 3.0))


def angle(t: float) -> float:
    return 0.5 * np.pi * (1 - np.cos(np.pi * min(t, LIFT_TIME) / LIFT_TIME))


def rate(t: float) -> float:
    return 0.5 * np.pi**2 / LIFT_TIME * np.sin(np.pi * min(t, LIFT_TIME) / LIFT_TIME)


def lift(dt: float, elements: int, end: float = 0.5) -> Array:
    """Rows of time, place of the tip (m), and force of the link on it along z (N)."""
    aluminium = Material(young=73e9, poisson=0.3, density=2680.0)
    steel = Material(young=207e9, poisson=0.3, density=7800.0)
    model = Model()
    strip = model.add(
        Beam(Section.rectangle(10e-3, 100e-3, aluminium), (0, 0, 0), (1, 0, 0), elements=elements)
    )
    model.fix(strip.start)
    link = model.add(Beam(Section.circle(12e-3, steel), (1, BESIDE, -0.25), (1, BESIDE, 0), elements=2))
    crank = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), position=(1, BESIDE, -0.2))).node
    model.add(PrescribedMotion(crank, axis=(0, 1, 0), angle=FromCallable(angle, rate, kinks=(LIFT_TIME,))))
    model.add(Spherical(crank, link.start, at=(1, BESIDE, -0.25)))
    top = model.add(Spherical(link.end, strip.end, at=(1, BESIDE, 0)))
    assert top is not None
    sim = Simulation(model, end, StepControl.fixed(dt))
    ledger, rows = [], []
    for record in sim.steps():
        ledger.append(record.energy)
        found = now(sim)
        rows.append((record.time, *found.of(strip.end).position, found.of(top).reaction.force[2]))
    assert worst_residual(sim, np.array(ledger)) < 1e-11
    return np.array(rows)


def solve() -> Solution:
    """The critical load; the lift with 1 ms and four 4-node elements."""
    found: list[Number] = numbers(
        "", "√(EI GJ)/L²", {"critical load": CRITICAL}, [critical_load()], 1e-4 * CRITICAL
    )
    rows = lift(1e-3, 4)
    for time, (place, allowed) in REFINED.items():
        row = rows[np.argmin(np.abs(rows[:, 0] - time))]
        found += numbers(
            f"t = {time:g} s, tip ", "m", dict(zip("xyz", place, strict=True)), row[1:4], allowed
        )
    found += numbers("", "N", {"largest force of the link": LARGEST}, [np.abs(rows[:, 4]).max()], 5.0)
    table = np.array([place for place, _ in REFINED.values()])
    curves = [ours(rows[:, 0], 1e3 * rows[:, 1 + k], name) for k, name in ((1, "sideways"), (2, "up"))]
    curves += [reference(list(REFINED), 1e3 * table[:, k], "refined model" if k == 1 else "") for k in (1, 2)]
    force = [ours(rows[:, 0], rows[:, 4] / 1e3)]
    return Solution(
        found, [Picture("time [s]", "tip [mm]", curves), Picture("time [s]", "force of the link [kN]", force)]
    )


PROBLEM = Problem(
    name="lateral_buckling",
    title="Lateral buckling of a thin beam",
    group="Stability",
    source="Timoshenko & Gere, section 6.3; in the manner of Bauchau et al. 2016",
    reference="Bessel functions; in motion a refined model of this program",
    solve=solve,
)


def test_factor_is_the_root_of_the_bessel_function() -> None:
    """J_(-1/4)(P L^2/2 sqrt(EI GJ)) = 0."""
    assert 2 * brentq(lambda x: jv(-0.25, x), 1.5, 2.5) == pytest.approx(CRITICAL, abs=1e-9)
