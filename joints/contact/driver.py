"""Loops over all contacts of one shape: forces into the residual, derivatives by complex step into the matrix.

The loops are the same for every shape but for the function that they call, and numba keeps no code of functions that
are given as arguments. So each shape gets a copy of them that finds its own ``contact_rows`` among its globals.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from fem_mbd.compiled import kernel

# stands for that of a shape, which says what it takes
contact_rows: Any = None


def assembly_of(rows: Any) -> tuple[Any, Any]:
    """Kernels (residual, tangent) of the shape whose compiled ``contact_rows`` is ``rows``."""
    return kernel(_copy(_residual, rows)), kernel(_copy(_tangent, rows))


def _copy(loop: Any, rows: Any) -> FunctionType:
    module = rows.py_func.__module__
    copied = FunctionType(loop.__code__, loop.__globals__ | {"contact_rows": rows, "__name__": module})
    copied.__module__ = module
    # compiled code is kept under this name
    copied.__qualname__ = f"{module.rpartition('.')[2]}.{loop.__name__}"
    copied.__doc__ = loop.__doc__
    return copied


def _residual(contacts, normal_laws, friction_laws, history, dt, x, r_i, q_i, rows, z_f):
    """Add all contacts' forces times dt^2 to rows (n, 12); fills the records and z_f (contacts, nz, 3)."""
    own = np.empty(24)
    for c in range(contacts.shape[0]):
        k, l = contacts[c].nodes[0], contacts[c].nodes[1]
        contact_rows(
            contacts[c], normal_laws[c], friction_laws[c], history[c], dt,
            x[k], x[l], r_i[k], r_i[l], q_i[k], q_i[l], own, z_f[c], True,
        )  # fmt: skip
        for i in range(12):
            rows[k, i] += dt * dt * own[i]
            rows[l, i] += dt * dt * own[12 + i]


def _tangent(contacts, normal_laws, friction_laws, history, dt, x, r_i, q_i, slots, data):
    """Add the closed contacts' tangents to the matrix values."""
    h = 1e-40
    dump = data.shape[0] - 1
    y, own = np.empty((2, 12), np.complex128), np.empty(24, np.complex128)
    z_f = np.empty((max((history.shape[1] - 5) // 3, 1), 3), np.complex128)
    for c in range(contacts.shape[0]):
        if contacts[c].normal_force <= 0.0:
            continue
        k, l = contacts[c].nodes[0], contacts[c].nodes[1]
        for i in range(12):
            y[0, i], y[1, i] = x[k, i], x[l, i]
        for j in range(24):
            side, unknown = j // 12, j % 12
            # forces do not depend on c (unknowns 6 to 8); held unknowns have no column
            if (6 <= unknown < 9) or slots[c, j, j] == dump:
                continue
            y[side, unknown] += 1j * h
            contact_rows(
                contacts[c], normal_laws[c], friction_laws[c], history[c], dt,
                y[0], y[1], r_i[k], r_i[l], q_i[k], q_i[l], own, z_f, False,
            )  # fmt: skip
            y[side, unknown] = y[side, unknown].real
            for i in range(24):
                data[slots[c, i, j]] += dt * dt * own[i].imag / h
