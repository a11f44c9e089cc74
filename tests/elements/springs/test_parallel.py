"""Free play, orifice dampers and friction beside springs, against closed forms."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import (
    Force,
    FreePlay,
    FrictionDamper,
    OrificeDamper,
    PointMass,
    RigidBody,
    RotationalSpringDamper,
    SpringDamper,
)
from fem_mbd.friction import DryCoulomb, HuntCrossley, Iwan, Linear, LuGre
from fem_mbd.joints import DrivenPrismatic, Revolute

Z = (0, 0, 1)


def on_a_line(parallel: Any, speed: float = 0.0, stiffness: float = 0.0, force: Any = None) -> fm.Model:
    """2 kg that move along x, tied to the ground 1 m behind."""
    model = fm.Model()
    mass = model.add(PointMass(2.0, (1, 0, 0), name="mass"))
    model.fix(mass, translation=(False, True, True), rotation=True)
    model.add(SpringDamper(model.ground, mass, stiffness, parallel=parallel, name="link"))
    model.set_velocity(mass, (speed, 0, 0))
    if force is not None:
        model.add(Force(mass, force))
    return model


def about_an_axis(parallel: Any, speed: float = 0.0, stiffness: float = 0.0) -> fm.Model:
    """2 kg m^2 in a hinge about z."""
    model = fm.Model()
    wheel = model.add(RigidBody(1.0, (2, 2, 2), position=(0, 0, 0), name="mass"))
    model.add(Revolute(model.ground, wheel, at=(0, 0, 0), axis=Z))
    model.add(RotationalSpringDamper(model.ground, wheel, Z, stiffness, parallel=parallel, name="link"))
    model.set_velocity(wheel, omega=(0, 0, speed))
    return model


def run(model: fm.Model, time: float, step: float) -> fm.Result:
    result = fm.simulate(model, time, fm.StepControl.fixed(step))
    assert result.summary["energy"]["relative"] < 1e-12
    return result


def rate(result: fm.Result) -> Any:
    body = result.of("mass")
    return body.velocity[:, 0] + body.angular_velocity[:, 2]


def link(result: fm.Result) -> tuple[Any, Any]:
    """Change of its length or angle, and the force."""
    values = result.of("link")
    return (values.angle, values.torque) if "torque" in dir(values) else (values.length - 1.0, values.force)


@pytest.mark.parametrize("make", [on_a_line, about_an_axis])
def test_orifice_slows_down_as_the_closed_form(make) -> None:
    """m v' = -c v^2: v = v_0/(1 + c v_0 t/m); the order of constant forces of a step is two."""
    errors = []
    for step in (0.02, 0.01):
        result = run(make([OrificeDamper(3.0)], speed=4.0), 1.0, step)
        errors.append(abs(rate(result)[-1] - 4.0 / (1 + 3.0 * 4.0 / 2)))
        lost = 0.5 * 2 * (16.0 - rate(result)[-1] ** 2)
        assert result.energy["dissipation_viscous"].sum() == pytest.approx(lost, rel=1e-2)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    assert errors[1] < 1e-3


def test_relief_valve_limits_the_force() -> None:
    """Above v_r = sqrt(F_r/c) the force is F_r + s (v - v_r): m v' = -F_r with s = 0; below, the orifice's."""
    result = run(on_a_line([OrificeDamper(3.0, relief=12.0)], speed=6.0), 0.6, 1e-3)
    assert rate(result)[-1] == pytest.approx(6.0 - 12.0 / 2 * 0.6, rel=1e-12)
    assert result.of("link").force[10:] == pytest.approx(12.0 * np.ones(590), rel=1e-12)
    open_time = (6.0 - 2.0) * 2 / 12.0
    result = run(on_a_line([OrificeDamper(3.0, relief=12.0)], speed=6.0), open_time + 1.0, 1e-3)
    assert rate(result)[-1] == pytest.approx(2.0 / (1 + 3.0 * 2.0 / 2), rel=1e-4)
    result = run(on_a_line([OrificeDamper(3.0, relief=12.0, slope=5.0)], speed=6.0), 0.2, 1e-3)
    past = 2.0 - 12.0 / 5  # the speed at which a force with the slope would vanish
    assert rate(result)[-1] == pytest.approx(past + (6.0 - past) * np.exp(-5.0 / 2 * 0.2), rel=1e-6)


@pytest.mark.parametrize("make", [on_a_line, about_an_axis])
def test_free_play_is_free_and_stops_elastically(make) -> None:
    """Between stops 0.02 apart a mass moves at its speed; contacts last half a period of mass and stop."""
    model = make([FreePlay(0.02, Linear(8e4))], speed=0.5)
    contact = np.pi * np.sqrt(2 / 8e4)
    result = run(model, 0.02 + contact + 0.04 + contact + 0.005, 1e-5)
    assert rate(result)[-1] == pytest.approx(0.5, rel=1e-5)
    moved, force = link(result)
    assert np.abs(force[np.abs(moved) < 0.0099]).max() < 8e4 * 1e-5 * 0.5
    deepest = 0.01 + 0.5 * np.sqrt(2 / 8e4)
    assert np.abs(moved).max() == pytest.approx(deepest, rel=1e-5)
    assert force.max() * force.min() < 0.0


def test_damped_stop_has_its_restitution() -> None:
    law = HuntCrossley.from_restitution(Linear(8e4), 0.6, 0.5)
    result = run(on_a_line([FreePlay((-1.0, 0.01), law)], speed=0.5), 0.05, 1e-5)
    assert rate(result)[-1] == pytest.approx(-0.3, rel=1e-5)
    assert result.energy["dissipation_contact"].sum() == pytest.approx(0.25 * (1 - 0.36), rel=1e-5)


@pytest.mark.parametrize("make", [on_a_line, about_an_axis])
def test_friction_damper_stops_as_coulomb_says(make) -> None:
    """m v' = -mu N: v_0^2 m/(2 mu N) to rest, and all energy is lost by friction."""
    result = run(make([FrictionDamper(DryCoulomb(0.3), 10.0)], speed=3.0), 2.5, 1e-3)
    assert link(result)[0][-1] == pytest.approx(9.0 * 2 / (2 * 3.0), rel=1e-6)
    assert result.energy["dissipation_friction"].sum() == pytest.approx(9.0, rel=1e-9)


def test_hysteresis_of_an_elastomer() -> None:
    """A driven loop of amplitude a: each spring of Iwan's law that slips, at F_i, loses 4 F_i (a - F_i/k_i)."""
    normal, mu, sigma, count, amplitude, rate_ = 20.0, 0.3, 500.0, 12, 8e-4, 6.0
    slips = normal * mu * (2 * np.arange(count) + 1) / count**2
    loop = (4 * slips * np.maximum(amplitude - slips / (normal * sigma / count), 0.0)).sum()
    model = fm.Model()
    slider = model.add(RigidBody(1.0, (1, 1, 1), position=(1, 0, 0), name="slider"))
    path = fm.time_functions.Harmonic(amplitude, rate_)
    model.set_velocity(slider, (amplitude * rate_, 0, 0))
    model.add(DrivenPrismatic(model.ground, slider, at=(1, 0, 0), axis=(1, 0, 0), displacement=path))
    damper = FrictionDamper(Iwan(mu_k=mu, sigma_0=sigma, n=count), normal)
    model.add(SpringDamper(model.ground, slider, 0.0, parallel=[damper]))
    result = run(model, 4 * np.pi / rate_, np.pi / rate_ / 200)
    lost = result.energy["dissipation_friction"]
    assert loop > 1e-3
    assert lost[-400:].sum() == pytest.approx(loop, rel=1e-3)


def test_link_that_turns_keeps_the_energy_balance() -> None:
    """A link with play, orifice and friction between two free bodies that tumble; momenta are kept."""
    model = fm.Model()
    bodies = [
        model.add(RigidBody(m, (0.1, 0.2, 0.15), position=p, name=n))
        for m, p, n in ((2.0, (0, 0, 0), "a"), (3.0, (0.5, 0.2, -0.1), "b"))
    ]
    link: list[Any] = [
        FreePlay(0.01, Linear(1e5)),
        OrificeDamper(20.0, relief=5.0),
        FrictionDamper(LuGre(sigma_0=1e4, sigma_1=1.0, mu_s=0.4, mu_k=0.3, v_s=0.1), 5.0),
    ]
    ends = bodies[0].node.at((0.1, 0.05, 0)), bodies[1].node.at((0.4, 0.2, 0.1))
    model.add(SpringDamper(*ends, 200.0, 0.5, parallel=link, name="link"))
    model.set_velocity(bodies[0], (0.3, -1.0, 0.2), (3.0, 1.0, -2.0))
    model.set_velocity(bodies[1], (-0.2, 0.6, 0.1), (-1.0, 4.0, 2.0))
    result = run(model, 0.5, 1e-3)
    momentum = 2.0 * result.of("a").velocity + 3.0 * result.of("b").velocity
    assert np.ptp(momentum, axis=0).max() < 1e-12
    for amount in ("dissipation_friction", "dissipation_viscous"):
        assert result.energy[amount].sum() > 1e-3
    assert result.energy["contact"].max() > 1e-4
    assert np.abs(result.of("link").force).max() > 50.0


def test_gradients_through_play_orifice_and_friction() -> None:
    def build(values) -> fm.Simulation:
        friction = LuGre(sigma_0=values["s"], sigma_1=1.0, mu_s=0.4, mu_k=0.3, v_s=0.1)
        link = [
            FreePlay(0.01, Linear(values["k"])),
            OrificeDamper(values["c"], 8.0, 1.0),
            FrictionDamper(friction, 5.0),
        ]
        return fm.Simulation(on_a_line(link, 1.0, 100.0), 0.05, fm.StepControl.fixed(2e-4))

    values = {"k": 1e4, "c": 9.0, "s": 1e4}
    found = fm.gradient(build, {"v": "final(mass.velocity[0])"}, values).jacobian[0]
    for slope, (name, value) in zip(found, values.items(), strict=True):
        step = 1e-5 * value
        ends = [rate(fm.run(build(values | {name: value + s}), progress=False))[-1] for s in (step, -step)]
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-4)


def test_a_run_goes_on_from_a_state() -> None:
    def build() -> fm.Model:
        friction = LuGre(sigma_0=1e4, sigma_1=1.0, mu_s=0.4, mu_k=0.3, v_s=0.1)
        return on_a_line([FreePlay(0.01, Linear(1e5)), FrictionDamper(friction, 5.0)], 1.0)

    control = fm.StepControl.fixed(1e-4)
    whole, first = fm.simulate(build(), 0.04, control), fm.Simulation(build(), 0.02, control)
    fm.run(first, progress=False)
    second = fm.simulate(build(), 0.04, control, initial=first.state)
    assert rate(second)[-1] == pytest.approx(rate(whole)[-1], abs=1e-11)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FreePlay(-0.1, Linear(1.0)), "free play: play"),
        (lambda: FreePlay((0.1, -0.1), Linear(1.0)), "that ascend"),
        (lambda: FreePlay(0.1, DryCoulomb(0.1)), "free play: contact"),
        (lambda: OrificeDamper(0.0), "coefficient"),
        (lambda: OrificeDamper(1.0, relief=0.0), "relief is 0"),
        (lambda: FrictionDamper(Linear(1.0), 1.0), "friction damper: friction"),
        (lambda: FrictionDamper(DryCoulomb(0.1), 0.0), "normal_force"),
        (lambda: on_a_line([OrificeDamper(1.0), OrificeDamper(2.0)]), "spring 'link': parallel .* once"),
        (lambda: on_a_line([3.0]), "spring 'link': parallel"),
    ],
)
def test_what_is_refused(make, message: str) -> None:
    with pytest.raises(fm.InputError, match=message):
        make()
