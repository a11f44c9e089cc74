"""Mode shapes of the NREL 5 MW blade as ElastoDyn's polynomials, at 12.1 rev/min.

Coefficients of NREL/TP-500-38060 (J. Jonkman and others, 2009) as in OpenFAST's deck, and those that pyBmodes 1.19
(Apache 2.0, Euler-Bernoulli finite elements) finds for the same deck. The shapes are compared at three positions.
"""

import numpy as np

from fem_mbd.cases.nrel5mw_turbine import machine
from fem_mbd.machines import blade_mode_shapes
from tests.machines.test_mode_polynomials import PUBLISHED, PYBMODES, RATED, polynomial
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

PLACES = np.array([0.3, 0.5, 0.7])
FINE, COARSE = np.linspace(0.0, 1.0, 101), np.linspace(0.0, 1.0, 11)
# of the largest deflection: another program with beams of the same kind; the deck, rounded and of an older model
NEAR, OLDER = 0.003, {"BldFl1Sh": 0.01, "BldFl2Sh": 0.03, "BldEdgSh": 0.01}


def solve() -> Solution:
    """Deflection over that of the tip."""
    shapes = blade_mode_shapes(machine("elastodyn").member("blade1").blade, radius=1.5, speed=RATED)
    found, curves = [], []
    for name, shape in shapes.items():
        size = float(np.abs(shape(FINE)).max())
        for source, table, allowed in (("pyBmodes", PYBMODES, NEAR), ("deck", PUBLISHED, OLDER[name])):
            there = {f"{name} at {x:g}, {source}": float(polynomial(table[name], x)) for x in PLACES}
            found += numbers("", "1", there, shape(PLACES), allowed * size)
        curves.append(ours(FINE, shape(FINE), name))
        curves.append(
            reference(COARSE, polynomial(PUBLISHED[name], COARSE), "deck" if name == "BldFl1Sh" else "")
        )
    return Solution(found, [Picture("place along the blade", "deflection / tip", curves)])


PROBLEM = Problem(
    name="nrel_5mw_mode_shapes",
    title="Mode shapes of the NREL 5 MW blade for ElastoDyn",
    group="Blades",
    source="NREL/TP-500-38060; pyBmodes 1.19",
    reference="coefficients of the deck and of pyBmodes",
    solve=solve,
)
