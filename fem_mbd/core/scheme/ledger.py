"""Energy ledger of a step: names of its columns, compiled sums of nodes and parts, and the residual.

`LEDGER` has the names of the columns, in the order in which every row of the ledger is stored. Energies (J) are values
at the end of a step; dissipations and works (J) are amounts of that step. The balance is

    change of all energies + all dissipations = work_loads + work_drivers + residual

where `residual` is round-off if every part fulfils its work identity. Source: theory.md, section 9.

In the kernels ``ledger`` (len(LEDGER),) is the step's row: `add_nodes` begins it, every element class adds its amounts
(`add_amounts`), and `close` adds the work at driven nodes and the residual.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, indices, matrix, vector, void
from fem_mbd.core.model.workspace import Forces
from fem_mbd.core.scheme.nodes.node_kernels import kinetic_and_jump

ENERGIES = ("kinetic", "elastic", "gravity", "contact", "bristle")
DISSIPATIONS = ("dissipation_scheme", "dissipation_contact", "dissipation_friction", "dissipation_viscous")
WORKS = ("work_loads", "work_drivers")

ROUND_OFF = 4e-15  # relative error of positions and rotations, about ten units in the last place
RESOLVED = 1e-12  # fraction of a run's energies: a smaller residual is negligible

LEDGER = (*ENERGIES, *DISSIPATIONS, *WORKS, "residual")


KINETIC, GRAVITY, DISSIPATION_SCHEME, WORK_DRIVERS, RESIDUAL = (
    LEDGER.index(name) for name in ("kinetic", "gravity", "dissipation_scheme", "work_drivers", "residual")
)
# signs of a row's amounts: with the energy before the step they add up to the residual
BALANCE = np.array([(n in ENERGIES) + (n in DISSIPATIONS) - (n in WORKS) for n in LEDGER], dtype=float)


def columns(*names: str) -> np.ndarray:
    """Column indices of amounts in a row, for `add_amounts`."""
    return np.array([LEDGER.index(name) for name in names], dtype=np.int64)


@kernel(void(vector, indices, vector))
def add_amounts(amounts, at, ledger):
    """Add amounts (k,) to the columns ``at`` (k,), and set them to zero for the next step."""
    for k in range(at.shape[0]):
        ledger[at[k]] += amounts[k]
        amounts[k] = 0.0


@kernel(void(matrix, matrix, array3, vector, array3, vector, float64, vector))
def add_nodes(x, x_i, q_f, mass, inertia, gravity, dt, ledger):
    """Begin a row: kinetic energy, its dissipation by the scheme, and the potential energy of gravity.

    x (n, 12), x_i (n, 6), q_f (n, 4, 3), mass (n,), inertia (n, 3, 3), gravity (3,).
    """
    pair = np.empty(2)
    kinetic_and_jump(x, x_i, mass, inertia, pair)
    weight = 0.0
    for n in range(mass.shape[0]):
        height = q_f[n, 0, 0] * gravity[0] + q_f[n, 0, 1] * gravity[1] + q_f[n, 0, 2] * gravity[2]
        weight += mass[n] * height
    ledger[:] = 0.0
    ledger[KINETIC] = pair[0] / dt**2
    ledger[DISSIPATION_SCHEME] = pair[1] / dt**2
    ledger[GRAVITY] = -weight


@kernel(void(indices, matrix, matrix, float64, float64, vector))
def close(driven, rows, x, dt, energy, ledger):
    """Add the work at nodes ``driven`` (k,) with prescribed motion, and the residual; ``energy`` before the step, J."""
    work = 0.0
    for n in driven:
        for i in range(12):
            work += rows[n, i] * x[n, i]
    ledger[WORK_DRIVERS] += work / dt**2
    residual = 0.0
    for k in range(ledger.shape[0]):
        residual += BALANCE[k] * ledger[k]
    ledger[RESIDUAL] = residual - energy


@kernel(void(matrix, Forces, vector, indices, vector, array3, vector, float64, float64, vector))
def round_off(multipliers, forces, diagonal, of_nodes, mass, q_f, gravity, length, dt, out):
    """out[0] = bound of the part of a step's residual that round-off causes, J.

    Forces times the round-off of positions and rotations; where all forces are at round-off, the tangent's diagonal
    times the round-off of the motion. ``diagonal`` (size,) of the tangent, ``of_nodes`` the equations of nodes;
    multipliers (m, 2) times dt^2; mass (n,) kg, q_f (n, 4, 3), gravity (3,) m/s^2, length m of the model, dt s.
    """
    force_m, force_f = forces
    size = 0.0
    for m in range(multipliers.shape[0]):
        size += length * (abs(multipliers[m, 0]) + abs(multipliers[m, 1]))
    weight = 0.0
    for n in range(mass.shape[0]):
        for i in range(3):
            size += length * (abs(force_m[n, 0, i]) + abs(force_f[n, 0, i]))
            for a in range(1, 4):
                size += abs(force_m[n, a, i]) + abs(force_f[n, a, i])
    for i in range(3):
        along = 0.0
        for n in range(mass.shape[0]):
            along += mass[n] * q_f[n, 0, i] * gravity[i]
        weight += abs(along)
    stiffness = 0.0
    for row in of_nodes:
        stiffness += abs(diagonal[row])
    size = (size + ROUND_OFF * length**2 * stiffness) / dt**2
    out[0] = ROUND_OFF * (size + weight)
