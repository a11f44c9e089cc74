"""Drives of joints in a step, compiled: values of functions of time are written to the records of constraints."""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, record, void
from fem_mbd.core.scheme.constraints.constraint_kernels import CONSTRAINT

DRIVE = np.dtype(
    [
        ("joint", "i8"),
        ("row", "i8"),
        # form that is weighted with the sine of the given angle, the next one with the cosine; -1 for a given value
        ("first", "i8"),
    ],
    align=True,
)


@kernel(void(record(CONSTRAINT)[::1], record(DRIVE)[::1], array3, float64))
def set_drives(joints, drives, values, dt):
    """Write the weights or values of drives (n,) in this step, and their rates, to the records of their joints.

    joints : records of dtype `constraint_kernels.CONSTRAINT`
    values : (3, n, 3) `StepFunctions.values`, each a number three times
    """
    for d in range(drives.shape[0]):
        joint, row, first = joints[drives[d].joint], drives[d].row, drives[d].first
        start, end, rate = values[0, d, 0], values[1, d, 0], values[2, d, 0]
        if first < 0:
            joint.f_i[row], joint.f_f[row], joint.f_p[row] = start, end, dt * rate
        else:
            joint.g_i[first], joint.g_i[first + 1] = np.sin(start), np.cos(start)
            joint.g_f[first], joint.g_f[first + 1] = np.sin(end), np.cos(end)
            joint.g_p[first], joint.g_p[first + 1] = dt * rate * np.cos(end), -dt * rate * np.sin(end)
