"""Unbalanced shaft driven through its first critical speed.

O. A. Bauchau and others, Validation of flexible multibody dynamics beam formulations using benchmark problems,
Multibody System Dynamics 37 (2016) 29-48, fourth problem, with the data of MBDyn's input file for it: a steel tube of 6
m, radii 45 and 50 mm, clamped at R to a drive and guided at T by a cylindrical joint; at mid-span a disk of 70.573 kg,
radius 0.24 m, thickness 0.05 m, its mass centre 0.05 m from the axis. The drive accelerates to 48 rad/s in 0.5 s and
from 1 s to 1.25 s to 72 rad/s, through the critical speed. No gravity, no damping.

The publication shows curves, so the digits are those of a refined model of this program: an eighth of the time step and
four times the elements, whose time integration error is below 1e-6 m. An independent check: while the speed is
constant, energy minus angular momentum times speed (Jacobi's integral) is constant too.
"""

import numpy as np

from fem_mbd import Model, PrescribedMotion, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import FromCallable
from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.joints import Cylindrical
from tests.core.scheme_tools import worst_residual
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

LENGTH, INNER, OUTER = 6.0, 0.045, 0.05
DISK, RADIUS, THICKNESS, OFFSET = 70.573, 0.24, 0.05, 0.05
SLOW, FAST, T1, T2, T3, END = 48.0, 72.0, 0.5, 1.0, 1.25, 2.5
# time: place of mid-span across the shaft, global axes, m
REFINED = {
    0.5: (0.0758305, 0.0325396),
    1.0: (0.0550388, 0.0267481),
    1.25: (0.2206053, -0.0082467),
    1.5: (-0.0927040, 0.0515942),
    2.0: (0.0159612, -0.1047727),
    2.5: (-0.0972282, 0.1940587),
}


def rise(s: float, duration: float) -> tuple[float, float]:
    """Integral and value of (1 - cos(pi s/duration))/2."""
    return 0.5 * (s - duration / np.pi * np.sin(np.pi * s / duration)), 0.5 * (
        1 - np.cos(np.pi * s / duration)
    )


def drive(t: float) -> tuple[float, float]:
    """Angle, rad, and speed, rad/s."""
    if t < T1:
        angle, speed = rise(t, T1)
        return SLOW * angle, SLOW * speed
    if t < T2:
        return SLOW * (t - 0.5 * T1), SLOW
    start = SLOW * (T2 - 0.5 * T1)
    if t < T3:
        angle, speed = rise(t - T2, T3 - T2)
        return start + SLOW * (t - T2) + (FAST - SLOW) * angle, SLOW + (FAST - SLOW) * speed
    return start + 0.5 * (SLOW + FAST) * (T3 - T2) + FAST * (t - T3), FAST


def shaft(elements: int) -> tuple[Model, int]:
    """The shaft along x with its disk, and the number of the node at mid-span."""
    steel = Material(young=210e9, poisson=0.3, density=7800.0)
    tube = Section.tube(mean_radius=0.5 * (INNER + OUTER), thickness=OUTER - INNER, material=steel)
    model = Model()
    beam = model.add(Beam(tube, (0, 0, 0), (LENGTH, 0, 0), elements=elements, name="shaft"))
    middle = beam.nodes[len(beam.nodes) // 2]
    polar, across = DISK * RADIUS**2 / 2, DISK * (RADIUS**2 / 4 + THICKNESS**2 / 12)
    model.add(RigidBody(DISK, (polar, across, across), node=middle, centre=(0, 0, OFFSET), name="disk"))
    turn = FromCallable(lambda t: drive(t)[0], lambda t: drive(t)[1])
    model.add(PrescribedMotion(beam.start, axis=(1, 0, 0), angle=turn, name="drive"))
    model.add(Cylindrical(model.ground, beam.end, axis=(1, 0, 0), name="guide"))
    return model, middle.index


def passage(dt: float, elements: int) -> tuple[Array, Array]:
    """Rows of time and place of mid-span across the shaft (m); rows of time and Jacobi's integral (J)."""
    model, middle = shaft(elements)
    sim = Simulation(model, END, StepControl.fixed(dt, breakpoints=(T1, T2, T3)))
    work, state = sim.scheme.workspace, sim.state
    ledger, places, integrals = [], [], []
    for record in sim.steps():
        ledger.append(record.energy)
        places.append((record.time, *sim.outputs()["position"][middle, 1:]))
        energy = float(record.energy[0] + record.energy[1])
        momentum = work.mass[:, None] * np.cross(state.u, state.v)
        momentum += np.einsum("nij,njk,nk->ni", state.r, work.inertia, state.omega)
        integrals.append((record.time, energy - drive(record.time)[1] * float(momentum[:, 0].sum())))
    assert worst_residual(sim, np.array(ledger)) < 1e-11
    assert LEDGER[:2] == ("kinetic", "elastic")
    return np.array(places), np.array(integrals)


def change(integrals: Array, start: float, end: float) -> float:
    """Range of Jacobi's integral between two instants, J."""
    inside = (integrals[:, 0] > start - 1e-9) & (integrals[:, 0] < end + 1e-9)
    return float(np.ptp(integrals[inside, 1]))


def solve() -> Solution:
    """Steps of 2 ms and four 4-node elements: errors of 2e-4 m, most of them of the mesh."""
    rows, integrals = passage(2e-3, 4)
    found: list[Number] = []
    for time, place in REFINED.items():
        row = rows[np.argmin(np.abs(rows[:, 0] - time))]
        found += numbers(
            f"t = {time:g} s, mid-span ", "m", dict(zip("yz", place, strict=True)), row[1:], 4e-4
        )
    # of -2964 J and -7634 J
    found.append(Number("change of Jacobi's integral, 0.5 to 1 s", "J", 0.0, change(integrals, T1, T2), 0.2))
    found.append(
        Number("change of Jacobi's integral, 1.25 to 2.5 s", "J", 0.0, change(integrals, T3, END), 5.0)
    )
    times, places = list(REFINED), np.array(list(REFINED.values()))
    away = Picture(
        "time [s]",
        "mid-span off the axis [m]",
        [ours(rows[:, 0], np.hypot(*rows[:, 1:].T)), reference(times, np.hypot(*places.T), "refined model")],
    )
    around = [ours(rows[:, 1], rows[:, 2]), reference(places[:, 0], places[:, 1], "refined model")]
    return Solution(found, [away, Picture("y [m]", "z [m]", around, equal=True)])


PROBLEM = Problem(
    name="rotating_shaft",
    title="Unbalanced shaft through its critical speed",
    group="Beam transients",
    source="Bauchau et al. 2016",
    reference="refined model of this program; Jacobi's integral",
    solve=solve,
)
