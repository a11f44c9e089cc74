"""The speed up to which laws are passive, against searches for states and cycles that generate energy."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fem_mbd import FemMbdWarning, Model, joints
from fem_mbd.elements import RigidBody
from fem_mbd.friction import ActiveLawWarning, Dahl, ElastoPlastic, Hertz, LawRangeWarning, Leuven, LuGre
from fem_mbd.friction.probes.slip_path import drive_path
from tests.friction.library import step

STEEP: Any = {"sigma_0": 1e5, "mu_k": 0.3, "v_s": 5e-3}
ACTIVE: dict[str, Any] = {
    "lugre": LuGre(**STEEP, sigma_1=400.0, mu_s=0.45),
    "viscous": LuGre(**STEEP, sigma_1=400.0, sigma_2=30.0, mu_s=0.45),
    "large static": LuGre(
        **STEEP, sigma_1=20.0, mu_s=0.8
    ),  # mu_s above 2 mu_k: bristles reach the worst stretch
    "elasto plastic": ElastoPlastic(1e5, 400.0, 3.0, 0.45, 0.3, 5e-3),
    "elasto plastic, large static": ElastoPlastic(1e5, 20.0, 0.0, 0.8, 0.3, 5e-3),
}
PASSIVE: dict[str, Any] = {
    "no bristle damping": LuGre(**STEEP, sigma_2=3.0, mu_s=0.45),
    "no Stribeck effect": LuGre(**STEEP, sigma_1=400.0, mu_s=0.3),
    "viscous enough": LuGre(**STEEP, sigma_1=400.0, sigma_2=200.0, mu_s=0.45),
    "elasto plastic": ElastoPlastic(1e5, 400.0, 200.1, 0.45, 0.3, 5e-3),
}


def smallest_loss(law: Any, speed: float) -> float:
    """Over all stretches of the bristles that the law can reach, per unit path and normal force."""
    dt = 1e-9 / (law.sigma_0 * speed)
    stretch = np.linspace(-law.mu_s, law.mu_s, 201) / law.sigma_0
    losses = [step(law, [speed * dt, 0, 0], np.array([[z, 0, 0]]), 1.0, dt).loss for z in stretch]
    return float(min(losses)) / (speed * dt)


@pytest.mark.parametrize("name", ACTIVE)
def test_no_state_breaks_the_limit_and_one_just_above_does(name: str) -> None:
    law = ACTIVE[name]
    limit = law.passivity_limit()
    assert 0.0 < limit < 0.1
    for speed in np.append(np.geomspace(1e-6, 1.0, 25) * limit, 0.9999):
        assert smallest_loss(law, min(speed, 0.999 * limit)) > 0.0
    assert smallest_loss(law, 1.002 * limit) < 0.0


@pytest.mark.parametrize("name", ACTIVE)
def test_a_motion_from_rest_reaches_such_a_state(name: str) -> None:
    """Slow sliding stretches the bristles; then the slip jumps to the speed in question."""
    law = ACTIVE[name]
    limit = law.passivity_limit()
    for factor, sign in ((0.99, 1.0), (1.2, -1.0)):
        target = min(law.mu_s, 0.5 * law.sigma_1 * factor * limit)
        z = drive_path(law, np.full(8000, 1e-8), 1e-3).z
        assert z[0, 0] * law.sigma_0 == pytest.approx(law.mu_s, rel=1e-3)
        z *= target / (z[0, 0] * law.sigma_0)  # anything less is passed on the way
        dt = 1e-6 / (law.sigma_0 * limit)
        fast = drive_path(law, [factor * limit * dt], dt, z=z)
        assert sign * fast.losses[0] > 0.0


def work_of_cycle(law: Any, speeds: np.ndarray, paths: np.ndarray, pieces: int = 150) -> float:
    """J per N and unit path once pieces of constant speed, repeated, have become a cycle."""
    slips = np.repeat(paths / pieces, pieces)
    dts = np.abs(slips) / np.repeat(np.abs(speeds), pieces)
    settled = drive_path(law, np.tile(slips, 3), np.tile(dts, 3))
    last = drive_path(law, slips, dts, z=settled.z)
    return float(last.mus @ slips) / float(np.abs(paths).sum())


def least_work(law: Any, fastest: float, tries: int, seed: int = 2) -> float:
    """Smallest work of random cycles with speeds up to ``fastest``: forth only, and forth and back."""
    rng, length = np.random.default_rng(seed), law.mu_s / law.sigma_0
    found = np.inf
    for _ in range(tries):
        speeds = fastest * 10.0 ** rng.uniform(-3.0, 0.0, 4)
        speeds[rng.integers(4)] = fastest
        paths = length * 10.0 ** rng.uniform(-1.0, 1.0, 4)
        if rng.random() < 0.5:
            paths[1::2] *= -1.0
        found = min(found, work_of_cycle(law, speeds, paths))
    return found


@pytest.mark.parametrize("name", ACTIVE)
def test_cycles_dissipate_below_the_limit_and_some_generate_energy_above(name: str) -> None:
    """A cycle needs more speed than a state: bristles have to be stretched before they can release energy."""
    law = ACTIVE[name]
    limit, tries = law.passivity_limit(), 150 if isinstance(law, LuGre) else 40
    assert least_work(law, 0.999 * limit, tries) > 0.0
    assert least_work(law, 30.0 * limit, tries) < 0.0


@pytest.mark.parametrize("name", PASSIVE)
def test_laws_that_are_passive_at_all_speeds(name: str) -> None:
    """sigma_1 (mu_s/mu_k - 1) <= sigma_2, necessary and sufficient (Barabanov and Ortega 2000)."""
    law = PASSIVE[name]
    assert law.passivity_limit() == np.inf
    assert min(smallest_loss(law, v) for v in (1e-3, 0.1, 10.0, 1e3)) > 0.0
    assert min(least_work(law, v, 30) for v in (0.01, 1.0, 100.0)) > 0.0


def test_the_condition_is_sharp() -> None:
    law = LuGre(**STEEP, sigma_1=400.0, mu_s=0.45)
    assert replace(law, sigma_2=200.0 + 1e-9).passivity_limit() == np.inf
    assert 10.0 < replace(law, sigma_2=199.999).passivity_limit() < np.inf


def body_in(model: Model) -> Any:
    return model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), (0.0, 0.0, 1e-4))).node


def add(part: str, friction: Any) -> Model:
    """A model with one contact that has this law."""
    model = Model()
    node, normal = body_in(model), Hertz(1e8)
    clearance: dict[str, Any] = {"k": model.ground, "l": node, "radius_k": 0.01, "radius_l": 0.009}
    clearance |= {"normal": normal, "friction": friction}
    if part == "face":
        model.add(joints.FaceOnPlane(model.ground, joints.circle_of_points(node, 0.1, 3), normal, friction))
    elif part == "point":
        model.add(joints.PointOnPlane(model.ground, node, normal, friction))
    elif part == "ball":
        model.add(joints.SphericalClearance(**clearance))
    elif part == "journal":
        model.add(joints.JournalBearing(**clearance, length=0.02, axis=(0, 0, 1)))
    else:
        loose: Any = joints.PlanarClearance if part == "plane" else joints.SpatialClearance
        model.add(loose(**clearance, axis=(0, 0, 1)))
    return model


@pytest.mark.parametrize("part", ["face", "point", "journal", "ball", "plane", "disk"])
def test_each_joint_warns_once_when_the_law_is_chosen(part: str) -> None:
    with pytest.warns(ActiveLawWarning) as caught:
        add(part, ACTIVE["lugre"])
    (warning,) = caught
    limit = ACTIVE["lugre"].passivity_limit()
    assert f"where slip is faster than {limit:.3g} m/s" in str(warning.message)
    assert str(warning.message).startswith("LuGre of ") and "\n" not in str(warning.message)
    assert issubclass(ActiveLawWarning, FemMbdWarning) and warning.filename == __file__
    for law in (PASSIVE["viscous enough"], Dahl(0.1, 1e5)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            add(part, law)


@pytest.mark.parametrize("part", ["face", "point", "journal", "ball", "plane", "disk"])
def test_scalar_forms_warn_of_slip_in_two_directions(part: str) -> None:
    original = Leuven(0.15, 0.1, 1e-3, (1e5,), (1.0,), form="original")
    for law in (LuGre(**STEEP, mu_s=0.3, form="scalar"), original):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            add(part, law)
        told = [str(w.message) for w in caught if w.category is LawRangeWarning]
        assert len(told) == (0 if part == "plane" else 1)
        if told:
            assert told[0].startswith(f"{type(law).__name__} of ") and f'form "{law.form}"' in told[0]
            assert caught[-1].filename == __file__
