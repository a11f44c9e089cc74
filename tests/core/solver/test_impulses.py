"""Tests of the laws of simultaneous impacts on small systems, by Newton, by Poisson and one after the other."""

import numpy as np
import pytest

from fem_mbd.core.solver import impacts
from fem_mbd.errors import SolverFailure


def chain(masses: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Balls in a row: N (contacts, balls) and G."""
    n = len(masses)
    rows = np.eye(n)[1:] - np.eye(n)[:-1]
    return rows, rows @ np.diag(1 / np.array(masses)) @ rows.T


@pytest.mark.parametrize("law", [impacts.newton, impacts.poisson, impacts.sequential])
def test_two_balls(law: object) -> None:
    """v1' = (m1 v1 + m2 v2 - m2 e (v1 - v2))/(m1 + m2), and v2' likewise."""
    m, v, e = [2.0, 3.0], np.array([1.5, -0.5]), 0.6
    rows, g = chain(m)
    p = law(g, rows @ v, np.array([e]))  # type: ignore[operator]
    after = v + (rows.T @ p) / m
    total = m[0] * v[0] + m[1] * v[1]
    approach = v[0] - v[1]
    assert after == pytest.approx(
        [(total - m[1] * e * approach) / 5, (total + m[0] * e * approach) / 5], rel=1e-12
    )


def test_newton_and_poisson_differ_where_restitutions_do() -> None:
    """Three equal balls in contact, the first moves towards the others; e = 0 at its contact, 1 at the other.

    Newton: the second contact did not approach and has no restitution: all move on together. Poisson: at the end of
    compression the impulses are (2/3, 1/3); the second contact gets its third again in restitution, and the first one,
    which would approach again, 1/6 more: p = (5/6, 2/3).
    """
    rows, g = chain([1.0, 1.0, 1.0])
    v = np.array([1.0, 0.0, 0.0])
    e = np.array([0.0, 1.0])
    newton, poisson = (v + rows.T @ law(g, rows @ v, e) for law in (impacts.newton, impacts.poisson))
    assert newton == pytest.approx([1 / 3, 1 / 3, 1 / 3], abs=1e-12)
    assert poisson == pytest.approx([1 / 6, 1 / 6, 2 / 3], abs=1e-12)


def test_restitution_of_a_contact_that_was_separating_is_zero() -> None:
    """Newton's law for several contacts: u+ = -e u- where u- < 0; u+ >= 0 where the contact opened before the impact.

    The impact of the first contact would close the second one, which is opening with 0.1 m/s: it ends at rest.
    """
    g, u = np.array([[1.0, -0.5], [-0.5, 1.0]]), np.array([-1.0, 0.1])
    p = impacts.newton(g, u, np.array([0.5, 0.5]))
    assert (p > 0).all()
    assert u + g @ p == pytest.approx([0.5, 0.0], abs=1e-12)


def test_dependent_contacts_share_their_impulse() -> None:
    """Two equal contacts of one ball: G is singular, the ball rebounds as from one."""
    p = impacts.newton(np.ones((2, 2)), np.array([-1.0, -1.0]), np.array([0.5, 0.5]))
    assert p.sum() == pytest.approx(1.5)
    assert (p >= 0).all()


def test_mobility_includes_joints() -> None:
    """A mass on a rail at 45 degrees hits a wall: its effective mass is m / cos^2."""
    rail = np.array([[1.0, -1.0]]) / np.sqrt(2)
    mobility = impacts.velocities_per_impulse(2.0 * np.eye(2), rail, np.array([[1.0, 0.0]]))
    assert mobility[:, 0] == pytest.approx([0.25, 0.25])


def test_a_sequence_that_does_not_end_is_refused() -> None:
    """An elastic ball between walls that approach each other rebounds endlessly."""
    g = np.array([[1.0, -1.0], [-1.0, 1.0]])
    with pytest.raises(SolverFailure, match="impacts one after the other"):
        impacts.sequential(g, np.array([-1.0, -1.0]), np.ones(2))
