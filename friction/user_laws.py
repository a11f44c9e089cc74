"""User-defined laws: kernels compiled by numba at first use, or run as Python without numba; checks of them.

    @friction_kernel
    def my_friction(p, s_m, z_i, f_n, dt, mu, z_f): ...

docs/how-to/extend/add-a-law.md describes their arguments and results.

When a law is built, each kernel is called a few times, with real and with complex numbers. Its results must be finite.
A complex-step derivative must agree with finite differences, which it does not where a kernel drops imaginary parts (by
``abs``, ``.real`` or a real array). Mean force and potential of a contact law must be consistent. Error messages name
file and line of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.core.compiled.signatures import complex128, float64, matrix, vector, void
from fem_mbd.errors import InputError, InstallationError

_vector, _matrix = complex128[::1], complex128[:, ::1]
FRICTION = (
    void(vector, vector, matrix, float64, float64, vector, matrix),
    void(vector, _vector, _matrix, complex128, float64, _vector, _matrix),
)
POTENTIAL = (void(vector, float64, vector),)
MEAN_FORCE = (void(vector, float64, float64, vector), void(vector, complex128, complex128, _vector))
STEP = 1e-3  # s
SPEEDS = (1.7e-4, 0.31)  # m/s
GAPS = ((-1.1e-6, -2.3e-6), (-2.3e-6, -1.1e-6), (3.1e-6, -1.3e-6), (-1.3e-6, 3.1e-6), (3.1e-6, 5.3e-6))  # m
FORCE = 130.0  # N
TOLERANCE = 0.02  # relative difference of two derivatives
TINY = 1e-30
FULL, VARIATION = np.float64(1.0), 1e-5  # factor on slip, force and gaps; its variation for differences


def friction_kernel(function: Callable[..., None]) -> Kernel:
    """Declare the kernel of a friction law, ``function(p, s_m, z_i, f_n, dt, mu, z_f)``.

    The kernel fills mu (3,) and, if the law has states, z_f (nz, 3). p are the law's parameters, s_m (3,) the slip of
    the step in m, z_i (nz, 3) the states at its start, f_n the normal force in N, dt the step in s. All but p and dt
    are complex where derivatives are taken.

    Parameters
    ----------
    function : in the subset of Python that numba compiles
    """
    return Kernel(function, FRICTION, filled=2)


def potential_kernel(function: Callable[..., None]) -> Kernel:
    """Declare the potential of a contact law, ``function(p, q, out)``: out[0] in J at the gap q in m.

    Parameters
    ----------
    function : in the subset of Python that numba compiles; p are the law's parameters
    """
    return Kernel(function, POTENTIAL, filled=1)


def mean_force_kernel(function: Callable[..., None]) -> Kernel:
    """Declare the force of a contact law, ``function(p, q_i, q_f, out)``: out[0] in N, the mean between two gaps in m.

    out[0] (q_i - q_f) = U(q_f) - U(q_i) to round-off, without a division that can vanish. Gaps and out are complex
    where derivatives are taken.

    Parameters
    ----------
    function : in the subset of Python that numba compiles; p are the law's parameters
    """
    return Kernel(function, MEAN_FORCE, filled=1)


def entries(kernel: Kernel) -> list[int]:
    """Addresses of a kernel's entries, for a law's record.

    Raises
    ------
    InputError
        For a kernel that numba cannot compile, with its file and line.
    """
    try:
        return [kernel.entry(number).address_for_records for number in range(len(kernel.signatures))]
    except InstallationError:
        raise
    except Exception as error:
        raise InputError(f"{where(kernel)} cannot be compiled: {_reason(error)}") from error


def where(kernel: Any) -> str:
    """A kernel's name, file and line."""
    code = kernel.function.__code__
    return f"{kernel.__name__} ({code.co_filename}, line {code.co_firstlineno})"


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    messages = [line for line in lines if not line.startswith(("Failed in", "During:"))]
    return " ".join(messages[:3])


def check_friction_kernel(kernel: Kernel, parameters: Array, states: int) -> None:
    """InputError when the kernel of a friction law with ``states`` state vectors fails the checks."""
    along = np.array([0.8, 0.6, 0.0])

    for speed in SPEEDS:

        def filled(factor: Any, speed: float = speed) -> Array:
            """Coefficient and states at a fraction of slip and force."""
            kind = np.asarray(factor).dtype
            mu, z_f = np.full(3, np.nan, kind), np.full((max(states, 1), 3), np.nan, kind)
            s_m, z_i = factor * speed * STEP * along, np.zeros(z_f.shape, kind)
            _called(kernel, parameters, s_m, z_i, (FORCE * factor).item(), STEP, mu, z_f)
            return np.concatenate([mu, z_f[:states].ravel()])

        case = f"at a slip of {speed:g} m/s under {FORCE:g} N"
        _check(kernel, filled, " or ".join(("mu", "z_f")[: 1 + (states > 0)]), case)


def check_contact_kernels(potential: Kernel, mean_force: Kernel, parameters: Array) -> None:
    """InputError when the kernels of a contact law fail the checks."""

    def energy(gap: float) -> float:
        out = np.full(1, np.nan)
        _called(potential, parameters, gap, out)
        if not np.isfinite(out[0]):
            raise InputError(f"{where(potential)}: out[0] is {out[0]} at a gap of {gap:g} m")
        return float(out[0])

    for q_i, q_f in GAPS:

        def force(factor: Any, q_i: float = q_i, q_f: float = q_f) -> Array:
            """Mean force between fractions of the gaps."""
            out = np.full(1, np.nan, np.asarray(factor).dtype)
            _called(mean_force, parameters, (q_i * factor).item(), (q_f * factor).item(), out)
            return out

        case = f"between gaps of {q_i:g} and {q_f:g} m"
        _check(mean_force, force, "out[0]", case)
        work, change = float(force(FULL)[0]) * (q_i - q_f), energy(q_f) - energy(q_i)
        if abs(work - change) > 1e-6 * abs(work) + 1e-10 * (abs(energy(q_f)) + abs(energy(q_i))):
            raise InputError(
                f"{where(mean_force)}: does work of {work:g} J {case}, {where(potential)} says {change:g}"
            )


def _called(kernel: Kernel, *arguments: Any) -> None:
    try:
        kernel(*arguments)
    except Exception as error:
        raise InputError(f"{where(kernel)} raises {type(error).__name__}: {error}") from error


def _check(kernel: Kernel, filled: Callable[[Any], Array], names: str, case: str) -> None:
    """InputError when results are not finite or a complex-step derivative differs from finite differences."""
    nominal = filled(FULL)
    if not np.isfinite(nominal).all():
        raise InputError(f"{where(kernel)}: {names} is nan, infinite or not set {case}")
    expected = (filled(FULL + VARIATION) - filled(FULL - VARIATION)) / (2 * VARIATION)
    slope = filled(FULL + 1j * TINY).imag / TINY
    size = np.maximum(np.abs(slope), np.abs(expected))
    if not (np.abs(slope - expected) <= TOLERANCE * size + 1e-6 * np.abs(nominal)).all():
        raise InputError(
            f"{where(kernel)}: derivatives of {names} {case} by a complex step are {slope}, by differences {expected} "
            "(times slip or gap): no abs, no .real and no real array for what is differentiated"
        )
