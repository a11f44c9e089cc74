"""Points of a path through a bifurcation and a limit point, against closed forms and the determinant itself.

A two-bar truss (von Mises): springs of stiffness k from (±a, 0) to the apex (0, y) of height h, rest length
L = sqrt(a^2 + h^2), a force P downwards on the apex. On the symmetric path with l^2 = a^2 + y^2

    P = 2 k (L - l) y/l,    limit point at l^3 = L a^2,    the apex moves sideways at l^3 = L y^2.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd.analysis.statics.bordered_newton import Branch, Point, Tracer
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.elements import Force, PointMass, SpringDamper

A, H, K = 1.0, 3.0, 50.0
L = np.hypot(A, H)


def force(y: float) -> float:
    length = np.hypot(A, y)
    return float(2 * K * (L - length) * y / length)


LIMIT = np.sqrt((L * A**2) ** (2 / 3) - A**2)  # y there
SIDEWAYS = brentq(lambda y: np.hypot(A, y) ** 3 - L * y**2, 2.0, 3.0)


def tracer() -> Tracer:
    model = fm.Model()
    apex = model.add(PointMass(1.0, (0.0, H, 0.0), name="apex"))
    model.fix(apex, translation=(False, False, True))
    for side in (-A, A):
        model.add(SpringDamper(model.ground.at((side, 0.0, 0.0)), apex, K))
    model.add(Force(apex, (0.0, -1.0, 0.0)))
    return Tracer(Branch(StaticForces(model)))


def height(point: Point) -> float:
    return float(point.state.u[1, 1])


def determinant(path: Tracer, point: Point) -> float:
    """Sign of det K by elimination of the full matrix."""
    return float(np.linalg.slogdet(path.branch.tangent(point.state, point.p).toarray())[0])


def test_points_lie_on_the_curve_and_their_sign_is_that_of_the_determinant() -> None:
    path = tracer()
    point = path.at(path.forces.start(), 0.0)
    signs = []
    while height(point) > 0.6:
        point = path.along(point, 0.02)
        assert point.p == pytest.approx(force(height(point)), rel=1e-9)
        assert point.sign == determinant(path, point)
        signs.append((height(point), np.sign(point.p_s), point.sign))
    heights, senses, found = np.array(signs).T
    assert np.all(senses == np.where(heights > LIMIT, 1.0, -1.0))
    # sideways alone is unstable first, then both directions, until the lower sideways point is passed
    lower = brentq(lambda y: np.hypot(A, y) ** 3 - L * y**2, 0.5, 1.0)
    wanted = np.where((heights < SIDEWAYS) & (heights > LIMIT), -1.0, np.where(heights > lower, 1.0, -1.0))
    assert np.all(found == wanted)


def test_a_limit_point_and_a_bifurcation_in_one_step() -> None:
    path = tracer()
    start = path.at(path.forces.start(), force(SIDEWAYS + 0.1))
    while height(start) > SIDEWAYS + 0.3:
        start = path.along(start, 0.02)
    length = 0.02
    while height(path.along(start, length)) > LIMIT - 0.1:
        length *= 1.2
    end = path.along(start, length)
    assert start.p_s > 0.0 > end.p_s and height(start) > SIDEWAYS
    assert path.limit(start, length).p == pytest.approx(force(LIMIT), rel=1e-6)
    # halving the step ten times ends within a thousandth of it
    near = abs(force(SIDEWAYS + 2e-3 * (H - LIMIT)) - force(SIDEWAYS))
    assert path.bifurcation(start, length, path.along) == pytest.approx(force(SIDEWAYS), abs=near)
