"""The elastica: large deflection of an inextensible cantilever by a dead tip force, from elliptic integrals.

K. E. Bisshopp, D. C. Drucker, Large deflection of cantilever beams, Quarterly of Applied Mathematics 3
(1945) 272-275; the loads of K. Mattiasson, Numerical results from large deflection beam and frame problems
analysed by means of elliptic integrals, International Journal for Numerical Methods in Engineering 17
(1981) 145-153. The ten digits below were computed from the integrals, without beam code.

The beam here is extensible and shear-flexible: EA L^2/EI = GA L^2/EI = 1e10 changes the numbers by at most 1e-9 of the
length. The error of sixteen 4-node elements is below 3e-8 (h^6: 1.4e-6 with eight at the largest load), hence the
tolerance of 5e-8.
"""

import numpy as np

from tests.validation.cantilevers import axes, bend, clamped, section, shape
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

# P L^2/EI: deflection/L, shortening/L, angle of the tip in rad
ELASTICA = {
    1: (0.3017207738, 0.0564332363, 0.4613519497),
    4: (0.6699641813, 0.3289412422, 1.1212393475),
    10: (0.8106090249, 0.5549955978, 1.4302855388),
}


def solve() -> Solution:
    """EI = L = 1, stretch and shear 1e10 times as stiff: load steps stay as long as without that."""
    found: list[Number] = []
    curves = []
    for load, (deflection, shortening, angle) in ELASTICA.items():
        model, beam = clamped(section(1e10, 1e10, 1.0, 1.0), 1.0, elements=16)
        result, tip = bend(model, beam, (0, load, 0))
        assert result.path.failures == 0
        assert result.path.iterations <= 6 * len(result.path.load_factors)
        turn = axes(result, beam.end)
        at = f", PL²/EI = {load}"
        lengths = {f"deflection/L{at}": deflection, f"shortening/L{at}": shortening}
        found += numbers("", "", lengths, (tip[1], 1 - tip[0]), 5e-8)
        found += numbers(
            "", "rad", {f"angle of the tip{at}": angle}, [np.arctan2(turn[1, 0], turn[0, 0])], 5e-8
        )
        line = shape(result, beam)
        curves.append(ours(line[:, 0], line[:, 1], f"PL²/EI = {load}"))
    deflections, shortenings, _ = np.transpose(list(ELASTICA.values()))
    curves.append(reference(1 - shortenings, deflections))
    return Solution(found, [Picture("x/L", "y/L", curves, equal=True)])


PROBLEM = Problem(
    name="elastica",
    title="Elastica",
    group="Statics",
    source="Bisshopp & Drucker 1945; Mattiasson 1981",
    reference="elliptic integrals",
    solve=solve,
)
