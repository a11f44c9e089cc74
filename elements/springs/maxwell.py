"""Generalised Maxwell chains of rubber bushings and elastomeric dampers: moduli over frequency, and their fit.

A chain in parallel with the bushing's own stiffness k_0 has the complex modulus

    k*(omega) = k_0 + sum_m k_m i omega tau_m/(1 + i omega tau_m),

storage (real part) and loss (imaginary part), N/m or N m/rad. Source: Ferry, Viscoelastic Properties of Polymers
(Wiley 1980), chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.base.validation import array, whole_number
from fem_mbd.errors import InputError


@arguments()
@dataclass(frozen=True, eq=False)
class MaxwellChain:
    """Springs in series with dampers, all in parallel, in one direction of a `Bushing`.

    Parameters
    ----------
    stiffness : (n,) k_m, N/m, or N m/rad about an axis
    times : (n,) tau_m, s, relaxation times: damping of each over its stiffness
    static : k_0, the stiffness of the spring in parallel, for `modulus`; a bushing adds it to its own

    Raises
    ------
    InputError
        For numbers that are not positive (static: negative), or another number of times.
    """

    stiffness: Any
    times: Any
    static: float = 0.0

    def __post_init__(self) -> None:
        count = np.shape(self.stiffness)
        if len(count) != 1 or count[0] == 0:
            raise InputError("MaxwellChain: stiffness has to be a list of numbers, one for each element")
        for name in ("stiffness", "times"):
            values = array(getattr(self, name), count, f"MaxwellChain: {name}")
            if np.any(values <= 0.0):
                raise InputError(f"MaxwellChain: {name} has {values.min():g}: all have to be above zero")
            object.__setattr__(self, name, values)
        if not (np.isfinite(self.static) and self.static >= 0.0):
            raise InputError(f"MaxwellChain: static is {self.static}: it must not be negative")

    def modulus(self, frequencies_hz: ArrayLike) -> Complex:
        """(…) complex modulus k*, with the static stiffness.

        Parameters
        ----------
        frequencies_hz : (…) Hz
        """
        turns = 2j * np.pi * np.asarray(frequencies_hz, dtype=float)[..., None] * self.times
        return np.asarray(self.static + (self.stiffness * turns / (1.0 + turns)).sum(axis=-1))

    @classmethod
    def fit(cls, frequencies_hz: ArrayLike, modulus: ArrayLike, elements: int | None = None) -> MaxwellChain:
        """The chain whose complex modulus is nearest to measured ones, in relative least squares.

        Relaxation times are spread evenly over the logarithm of the frequencies, half a decade beyond both ends;
        stiffnesses are not negative, so that the chain is passive. `modulus` shows how near it is.

        Parameters
        ----------
        frequencies_hz : (n,) Hz, ascending, above zero
        modulus : (n,) complex, N/m or N m/rad: storage + i loss
        elements : number of relaxation times tried, by default three per decade; those with no stiffness are left out

        Raises
        ------
        InputError
            For frequencies that do not ascend, another number of moduli, or moduli without loss.
        """
        f = array(frequencies_hz, np.shape(frequencies_hz), "MaxwellChain.fit: frequencies_hz")
        if f.ndim != 1 or len(f) < 2 or f[0] <= 0.0 or np.any(np.diff(f) <= 0.0):
            raise InputError("MaxwellChain.fit: frequencies_hz have to ascend, above zero, two at least")
        measured = np.asarray(modulus, dtype=complex)
        if measured.shape != f.shape or not np.all(np.isfinite(measured)) or not np.all(measured):
            raise InputError(
                f"MaxwellChain.fit: modulus has to be {len(f)} complex numbers, none of them zero"
            )
        decades = float(np.log10(f[-1] / f[0])) + 1.0
        count = int(np.ceil(3 * decades)) + 1 if elements is None else whole_number(elements, "elements")
        times = 1.0 / (2 * np.pi * np.geomspace(f[0] / 10**0.5, f[-1] * 10**0.5, count))
        turns = 2j * np.pi * f[:, None] * times
        weight = 1.0 / np.abs(measured)
        columns = weight[:, None] * np.hstack([np.ones((len(f), 1)), turns / (1.0 + turns)])
        stiffness, _ = nnls(np.vstack([columns.real, columns.imag]), _parts(weight * measured))
        active = stiffness[1:] > 1e-12 * stiffness.max()
        if not active.any():
            raise InputError(
                "MaxwellChain.fit: the moduli have no loss that increases the stiffness: no chain has them"
            )
        return cls(stiffness[1:][active], times[active], float(stiffness[0]))


def _parts(values: Complex) -> Array:
    return np.concatenate([values.real, values.imag])
