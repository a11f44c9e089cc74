"""User-defined laws: their kernels are compiled by numba at first use, or run as Python without numba.

    @friction_kernel
    def my_friction(p, s_m, z_i, f_n, dt, mu, z_f): ...

docs/how-to/extend/add-a-law.md describes their arguments and results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    said = [line for line in lines if not line.startswith(("Failed in", "During:"))]
    return " ".join(said[:3])
