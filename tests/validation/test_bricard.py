"""Bricard's mechanism, five bars and six hinges, mobile against Gruebler's count: problem A04 of the IFToMM library.

M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, A benchmarking system for MBS simulation software, Multibody
System Dynamics 16 (2006) 179-190. The bars follow six edges of a unit cube (the sixth is the ground); each
hinge is normal to both of its bars; bars of 1 m, 1 kg and square section of side 0.1 m start at rest, gravity
along -y. One of the 30 constraints is redundant in every position.

Digits: the loop closes when (1 + sin a)(1 + sin b) = 1, a and b the angles of the odd and the even hinges. Lagrange's
equations in a and b with that condition, integrated with DOP853 at a tolerance of 1e-12; energy is constant to 1e-11.
"""

import numpy as np
import pytest

from fem_mbd import InputError, Model, NewtonOptions, Point, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Revolute
from tests.core.scheme_tools import order, worst_residual
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
AXES = np.eye(3)[[1, 2, 0, 1, 2, 0]]
# time: the joint between the third and the fourth bar
PLACES = {
    1.0: (0.51050146, -1.64916760, 0.14012311),
    2.0: (-0.96934034, -1.22124689, 0.75427801),
    5.0: (1.00000000, -1.00006726, 0.99993274),
    7.0: (-0.97137385, -1.21454187, 0.76244402),
    9.0: (0.53906429, -1.63845331, 0.15773538),
    10.0: (0.99999996, -1.00026901, 0.99973095),
}


def mechanism(allow_redundant: bool = True) -> tuple[Model, Point]:
    """The model and the point that PLACES are about."""
    model = Model(gravity=(0, -9.81, 0), allow_redundant=allow_redundant)
    across, along = (1 + 0.1**2) / 12, 0.1**2 / 6
    nodes = [model.ground]
    for k in range(5):
        edge = CORNERS[k + 1] - CORNERS[k]
        inertia = across * np.eye(3) + (along - across) * np.outer(edge, edge)
        nodes.append(model.add(RigidBody(1.0, inertia, 0.5 * (CORNERS[k] + CORNERS[k + 1]))).node)
    nodes.append(model.ground)
    for k in range(6):
        model.add(Revolute(nodes[k], nodes[k + 1], at=CORNERS[k], axis=AXES[k], name=f"hinge {k}"))
    return model, nodes[3].at_global(CORNERS[3])


def path(dt: float) -> Array:
    """Rows of time and place of the point, (steps, 4)."""
    model, point = mechanism()
    sim = Simulation(model, 10.0, StepControl.fixed(dt))
    ledger, rows, worst = [], [], 0.0
    for record in sim.steps():
        ledger.append(record.energy)
        worst = max(worst, float(np.abs(sim.scheme.workspace.constraints).max()))
        n = point.node.index
        rows.append((record.time, *(sim.state.u[n] + sim.state.r[n] @ point.offset)))
    assert sim.system.redundant == 1
    assert worst_residual(sim, np.array(ledger)) < 1e-13
    assert worst < 1e-13
    assert sim.counters["rejected"] == 0
    return np.array(rows)


def at(rows: Array, time: float) -> Array:
    """Place (3,) at an instant that a step has hit."""
    row = rows[np.argmin(np.abs(rows[:, 0] - time))]
    assert row[0] == pytest.approx(time, abs=1e-9)
    return np.array(row[1:])


def test_kept_factorisations_do_not_choose_other_multipliers() -> None:
    """A step's constraints are redundant to its second order only, so the motion depends on their multipliers."""
    model, point = mechanism()
    places = []
    for reuse in (False, True):
        sim = Simulation(model, 1.0, StepControl.fixed(0.01), newton=NewtonOptions(reuse=reuse))
        for _ in sim.steps():
            pass
        places.append(sim.state.u[point.node.index].copy())
    assert places[1] == pytest.approx(places[0], abs=1e-8)  # 3e-4 with those of earlier places


def errors(dt: float) -> Array:
    """Errors (m) at the times of PLACES."""
    rows = path(dt)
    return np.array([np.abs(at(rows, time) - place).max() for time, place in PLACES.items()])


def solve() -> Solution:
    rows = path(0.005)
    found = []
    for time, place in PLACES.items():
        places = dict(zip(("x", "y", "z"), place, strict=True))
        found += numbers(f"t = {time:g} s, ", "m", places, at(rows, time), 1e-6)
    curves = [ours(rows[:, 0], rows[:, 1 + k], axis) for k, axis in enumerate("xyz")]
    table = np.array(list(PLACES.values()))
    curves += [reference(list(PLACES), table[:, k], "" if k else "reference") for k in range(3)]
    return Solution(found, [Picture("time [s]", "place of joint 3 [m]", curves)])


PROBLEM = Problem(
    name="bricard",
    title="Bricard's mechanism",
    group="Rigid bodies and constraints",
    source="Gonzalez et al. 2006, problem A04 of the IFToMM library",
    reference="Lagrange's equations in two angles, tolerance 1e-12",
    solve=solve,
)


def test_redundancy_is_refused_unless_allowed() -> None:
    with pytest.raises(InputError, match=r"1 of 30 constraints are redundant.*allow_redundant"):
        Simulation(mechanism(False)[0], 1.0, StepControl.fixed(0.01))


def test_third_order() -> None:
    """2.5e-5, 5.4e-6 and 7.2e-7 m at most with 0.02, 0.01 and 0.005 s."""
    coarse, medium, fine = errors(0.02), errors(0.01), errors(0.005)
    assert order([coarse.max(), medium.max(), fine.max()], [4, 2, 1]) == pytest.approx(2.6, abs=0.4)
    assert order([medium.max(), fine.max()], [2, 1]) == pytest.approx(3.0, abs=0.2)
