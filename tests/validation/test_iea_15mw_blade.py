"""The blade of the IEA 15 MW turbine: prebent, twisted, with fully populated section matrices, from two sets of files.

E. Gaertner and others, Definition of the IEA 15-megawatt offshore reference wind turbine, NREL/TP-5000-75698 (2020);
files of IEAWindTask37/IEA-15-240-RWT. The mass is that of an independent computation from the BeamDyn files. The
frequencies, at rest and cantilevered, solve the differential equations of the curved and twisted beam by shooting,
matrices linear between the stations, without elements (tests/elements/blades/test_frequencies). The tip's
displacements under a unit force across the rotor's plane are integrals of the sections' flexibilities (unit-load
theorem). The HAWC2 files describe the same blade with other axes, reference line and points, and twist of the opposite
sign, made from slightly different sections: the third comparison.

25 elements with four nodes, with ends at the stations; the error of 1e-3 in the flexibility is that of the last
element, where the stiffness decreases by a factor of 100.
"""

import numpy as np

from fem_mbd import Model, Modes, find_equilibrium, modes
from fem_mbd.cases._blades import BLADE_AXES, integrated_flexibility
from fem_mbd.cases.iea15mw_blade import MASS, blade
from fem_mbd.elements import Force
from tests.validation.problem import Picture, Problem, Solution, numbers, reference

SHOOTING = (0.5065145, 0.6929296, 1.4800507, 2.1388440, 2.9313981, 4.0856014, 4.3746631, 4.8399116)
AXES = ("radial", "forward", "downwind")


def modes_of(files: str) -> Modes:
    model = Model()
    blade(files).add_to(model)
    return modes(model, 8, undamped=True)


def tip(files: str) -> np.ndarray:
    """(3,) displacement per force downwind, m/N."""
    model = Model()
    handle = blade(files).add_to(model, rotation=BLADE_AXES)
    model.add(Force(handle.end, (0, 0, 1.0)))
    return np.asarray(find_equilibrium(model).outputs["position"][handle.end.index] - handle.end.position)


def solve() -> Solution:
    found, other = modes_of("beamdyn"), modes_of("hawc2")
    rows = numbers("", "kg", {"mass": MASS["beamdyn"]}, [found.linear.total_mass], 0.06)
    for k, value in enumerate(SHOOTING):
        rows += numbers(
            "", "Hz", {f"frequency {k + 1}, shooting": value}, [found.frequencies_hz[k]], 2e-5 * value
        )
    expected = integrated_flexibility(blade("beamdyn"))[:, 2]
    known = {
        f"tip, {name}, 1 MN downwind": 1e6 * float(value) for name, value in zip(AXES, expected, strict=True)
    }
    rows += numbers("", "m", known, 1e6 * tip("beamdyn"), 1e-3 * 1e6 * float(expected[2]))
    for k, value in enumerate(SHOOTING[:5]):
        rows += numbers(
            "", "Hz", {f"frequency {k + 1}, HAWC2 files": value}, [other.frequencies_hz[k]], 5e-3 * value
        )
    order, known_frequencies = np.arange(1, 9), np.array(SHOOTING)
    curves = [
        reference(order, np.abs(m.frequencies_hz / known_frequencies - 1), f"{name} files")
        for m, name in ((found, "BeamDyn"), (other, "HAWC2"))
    ]
    return Solution(rows, [Picture("mode", "frequency against shooting", curves, log_y=True)])


PROBLEM = Problem(
    name="iea_15mw_blade",
    title="Blade of the IEA 15 MW turbine",
    group="Blades",
    source="Gaertner et al. 2020",
    reference="differential equations by shooting; unit-load theorem; the HAWC2 files of the same blade",
    solve=solve,
)
