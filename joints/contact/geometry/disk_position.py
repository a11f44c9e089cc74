"""Position and axis of a disk of body L in axes fixed to body K (compiled)."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel


@kernel
def disk_from_k(contact, q_k, q_l, x, axes, axis, y, e):
    """Fill K's axes (3, 3; columns) and the disk's axis (3,), global; x and e3L in K's axes as y, e (3,)."""
    for i in range(3):
        axis[i] = 0.0 * q_l[0, 0]
        for j in range(3):
            axis[i] += contact["axis_l"][j] * q_l[1 + j, i]
            axes[i, j] = 0.0 * q_k[0, 0]
            for a in range(3):
                axes[i, j] += contact["axes_k"][a, j] * q_k[1 + a, i]
    for j in range(3):
        y[j], e[j] = 0.0 * x[0], 0.0 * x[0]
        for i in range(3):
            y[j] += axes[i, j] * x[i]
            e[j] += axes[i, j] * axis[i]
