"""Aerodynamics of the IEA 10 MW rotor on HAWCStab2's deflected blade: ten winds, no structure.

IEAWindSystems/IEA-10.0-198-RWT, hawc2/hawcstab2/steady_states: iea10mw_hs2_u*.ind and .pwr (Apache-2.0). The blade's
line goes through the file's aerodynamic centres; chord, thickness and polars are those of the HAWC2 files. The pitch of
a section is the one at which the file's induced velocities give the file's angle of attack at 3/4 chord: its columns of
twist and torsion do not give it, by up to 0.25 deg at 10 m/s. With them the thrust would be up to 1.6 % below the
file's, and the rms of the axial force 1.5 %. The angles of attack of the blade deflected by this program agree with the
file's to 0.03 deg from 20 to 80 m. Induced velocities, angles of attack and forces are then solved for.

Compared: thrust, 0.7 % allowed; axial force per length at the file's stations along 15 to 97 % of the span, rms 0.5 %
of its largest value.
"""

from functools import cache

import numpy as np

from fem_mbd import Model
from fem_mbd.aerodynamics import BladeAerodynamics, RotorBlade, RotorLoads, Wind
from fem_mbd.aerodynamics.rotor_loads import RotorLoadsKind
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import Beam, RigidBody, Section
from fem_mbd.elements.blades.blade import BladeAxis, PlacedAxis
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.machines.aerodynamic_loads import RotorFlow, aerodynamics_of, rotor_flow
from tests.aerodynamics.test_momentum import DATA
from tests.validation.problem import Number, Picture, Problem, Solution, ours, reference
from tests.validation.test_rotor_steady import RPM, machine

# wind m/s: speed rpm, thrust kN, tip in the rotor's axes (in the plane, downwind, radial) m
OPERATION = {
    5.0: (6.000000, 436.397, (0.118607, -6.924070, 99.247966)),
    6.0: (6.121430, 612.446, (0.265416, -5.165624, 99.367467)),
    8.0: (8.161907, 1062.529, (0.485492, -0.597343, 99.402958)),
    9.0: (8.681179, 1271.225, (0.622123, 1.098740, 99.316955)),
    10.0: (8.681179, 1428.398, (0.772858, 2.166779, 99.235868)),
    11.0: (8.681179, 1357.872, (0.937109, 0.822523, 99.337504)),
    12.0: (8.681179, 1144.982, (0.841192, -1.958065, 99.433113)),
    15.0: (8.681179, 864.528, (0.190071, -6.249059, 99.275898)),
    18.0: (8.681179, 724.668, (-0.613888, -8.876610, 98.978780)),
    20.0: (8.681179, 662.998, (-1.193700, -10.229228, 98.755921)),
}
DOWNWIND = np.eye(3)[0]
LENGTH = 96.804  # m, of the half chord
PART = (0.15 * LENGTH, 0.97 * LENGTH)
ELEMENTS, ROUNDS, DRAWN = 18, 6, 10.0


@cache
def stations() -> np.ndarray:
    """Rows of the .ind files, columns as their heading says."""
    return np.loadtxt(DATA / "iea10_hawcstab2_ind.csv", delimiter=",", skiprows=1)


def deflected_axis(wind: float, rows: np.ndarray) -> BladeAxis:
    """The line of aerodynamic centres to the tip, with the pitch of its sections, blade axes."""
    speed, _, tip = OPERATION[wind]
    points = np.vstack([rows[:, 4:7], tip]) @ BLADE_FROM_HAWC2.T
    straight = BladeAxis(points, np.zeros(len(points)))
    axes, pitch = straight.frames(straight.bounds[:-1])[1], np.zeros(len(rows))
    suction, trailing = axes[:, :, 1], axes[:, :, 2]
    for _ in range(ROUNDS):
        along = np.cos(pitch)[:, None] * trailing + np.sin(pitch)[:, None] * suction
        at = points[:-1] + 0.5 * rows[:, 9:] * along  # 3/4 chord
        moved = np.cross(DOWNWIND, at)
        ahead = moved / np.linalg.norm(moved, axis=1)[:, None]
        flow = np.outer(wind - rows[:, 7], DOWNWIND) - speed * RPM * moved + rows[:, 8:9] * ahead
        pitch = np.arctan2((flow * suction).sum(axis=1), (flow * trailing).sum(axis=1)) - rows[:, 2]
    return BladeAxis(points, -np.append(pitch, pitch[-1]))


@cache
def flow(wind: float) -> tuple[np.ndarray, np.ndarray, RotorFlow, np.ndarray]:
    """Rows of the file at that wind, their places on the line (m), our flow and its places (m)."""
    rows = stations()[stations()[:, 0] == wind]
    axis = deflected_axis(wind, rows)
    at = axis.bounds * axis.length
    aero = aerodynamics_of(machine("iea10"))
    blade = aero.blades["blade1"]
    # places of the ae file are lengths along the half chord, as the first column of the .ind files
    own = np.interp(blade.span, blade.span[[0, -1]], blade.ends)
    inside = own > rows[0, 1]
    span = np.interp(own[inside], np.append(rows[:, 1], LENGTH), at)
    polars = [polar for polar, there in zip(blade.polars, inside, strict=True) if there]
    none = np.zeros(len(span))
    layout = BladeAerodynamics(span, blade.chord[inside], polars, none, np.stack([none, none], axis=1))
    model = Model()
    hub = model.add(RigidBody(1.0, np.eye(3), position=np.zeros(3), name="hub"))
    section = Section(1e9 * np.eye(6), 1.0, np.eye(3))  # nothing moves: of no account
    lines = [PlacedAxis(axis, np.zeros(3), rotation_about(DOWNWIND, k * 2 * np.pi / 3)) for k in range(3)]
    beams = [
        model.add(Beam(section, line=line, elements=ELEMENTS, name=f"blade{k}"))
        for k, line in enumerate(lines)
    ]
    blades = [RotorBlade(beam, layout) for beam in beams]
    model.add(RotorLoads(blades, hub.node, DOWNWIND, Wind(wind), induction=aero.induction, stall=aero.stall))
    forces = StaticForces(model, spin=Spin((0, 0, 0), DOWNWIND, OPERATION[wind][0] * RPM))
    forces.forces(forces.start())
    kind = next(k for k in forces.system.kinds if isinstance(k, RotorLoadsKind))
    found = rotor_flow(kind, DOWNWIND, np.zeros(3), len(blades))
    return rows, at[:-1], found, span[0] + found.span[0]


def solve() -> Solution:
    """Thrust and axial force at ten winds; the force over the span at one."""
    found, picture = [], None
    for wind, (_, thrust, _) in OPERATION.items():
        rows, at, own, places = flow(wind)
        compared = (rows[:, 1] > PART[0]) & (rows[:, 1] < PART[1])
        force = np.interp(at, places, own.force[0, :, 0])
        rms = float(np.sqrt(np.mean((force - rows[:, 3])[compared] ** 2)))
        largest = float(rows[:, 3].max())
        found += [
            Number(f"{wind:g} m/s: thrust", "kN", thrust, own.thrust / 1e3, 0.007 * thrust),
            Number(f"{wind:g} m/s: axial force, rms", "N/m", 0.0, rms, 0.005 * largest),
        ]
        if wind == DRAWN:
            curves = [ours(places, own.force[0, :, 0] / 1e3), reference(at, rows[:, 3] / 1e3, "HAWCStab2")]
            picture = Picture("span [m]", f"axial force at {wind:g} m/s [kN/m]", curves)
    assert picture is not None
    return Solution(found, [picture])


PROBLEM = Problem(
    name="deflected_rotor",
    title="A rotor's aerodynamics on a given deflected blade",
    group="Machines",
    source="IEA 10 MW repository",
    reference="HAWCStab2",
    solve=solve,
)
