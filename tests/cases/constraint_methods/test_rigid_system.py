"""Tests of the equations of the classical methods: constraint derivatives, rotations, agreement of the methods."""

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.cases._spatial_slider_crank import INERTIA, ROD_AXES
from fem_mbd.cases.constraint_methods.histories import (
    arabyan_wu,
    augmented,
    direct_correction,
    partitioned,
    penalty,
    projection,
    standard,
)
from fem_mbd.cases.constraint_methods.model import (
    Parameters,
    RigidSystem,
    rotation,
    rows,
    slider_crank,
    start,
)

P = Parameters()
# central differences of fourth order, of a free motion over a few milliseconds
H = 1e-3


def moving() -> Array:
    """A state with all velocities that satisfies none of the constraints."""
    return np.random.default_rng(3).normal(size=39)


def drifted(s: RigidSystem, y: Array, time: float) -> Array:
    """The state after ``time`` with constant v, by many small steps of Runge-Kutta."""
    n, y = 20, y.copy()
    h = time / n
    still = np.zeros(18)
    for _ in range(n):
        a = np.concatenate([s.coordinate_rates(y), still])
        b = np.concatenate([s.coordinate_rates(y + 0.5 * h * a), still])
        c = np.concatenate([s.coordinate_rates(y + 0.5 * h * b), still])
        d = np.concatenate([s.coordinate_rates(y + h * c), still])
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return y


def test_rates_of_the_constraints() -> None:
    """Phi' = D v and, with constant v, Phi'' = -gamma."""
    s, y = slider_crank(), moving()
    before2, before, after, after2 = (s.instant(drifted(s, y, k * H)) for k in (-2, -1, 1, 2))
    here = s.instant(y)
    phi_rate = (8 * (after.phi - before.phi) - (after2.phi - before2.phi)) / (12 * H)
    assert phi_rate == pytest.approx(here.phi_rate, abs=1e-9)
    assert phi_rate == pytest.approx(here.jacobian @ y[21:], abs=1e-9)
    twice = (8 * (after.phi_rate - before.phi_rate) - (after2.phi_rate - before2.phi_rate)) / (12 * H)
    assert twice == pytest.approx(-here.gamma, abs=1e-8)


def test_rotations_are_orthogonal_for_euler_parameters_of_any_length() -> None:
    turns = rotation(np.random.default_rng(1).normal(size=(5, 4)))
    assert turns @ np.swapaxes(turns, 1, 2) == pytest.approx(np.broadcast_to(np.eye(3), (5, 3, 3)), abs=1e-14)
    assert np.linalg.det(turns) == pytest.approx(np.ones(5), abs=1e-14)


def test_start_is_that_of_the_source() -> None:
    """Tables 2.1 and 2.2: the rod's Euler parameters and velocities to the four printed digits."""
    s, y = slider_crank(), start()
    q, v = s.split(y)
    assert q[1, 3:] == pytest.approx([0.8680, -0.4966, 0, 0], abs=1e-4)
    assert v[0, :3] == pytest.approx([-0.3142, 0, 0], abs=5e-5) and v[0, 4] == pytest.approx(
        -6.2832, abs=5e-5
    )
    assert ROD_AXES @ v[1, 3:] == pytest.approx([0, -1.8678, -1.0980], abs=1e-4)
    assert INERTIA["rod"] == (4e-3, 4e-4, 4e-3)
    here = s.instant(y)
    assert np.abs(here.phi).max() < 1e-15 and np.abs(here.phi_rate).max() < 1e-15
    assert np.linalg.matrix_rank(here.jacobian) == 17


def test_methods_agree_where_constraints_hold() -> None:
    """One mechanical system; the penalty method only up to 1/alpha of its forces."""
    s, y = slider_crank(), start()
    here = s.instant(y)
    expected, _ = standard(s, here, P)
    assert here.jacobian @ expected == pytest.approx(here.gamma, abs=1e-10)
    for method, error in ((projection, 1e-10), (arabyan_wu, 1e-10), (augmented, 1e-4), (penalty, 1e-3)):
        found, _ = method(s, here, P)
        assert found == pytest.approx(expected, abs=error * np.abs(expected).max()), method.__name__


def test_redundant_constraints() -> None:
    """A repeated constraint: Arabyan-Wu, penalty and augmented Lagrangian still work, multipliers are not unique."""
    once, twice = slider_crank(), slider_crank()
    twice = RigidSystem(twice.mass, twice.inertia, twice.gravity, [*rows(), rows()[0]])
    y = start()
    expected, _ = standard(once, once.instant(y), P)
    here = twice.instant(y)
    weighted = here.jacobian / twice.diagonal @ here.jacobian.T
    assert np.linalg.matrix_rank(weighted) == 17 < len(weighted)
    for method, error in ((arabyan_wu, 1e-10), (augmented, 1e-4), (penalty, 1e-3)):
        found, _ = method(twice, here, P)
        assert found == pytest.approx(expected, abs=error * np.abs(expected).max()), method.__name__


def test_corrections() -> None:
    """Both satisfy the constraints; partitioning preserves the crank's rotation, direct correction makes the smallest
    change.
    """
    s = slider_crank()
    off = start() + 1e-4 * np.random.default_rng(5).normal(size=39)
    states = {name: f(s, off, P)[0] for name, f in (("least", direct_correction), ("kept", partitioned))}
    for y in states.values():
        here = s.instant(y)
        assert np.linalg.norm(here.phi) < P.correction_tolerance and np.linalg.norm(here.phi_rate) < 1e-14
    speed = {name: s.split(y)[1].ravel() - s.split(off)[1].ravel() for name, y in states.items()}
    assert speed["kept"][4] == 0.0
    assert np.linalg.norm(speed["least"]) < np.linalg.norm(speed["kept"])


def test_power_of_free_motion() -> None:
    """Without constraints only the weight has power: gyroscopic moments have none."""
    s, y = slider_crank(), moving()
    v, accelerations = y[21:], s.instant(y).force / s.diagonal
    weight = s.mass @ (v.reshape(3, 6)[:, :3] @ s.gravity)
    assert (s.diagonal * v) @ accelerations == pytest.approx(weight, abs=1e-12)
