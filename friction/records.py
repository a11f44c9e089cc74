"""Interface of laws: structured records of numbers for compiled code, protocols for type checkers.

A law is built and validated in Python; kernels read one element of a structured array. Several laws of the same family
are stacked by ``numpy.stack([law.record() for law in laws])`` and passed to a kernel one at a time, ``laws[c]``; a
single 0-d record is passed as ``law.record()[()]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.errors import InputError
from fem_mbd.friction import user_laws
from fem_mbd.friction.user_laws import check_contact_kernels, check_friction_kernel

PARAMETER_SLOTS = 82
MAX_SPRINGS = 50
USER_LAW = 0  # kind of user-defined laws (`user_laws`)
USER_PARAMETERS = 16  # of a contact law

NORMAL_LAW = np.dtype(
    [
        ("kind", "i8"),  # KIND of the law's file
        ("stiffness", "f8"),  # N/m**exponent
        ("exponent", "f8"),
        ("damping", "f8"),  # of hunt_crossley.py, s/m
        ("chi", "f8"),  # of impact_laws.py: damping times the impact speed of the present contact
        ("slowest", "f8"),  # m/s, lower bound of that speed
        ("viscosity", "f8"),  # of power_damping.py, N s/m**(viscous_exponent + 1)
        ("viscous_exponent", "f8"),
        ("compliance", "f8"),  # of cylinder.py, m/N; radius of jkr.py, m
        ("scale", "f8"),  # N, or a number of the law's own
        ("reach", "f8"),  # m, gap up to which attraction may act
        ("touch", "f8"),  # m, gap at which approaching bodies snap into contact
        ("transition", "f8"),  # of maugis.py, lambda
        ("last_angle", "f8"),  # of maugis.py, at the end of the branch in contact
        (
            "entries",
            "i8",
            (3,),
        ),  # of user-defined kernels: potential, mean force, the same with complex numbers
        ("p", "f8", (USER_PARAMETERS,)),  # its parameters
    ],
    align=True,
)

FRICTION_LAW = np.dtype(
    [
        ("kind", "i8"),  # KIND of the law's file
        ("states", "i8"),  # nz, state vectors
        ("turned", "i8"),  # number of leading states that are vectors of the tangent plane
        ("springs", "i8"),  # number of leading states that store stiffness |z|**2/2 each
        ("classical", "i8"),  # 1: stiffness and damping in N/m and N s/m, 0: per unit normal force
        ("directed", "i8"),  # 1: depends on the direction of slip
        ("axis", "f8", (3,)),  # of a directed law, as given by the user
        ("ratio", "f8"),  # friction across the axis over that along it
        ("omega", "f8"),  # 1/s, inverse time constant for step control, 0: none
        ("v_s", "f8"),  # m/s, Stribeck speed for step control, 0: none
        ("stiffness", "f8", (MAX_SPRINGS,)),  # 1/m, or N/m
        ("entries", "i8", (2,)),  # of a user-defined kernel: with real and with complex numbers
        ("p", "f8", (PARAMETER_SLOTS,)),  # parameters, in the order defined in the law's file
    ],
    align=True,
)


class NormalLaw(Protocol):
    """A contact law: normal force from the approach of two bodies. Kernels: ``normal_force``."""

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``."""


class FrictionLaw(Protocol):
    """A friction law: force coefficient from slip and bristle state. Kernels: ``friction_force``."""

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


def friction_record(
    kind: int | Kernel,
    parameters: Sequence[float],
    *,
    states: int = 0,
    turned: int = 0,
    springs: Sequence[float] = (),
    time_constants: tuple[float, float] = (0.0, 0.0),
) -> NDArray[Any]:
    """Fill a 0-d array of dtype ``FRICTION_LAW``; unused slots stay zero.

    Parameters
    ----------
    kind : int or kernel
        ``KIND`` of the law's file, or a user-defined kernel from the decorator ``friction_kernel``.
    parameters : sequence of float
        ``p`` of the law's kernel, 82 numbers at most.
    states, turned : int
        Number of state vectors, and number of leading ones that rotate with the tangent plane.
    springs : sequence of float
        Stiffnesses [1/m] of the first states when each stores stiffness z.z/2 per unit normal force.
    time_constants : (float, float)
        Inverse time constant [1/s] and Stribeck speed [m/s] for step control, zeros when there are none.
    """
    record = np.zeros((), dtype=FRICTION_LAW)
    record["kind"] = USER_LAW if isinstance(kind, Kernel) else kind
    record["states"], record["turned"] = states, turned
    record["springs"], record["axis"], record["ratio"] = len(springs), (1.0, 0.0, 0.0), 1.0
    record["stiffness"][: len(springs)] = springs
    record["omega"], record["v_s"] = time_constants
    _fill(record, parameters)
    if isinstance(kind, Kernel):
        record["entries"] = user_laws.entries(kind)
        check_friction_kernel(kind, record["p"], states)
    return record


def own_normal_record(potential: Kernel, mean_force: Kernel, parameters: Sequence[float]) -> NDArray[Any]:
    """Fill a 0-d array of dtype ``NORMAL_LAW`` for a user-defined contact law.

    Parameters
    ----------
    potential : kernel from the decorator ``potential_kernel``
    mean_force : kernel from the decorator ``mean_force_kernel``
    parameters : sequence of float
        ``p`` of both, 16 numbers at most.
    """
    record = normal_record(USER_LAW, 0.0, 1.0)
    _fill(record, parameters)
    record["entries"] = (*user_laws.entries(potential), *user_laws.entries(mean_force))
    check_contact_kernels(potential, mean_force, record["p"])
    return record


def _fill(record: NDArray[Any], parameters: Sequence[float]) -> None:
    capacity = record["p"].size
    if len(parameters) > capacity:
        raise InputError(f"a law has {len(parameters)} parameters: {capacity} at most")
    record["p"][: len(parameters)] = parameters
