"""Finds what the paper does not give: the lengths of the beams and the turn of the outer blades.

    python -m fem_mbd.cases.turbine_blades.lengths

The two lengths are matched to the three frequencies of one blade (least squares of their relative errors, from several
starts), then the turn to the first frequency of the linked blades.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, least_squares

from fem_mbd.cases.turbine_blades.blades import blade_frequencies, coupled_frequencies
from fem_mbd.cases.turbine_blades.parameters import Parameters

Array = NDArray[np.float64]
ONE_BLADE = np.array((53.0, 321.0, 408.0))  # Hz, table 3 of the paper
COUPLED = np.array((127.0, 239.0, 329.0))  # Hz, table 5
STARTS = ((0.06, 0.03), (0.03, 0.13), (0.1, 0.06))


def match_lengths(start: tuple[float, float], p: Parameters) -> tuple[Array, Array]:
    """Lengths (2,) in m and their frequencies (3,) in Hz."""

    def misses(lengths: Array) -> Array:
        return _frequencies(lengths) / ONE_BLADE - 1.0

    def _frequencies(lengths: Array) -> Array:
        return blade_frequencies(replace(p, lower_length=float(lengths[0]), upper_length=float(lengths[1])))

    found = least_squares(misses, start, bounds=(0.005, 0.4)).x
    return found, _frequencies(found)


def match_turn(p: Parameters) -> float:
    """Turn of the outer blades in degrees that gives the first coupled frequency."""

    def miss(turn: float) -> float:
        return float(coupled_frequencies(replace(p, turn=turn))[0] - COUPLED[0])

    return float(brentq(miss, 5.0, 60.0, xtol=1e-3))


def main() -> None:
    """Print what the search finds from every start."""
    p = Parameters()
    for start in STARTS:
        lengths, frequencies = match_lengths(start, p)
        lower, upper = (float(x) for x in lengths)
        print(f"from {start}: lengths {lower:.5f} m and {upper:.5f} m, frequencies {frequencies.round(2)} Hz")
        found = replace(p, lower_length=lower, upper_length=upper)
        straight = coupled_frequencies(replace(found, turn=0.0))
        print(f"    linked, not turned: {straight.round(1)} Hz")
        try:
            turn = match_turn(found)
        except ValueError:
            print(f"    no turn gives {COUPLED[0]:g} Hz")
            continue
        turned = coupled_frequencies(replace(found, turn=turn))
        print(f"    linked, outer blades turned by {turn:.2f} deg: {turned.round(1)} Hz")


if __name__ == "__main__":
    main()
