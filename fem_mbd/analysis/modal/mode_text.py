"""Text that describes an eigenvalue: its frequency, or its rate of decay or growth if it does not oscillate."""

from __future__ import annotations

import numpy as np


def motion_of(value: complex, digits: int = 5) -> str:
    """Text for an eigenvalue, 1/s: "0.25 Hz", "over-damped (1/e in 0.02 s)", "growing (e in 3 s)"; "0 Hz" for rigid
    motions.

    Parameters
    ----------
    value : the eigenvalue
    digits : of the numbers
    """
    if value.imag or not value.real:
        return f"{abs(value) / (2 * np.pi):.{digits}g} Hz"
    time = f"{1.0 / abs(value.real):.{min(digits, 3)}g} s"
    return f"over-damped (1/e in {time})" if value.real < 0.0 else f"growing (e in {time})"
