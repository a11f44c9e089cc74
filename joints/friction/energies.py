"""Energies of joint friction, and the history for the next step (compiled)."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import stored_energy


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
