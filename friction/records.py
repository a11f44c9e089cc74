"""Interface of laws: structured records of numbers for compiled code, protocols for type checkers.

A law is built and validated in Python; kernels read one element of a structured array. All that is known of a law is in
its file: the class with parameters, checks and range, the order of ``p`` in its record, and its kernels. Records name
these by the number of `FrictionKernels` or `ContactKernels`; ``tangential.py`` and ``normal/dispatch.py`` make their
calls from the list of all of them. Several laws are stacked by ``numpy.stack([law.record() for law in laws])`` and
passed to a kernel one at a time, ``laws[c]``; a single 0-d record is passed as ``law.record()[()]``.

User-defined laws: kernels compiled by numba at first use, or run as Python without numba; checks of them.

    @friction_kernel
    def my_friction(p, s_m, z_i, f_n, dt, mu, z_f): ...

docs/how-to/extend/add-a-law.md describes their arguments and results.

When a law is built, each kernel is called a few times, with real and with complex numbers. Its results must be finite.
A complex-step derivative must agree with finite differences, which it does not where a kernel drops imaginary parts (by
``abs``, ``.real`` or a real array). Mean force and potential of a contact law must be consistent. Error messages name
file and line of the kernel.
"""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from fem_mbd import friction
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.kernels import Kernel, kernel
from fem_mbd.core.compiled.signatures import complex128, float64, matrix, vector, void
from fem_mbd.core.compiled.vectors import dot
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
        return [entry.address_for_records for entry in kernel.entries]
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


PARAMETER_SLOTS = 82
MAX_SPRINGS = 50
USER_LAW = 0  # kind of user-defined laws
ANY_LAW, ALONG_SLIP, BOND = range(3)  # families of friction laws
CONTACT_PARAMETERS = 16
NO_ADHESION, ADHESION, SNAPS_IN = range(3)

NORMAL_LAW = np.dtype(
    [
        ("kind", "i8"),  # number of its `ContactKernels`
        ("adhesion", "i8"),  # whether forces may be tensile, and whether bodies snap in
        ("touch", "f8"),  # m, gap at which approaching bodies snap into contact
        ("reach", "f8"),  # m, gap up to which attraction may act
        ("permanent", "f8"),  # of damping.py: permanent indentation over the largest approach
        ("damping", "f8"),  # of damping.py: s/m, damping per elastic force
        ("chi", "f8"),  # damping times the impact speed of the present contact
        ("slowest", "f8"),  # m/s, lower bound of that speed
        ("viscosity", "f8"),  # N s/m**(viscous_exponent + 1)
        ("viscous_exponent", "f8"),
        ("entries", "i8", (3,)),  # user-defined potential, mean force, the same with complex numbers
        ("p", "f8", (CONTACT_PARAMETERS,)),  # parameters, in the order defined in the law's file
    ],
    align=True,
)

FRICTION_LAW = np.dtype(
    [
        ("kind", "i8"),  # number of its `FrictionKernels`, `CurveKernels` or `BondKernels`
        ("family", "i8"),  # which of these
        ("states", "i8"),  # nz, state vectors
        ("turned", "i8"),  # number of leading states that are vectors of the tangent plane
        ("springs", "i8"),  # number of leading states that store stiffness |z|**2/2 each
        ("classical", "i8"),  # 1: stiffness and damping in N/m and N s/m, 0: per unit normal force
        ("directed", "i8"),  # 1: depends on the direction of slip
        ("axis", "f8", (3,)),  # of a directed law, as given by the user
        ("ratio", "f8"),  # friction across the axis over that along it
        ("theta", "f8"),  # of a bond: 1/2 mean deflection of the step, 1 deflection at its end
        ("omega", "f8"),  # 1/s, inverse time constant for step control, 0: none
        ("v_s", "f8"),  # m/s, Stribeck speed for step control, 0: none
        ("stiffness", "f8", (MAX_SPRINGS,)),  # 1/m, or N/m
        ("entries", "i8", (2,)),  # of a user-defined kernel: with real and with complex numbers
        ("p", "f8", (PARAMETER_SLOTS,)),  # parameters, in the order defined in the law's file
    ],
    align=True,
)


class LawKernels:
    """Kernels of a law, or of several, with the number that records name them by; use a subclass.

    Kernels take, by name, what they need of ``force_arguments`` and ``energy_arguments``.

    Parameters
    ----------
    force, energy : kernels; the number is made from the name of the first

    Raises
    ------
    TypeError
        When others have that number, or a kernel takes something else.
    """

    known: ClassVar[dict[int, Self]]
    force_arguments: ClassVar[str]
    energy_arguments: ClassVar[str] = "law, p, z"
    _numbers: ClassVar[set[int]] = set()

    def __init_subclass__(cls) -> None:
        cls.known = {}

    def __init__(self, force: Kernel, energy: Kernel):
        self.force, self.energy = force, energy
        self.number = zlib.crc32(force.__name__.encode())
        if self.number in self._numbers:
            raise TypeError(f"two laws have kernels with the number of {force.__name__}: rename one")
        for law_kernel, known in ((force, self.force_arguments), (energy, self.energy_arguments)):
            for name in inspect.signature(law_kernel.function).parameters:
                if name not in known.split(", "):
                    raise TypeError(
                        f"{law_kernel.__name__} takes {name!r}: a kernel of a law takes some of {known}"
                    )
        self._numbers.add(self.number)
        type(self).known[self.number] = self

    @classmethod
    def forces(cls, otherwise: Kernel) -> Kernel:
        """Kernel (kind, ``force_arguments``) that calls the law's of that number, or ``otherwise``."""
        kernels = {number: law_kernels.force for number, law_kernels in cls._all().items()}
        return _chosen(kernels, cls.force_arguments, otherwise)

    @classmethod
    def energies(cls, otherwise: Kernel) -> Kernel:
        """Kernel (kind, ``energy_arguments``), for laws whose energy is not ``otherwise``."""
        kernels = {
            number: law_kernels.energy
            for number, law_kernels in cls._all().items()
            if law_kernels.energy is not otherwise
        }
        return _chosen(kernels, cls.energy_arguments, otherwise)

    @classmethod
    def _all(cls) -> dict[int, Self]:
        """Those of all laws of the package, whose files are imported."""
        for name in dir(friction):
            getattr(friction, name)
        return cls.known


def _chosen(kernels: dict[int, Kernel], arguments: str, otherwise: Kernel) -> Kernel:
    """Kernel of one function with a branch for each number: functions that call one another compile more slowly."""

    def call(name: str, law_kernel: Kernel) -> str:
        return f"{name}({', '.join(inspect.signature(law_kernel.function).parameters)})"

    ways = [f"    if kind == {n}:\n        return {call(f'of_{n}', kernels[n])}" for n in sorted(kernels)]
    text = "\n".join([f"def chosen(kind, {arguments}):", *ways, f"    return {call('otherwise', otherwise)}"])
    namespace: dict[str, Any] = {f"of_{n}": law_kernel for n, law_kernel in kernels.items()}
    namespace |= {"__name__": __name__, "otherwise": otherwise}
    exec(text, namespace)
    return Kernel(namespace["chosen"], ())


@kernel
def spring_energy(law: np.void, z: np.ndarray) -> complex:
    """Energy of the springs, in J of a classical law, per unit normal force (m) of the others."""
    stiffness, total = law["stiffness"], 0.0 * z[0, 0]
    for i in range(law["springs"]):
        total += 0.5 * stiffness[i] * dot(z[i], z[i])
    return total


class FrictionKernels(LawKernels):
    """Kernels of a friction law of the package.

    Parameters
    ----------
    force : fills mu and z_f, which are zero before, of the arguments of `tangential.directed_force`, the law's ``p``,
        and its fields ``classical`` and ``theta``
    energy : of z (nz, 3), as `spring_energy`
    """

    family: ClassVar[int] = ANY_LAW
    force_arguments = "law, p, classical, theta, along, s_m, z_i, f_n, f_n_prev, dt, mu, z_f"

    def __init__(self, force: Kernel, energy: Kernel = spring_energy):
        super().__init__(force, energy)


class CurveKernels(FrictionKernels):
    """Kernel of a friction law without states, whose force acts along the slip.

    Parameters
    ----------
    force : (p, v), h(v)/v in s/m at the speed v in m/s, finite at rest
    """

    family = ALONG_SLIP
    force_arguments = "p, v"


class BondKernels(FrictionKernels):
    """Kernel of a friction law with a bond (``static/dry.py``).

    Parameters
    ----------
    force : (p, z_i, v), the largest coefficient that the bond carries in a step of the mean speed v in m/s
    """

    family = BOND
    force_arguments = "p, z_i, v"


class ContactKernels(LawKernels):
    """Kernels of a contact law of the package.

    Parameters
    ----------
    force : (p, q_i, q_f), mean force in N between two gaps in m: force (q_i - q_f) = V(q_f) - V(q_i)
    energy : (p, q), potential V in J
    """

    force_arguments = "law, p, q_i, q_f"
    energy_arguments = "law, p, q"


class NormalLaw(Protocol):
    """A contact law: normal force from the approach of two bodies. Kernels: ``normal_force``."""

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``NORMAL_LAW``."""


class FrictionLaw(Protocol):
    """A friction law: force coefficient from slip and bristle state. Kernels: ``friction_force``."""

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""


def normal_record(kernels: ContactKernels, *parameters: float, **fields: float) -> NDArray[Any]:
    """Fill a 0-d array of dtype ``NORMAL_LAW``.

    Parameters
    ----------
    kernels : of the law
    parameters : ``p``, 16 numbers at most
    fields : others than zero
    """
    record = np.zeros((), dtype=NORMAL_LAW)
    record["kind"] = kernels.number
    _fill(record, parameters)
    for name, value in fields.items():
        record[name] = value
    return record


def friction_record(
    kernels: FrictionKernels | Kernel,
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
    kernels : FrictionKernels or kernel
        Of the law; or a user-defined kernel from the decorator ``friction_kernel``.
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
    record["states"], record["turned"] = states, turned
    record["springs"], record["axis"], record["ratio"] = len(springs), (1.0, 0.0, 0.0), 1.0
    record["stiffness"][: len(springs)] = springs
    record["omega"], record["v_s"] = time_constants
    _fill(record, parameters)
    if isinstance(kernels, Kernel):
        record["kind"], record["entries"] = USER_LAW, entries(kernels)
        check_friction_kernel(kernels, record["p"], states)
    else:
        record["kind"], record["family"] = kernels.number, kernels.family
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
    record = np.zeros((), dtype=NORMAL_LAW)
    _fill(record, parameters)
    record["entries"] = (*entries(potential), *entries(mean_force))
    check_contact_kernels(potential, mean_force, record["p"])
    return record


def _fill(record: NDArray[Any], parameters: Sequence[float]) -> None:
    capacity = record["p"].size
    if len(parameters) > capacity:
        raise InputError(f"a law has {len(parameters)} parameters: {capacity} at most")
    record["p"][: len(parameters)] = parameters
