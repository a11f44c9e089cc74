"""Checks of user-defined laws when they are built: finite results, correct complex-step derivatives, consistent energy.

Each kernel (`user_laws`) is called a few times, with real and with complex numbers. Its results must be finite. A
complex-step derivative must agree with finite differences, which it does not where a kernel drops imaginary parts (by
``abs``, ``.real`` or a real array). Mean force and potential of a contact law must be consistent. Error messages name
file and line of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.errors import InputError
from fem_mbd.friction.user_laws import where

STEP = 1e-3  # s
SPEEDS = (1.7e-4, 0.31)  # m/s
GAPS = ((-1.1e-6, -2.3e-6), (-2.3e-6, -1.1e-6), (3.1e-6, -1.3e-6), (-1.3e-6, 3.1e-6), (3.1e-6, 5.3e-6))  # m
FORCE = 130.0  # N
FULL, VARIATION = np.float64(1.0), 1e-5  # of slip, force and gaps; for differences
TOLERANCE = 0.02  # two derivatives
TINY = 1e-30


def check_friction_kernel(kernel: Kernel, parameters: Array, states: int) -> None:
    """InputError when the kernel of a friction law with ``states`` state vectors fails the checks."""
    along = np.array([0.8, 0.6, 0.0])

    for speed in SPEEDS:

        def filled(part: Any, speed: float = speed) -> Array:
            """Coefficient and states at a fraction of slip and force."""
            kind = np.asarray(part).dtype
            mu, z_f = np.full(3, np.nan, kind), np.full((max(states, 1), 3), np.nan, kind)
            s_m, z_i = part * speed * STEP * along, np.zeros(z_f.shape, kind)
            _called(kernel, parameters, s_m, z_i, (FORCE * part).item(), STEP, mu, z_f)
            return np.concatenate([mu, z_f[:states].ravel()])

        given = f"at a slip of {speed:g} m/s under {FORCE:g} N"
        _check(kernel, filled, " or ".join(("mu", "z_f")[: 1 + (states > 0)]), given)


def check_contact_kernels(potential: Kernel, mean_force: Kernel, parameters: Array) -> None:
    """InputError when the kernels of a contact law fail the checks."""

    def energy(gap: float) -> float:
        out = np.full(1, np.nan)
        _called(potential, parameters, gap, out)
        if not np.isfinite(out[0]):
            raise InputError(f"{where(potential)}: out[0] is {out[0]} at a gap of {gap:g} m")
        return float(out[0])

    for q_i, q_f in GAPS:

        def force(part: Any, q_i: float = q_i, q_f: float = q_f) -> Array:
            """Mean force between fractions of the gaps."""
            out = np.full(1, np.nan, np.asarray(part).dtype)
            _called(mean_force, parameters, (q_i * part).item(), (q_f * part).item(), out)
            return out

        given = f"between gaps of {q_i:g} and {q_f:g} m"
        _check(mean_force, force, "out[0]", given)
        work, change = float(force(FULL)[0]) * (q_i - q_f), energy(q_f) - energy(q_i)
        if abs(work - change) > 1e-6 * abs(work) + 1e-10 * (abs(energy(q_f)) + abs(energy(q_i))):
            raise InputError(
                f"{where(mean_force)}: does work of {work:g} J {given}, {where(potential)} says {change:g}"
            )


def _called(kernel: Kernel, *arguments: Any) -> None:
    try:
        kernel(*arguments)
    except Exception as error:
        raise InputError(f"{where(kernel)} raises {type(error).__name__}: {error}") from error


def _check(kernel: Kernel, filled: Callable[[Any], Array], names: str, given: str) -> None:
    """InputError when results are not finite or a complex-step derivative differs from finite differences."""
    here = filled(FULL)
    if not np.isfinite(here).all():
        raise InputError(f"{where(kernel)}: {names} is nan, infinite or not set {given}")
    expected = (filled(FULL + VARIATION) - filled(FULL - VARIATION)) / (2 * VARIATION)
    found = filled(FULL + 1j * TINY).imag / TINY
    size = np.maximum(np.abs(found), np.abs(expected))
    if not (np.abs(found - expected) <= TOLERANCE * size + 1e-6 * np.abs(here)).all():
        raise InputError(
            f"{where(kernel)}: derivatives of {names} {given} by a complex step are {found}, by differences {expected} "
            "(times slip or gap): no abs, no .real and no real array for what is differentiated"
        )
