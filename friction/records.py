"""What a law looks like to compiled code (a record of numbers) and to a type checker (a protocol).

A law is built and validated in Python; kernels see one element of a structured array. Many laws of the same
family are put side by side with ``numpy.stack([law.record() for law in laws])`` and handed to a kernel one at
a time, ``laws[c]``; a single 0-d record is handed over as ``law.record()[()]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

PARAMETER_SLOTS = 80

NORMAL_LAW = np.dtype(
    [
        ("kind", "i8"),  # code of kinds.py
        ("stiffness", "f8"),  # N/m**exponent
        ("exponent", "f8"),
        ("damping", "f8"),  # of hunt_crossley.py, s/m
        ("chi", "f8"),  # of impact_laws.py: damping times the speed at which the present contact began
        ("slowest", "f8"),  # m/s, below which that speed is not taken
        ("viscosity", "f8"),  # of power_damping.py, N s/m**(viscous_exponent + 1)
        ("viscous_exponent", "f8"),
        ("compliance", "f8"),  # of cylinder_kernels.py, m/N
        ("scale", "f8"),  # N
    ],
    align=True,
)

# kind: code of kinds.py; p: parameters in the order that the law's own file gives.
FRICTION_LAW = np.dtype([("kind", "i8"), ("p", "f8", (PARAMETER_SLOTS,))], align=True)


class NormalLaw(Protocol):
    """A contact law: normal force from the approach of two bodies. Kernels: ``normal.py``."""

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``."""


class FrictionLaw(Protocol):
    """A friction law: force coefficient from slip and bristle state. Kernels: ``tangential.py``."""

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""


def normal_record(kind: int, stiffness: float, exponent: float, damping: float = 0.0) -> NDArray[Any]:
    """Fill a 0-d array of dtype ``NORMAL_LAW``; the fields that are not given stay zero."""
    record = np.zeros((), dtype=NORMAL_LAW)
    record["kind"] = kind
    record["stiffness"] = stiffness
    record["exponent"] = exponent
    record["damping"] = damping
    return record


def friction_record(kind: int, parameters: Sequence[float]) -> NDArray[Any]:
    """Fill a 0-d array of dtype ``FRICTION_LAW``; unused slots stay zero."""
    record = np.zeros((), dtype=FRICTION_LAW)
    record["kind"] = kind
    record["p"][: len(parameters)] = parameters
    return record
