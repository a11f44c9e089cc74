"""Four-bar linkage with a hinge not parallel to the others: immobile with rigid bars, mobile with flexible ones.

O. A. Bauchau and others, Validation of flexible multibody dynamics beam formulations using benchmark problems,
Multibody System Dynamics 37 (2016) 29-48, second problem: AB and CD 0.12 m, BC and the ground AD 0.24 m, right angles
at the start; steel, AB and BC of 16 x 16 mm, CD of 8 x 8 mm; AB rotates at 0.6 rad/s for 12 s; the hinge at C is
rotated by 5 degrees about the direction of CD. The publication shows curves, and its data are quoted from memory, so
the digits are those of a refined model of this program: a quarter of the time step and four times the elements; half
that step changes them by 1e-8 m at most.

When all bars are nearly in line, the motion can continue as a parallelogram or as an antiparallelogram; here it changes
to the latter at 2.6 s and back at 7.9 s. Both are known exactly for rigid bars and parallel hinges, and the position of
C in the plane differs from them by less than 4e-4 m while B is more than 30 mm from the line.

Joint velocities of rigid bars do not satisfy the misaligned hinge: the start is a small impact, as in the publication.
"""

import warnings

import numpy as np

from fem_mbd import Model, PrescribedMotion, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import FromCallable
from fem_mbd.core.rotations import rotation_about
from fem_mbd.core.scheme.initial import InitialVelocityWarning
from fem_mbd.elements import Beam, Material, Section
from fem_mbd.joints import Revolute
from tests.core.scheme_tools import worst_residual
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

A, B, C, D = np.array([(0, 0, 0), (0, 0.12, 0), (0.24, 0.12, 0), (0.24, 0, 0)])
Z, RATE = np.array([0.0, 0.0, 1.0]), 0.6
# time: place of C, m
REFINED = {
    1.0: (0.1722427677, 0.0990168496, 0.0017933052),
    2.0: (0.1281341431, 0.0432776824, 0.0030433434),
    4.0: (0.1250712526, 0.0344282182, 0.0020625755),
    6.0: (0.1735946644, 0.0999357609, -0.0014414262),
    8.0: (0.3595054522, 0.0094554556, -0.0042557108),
    12.0: (0.1447498688, 0.0729264337, 0.0025313163),
}


def motion_of_c(dt: float, elements: int) -> Array:
    """Rows of time and place of C until 12 s; ``elements`` in the short bars, twice as many in the long one."""
    steel = Material(young=207e9, poisson=0.3, density=7800.0)
    thick, thin = (Section.rectangle(side, side, steel) for side in (16e-3, 8e-3))
    model = Model()
    ab = model.add(Beam(thick, A, B, elements=elements, name="AB"))
    bc = model.add(Beam(thick, B, C, elements=2 * elements, name="BC"))
    cd = model.add(Beam(thin, C, D, elements=elements, name="CD"))
    turn = FromCallable(lambda t: RATE * t, lambda t: RATE)
    model.add(PrescribedMotion(ab.start, axis=(0, 0, 1), angle=turn))
    model.add(Revolute(ab.end, bc.start, at=B, axis=Z))
    model.add(Revolute(bc.end, cd.start, at=C, axis=rotation_about((0, 1, 0), np.radians(5)) @ Z))
    model.add(Revolute(model.ground, cd.end, at=D, axis=Z))
    for bar, omega, about in ((ab, RATE * Z, A), (cd, RATE * Z, D)):
        model.set_velocity(bar.nodes, omega=omega, about=about)
    model.set_velocity(bc.nodes, np.cross(RATE * Z, B - A))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InitialVelocityWarning)
        sim = Simulation(model, 12.0, StepControl.fixed(dt))
    ledger, rows = [], []
    for record in sim.steps():
        ledger.append(record.energy)
        rows.append((record.time, *sim.outputs()["position"][cd.start.index]))
    assert worst_residual(sim, np.array(ledger)) < 1e-11
    assert sim.counters["rejected"] == 0
    return np.array(rows)


def rigid(time: Array) -> tuple[Array, Array, Array]:
    """Places (n, 2) of B, of C in the parallelogram, and of C in the antiparallelogram, its image in the line BD."""
    angle = np.pi / 2 + RATE * time
    b = 0.12 * np.column_stack([np.cos(angle), np.sin(angle)])
    diagonal = D[:2] - b
    diagonal /= np.linalg.norm(diagonal, axis=1, keepdims=True)
    along = np.einsum("ni,ni->n", np.broadcast_to(D[:2], b.shape), diagonal)
    return b, b + D[:2], b + 2 * along[:, None] * diagonal - D[:2]


def solve() -> Solution:
    """Steps of 20 ms and four 4-node elements in all leave 3e-7 m."""
    rows = motion_of_c(0.02, 1)
    found: list[Number] = []
    for time, place in REFINED.items():
        row = rows[np.argmin(np.abs(rows[:, 0] - time))]
        found += numbers(f"t = {time:g} s, C ", "m", dict(zip("xyz", place, strict=True)), row[1:], 5e-7)
    b, parallel, crossed = rigid(rows[:, 0])
    miss = np.min([np.abs(rows[:, 1:3] - c).max(axis=1) for c in (parallel, crossed)], axis=0)
    assert miss[np.abs(b[:, 1]) > 0.03].max() < 4e-4
    times, table = list(REFINED), np.array(list(REFINED.values()))
    plane = [ours(rows[:, 0], rows[:, 1 + k], "xy"[k]) for k in (0, 1)]
    plane += [reference(times, table[:, k], "" if k else "refined model") for k in (0, 1)]
    out = [ours(rows[:, 0], 1e3 * rows[:, 3]), reference(times, 1e3 * table[:, 2], "refined model")]
    return Solution(
        found,
        [Picture("time [s]", "place of C [m]", plane), Picture("time [s]", "C out of the plane [mm]", out)],
    )


PROBLEM = Problem(
    name="misaligned_four_bar",
    title="Four-bar linkage with a misaligned hinge",
    group="Beam transients",
    source="Bauchau et al. 2016",
    reference="refined model of this program; rigid linkage in the plane",
    solve=solve,
)
