"""Directional friction: the ellipse of sliding forces and its normal, LuGre's g of both directions, a contact."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import Anisotropic, Coulomb, DryCoulomb, Linear, LuGre
from fem_mbd.friction.probes.slip_path import drive_path
from fem_mbd.joints import PointOnPlane
from tests.friction.library import LUGRE, fresh, step

MU, RATIO = 0.3, 0.4
ANGLES = np.linspace(0.1, 6.2, 9)


@pytest.mark.parametrize("law", [DryCoulomb(MU), Coulomb(MU, 1e-7)])
def test_force_on_the_ellipse_and_slip_along_its_normal(law: Any) -> None:
    """(F_1/mu)**2 + (F_2/(r mu))**2 = N**2; V along (F_1, F_2/r**2) (Goyal et al. 1991; Zmitrowicz 1989)."""
    directed = Anisotropic(law, RATIO)
    for angle in ANGLES:
        s = 1e-3 * np.array([np.cos(angle), np.sin(angle), 0.0])
        z = fresh(directed)
        for _ in range(4):
            mu, z, _ = step(directed, s, z)
        assert (mu[0] / MU) ** 2 + (mu[1] / (RATIO * MU)) ** 2 == pytest.approx(1.0, rel=1e-6)
        assert np.cross([mu[0], mu[1] / RATIO**2, 0.0], s)[2] == pytest.approx(0.0, abs=1e-9)
        assert mu @ s > 0.0


def test_two_sides_of_lugre() -> None:
    """Steady friction g (1 + a cos), and rest between the two values."""
    law = Anisotropic(LuGre(sigma_0=1e5, mu_s=0.2, mu_k=0.1, v_s=1e-3), 1.0, asymmetry=0.3)
    for sign, mu in ((1.0, 0.13), (-1.0, -0.07)):
        assert drive_path(law, np.full(400, sign * 1e-5), 1e-3).mus[-1] == pytest.approx(mu, rel=1e-6)
    across = step(law, [0.0, 1e-2, 0.0], step(law, [0.0, 1e-2, 0.0], fresh(law)).z_f)
    assert across.mu == pytest.approx([0.0, 0.1, 0.0], rel=2e-3)


def test_passivity() -> None:
    """Speeds count in the stretched plane; the lower side of g decides."""
    active = LuGre(sigma_0=1e5, sigma_1=400.0, mu_s=0.45, mu_k=0.3, v_s=5e-3)
    assert Anisotropic(active, 0.5).passivity_limit() == active.passivity_limit()
    assert Anisotropic(active, 2.0).passivity_limit() == 0.5 * active.passivity_limit()
    assert Anisotropic(active, 1.0, asymmetry=0.3).passivity_limit() < active.passivity_limit()
    assert Anisotropic(LUGRE, 1.0).passivity_limit() == np.inf


def slid(turn: float) -> np.ndarray:
    """Final position of a body launched along x, with the axis of friction of the plane at the angle ``turn`` (rad)."""
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), (0.0, 0.0, -9.81e-6), name="block"))
    friction = Anisotropic(Coulomb(MU, 1e-4), RATIO, axis=(np.cos(turn), np.sin(turn), 0.0))
    model.add(PointOnPlane(model.ground, body.node, Linear(1e6), friction, direction=(0, 0, 1)))
    model.set_velocity(body.node, velocity=(0.5, 0.0, 0.0))
    result = fm.simulate(model, 0.1, fm.StepControl.fixed(1e-3))
    assert np.abs(result.energy["residual"]).max() < 1e-12
    return np.asarray(result.of(body.node).position[-1])


def test_a_block_on_a_plane_with_grain() -> None:
    """Along the axes the deceleration is that of the coefficient; otherwise the path bends towards less friction."""
    for turn, mu in ((0.0, MU), (0.5 * np.pi, RATIO * MU)):
        assert slid(turn) == pytest.approx([0.05 - 0.5 * 9.81 * mu * 0.01, 0.0, 0.0], abs=2e-5)
    # the grain at 45 degrees: force on the body -MU N T T V/|T V| with T = diag(1, r) along (1, 1), (-1, 1)
    start = 0.25 * np.pi
    e, f = np.array([np.cos(start), np.sin(start)]), np.array([-np.sin(start), np.cos(start)])
    v, x, dt = np.array([0.5, 0.0]), np.zeros(2), 1e-5
    for _ in range(10_000):
        along, across = v @ e, RATIO * (v @ f)
        a = -MU * 9.81 * (along * e + RATIO * across * f) / np.hypot(along, across)
        x, v = x + dt * v + 0.5 * dt * dt * a, v + dt * a
    assert x[1] < -1e-3
    assert slid(start)[:2] == pytest.approx(x, abs=2e-5)


def test_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"law": 0.3}, "Anisotropic law is 0.3: give a friction law"),
        ({"law": Coulomb}, "Anisotropic law is .*: give a friction law, with its parameters"),
        ({"ratio": 0.0}, "Anisotropic ratio is 0"),
        ({"axis": (0.0, 0.0, 0.0)}, "Anisotropic axis is zero"),
        ({"axis": (0.0, 0.0)}, "Anisotropic axis: expected three"),
        ({"asymmetry": 0.3}, "asymmetry is for LuGre, not for DryCoulomb"),
        ({"law": LUGRE, "asymmetry": 1.0}, "Anisotropic asymmetry is 1: it must be below 1"),
    ]
    for changes, message in cases:
        given: dict[str, Any] = {"law": DryCoulomb(0.1), "ratio": 0.5, **changes}
        with pytest.raises(InputError, match=message):
            Anisotropic(**given)
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), (0.0, 0.0, 0.0)))
    upright = Anisotropic(Coulomb(0.1, 1e-3), 0.5, axis=(0, 0, 1))
    with pytest.raises(InputError, match=r"axis .* is normal to the tangent plane"):
        model.add(PointOnPlane(model.ground, body.node, Linear(1e6), upright, direction=(0, 0, 1)))
        fm.simulate(model, 0.1)
