"""What acts beside a spring along its coordinate f (length or angle): free play, orifice dampers, friction.

Each gives a force that is constant over a step, a function of the change Df of the coordinate in it, and does the work
force Df (`kernels`: it enters s_g). With v = Df/dt:

    free play       any contact law with the gaps upper - f and f - lower: f_upper - f_lower
    orifice         c v abs(v) up to the relief force F_r, beyond it sign(v) (F_r + s (abs(v) - sqrt(F_r/c)))
    friction        N mu(Df), any law of friction

An orifice of area A_o and discharge coefficient C_d in a piston of area A_p has c = rho A_p^3/(2 C_d^2 A_o^2), a relief
valve that opens at the pressure p_r has F_r = A_p p_r. Source: L. Eyres, A. R. Champneys and N. A. J. Lieven, Modelling
and dynamic response of a damper with relief valve, Nonlinear Dynamics 40 (2005); friction and contact: theory.md, 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import finite, not_negative, positive
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.workspace import Motion
from fem_mbd.core.scheme.constraints.forms import gather
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.elements.springs.kernels import ANGLE, SPRING, components, near_strain, strain
from fem_mbd.errors import InputError
from fem_mbd.friction.normal.dispatch import impact_speed, normal_force, normal_potential
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW, FrictionLaw, NormalLaw
from fem_mbd.friction.tangential import friction_force, stored_energy

H = 1e-40  # of the complex step
# columns of the history: strain, rate, impact speeds and deepest of both stops, force; states of friction follow
PAST = 7


@arguments()
@dataclass(frozen=True, eq=False)
class FreePlay:
    """Stops at both ends of a free path, such as those of a worn pitch link.

    Parameters
    ----------
    play : m or rad, free path, half to each side of the start; or (lower, upper), limits of the change of the length or
        angle since the start
    contact : law of the stops, N over m, or N m over rad

    Raises
    ------
    InputError
        For a negative play, limits that do not ascend, no contact law.
    """

    play: Any
    contact: NormalLaw

    def __post_init__(self) -> None:
        limits = self.play if isinstance(self.play, Sequence) else None
        if limits is None:
            half = 0.5 * not_negative(self.play, "free play: play")
            limits = (-half, half)
        if len(limits) != 2 or not finite(limits[0], "free play") <= finite(limits[1], "free play"):
            raise InputError(f"free play: {self.play!r}: give a number, or (lower, upper) that ascend")
        object.__setattr__(self, "play", (float(limits[0]), float(limits[1])))
        _check(self.contact, NORMAL_LAW, "free play: contact")


@arguments()
@dataclass(frozen=True, eq=False)
class OrificeDamper:
    """A hydraulic damper with an orifice and a relief valve: c v abs(v), beyond the relief force of the given slope.

    Parameters
    ----------
    coefficient : c, N s^2/m^2, or N m s^2/rad^2
    relief : F_r, N or N m, force at which the valve opens; by default it never does
    slope : s, N s/m or N m s/rad, of the force beyond
    """

    coefficient: float
    relief: float = np.inf
    slope: float = 0.0

    def __post_init__(self) -> None:
        positive(self.coefficient, "orifice damper: coefficient")
        not_negative(self.slope, "orifice damper: slope")
        if not self.relief > 0.0:
            raise InputError(
                f"orifice damper: relief is {self.relief}: give a force above zero, or leave it out"
            )


@arguments()
@dataclass(frozen=True, eq=False)
class FrictionDamper:
    """A damper by friction, or the hysteresis of an elastomer, by any friction law under a constant normal force.

    Parameters
    ----------
    friction : any friction law; lengths and speeds of its parameters are those of the coordinate, m or rad
    normal_force : N; of an angle N m
    """

    friction: FrictionLaw
    normal_force: float

    def __post_init__(self) -> None:
        _check(self.friction, FRICTION_LAW, "friction damper: friction")
        positive(self.normal_force, "friction damper: normal_force")


def _check(law: Any, dtype: np.dtype[Any], what: str) -> None:
    if isinstance(law, type) or not hasattr(law, "record") or law.record().dtype != dtype:
        raise InputError(f"{what} is {law!r}: give a law of fem_mbd.friction, with its parameters")


Parallel = FreePlay | OrificeDamper | FrictionDamper


def check_parallel(parallel: Any, what: str) -> dict[type, Any]:
    """By their types; InputError for other objects, and for two of one type."""
    by_type = {type(element): element for element in parallel}
    if len(by_type) < len(parallel) or not set(by_type) <= {FreePlay, OrificeDamper, FrictionDamper}:
        raise InputError(
            f"{what}: parallel is {parallel!r}: give FreePlay, OrificeDamper, FrictionDamper, each once at most"
        )
    return by_type


BESIDE = np.dtype(
    [
        ("flanks", "i8"),
        ("upper", "f8"),
        ("lower", "f8"),
        ("coefficient", "f8"),
        ("relief", "f8"),
        ("slope", "f8"),
        ("normal_force", "f8"),
        # results of the last evaluation
        ("losses", "f8", (3,)),  # J, of stops, friction, orifice
        ("impact_speed", "f8", (2,)),
        ("deepest", "f8", (2,)),
    ],
    align=True,
)


class Beside(NamedTuple):
    """What acts beside each spring: data, laws, history and states of friction at both ends of the step."""

    records: Annotated[Any, record(BESIDE)[::1]]
    normal_laws: Annotated[Any, record(NORMAL_LAW)[::1]]
    friction_laws: Annotated[Any, record(FRICTION_LAW)[::1]]
    past: Annotated[Any, matrix]  # (n, PAST + 3 states) the history
    z_f: Annotated[Any, array3]  # (n, states, 3)


class States(NamedTuple):
    """Work arrays of a friction law, all of one type."""

    s_m: Any  # (3,)
    mu: Any  # (3,)
    z_i: Any  # (states, 3)
    z_f: Any


@kernel
def stops_force(law, stops, x_i, change, dt, past):
    """Mean force of two stops on a coordinate that changes from x_i, and the energy lost; past (…): as of `PAST`."""
    up, low = stops.upper - x_i + 0.0 * change, x_i - stops.lower + 0.0 * change
    f_up, e_up = normal_force(law, up, up - change, dt, past[2] + 0.0 * change, past[4] + 0.0 * change)
    f_low, e_low = normal_force(law, low, low + change, dt, past[3] + 0.0 * change, past[5] + 0.0 * change)
    return f_up - f_low, (f_up - e_up - f_low + e_low) * change


@kernel
def note_stops(law, stops, x_i, change, dt, past):
    """Set impact speeds of both stops at t_f, and their deepest approaches where the law remembers them."""
    for side in range(2):
        gap, sign = (stops.upper - x_i, -1.0) if side == 0 else (x_i - stops.lower, 1.0)
        stops["impact_speed"][side] = impact_speed(law, past[2 + side], gap, gap + sign * change, dt)
        stops["deepest"][side] = 0.0
        if law["permanent"] > 0.0:
            stops["deepest"][side] = max(past[4 + side], -gap - sign * change)


@kernel
def stops_energy(law, stops, x):
    """Potential of both stops at the coordinate x, J."""
    total = 0.0
    for side in range(2):
        gap = stops.upper - x if side == 0 else x - stops.lower
        total += normal_potential(law, gap, stops["impact_speed"][side], stops["deepest"][side])
    return total


@kernel
def note_nearer_stop(stops, x_i, change, row):
    """Set the gaps of a record of a contact to those of the nearer stop."""
    up, low = stops.upper - x_i, x_i - stops.lower
    row.gap_i, row.gap_f = (up, up - change) if up - change <= low + change else (low, low + change)
    row["normal"][0] = 1.0


@kernel
def orifice_force(damper, v):
    """Force of the damper at the rate v."""
    speed = v if v.real >= 0.0 else -v
    force = damper.coefficient * speed * speed
    if force.real > damper.relief:
        force = damper.relief + damper.slope * (speed - np.sqrt(damper.relief / damper.coefficient))
    return force if v.real >= 0.0 else -force


@kernel
def force_beside(beside, n, f_i, change, dt, states):
    """Force on the coordinate for its change in the step; losses of stops, friction, orifice."""
    records, normal_laws, friction_laws, past, _ = beside
    element, (s_m, mu, z_i, z_f) = records[n], states
    force, of_stops, of_friction, orifice = 0.0 * change, 0.0 * change, 0.0 * change, 0.0 * change
    if element.flanks:
        force, of_stops = stops_force(normal_laws[n], element, f_i, change, dt, past[n])
    if element.coefficient > 0.0:
        orifice = orifice_force(element, change / dt)
    if element.normal_force > 0.0:
        s_m[0], s_m[1], s_m[2] = change, 0.0 * change, 0.0 * change
        for s in range(z_i.shape[0]):
            for i in range(3):
                z_i[s, i] = past[n, PAST + 3 * s + i]
        f_n = element.normal_force + 0.0 * change
        of_friction = friction_force(friction_laws[n], s_m, z_i, f_n, f_n, dt, mu, z_f)
        force = force + f_n * mu[0]
    return force + orifice, of_stops, of_friction, orifice * change


@kernel(void(record(SPRING)[::1], Beside, float64, Motion))
def evaluate(springs, beside, dt, motion):
    """Set the force beside each spring at the iterate, its losses and the states of friction; no slope."""
    y, scratch, z_i = np.empty((3, 8, 3)), np.zeros((2, 3)), np.zeros((beside.z_f.shape[1], 3))
    for n in range(springs.shape[0]):
        spring, element = springs[n], beside.records[n]
        u_f, _ = components(spring, motion.q_f, motion.p, y[1:])
        if spring.kind == ANGLE:
            gather(spring, motion.q_i, y[0])
        f_f, _ = strain(spring.kind, u_f, near_strain(spring, y[0], y[1]))
        change, states = f_f - spring.f_i, States(scratch[0], scratch[1], z_i, beside.z_f[n])
        force, stops, friction, orifice = force_beside(beside, n, spring.f_i, change, dt, states)
        spring.beside, spring.beside_at, spring.beside_slope = force, f_f, 0.0
        element["losses"][0], element["losses"][1], element["losses"][2] = stops, friction, orifice
        if element.flanks:
            note_stops(beside.normal_laws[n], element, spring.f_i, change, dt, beside.past[n])


@kernel(void(record(SPRING)[::1], Beside, float64))
def slopes(springs, beside, dt):
    """Set the derivatives of the forces by the coordinates at the last iterate, by complex steps."""
    states, kind = beside.z_f.shape[1], np.complex128
    z_i, z_f = np.zeros((states, 3), kind), np.zeros((states, 3), kind)
    used = States(np.zeros(3, kind), np.zeros(3, kind), z_i, z_f)
    for n in range(springs.shape[0]):
        spring = springs[n]
        change = spring.beside_at - spring.f_i + 1j * H
        force, _, _, _ = force_beside(beside, n, spring.f_i, change, dt, used)
        spring.beside_slope = force.imag / H


@kernel(void(record(SPRING)[::1], Beside, vector))
def energies(springs, beside, out):
    """Add contact and bristle energy at t_f, losses of stops, friction and orifices to out (5,), J."""
    records, normal_laws, friction_laws, _, z_f = beside
    for n in range(springs.shape[0]):
        element = records[n]
        if element.flanks:
            out[0] += stops_energy(normal_laws[n], element, springs[n].f_f)
        if element.normal_force > 0.0:
            out[1] += stored_energy(friction_laws[n], z_f[n], element.normal_force)
        for k in range(3):
            out[2 + k] += element["losses"][k]


@kernel(void(record(SPRING)[::1], Beside))
def store_history(springs, beside):
    """Store stops and states of friction of the converged step."""
    past, z_f = beside.past, beside.z_f
    for n in range(springs.shape[0]):
        element = beside.records[n]
        for side in range(2):
            past[n, 2 + side], past[n, 4 + side] = element["impact_speed"][side], element["deepest"][side]
        past[n, 6] = springs[n].beside
        for s in range(z_f.shape[1]):
            for i in range(3):
                past[n, PAST + 3 * s + i] = z_f[n, s, i]


@kernel(void(matrix, matrix))
def add_outputs(past, out):
    """Add the forces beside the springs to the third column of their outputs."""
    for n in range(past.shape[0]):
        out[n, 2] += past[n, 6]


@kernel(void(record(SPRING)[::1], Beside, float64, record(CONTACT_RECORD)[::1]))
def fill_records(springs, beside, dt, out):
    """Fill out (n,) with the nearer stop of each spring, for the rules of step control."""
    for n in range(springs.shape[0]):
        spring, row = springs[n], out[n]
        note_nearer_stop(beside.records[n], spring.f_i, spring.f_f - spring.f_i, row)
        row.normal_force = abs(spring.beside)
