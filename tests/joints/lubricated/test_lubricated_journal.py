"""The lubricated journal in the scheme: tangent, work, rigid motions, steady positions, whirl, friction over speed."""

from math import pi
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd.analysis.modal.linear_model import OneSidedWarning
from fem_mbd.base.arrays import Array
from fem_mbd.elements import RigidBody, SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.friction import Coulomb, ElasticAsperities, LawRangeWarning
from fem_mbd.friction.normal.dispatch import normal_force, normal_potential
from fem_mbd.joints import LubricatedJournal
from fem_mbd.joints.lubricated_journal import LubricatedJournalKind
from tests.core.scheme_tools import disturb, pulled_back, rigid_step, simulation, tangent_error
from tests.joints.lubricated.journal_models import (
    CLEARANCE,
    LENGTH,
    RADIUS,
    SQUEEZE,
    VISCOSITY,
    rotor,
    two_bodies,
)
from tests.joints.lubricated.test_short_bearing import threshold

DIFFERENCE = 3e-9  # m and rad
SHEAR = 2.0 * pi * VISCOSITY * RADIUS**3 * LENGTH / CLEARANCE  # N m s


def film(sim: Any) -> Any:
    return next(kind for kind in sim.system.kinds if isinstance(kind, LubricatedJournalKind))


def film_step(ratio: float, dt: float, seed: int, size: float, scale: float = 1.0) -> tuple[Any, Array]:
    """A step from random velocities of the order of ``size`` (m/s, rad/s), evaluated off its predictor."""
    rng = np.random.default_rng(seed)
    sim = simulation(two_bodies(ratio, scale)[0], dt)
    disturb(sim, rng, size)
    y = sim.scheme.begin(dt) + 0.1 * size * dt * rng.normal(size=sim.system.size)
    sim.scheme.residual(y, np.empty_like(y))
    return sim, y


@pytest.mark.parametrize("ratio", [0.1, 0.6, 0.9])
@pytest.mark.parametrize("scale, tolerance", [(1.0, 1e-7), (300.0, 1e-9)])
def test_tangent(scale: float, tolerance: float, ratio: float) -> None:
    """Places half a metre away cost differences within a film of a tenth of a millimetre two digits.

    In one that is 300 times as large they show that the tangent is exact.
    """
    for seed in range(3):
        sim, y = film_step(ratio, 1e-4, seed, 0.05 * scale, scale)
        assert tangent_error(sim, y, DIFFERENCE * scale) < tolerance


@pytest.mark.parametrize("dt", [1e-5, 1e-3])
@pytest.mark.parametrize("ratio", [0.1, 0.9])
def test_work_is_the_dissipation_of_the_film(ratio: float, dt: float) -> None:
    for seed in range(3):
        sim, _ = film_step(ratio, dt, seed, 0.02)
        kind = film(sim)
        taken = float((pulled_back(sim, kind) * sim.scheme.workspace.x).sum())
        assert kind.records[0]["loss"] > 0.0
        assert taken == pytest.approx(float(kind.records[0]["loss"]), rel=1e-9)


def test_rigid_motion_is_none_of_the_film() -> None:
    sim = simulation(two_bodies(0.7)[0], 1e-3)
    sim.scheme.begin(1e-3)
    turn, _ = rigid_step(sim, np.random.default_rng(2))
    assert np.abs(turn - np.eye(3)).max() > 0.5
    kind = film(sim)
    pulled_back(sim, kind)
    # against the force and the couple of the speed of a micrometre per second
    assert np.abs(kind.records[0]["force"]).max() < 1e-6 * SQUEEZE
    assert abs(kind.records[0]["torque"]) < 1e-9 * SHEAR / 1e-3


def load_of(ratio: float, speed: float) -> float:
    """Ocvirk's load (N) of a journal at a steady eccentricity ratio."""
    left = 1.0 - ratio**2
    scale = 0.25 * SQUEEZE * CLEARANCE * speed * ratio / left**2
    return float(scale * np.sqrt(16.0 * ratio**2 + pi**2 * left))


def test_rotor_at_ocvirks_position_with_petroffs_torque() -> None:
    speed, ratio = 200.0, 0.8
    model, bearing = rotor(0.2, speed, (0.0, -0.3), load_of(ratio, speed))
    result = fm.simulate(model, 0.06, fm.StepControl.fixed(1e-4))
    found = result.of(bearing)
    assert found.eccentricity_ratio[-1] == pytest.approx(ratio, abs=1e-4)
    x, y, z = found.eccentricity[-1]
    assert z == 0.0 and x > 0.0 > y
    assert x / -y == pytest.approx(pi * np.sqrt(1.0 - ratio**2) / (4.0 * ratio), rel=1e-3)
    assert found.film_force[-1] == pytest.approx(
        [0.0, load_of(ratio, speed), 0.0], abs=1e-3 * load_of(ratio, speed)
    )
    assert found.film_torque[-1] == pytest.approx(-SHEAR * speed / np.sqrt(1.0 - ratio**2), rel=1e-3)
    taken = result.energy["dissipation_viscous"]
    assert taken.min() >= 0.0
    scale = result.energy["kinetic"][0]
    assert np.abs(result.energy["residual"]).max() < 1e-12 * scale


@pytest.mark.parametrize(("share", "grows"), [(0.8, False), (1.25, True)])
def test_whirl_begins_at_the_threshold(share: float, grows: bool) -> None:
    """Below and above m c omega**2/W of Routh's condition with the printed coefficients of the short bearing."""
    ratio, speed = 0.2, 300.0
    whirl, limit = threshold(ratio)
    load = load_of(ratio, speed)
    mass = share * limit * load / (CLEARANCE * speed**2)
    attitude = np.arctan(pi * np.sqrt(1.0 - ratio**2) / (4.0 * ratio))
    place = ratio * np.array([np.sin(attitude), -np.cos(attitude)])
    model, bearing = rotor(mass, speed, place * 1.02, load)
    turns = 60
    result = fm.simulate(model, turns * 2.0 * pi / speed, fm.StepControl.fixed(2.0 * pi / speed / 80.0))
    path = (result.of(bearing).eccentricity[:, :2] / CLEARANCE - place) @ np.array([1.0, 1j])
    half = len(path) // 2
    early, late = np.abs(path[half - 400 : half]).max(), np.abs(path[-400:]).max()
    assert (late > 1.5 * early) if grows else (late < 0.67 * early)
    if grows:
        angle = np.unwrap(np.angle(path[-800:]))
        ratio_found = (angle[-1] - angle[0]) / (speed * (result.time[-1] - result.time[-800]))
        assert ratio_found == pytest.approx(np.sqrt(whirl), abs=0.03)


def steady(speed: float, load: float, stiffness: float, transition: float, mu: float) -> tuple[Array, float]:
    """Eccentricity ratio (2,) and coefficient of friction where film, asperities and load are in balance."""

    def forces(ratio: float) -> tuple[float, float, float]:
        left, scale = 1.0 - ratio**2, 0.25 * SQUEEZE * CLEARANCE * speed
        peaks = stiffness * max(ratio - transition, 0.0) * ratio * CLEARANCE
        # friction of the asperities and the film act on the journal in opposite directions
        return scale * 4.0 * ratio**2 / left**2 + peaks, scale * pi * ratio / left**1.5 - mu * peaks, peaks

    ratio = brentq(lambda r: np.hypot(*forces(r)[:2]) - load, 1e-6, 0.999)
    towards, across, peaks = forces(ratio)
    attitude = np.arctan2(across, towards)
    torque = SHEAR * speed / np.sqrt(1.0 - ratio**2) + mu * peaks * RADIUS
    return ratio * np.array([np.sin(attitude), -np.cos(attitude)]), float(torque / (load * RADIUS))


def test_friction_over_speed_is_stribecks() -> None:
    """Boundary, mixed and full film: positions and torques of the rotor against a balance of forces."""
    load, stiffness, transition, mu = 60.0, 2e8, 0.9, 0.1
    found = []
    for speed, dt in ((2.0, 5e-4), (20.0, 5e-4), (60.0, 2e-4), (1500.0, 5e-5)):
        place, expected = steady(speed, load, stiffness, transition, mu)
        model, bearing = rotor(
            0.05,
            speed,
            0.99 * place,
            load,
            stiffness=stiffness,
            transition=transition,
            friction=Coulomb(mu, 1e-5),
        )
        result = fm.simulate(model, 400.0 * dt, fm.StepControl.fixed(dt))
        torque = RADIUS * np.linalg.norm(result.of(bearing.asperities).friction_force[-1])
        torque -= result.of(bearing).film_torque[-1]
        found.append(torque / (load * RADIUS))
        assert result.of(bearing).eccentricity[-1, :2] / CLEARANCE == pytest.approx(place, abs=5e-3)
        assert found[-1] == pytest.approx(expected, rel=0.02)
        assert np.abs(result.energy["residual"]).max() < 1e-12 * result.energy["kinetic"][0]
    assert mu > found[0] > 0.9 * mu > found[1] > found[2] < found[3]


def test_asperities_carry_harnoys_load() -> None:
    law = ElasticAsperities(2e8, CLEARANCE, 0.9)
    record = law.record()[()]
    for ratio in (0.91, 0.97):
        gap = (0.9 - ratio) * CLEARANCE
        expected = 2e8 * (ratio - 0.9) * ratio * CLEARANCE
        assert normal_force(record, gap, gap, 1.0)[0] == pytest.approx(expected, rel=1e-12)
    force, _ = normal_force(record, 1e-6, -5e-6, 1.0)
    assert force * 6e-6 == pytest.approx(normal_potential(record, -5e-6), rel=1e-14)
    slope = normal_force(record, -2e-6, -3e-6 + 1e-40j, 1.0)[0].imag / 1e-40
    step = (normal_force(record, -2e-6, -3e-6 + h, 1.0)[0] for h in (1e-9, -1e-9))
    assert slope == pytest.approx((next(step) - next(step)) / 2e-9, rel=1e-8)


def test_only_a_radial_offset_above_the_clearance_is_refused() -> None:
    for along, across, refused in ((1.0, 0.9, False), (0.0, 1.1, True)):
        model = fm.Model()
        place = (across * CLEARANCE, 0.0, along)
        journal = model.add(RigidBody(1.0, (1e-3, 1e-3, 1e-3), place, name="journal"))
        film = LubricatedJournal(
            model.ground, journal, RADIUS, LENGTH, CLEARANCE, VISCOSITY, axis=(0, 0, 1), aligned=False
        )
        if refused:
            with pytest.raises(InputError, match=r"centres start 0\.00011 m apart, outside the clearance"):
                model.add(film)
        else:
            model.add(film)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clearance": -1e-4}, "clearance is -0.0001"),
        ({"clearance": 0.01}, "more than 0.1 of the radius"),
        ({"viscosity": float("nan")}, "viscosity"),
        ({"axis": None}, "axis"),
        ({"transition": 1.0}, "transition is 1: it must lie between 0 and 1"),
        ({"stiffness": -1.0}, "stiffness is -1"),
        ({"friction": Coulomb(0.1, 1e-3)}, "friction needs asperities"),
        ({"thinnest": 2e-4}, "thinnest is 0.0002 m: it must be below the clearance"),
    ],
)
def test_refused(changes: dict[str, Any], message: str) -> None:
    model, _ = two_bodies(0.1)
    numbers: dict[str, Any] = {
        "radius": RADIUS, "length": LENGTH, "clearance": CLEARANCE, "viscosity": VISCOSITY, "axis": (0, 0, 1),
        "name": "oil",
    } | changes  # fmt: skip
    with pytest.raises(InputError, match=f"lubricated journal 'oil'.*{message}"):
        LubricatedJournal(model.ground, model.ground, **numbers)


def test_refused_start_and_long_bearing() -> None:
    with pytest.raises(InputError, match=r"start 0\.00012 m apart, outside the clearance"):
        two_bodies(1.2)
    model, _ = two_bodies(0.1)
    with pytest.raises(InputError, match="to itself"):
        model.add(LubricatedJournal(model.ground, model.ground, 0.02, 0.01, 1e-4, 0.05, axis=(0, 0, 1)))
    body = model.nodes[1]
    with pytest.warns(LawRangeWarning, match=r"1\.5 diameters long"):
        model.add(
            LubricatedJournal(model.ground, body.at_global((0, 0, 0)), 0.02, 0.06, 1e-4, 0.05, axis=(0, 0, 1))
        )


def on_springs() -> tuple[fm.Model, Any]:
    """A rotor of 10 kg on springs, its journal in the middle of a bearing."""
    model = fm.Model()
    rotor = model.add(RigidBody(10.0, (0.1, 0.1, 0.1), (0, 0, 0), name="rotor"))
    model.add(LubricatedJournal(model.ground, rotor, 0.02, 0.02, 1e-4, 0.02, axis=(0, 1, 0), name="journal"))
    for anchor in ((1e3, 0, 0), (0, 0, 1e3)):
        model.add(SpringDamper(model.ground.at(anchor), rotor, 1e5))
    return model, rotor


def test_oil_whirl_in_the_campbell_diagram() -> None:
    """Short bearing, centred: C = pi mu R L^3/(2 c^3), cross stiffness C W/2 (Cameron, Basic Lubrication Theory)."""
    model, _ = on_springs()
    speed, m, k = 300.0, 10.0, 1e5
    c = pi * 0.02 * 0.02 * 0.02**3 / (2 * 1e-4**3)
    motion = np.block(
        [
            [np.zeros((2, 2)), np.eye(2)],
            [-np.array([[k, 0.5 * c * speed], [-0.5 * c * speed, k]]) / m, -c / m * np.eye(2)],
        ]
    )
    growth = np.linalg.eigvals(motion).real.max()
    diagram = fm.campbell(model, [0.0, speed], axis=(0, 1, 0), frame="inertial", number=6)
    assert growth == pytest.approx(18.32, rel=1e-3)
    assert diagram.growth == pytest.approx([0.0, growth], rel=1e-8, abs=1e-8)


def test_oil_films_in_rotating_frames_and_off_centre_are_refused() -> None:
    model, rotor = on_springs()
    for spin in (
        fm.Spin((0, 0, 0), (0, 1, 0), 300.0),
        fm.Spin((0, 0, 0), (0, 1, 0), 300.0, nodes=[rotor.node]),
    ):
        with pytest.raises(InputError, match=r"bearing of 'journal' does not rotate .* frame=\"inertial\""):
            fm.modes(model, 4, spin=spin)
    beside = fm.Model()
    rotor = beside.add(RigidBody(10.0, (0.1, 0.1, 0.1), (0, 0, 0), name="rotor"))
    beside.add(
        LubricatedJournal(
            beside.ground.at((5e-5, 0, 0)), rotor, 0.02, 0.02, 1e-4, 0.02, axis=(0, 1, 0), name="film"
        )
    )
    for anchor in ((1e3, 0, 0), (0, 0, 1e3)):
        beside.add(SpringDamper(beside.ground.at(anchor), rotor, 1e5))
    with (
        pytest.warns(OneSidedWarning, match="'film' at rest depends on the direction"),
        pytest.raises(InputError, match="journal of 'film' is not in the middle"),
    ):
        fm.campbell(beside, [0.0, 300.0], axis=(0, 1, 0), frame="inertial", number=4)
