"""Outputs of joint friction (forces and torques, contributions, states of the laws), energies, history (compiled)."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, indices, matrix, record, vector, void
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import stored_energy
from fem_mbd.joints.friction.contributions import CONTRIBUTION, FRICTION_JOINT, NONE


def _along(name: str) -> tuple[str, ...]:
    return tuple(f"{name} {n}" for n in (1, 2, 3))


TOTAL = Output(
    "joint_friction",
    "joint_friction",
    (
        Quantity(
            "torque",
            "N m",
            "friction on L about the joint's axes",
            _along("friction_torque"),
            "joint",
            "mean",
        ),
        Quantity(
            "force", "N", "friction on L along the joint's axes", _along("friction_force"), "joint", "mean"
        ),
    ),
)
CONTRIBUTIONS = Output(
    "joint_friction_contribution",
    "contribution",
    (
        Quantity("normal_force", "N", "of the surfaces, mean of the step", within="mean"),
        Quantity(
            "slip_velocity", "m/s", "of L on K at the surfaces", _along("slip_velocity"), "surface", "mean"
        ),
        Quantity(
            "friction_force", "N", "on L at the surfaces", _along("surface_friction"), "surface", "mean"
        ),
    ),
    many=True,
)
BRISTLE = Output(
    "joint_bristle",
    "joint_bristle",
    (
        Quantity(
            "bristle",
            "m",
            "states of the friction law at t_f, contribution by contribution",
            _along("joint_bristle"),
            "surface",
        ),
    ),
    many=True,
)


@kernel(void(record(FRICTION_JOINT)[::1], record(CONTRIBUTION)[::1], matrix, float64, matrix, matrix))
def forces(joints, parts, found, dt, contributions, totals):
    """Fill contributions (parts, 7) and totals (joints, 6), torque and force on L, from found (parts, 9).

    The rates are zero before the first step.
    """
    per = 1.0 / dt if dt > 0.0 else 1.0
    for m in range(parts.shape[0]):
        for i in range(7):
            contributions[m, i] = found[m, i] * (per if 1 <= i < 4 else 1.0)
    for n in range(joints.shape[0]):
        totals[n, :] = 0.0
        for m in range(joints[n].first, joints[n].first + joints[n].count):
            for j in range(3):
                c = parts[m]["coordinate"][j]
                if c != NONE:
                    totals[n, c] += parts[m]["length"][j] * found[m, 4 + j]
            if parts[m].face_axis != NONE:
                totals[n, 1 - parts[m].face_axis] += found[m, 8]


@kernel(void(indices, float64[:, :, :], matrix))
def list_states(counts, bristles, out):
    """Fill out (rows, 3) with the states that each contribution's law has, counts (parts,)."""
    row = 0
    for m in range(counts.shape[0]):
        for k in range(counts[m]):
            for i in range(3):
                out[row, i] = bristles[m, k, i]
            row += 1


@kernel(void(record(FRICTION_LAW)[::1], array3, matrix, vector))
def energies(laws, z_f, found, out):
    """Add the energy in the bristles and the loss of the step to out (2,), J; found (parts, 9) as in `kernels`."""
    for k in range(found.shape[0]):
        out[0] += stored_energy(laws[k], z_f[k], found[k, 0])
        out[1] += found[k, 7]


@kernel(void(array3, matrix, float64[:, :, :], float64[:]))
def store_history(z_f, found, bristles, normal_force):
    """Store the history of the converged step."""
    for k in range(found.shape[0]):
        normal_force[k] = found[k, 0]
        for n in range(z_f.shape[1]):
            for i in range(3):
                bristles[k, n, i] = z_f[k, n, i]
