"""Rotor that passes its critical speeds in a spatial clearance joint: shaft, contact and friction combined.

O. A. Bauchau, C. Ju, Modeling friction phenomena in flexible multibody dynamics, Computer Methods in Applied Mechanics
and Engineering 195 (2006) 6909-6924, section 6.2: critical speeds 44.069 and 44.453 rad/s. Frequencies and critical
speeds of the shaft, clamped and pinned, with its disk are also computed in this test from the boundary value problem of
the Timoshenko beam, by matrix exponentials; the published speeds are its frequencies at rest, to all digits. The motion
is compared with an independent program of the same discrete equations, joint and step control included.
"""

import dataclasses

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

from fem_mbd.cases.supercritical_rotor import QUANTITIES, Histories
from fem_mbd.cases.supercritical_rotor.model import Parameters, build, critical_speeds
from fem_mbd.runs.running.runs import run
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

PUBLISHED = (44.069, 44.453)
# time, speed of the shaft at R (rad/s), distance of mid-span from the axis (mm); steps up to 2 ms, as here
PROGRAM = (
    (0.5, 30.6763, 0.6777),
    (1.0, 53.8964, 1.3820),
    (1.5, 50.7581, 0.9592),
    (2.0, 50.1249, 0.7735),
    (2.5, 49.8595, 0.8339),
    (3.0, 49.7048, 0.9893),
)


def beam_speed(p: Parameters, bending: float, synchronous: bool) -> float:
    """Lowest natural frequency at rest, or critical speed, rad/s, of the shaft bending with that stiffness (N m^2).

    State (w, theta, M, V) along the shaft. In synchronous whirl the rotary inertia is that about a diameter less the
    polar one, which for tube and thin disk is its negative.
    """
    sign = -1.0 if synchronous else 1.0
    rotary = sign * p.mass_per_length * (p.mean_radius**2 + p.wall**2 / 4) / 2
    disk = sign * p.disk_mass * p.disk_radius**2 / 4

    def determinant(speed: float) -> float:
        square = speed**2
        along = np.array(
            [
                [0, 1, 0, 1 / p.shear_stiffness],
                [0, 0, 1 / bending, 0],
                [0, -rotary * square, 0, -1],
                [-p.mass_per_length * square, 0, 0, 0],
            ]
        )
        half = expm(along * p.length / 2)
        jump = np.eye(4)
        jump[3, 0], jump[2, 1] = -p.disk_mass * square, -disk * square
        whole = half @ jump @ half
        return float(np.linalg.det(whole[np.ix_((0, 2), (2, 3))]))

    return float(brentq(determinant, 30.0, 60.0, xtol=1e-12))


def solve() -> Solution:
    """Critical speeds with twelve four-node elements; the motion to 3 s with the offset at 90 degrees."""
    p = Parameters(eccentricity_angle=90.0)  # as in the independent program
    stiffness = {"lower": p.bending_2, "upper": p.bending_3}
    fine = critical_speeds(dataclasses.replace(p, elements=12, order=4))
    exact = {name: beam_speed(p, value, True) for name, value in stiffness.items()}
    found = numbers("critical speed, exact, ", "rad/s", exact, fine.zone, 1e-6 * PUBLISHED[0])
    exact = {name: beam_speed(p, value, False) for name, value in stiffness.items()}
    found += numbers("frequency at rest, exact, ", "rad/s", exact, fine.at_rest, 1e-6 * PUBLISHED[0])
    published = dict(zip(stiffness, PUBLISHED, strict=True))
    found += numbers("frequency at rest, published, ", "rad/s", published, fine.at_rest, 5e-4)
    found += numbers(
        "critical speed, published, ", "rad/s", published, critical_speeds(p).zone, 5e-4 * PUBLISHED[0]
    )
    p = dataclasses.replace(p, end_time=3.0)
    h = Histories(run(build(p), progress=False, quantities=QUANTITIES), p)
    assert h.result.summary["energy"]["relative"] < 1e-11
    radius = 1e3 * np.hypot(*h.middle.T)
    times, speeds, radii = np.array(PROGRAM).T
    names = [f"{t} s" for t in times]
    # the program interpolated between the ends of its steps, like this
    speed, orbit = np.interp(times, h.time, h.speed), np.interp(times, h.time, radius)
    found += numbers("speed at ", "rad/s", dict(zip(names, speeds, strict=True)), speed, 1e-3)
    found += numbers("mid-span off the axis at ", "mm", dict(zip(names, radii, strict=True)), orbit, 1e-3)
    curves = [ours(h.time, h.speed), reference(times, speeds)]
    return Solution(
        found,
        [
            Picture("time [s]", "speed of the shaft [rad/s]", curves),
            Picture(
                "time [s]", "mid-span off the axis [mm]", [ours(h.time, radius), reference(times, radii)]
            ),
        ],
    )


PROBLEM = Problem(
    name="supercritical_rotor",
    title="Supercritical rotor in a spatial clearance joint",
    group="Friction and contact",
    source="Bauchau & Ju 2006, section 6.2",
    reference="Timoshenko beam by matrix exponentials; published speeds; independent program of the same scheme",
    solve=solve,
)
