"""A flexible cantilever that hangs almost vertically under its own weight.

F. V. Rohde, Large deflections of a cantilever beam with uniformly distributed load, Quarterly of Applied Mathematics 11
(1953) 337-338, treats the inextensible beam. Here EI = 100 N m^2, EA = GA = 1e4 N, L = 10 m, dead load 9.806 N/m across
the beam; digits from a high-order solution of the boundary value problem with stretch and shear, without beam code.

Nearly all bending is within sqrt(EI/98 N) = 1 m of the clamp, so uniform meshes have to be fine: the error of the
deflection is 3.4e-3, 6.0e-5 and 1.0e-6 m with 8, 16 and 32 elements of 4 nodes (h^6).
"""

import numpy as np
import pytest

from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.elements import LineLoad
from tests.validation.cantilevers import axes, clamped, place, section, shape
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

LENGTH, WEIGHT = 10.0, 9.806
DEFLECTION, SHORTENING, ANGLE = 9.41761498, 8.38915149, 1.5636704630


def solve() -> Solution:
    """32 elements."""
    model, beam = clamped(section(1e4, 1e4, 200.0, 100.0), LENGTH, elements=32)
    model.add(LineLoad(beam, (0, -WEIGHT, 0)))
    result = find_equilibrium(model)
    tip, turn = place(result, beam.end), axes(result, beam.end)
    lengths = {"deflection": DEFLECTION, "shortening": SHORTENING}
    found = numbers("", "m", lengths, [-tip[1], LENGTH - tip[0]], 2e-6)
    found += numbers("", "rad", {"angle of the tip": ANGLE}, [np.arctan2(-turn[1, 0], turn[0, 0])], 2e-6)
    curves = [ours(*shape(result, beam).T[:2]), reference([LENGTH - SHORTENING], [-DEFLECTION])]
    return Solution(found, [Picture("x [m]", "y [m]", curves, equal=True)])


PROBLEM = Problem(
    name="heavy_cantilever",
    title="Cantilever hanging under its weight",
    group="Statics",
    source="Rohde 1953, with stretch and shear",
    reference="boundary value problem, nine digits",
    solve=solve,
)


def test_gravity_is_the_same_load() -> None:
    """The same by the model's gravity, in the same steps of the load factor."""
    model, beam = clamped(section(1e4, 1e4, 200.0, 100.0), LENGTH, elements=16)
    model.gravity = np.array([0.0, -WEIGHT, 0.0])
    result = find_equilibrium(model)
    assert place(result, beam.end)[:2] == pytest.approx([LENGTH - SHORTENING, -DEFLECTION], abs=1e-4)
