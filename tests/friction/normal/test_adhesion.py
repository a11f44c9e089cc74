"""Adhesion and permanent indentation: pull-off forces, energies and restitution in closed form; work, derivatives."""

from math import pi
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.friction import DMT, JKR, Coulomb, Hamaker, Hertz, Linear, PermanentIndentation
from fem_mbd.friction.normal.dispatch import impact_speed, normal_force, normal_potential
from fem_mbd.friction.probes.impact import impact
from fem_mbd.joints import SphereOnPlane

E, R, W, H = 1e9, 0.01, 0.5, 2e-7
K = 4.0 / 3.0 * E
SOFT, HARD = JKR(E, R, W), DMT(E, R, W, H)
DENT = PermanentIndentation(Hertz(K * R**0.5), 0.6)
FAR = Hamaker(E, R, 4e-19, 1e-8)
LAWS: dict[str, Any] = {"jkr": SOFT, "dmt": HARD, "dent": DENT, "hamaker": FAR}


def force(law: Any, q_i: complex, q_f: complex, v_0: float = 1.0, deepest: float = 0.0) -> Any:
    return normal_force(law.record()[()], q_i, q_f, 1e-6, v_0, deepest)


def at(law: Any, q: float) -> float:
    """Force at a gap, in N."""
    return float(force(law, q, q)[0])


def stored(law: Any, q: float, v_0: float = 1.0, deepest: float = 0.0) -> float:
    return float(normal_potential(law.record()[()], q, v_0, deepest))


def test_dmt_pulls_off_at_two_pi_w_r() -> None:
    gaps = np.linspace(-1e-7, 2.0 * H, 3001)
    assert min(at(HARD, q) for q in gaps) == pytest.approx(-2.0 * pi * W * R, rel=1e-3)
    assert at(HARD, 0.0) == pytest.approx(-HARD.pull_off, rel=1e-14)
    assert at(HARD, -1e-5) == pytest.approx(K * R**0.5 * 1e-5**1.5 - HARD.pull_off, rel=1e-12)
    assert at(HARD, 0.5 * H) == pytest.approx(-0.5 * HARD.pull_off) and at(HARD, H) == 0.0
    # Derjaguin: the attraction's work from far to contact is 2 pi R times the work of flat surfaces, w h/2
    assert stored(HARD, 0.0) == pytest.approx(-2.0 * pi * R * 0.5 * W * H, rel=1e-12, abs=0.0)


def test_hamaker_attracts_with_the_square_of_the_distance() -> None:
    """A R/(6 D^2) outside; in contact 2 pi w R with w = A/(12 pi D_0^2), which holds flat surfaces D_0 apart."""
    a, d_0 = FAR.hamaker, FAR.distance
    for gap in (0.0, 1e-9, 1e-8, 1e-6):
        assert at(FAR, gap) == pytest.approx(-a * R / (6.0 * (d_0 + gap) ** 2), rel=1e-13, abs=0.0)
        assert stored(FAR, gap) == pytest.approx(-a * R / (6.0 * (d_0 + gap)), rel=1e-13, abs=0.0)
    assert FAR.pull_off == pytest.approx(2.0 * pi * FAR.work * R, rel=1e-14, abs=0.0)
    assert at(FAR, -1e-5) == pytest.approx(K * R**0.5 * 1e-5**1.5 - FAR.pull_off, rel=1e-12)
    # polystyrene: half of the work of adhesion is its surface energy, measured as 33 mJ/m^2 (Israelachvili)
    assert Hamaker(3e9, 1e-5, 6.5e-20).work == pytest.approx(2 * 0.033, rel=0.05)


def test_jkr_force_at_touch_pull_off_and_parting() -> None:
    """-4/3 pi w R at d = 0, -3/2 pi w R with a dead weight, -5/6 pi w R at the gap to which it holds (Johnson 1985)."""
    gaps = np.linspace(0.0, SOFT.hold * (1.0 - 1e-9), 4001)
    assert at(SOFT, 0.0) == pytest.approx(-4.0 / 3.0 * pi * W * R, rel=1e-12)
    assert min(at(SOFT, q) for q in gaps) == pytest.approx(-1.5 * pi * W * R, rel=1e-6)
    assert SOFT.pull_off == pytest.approx(1.5 * pi * W * R)
    assert at(SOFT, gaps[-1]) == pytest.approx(-5.0 / 6.0 * pi * W * R, rel=1e-3)
    # without load: a**3 = 6 pi w R**2/K at d = a**2/(3 R)
    a = (6.0 * pi * W * R * R / K) ** (1.0 / 3.0)
    assert at(SOFT, -a * a / (3.0 * R)) == pytest.approx(0.0, abs=1e-9 * SOFT.pull_off)
    # far above it is Hertz's
    assert at(SOFT, -1e-3) == pytest.approx(K * R**0.5 * 1e-3**1.5, rel=1e-2)


def test_jkr_dissipates_as_johnson_and_pollock() -> None:
    """7.09 (w**5 R**4/E*'**2)**(1/3) in touching and parting (J. Adhesion Science and Technology 8 (1994) 1323)."""
    touch, part = stored(SOFT, 0.0), stored(SOFT, SOFT.hold * (1.0 - 1e-12))
    assert part - touch == pytest.approx(7.09 * (W**5 * R**4 / E**2) ** (1.0 / 3.0), rel=1e-3)
    mass = 4e-3
    lost = part - touch
    for times in (1.05, 4.0):
        speed = np.sqrt(2.0 * times * lost / mass)
        e = impact(SOFT, float(speed), mass).restitution
        assert e == pytest.approx(np.sqrt(1.0 - 1.0 / times), abs=2e-3)
    with pytest.raises(InputError, match="does not come back"):
        impact(SOFT, float(np.sqrt(2.0 * 0.9 * lost / mass)), mass)


def test_dmt_is_elastic() -> None:
    assert impact(HARD, 0.02, 4e-3).restitution == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_work_is_the_change_of_energy_and_loss_is_not_negative(name: str) -> None:
    law, rng = LAWS[name], np.random.default_rng(3)
    for _ in range(300):
        scale = 10.0 ** rng.uniform(-9.0, -5.0)
        q_i, q_f = scale * rng.uniform(-1.0, 0.3, 2)
        deepest = max(-q_i, 0.0) * (1.0 + rng.exponential(0.5))
        v_0 = float(rng.integers(2)) if name == "jkr" else 1.0
        f_n, f_e = force(law, q_i, q_f, v_0, deepest)
        after = max(deepest, -q_f)
        v_f = impact_speed(law.record()[()], v_0, q_i, q_f, 1e-6)
        change = stored(law, q_f, v_f, after) - stored(law, q_i, v_0, deepest)
        size = (
            abs(stored(law, q_f, v_f, after)) + abs(stored(law, q_i, v_0, deepest)) + abs(f_n * (q_i - q_f))
        )
        assert abs(f_e * (q_i - q_f) - change) <= 1e-11 * size
        assert (f_n - f_e) * (q_i - q_f) >= -1e-11 * size


def test_dents_rebound_with_the_restitution_at_any_speed_and_stay() -> None:
    """d_p = d_m (1 - e**2); the energy of d_m is K d_m**(n + 1)/(n + 1), e**2 of it comes back."""
    for speed in (0.01, 1.0):
        found = impact(DENT, speed, 0.1)
        assert found.restitution == pytest.approx(0.6, abs=1e-5)
        assert 0.4 * DENT.elastic.stiffness * found.deepest**2.5 == pytest.approx(
            0.5 * 0.1 * speed**2, rel=1e-4
        )
    deepest = 1e-5
    stays = deepest * (1.0 - 0.6**2)
    assert force(DENT, -0.999 * stays, -0.99 * stays, 1.0, deepest)[0] == 0.0
    top = force(DENT, -deepest, -deepest, 1.0, deepest)[0]
    assert top == pytest.approx(DENT.elastic.stiffness * deepest**1.5)
    half = -0.5 * (deepest + stays)
    assert force(DENT, half, half, 1.0, deepest)[0] == pytest.approx(top * 0.5**1.5, rel=1e-12)


def dropped(law: Any, height: float, end: float) -> Any:
    """A ball of 10 mm that falls on a plane."""
    model = fm.Model(gravity=(0.0, 0.0, -9.81))
    mass = 4e-3
    ball = model.add(RigidBody(mass, (0.4 * mass * R * R,) * 3, (0.0, 0.0, R + height), name="ball"))
    friction = Coulomb(0.2, 1e-3)
    model.add(
        SphereOnPlane(
            model.ground, ball.node, normal=law, friction=friction, direction=(0, 0, 1), radius=R, name="spot"
        )
    )
    model.set_velocity(ball.node, velocity=(0.01, 0.0, 0.0))
    return fm.simulate(model, end, fm.StepControl.fixed(2e-6)), ball.node


def test_a_ball_bounces_from_its_dent_and_then_elastically() -> None:
    """From 0.1 mm: 0.6 times the speed, 0.36 times the height; the second impact is elastic in the first one's dent."""
    result, node = dropped(DENT, 1e-4, 0.014)
    v = result.of(node).velocity[:, 2]
    fallen = np.sqrt(2.0 * 9.81 * 1e-4)
    assert v.max() == pytest.approx(0.6 * fallen, rel=0.01)
    second = v[result.time > 0.0045 + 1.2 * fallen / 9.81 * 0.5]
    assert second.max() == pytest.approx(0.6 * fallen, rel=0.02)
    assert np.abs(result.energy["residual"]).max() < 1e-12 * 4e-3 * 9.81 * R
    assert result.energy["dissipation_contact"].min() > -1e-18


def test_a_slow_ball_sticks_and_the_balance_closes() -> None:
    """Below the speed of Johnson and Pollock it does not separate; in tension there is no friction."""
    result, _ = dropped(SOFT, 5e-7, 2e-3)
    contact = result.contacts[:, 0]
    assert (contact["normal_force"] < 0.0).any() and contact["gap_f"][-1] < SOFT.hold
    pulls = contact["normal_force"] <= 0.0
    assert not contact["friction_force"][pulls].any() and contact["friction_force"][~pulls].any()
    size = np.abs(result.energy["contact"]).max()
    assert size > 0.0 and np.abs(result.energy["residual"]).max() < 1e-10 * size


def test_dents_are_in_hertz_contacts() -> None:
    with pytest.raises(InputError, match="PermanentIndentation elastic is Linear"):
        PermanentIndentation(Linear(1e6), 0.5)  # type: ignore[arg-type]
