"""The blade of the NREL 5 MW turbine: mass and frequencies at rest, cantilevered.

J. Jonkman, S. Butterfield, W. Musial, G. Scott, Definition of a 5-MW reference wind turbine for offshore system
development, NREL/TP-500-38060 (2009); BeamDyn input of the OpenFAST documentation: 61.5 m, twisted, 49 stations. Mass
and the first six frequencies (flap, edge, flap, edge, flap, torsion) are those of a computation by another program
from the same file. The eight frequencies with more digits solve the differential equations of the beam by
shooting, stiffness and mass linear between the stations, without elements (tests/elements/blades/test_frequencies).

48 elements with four nodes, with ends at the stations.
"""

import numpy as np

from fem_mbd import Model, modes
from fem_mbd.cases.nrel5mw_blade import FREQUENCIES, MASS, blade
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

SHOOTING = (0.6858194, 1.0805675, 1.9468000, 3.7392843, 4.3851337, 5.5759055, 7.4796035, 7.9517113)


def solve() -> Solution:
    model = Model()
    blade().add_to(model)
    found = modes(model, 8, undamped=True)
    rows = numbers("", "kg", {"mass": MASS}, [found.linear.total_mass], 0.06)
    other = {f"frequency {k + 1}, another program": f for k, f in enumerate(FREQUENCIES)}
    rows += numbers("", "Hz", other, found.frequencies_hz[:6], 6e-5)
    for k, value in enumerate(SHOOTING):
        rows += numbers(
            "", "Hz", {f"frequency {k + 1}, shooting": value}, [found.frequencies_hz[k]], 1e-6 * value
        )
    order = np.arange(1, 9)
    curves = [ours(order, found.frequencies_hz), reference(order[:6], FREQUENCIES, "another program")]
    return Solution(rows, [Picture("mode", "frequency [Hz]", curves)])


PROBLEM = Problem(
    name="nrel_5mw_blade",
    title="Blade of the NREL 5 MW turbine",
    group="Blades",
    source="Jonkman et al. 2009",
    reference="another program with the same file; differential equations by shooting",
    solve=solve,
)
