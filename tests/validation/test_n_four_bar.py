"""N four-bar linkages in a row that pass a singular position: problem A02 of the IFToMM benchmark library.

M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, A benchmarking system for MBS simulation software, Multibody System
Dynamics 16 (2006) 179-190. N + 1 upright rockers are hinged to the ground, N couplers connect their ends; all bars are
slender, 1 m and 1 kg, and the couplers start with 1 m/s. Twice per revolution all bars are in line, and there the
mechanism has instantaneously N + 1 degrees of freedom.

As parallelograms the linkages have one degree of freedom, the rockers' angle: the inertia is (N + 1)/3 + N,
the weight's moment -((N + 1)/2 + N) g cos(angle). That equation is integrated here to 12 digits.

The singular positions have no special treatment: in a step across one the mean configurations of the scheme, at which
the constraint forces act, are regular. Only a step that ends within about 1e-5 s of one cannot be solved.
"""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_mbd import Model, Node, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Cylindrical, Revolute, Spherical
from tests.core.scheme_tools import worst_residual
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

SLENDER = 1 / 12
AXIS = (0, 0, 1)


def linkages(n: int, redundant: bool) -> tuple[Model, Node]:
    """The model and its first rocker; hinges everywhere, or joints without redundancy in three dimensions.

    Not redundant, a loop has two hinges, a spherical joint and a cylindrical one.
    """
    model = Model(gravity=(0, -9.81, 0), allow_redundant=redundant)
    rod_x, rod_y = (1e-3, SLENDER, SLENDER), (SLENDER, 1e-3, SLENDER)
    rockers = [model.add(RigidBody(1.0, rod_y, (k, 0.5, 0), name=f"rocker {k}")).node for k in range(n + 1)]
    couplers = [model.add(RigidBody(1.0, rod_x, (k + 0.5, 1, 0), name=f"coupler {k}")).node for k in range(n)]
    for rocker in rockers:
        model.set_velocity(rocker, (0.5, 0, 0), (0, 0, -1))
    model.set_velocity(couplers, (1, 0, 0))
    for k, rocker in enumerate(rockers):
        hinge = Revolute if redundant or k == 0 else Cylindrical
        model.add(hinge(model.ground, rocker, at=(k, 0, 0), axis=AXIS))
    for k, coupler in enumerate(couplers):
        model.add(Revolute(rockers[k], coupler, at=(k, 1, 0), axis=AXIS))
        if redundant:
            model.add(Revolute(coupler, rockers[k + 1], at=(k + 1, 1, 0), axis=AXIS))
        else:
            model.add(Spherical(coupler, rockers[k + 1], at=(k + 1, 1, 0)))
    return model, rockers[0]


def exact(n: int) -> Callable[[float], Array]:
    """Place of the first rocker's end (2,) over time, until 10 s."""
    factor = 9.81 * (0.5 * (n + 1) + n) / ((n + 1) / 3 + n)
    angle = solve_ivp(
        lambda t, y: (y[1], -factor * np.cos(y[0])), (0, 10), (np.pi / 2, -1.0),
        method="DOP853", rtol=1e-12, atol=1e-12, dense_output=True,
    ).sol  # fmt: skip
    return lambda t: np.array([np.cos(angle(t)[0]), np.sin(angle(t)[0])])


def path(n: int, redundant: bool, dt: float, end: float) -> Array:
    """Rows of time and place of the first rocker's end, (steps, 3)."""
    model, rocker = linkages(n, redundant)
    sim = Simulation(model, end, StepControl.fixed(dt))
    assert sim.system.redundant == (3 * n if redundant else 0)
    ledger, rows = [], []
    with warnings.catch_warnings():
        # that they pass singular positions is the problem
        warnings.filterwarnings("ignore", ".*distance from a singular position", RangeWarning)
        for record in sim.steps():
            ledger.append(record.energy)
            rows.append((record.time, *(2 * sim.state.u[rocker.index, :2])))
    assert worst_residual(sim, np.array(ledger)) < 1e-11
    assert np.abs(sim.scheme.workspace.constraints).max() < 1e-12
    return np.array(rows)


def error_at_end(n: int, redundant: bool, dt: float, end: float) -> float:
    """Error of the first rocker's end, m."""
    return float(np.abs(path(n, redundant, dt, end)[-1, 1:] - exact(n)(end)).max())


def solve() -> Solution:
    """Ten seconds of two linkages, with redundant constraints and without; 1.6e-4 m of a way of 30 m are left."""
    place, found, curves = exact(2), [], []
    at_end = dict(zip(("x", "y"), place(10.0), strict=True))
    for redundant, label in ((True, "hinges only"), (False, "no redundancy")):
        rows = path(2, redundant, 0.0025, 10.0)
        found += numbers(f"{label}, end of a rocker at 10 s, ", "m", at_end, rows[-1, 1:], 2e-4)
        curves.append(ours(rows[:, 0], rows[:, 2], label))
    times = np.arange(0.25, 10.1, 0.25)
    curves.append(reference(times, [place(t)[1] for t in times]))
    return Solution(found, [Picture("time [s]", "height of the coupler [m]", curves)])


PROBLEM = Problem(
    name="n_four_bar",
    title="Four-bar linkages through singular positions",
    group="Rigid bodies and constraints",
    source="Gonzalez et al. 2006, problem A02 of the IFToMM library",
    reference="equation of the one degree of freedom, tolerance 1e-12",
    solve=solve,
)


def test_equation_of_two() -> None:
    """For N = 2 the factor is 3.5/3 g; five turns within ten seconds, ten singular positions."""
    assert exact(2)(0.71435552929) == pytest.approx([1.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("redundant", [False, True])
def test_forty_linkages(redundant: bool) -> None:
    """The size at which the library compares programs."""
    assert error_at_end(40, redundant, 0.01, 2.0) < 3e-4
