"""Parts of drivelines against closed forms: ratios, impacts, lock-up, creep, powers; what is refused."""

import warnings
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import Force, Moment, PointMass, RigidBody, RotationalSpringDamper
from fem_mbd.friction import DryCoulomb, HuntCrossley, Linear, LuGre
from fem_mbd.joints import (
    Belt,
    Clutch,
    DrivenRevolute,
    GearPair,
    PlanetaryGear,
    Rack,
    Revolute,
    ShaftInertia,
    TorsionalPlay,
)

Z = np.array([0.0, 0.0, 1.0])
INERTIA = {"a": 2.0, "b": 5.0, "c": 3.0}  # kg m^2


def shafts(names: str = "ab", axis=Z, **speeds: float):
    """A model of inertias about one axis at the speeds (rad/s), and their handles."""
    model, made = fm.Model(), []
    for name in names:
        made.append(model.add(ShaftInertia(INERTIA[name], axis, name=name)))
        model.set_velocity(made[-1], omega=speeds.get(name, 0.0) * np.asarray(axis))
    return model, made


def run(model: fm.Model, time: float, step: float) -> fm.Result:
    result = fm.simulate(model, time, fm.StepControl.fixed(step))
    assert result.summary["energy"]["relative"] < 1e-12
    return result


def speed(result: fm.Result, name: str):
    return result.of(name).angular_velocity[:, 2]


def test_shaft_has_one_degree_of_freedom() -> None:
    model, (a,) = shafts("a", axis=np.array([0.6, 0.0, 0.8]))
    model.add(Moment(a, (3.0, 7.0, 4.0)))
    found = run(model, 2.0, 0.01).of("a").angular_velocity[-1]
    assert found == pytest.approx(np.array([0.6, 0, 0.8]) * (3.0 * 0.6 + 4.0 * 0.8) * 2.0 / 2.0, rel=1e-12)
    assert fm.state_space(shafts("a")[0], ["a.moment[z]"], ["a.angular_velocity[z]"]).A.shape == (2, 2)


@pytest.mark.parametrize("internal", [False, True])
def test_gear_pair_keeps_its_ratio_and_its_power(internal: bool) -> None:
    """Closed form: (J_a + J_b/9) w' = T; power in at one gear, out at the other, to round-off."""
    sign = 1.0 if internal else -1.0
    model, (a, b) = shafts(a=3.0, b=sign)
    gears = model.add(GearPair(a, b, Z, 0.1, 0.3, internal=internal))
    model.add(Moment(a, lambda t: (0, 0, 3.0 + np.sin(5 * t))))
    result = run(model, 2.0, 0.01)
    w_a, w_b = speed(result, "a"), speed(result, "b")
    assert np.abs(w_b - sign * w_a / 3).max() < 1e-14
    impulse = 3.0 * result.time + (1 - np.cos(5 * result.time)) / 5
    assert w_a == pytest.approx(3.0 + impulse / (2.0 + 5.0 / 9), rel=1e-7)
    force, steps = result.of(gears).force, np.diff(np.append(0.0, result.time))
    given = force * steps * 0.3  # N m s, impulse on b by the teeth
    assert INERTIA["b"] * np.diff(np.append(sign, w_b)) == pytest.approx(sign * given, abs=1e-12)
    turned = result.of(gears).displacement
    assert np.abs(turned).max() < 1e-14
    assert np.abs(result.of(gears).loss).max() == 0.0


def test_bevel_gears_on_a_housing_that_turns() -> None:
    """Rotations are relative to the housing: all together turn by 40 rad/s and nothing happens between the gears."""
    axis_k, axis_l = np.array([1.0, 0, 0]), np.array([0, 0.6, 0.8])
    model = fm.Model(allow_redundant=True)
    spin = np.array([30.0, -20.0, 17.0])
    table = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0), name="table"))
    wheels = [model.add(RigidBody(0.5, (0.1, 0.1, 0.1), (0, 0, 0), name=n)) for n in "kl"]
    model.add(DrivenRevolute(model.ground, table, at=(0, 0, 0), axis=spin, speed=float(np.linalg.norm(spin))))
    for wheel, axis in zip(wheels, (axis_k, axis_l), strict=True):
        model.add(Revolute(table, wheel, at=(0, 0, 0), axis=axis, name=f"hinge {wheel.name}"))
    gears = model.add(
        GearPair(wheels[0], wheels[1], axis_k, 0.1, 0.2, axis_l=axis_l, housing=table, stiffness=1e5)
    )
    for body in (table, *wheels):
        model.set_velocity(body, omega=spin)
    result = run(model, 0.2, 1e-3)
    assert np.abs(result.of(gears).displacement).max() < 1e-12
    model = fm.Model()
    k = model.add(ShaftInertia(1.0, axis_k, name="k"))
    l = model.add(ShaftInertia(2.0, axis_l, name="l"))
    model.add(GearPair(k, l, axis_k, 0.1, 0.2, axis_l=axis_l))
    model.add(Moment(k, 3.0 * axis_k))
    turned = run(model, 1.0, 0.01)
    assert turned.of("k").angular_velocity[-1, 0] == pytest.approx(3.0 / (1.0 + 2.0 / 4), rel=1e-12)


def test_mesh_stiffness_gives_the_frequency_of_the_pair() -> None:
    """k (r_a^2/J_a + r_b^2/J_b) = omega^2; a mesh damper gives zeta = c omega/(2 k)."""
    model, (a, b) = shafts()
    model.add(GearPair(a, b, Z, 0.1, 0.3, stiffness=1e6, damping=50.0))
    found = fm.modes(model, 2)
    omega = np.sqrt(1e6 * (0.1**2 / 2 + 0.3**2 / 5))
    value = found.eigenvalues[np.argmax(np.abs(found.eigenvalues))]
    assert abs(value) == pytest.approx(omega, rel=1e-9)
    assert -value.real == pytest.approx(0.5 * 50.0 / 1e6 * omega**2, rel=1e-9)


def test_impacts_of_two_inertias_in_their_play() -> None:
    """Elastic stops: speeds of Newton's impact with e = 1, contact half a period long, next impact after the play."""
    stiffness, play = 1e6, 0.02
    model, (a, b) = shafts(a=3.0)
    stop = model.add(TorsionalPlay(a, b, Z, play, Linear(stiffness)))
    omega = np.sqrt(stiffness * (1 / 2 + 1 / 5))
    first = 0.5 * play / 3.0
    result = run(model, first + np.pi / omega + 2 * play / 3.0, 1e-6)
    touching = result.of(stop).force
    after = np.searchsorted(result.time, first + np.pi / omega + 1e-5)
    assert speed(result, "a")[after] == pytest.approx((2 - 5) / 7 * 3.0, rel=1e-9)
    assert speed(result, "b")[after] == pytest.approx(2 * 2 / 7 * 3.0, rel=1e-9)
    contact = np.count_nonzero(touching[:after]) * 1e-6
    assert contact == pytest.approx(np.pi / omega, abs=3e-6)
    assert speed(result, "a")[-1] == pytest.approx(3.0, rel=1e-9)  # the second impact, on the other side
    assert result.of(stop).force.max() * result.of(stop).force.min() < 0.0


def test_damped_stops_lose_what_their_law_loses() -> None:
    """Newton's impact with e = 0.6, of a law made for it; the part's loss is that of the speeds."""
    model, (a, b) = shafts(a=3.0)
    law = HuntCrossley.from_restitution(Linear(1e6), 0.6, 3.0)
    stop = model.add(TorsionalPlay(a, b, Z, (-0.005, 0.1), law))
    result = run(model, 0.03, 1e-6)
    w_a, w_b = speed(result, "a")[-1], speed(result, "b")[-1]
    assert 2 * w_a + 5 * w_b == pytest.approx(6.0, rel=1e-12)
    lost = 0.5 * 2 * 9.0 - 0.5 * 2 * w_a**2 - 0.5 * 5 * w_b**2
    assert (w_b - w_a) / 3.0 == pytest.approx(0.6, rel=1e-6)
    assert w_a == pytest.approx(3.0 - 5 / 7 * 1.6 * 3.0, rel=1e-6)
    assert (result.of(stop).loss * np.diff(np.append(0.0, result.time))).sum() == pytest.approx(
        lost, rel=1e-9
    )


def test_backlash_rattles_on_both_flanks() -> None:
    model, (a, b) = shafts()
    gears = model.add(GearPair(a, b, Z, 0.1, 0.3, backlash=2e-4, contact=Linear(1e7)))
    model.add(Moment(a, lambda t: (0, 0, 20.0 * np.sin(60 * t))))
    result = run(model, 0.4, 1e-5)
    x, force = result.of(gears).displacement, result.of(gears).force
    assert force.max() > 0.0 > force.min()
    assert np.all(force[np.abs(x) < 0.9e-4] == 0.0) or np.abs(force[np.abs(x) < 0.9e-4]).max() < 1e3 * 1e-6
    assert np.abs(x).max() < 1.5e-4


@pytest.mark.parametrize(
    ("held", "given", "found"),
    [("ring", "sun", 1 / (1 + 3.0)), ("sun", "ring", 3.0 / (1 + 3.0)), ("carrier", "sun", -1 / 3.0)],
)
def test_planetary_ratios(held: str, given: str, found: float) -> None:
    """Willis: w_c = w_s/(1 + r_r/r_s), w_c = w_r/(1 + r_s/r_r), w_r = -w_s r_s/r_r."""
    model = fm.Model()
    bodies: dict[str, Any] = {
        n: model.add(ShaftInertia(1.0 + k, Z, name=n)) for k, n in enumerate(("sun", "ring", "carrier"))
    }
    bodies[held] = model.ground
    out = next(n for n in ("carrier", "ring", "sun") if n not in (held, given))
    model.add(PlanetaryGear(bodies["sun"], bodies["ring"], bodies["carrier"], Z, 0.05, 0.15))
    model.add(Moment(bodies[given], (0, 0, 7.0)))
    result = run(model, 1.0, 0.01)
    assert speed(result, out) == pytest.approx(found * speed(result, given), abs=1e-13)
    j_in, j_out = (dict(sun=1.0, ring=2.0, carrier=3.0)[n] for n in (given, out))
    assert speed(result, given)[-1] == pytest.approx(7.0 / (j_in + found**2 * j_out), rel=1e-12)


def test_differential_shares_torque() -> None:
    """No member held: torques of sun, ring, carrier are r_s : r_r : -(r_s + r_r)."""
    model = fm.Model()
    sun, ring, carrier = (
        model.add(ShaftInertia(j, Z, name=n)) for j, n in ((1.0, "s"), (2.0, "r"), (3.0, "c"))
    )
    model.add(PlanetaryGear(sun, ring, carrier, Z, 0.05, 0.15))
    model.add(Moment(carrier, (0, 0, 4.0)))
    result = run(model, 1.0, 0.01)
    torque = {n: j * speed(result, n)[-1] for n, j in (("s", 1.0), ("r", 2.0))}
    assert torque["r"] == pytest.approx(3 * torque["s"], rel=1e-12)
    assert 4.0 - 3.0 * speed(result, "c")[-1] == pytest.approx(torque["s"] + torque["r"], rel=1e-12)


def test_rack_is_driven_by_its_pinion() -> None:
    model, (a,) = shafts("a")
    rack = model.add(PointMass(4.0, (1, 0, 0), name="rack"))
    model.fix(rack, translation=(False, True, True), rotation=True)
    model.add(Rack(a, rack, Z, (1, 0, 0), 0.2))
    model.add(Force(rack, (5.0, 0, 0)))
    result = run(model, 1.0, 0.01)
    assert result.of("rack").velocity[-1, 0] == pytest.approx(5.0 / (4.0 + 2.0 / 0.2**2), rel=1e-12)
    assert speed(result, "a")[-1] == pytest.approx(result.of("rack").velocity[-1, 0] / 0.2, rel=1e-12)


@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_clutch_locks_when_coulomb_says(step: float) -> None:
    """t = w_0/(T (1/J_a + 1/J_b)), T = mu N r; the angle until lock-up is w_0 t/2."""
    model, (a, b) = shafts(a=30.0)
    clutch = model.add(Clutch(a, b, Z, 50.0, 0.15, DryCoulomb(0.4), surfaces=2))
    result = run(model, 9.0, step)
    expected = 30.0 / (6.0 * (1 / 2 + 1 / 5))
    angle, friction = result.of(clutch).angle, result.of(clutch).friction
    assert 2 * abs(angle[-1]) / 30.0 == pytest.approx(expected, rel=1e-6)
    assert speed(result, "a")[-1] == pytest.approx(60 / 7, rel=1e-9)
    assert result.energy["dissipation_friction"].sum() == pytest.approx(0.5 * 10 / 7 * 900, rel=1e-9)
    sliding = result.time < 0.99 * expected
    assert np.abs(friction[sliding]) == pytest.approx(40.0, rel=1e-12)


def test_clutch_pressed_by_a_function_of_time_and_any_law() -> None:
    """A ramp of the normal force: impulse mu r integral of N, exact as the mean of both ends is for a ramp."""
    ramp = fm.time_functions.Ramp(0.0, 1.0, 0.0, 100.0)
    model, (a, b) = shafts(a=30.0)
    model.add(Clutch(a, b, Z, ramp, 0.15, DryCoulomb(0.4)))
    assert speed(run(model, 1.0, 0.01), "b")[-1] == pytest.approx(0.4 * 0.15 * 50.0 / 5, rel=1e-12)
    model, (a, b) = shafts(a=1.0)
    model.add(Clutch(a, b, Z, 100.0, 0.15, LuGre(sigma_0=1e4, sigma_1=1.0, mu_s=0.4, mu_k=0.3, v_s=1e-2)))
    assert np.ptp(speed(run(model, 2.0, 1e-3), "a")[-10:]) < 1e-3


def test_belt_creeps_by_the_difference_of_its_strains() -> None:
    """Steady: (v_k - v_l)/v_k = F/EA with F r_l = the load's torque; loss F (v_k - v_l)."""
    model = fm.Model()
    a = model.add(ShaftInertia(0.1, Z, name="a"))
    b = model.add(ShaftInertia(0.1, Z, name="b"))
    belt = model.add(Belt(a, b, Z, 0.1, 0.2, 2e4, 0.5))
    model.set_velocity(a, omega=50.0 * Z)
    model.set_velocity(b, omega=25.0 * Z)
    # both torques carry 100 N through the belt at constant speeds
    model.add(Moment(a, (0, 0, 10.0)))
    model.add(Moment(b, (0, 0, -20.0)))
    result = run(model, 1.0, 1e-3)
    v_a, v_b = 0.1 * speed(result, "a"), 0.2 * speed(result, "b")
    late = result.time > 0.7
    force = result.of(belt).force[late]
    assert force == pytest.approx(100.0 * np.ones(len(force)), rel=2e-2)
    assert ((v_a - v_b)[late] / v_a[late]).mean() == pytest.approx(force.mean() / 2e4, rel=1e-3)
    assert result.of(belt).loss[late].mean() == pytest.approx(
        force.mean() * (v_a - v_b)[late].mean(), rel=1e-3
    )
    assert Belt.grip(300.0, 0.4, np.pi) == pytest.approx(
        600 * (np.exp(0.4 * np.pi) - 1) / (np.exp(0.4 * np.pi) + 1), rel=1e-12
    )


def test_a_belt_warns_beyond_its_grip() -> None:
    """Euler and Eytelwein: 2 T_0 tanh(mu beta/2); a toothed belt between two wheels, one of which is braked."""
    for tension, warns in ((10.0, True), (200.0, False)):
        model, (a, b) = shafts(a=10.0, b=10.0)
        grip = Belt.grip(tension, 0.4, np.pi)
        model.add(
            Belt(a, b, Z, 0.1, 0.1, 1e4, 0.5, creep=False, damping=10.0, slips_at=grip, name="drive belt")
        )
        model.add(Moment(b, (0, 0, -14.0)))  # b takes 14 N m 2/7: 40 N through the belt on the average
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            fm.simulate(model, 1.0, fm.StepControl.fixed(1e-3))
        assert any("drive belt" in str(one.message) for one in said) == warns


def test_tooth_friction_loses_power() -> None:
    """Sliding at friction_arm (w_a - w_b) under mu times the tooth force: the loss of a pair is their product."""
    model, (a, b) = shafts(a=30.0, b=-10.0)
    gears = model.add(GearPair(a, b, Z, 0.1, 0.3, friction=DryCoulomb(0.05), friction_arm=4e-3))
    model.add(Moment(a, (0, 0, 10.0)))
    result = run(model, 0.1, 1e-3)
    view = result.of(gears)
    assert np.abs(view.friction) == pytest.approx(0.05 * np.abs(view.force), rel=1e-12)
    sliding = 4e-3 * (speed(result, "a") - speed(result, "b"))
    assert view.loss == pytest.approx(np.abs(view.friction) * sliding, rel=2e-2)


def test_gradients_through_play_clutch_gears_and_belt() -> None:
    def build(values) -> fm.Simulation:
        model, (a, b, c) = shafts("abc", a=3.0)
        model.add(TorsionalPlay(a, b, Z, 0.02, Linear(values["k"])))
        model.add(
            Clutch(b, c, Z, values["n"], 0.15, LuGre(sigma_0=1e4, sigma_1=1.0, mu_s=0.4, mu_k=0.3, v_s=0.1))
        )
        model.add(Belt(a, c, Z, 0.1, 0.2, values["ea"], 0.5))
        return fm.Simulation(model, 0.02, fm.StepControl.fixed(2e-5))

    values = {"k": 1e4, "n": 50.0, "ea": 1e3}
    of = {n: f"final({n}.angular_velocity[2])" for n in "abc"}
    found = fm.gradient(build, of, values).jacobian
    for column, (name, value) in enumerate(values.items()):
        step = 1e-5 * value
        ends = [fm.run(build(values | {name: value + s}), progress=False) for s in (step, -step)]
        difference = [(speed(ends[0], n)[-1] - speed(ends[1], n)[-1]) / (2 * step) for n in "abc"]
        assert found[:, column] == pytest.approx(difference, rel=1e-4, abs=1e-5 * np.abs(difference).max())


def test_turned_driveline_does_the_same() -> None:
    ends = []
    for turn in (np.eye(3), rotation_about((3, -1, 2), 2.2)):
        model, (a, b) = shafts(axis=turn @ Z, a=3.0)
        model.add(GearPair(a, b, turn @ Z, 0.1, 0.3, backlash=1e-3, contact=Linear(1e6)))
        ends.append(run(model, 0.05, 1e-4).of("b").angular_velocity[-1] @ turn)
    assert ends[0] == pytest.approx(ends[1], abs=1e-10)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (lambda a, b: GearPair(a, b, Z, 0.0, 0.1), "gears 'gears': radius_k"),
        (lambda a, b: GearPair(a, b, Z, 0.1, 0.1, backlash=-1e-4, contact=Linear(1.0)), "backlash"),
        (lambda a, b: GearPair(a, b, Z, 0.1, 0.1, backlash=1e-4), "backlash needs a contact law"),
        (lambda a, b: GearPair(a, a, Z, 0.1, 0.1), "is given twice"),
        (lambda a, b: GearPair(a, b, Z, 0.1, 0.1, housing=b), "its housing and a wheel"),
        (lambda a, b: GearPair(a, b, Z, 0.1, 0.1, friction=DryCoulomb(0.1)), "friction_arm"),
        (lambda a, b: PlanetaryGear(a, b, a, Z, 0.2, 0.1), "radius_ring has to be larger"),
        (lambda a, b: Clutch(a, b, Z, None, 0.1, DryCoulomb(0.1)), "clutch 'clutch': give its normal_force"),
        (lambda a, b: Clutch(a, b, Z, 1.0, 0.1, Linear(1.0)), "no friction law"),
        (lambda a, b: TorsionalPlay(a, b, Z, -0.1, Linear(1.0)), "play 'play': play"),
        (lambda a, b: TorsionalPlay(a, b, Z, (0.1, -0.1), Linear(1.0)), "that ascend"),
        (lambda a, b: Belt(a, b, Z, 0.1, 0.1, 1e4, 1.0, damping=2.0), "does not creep"),
        (lambda a, b: Belt(a, b, Z, 0.1, 0.1, 0.0, 1.0), "belt 'belt': stiffness"),
        (lambda a, b: Belt(a, b, Z, 0.1, 0.1, 1e4, 1.0, slips_at=0.0), "slips_at is 0"),
        (lambda a, b: ShaftInertia(0.0, Z), "shaft 'shaft': inertia"),
        (lambda a, b: Rack(a, b, Z, Z, 0.1), "not normal to the pinion's axis"),
    ],
)
def test_what_is_refused(part, message: str) -> None:
    model, (a, b) = shafts()
    with pytest.raises(fm.InputError, match=message):
        model.add(part(a, b))


def rattling() -> fm.Model:
    model, (a, b, c) = shafts("abc", a=3.0)
    model.add(TorsionalPlay(a, b, Z, 0.02, Linear(1e4), name="play"))
    model.add(Clutch(b, c, Z, 50.0, 0.15, LuGre(sigma_0=1e4, sigma_1=1.0, mu_s=0.4, mu_k=0.3, v_s=0.1)))
    model.add(GearPair(a, c, Z, 0.1, 0.2, stiffness=1e4))
    return model


def test_periodic_motion_of_gears_that_separate() -> None:
    """The coordinate of a mesh is no state beside the rotations: shooting finds the motion that a long run ends in."""

    def build(values) -> fm.Model:
        model, (a, b) = shafts()
        gears = GearPair(a, b, Z, 0.1, 0.3, backlash=1e-3, contact=Linear(1e5), damping=200.0, name="gears")
        model.add(gears)
        model.add(RotationalSpringDamper(model.ground, b, Z, 500.0, 20.0))
        model.add(Moment(a, fm.time_functions.Harmonic((0, 0, values["ripple"]), 20.0)))
        return model

    found = fm.periodic(build, {"ripple": 30.0}, period=2 * np.pi / 20, settle=5, steps=200)
    assert found.stable
    assert np.abs(found.multipliers).max() < 0.999
    late = fm.simulate(build({"ripple": 30.0}), 60 * np.pi, fm.StepControl.fixed(np.pi / 2000))
    x = late.of("gears").displacement[-200:]
    assert found.result().of("gears").displacement.max() == pytest.approx(x.max(), rel=1e-5)
    assert x.max() > 5e-4


def test_a_run_goes_on_from_a_state() -> None:
    """Angles, gaps and bristles are in the state."""
    control = fm.StepControl.fixed(1e-4)
    whole = fm.simulate(rattling(), 0.1, control)
    first = fm.Simulation(rattling(), 0.05, control)
    fm.run(first, progress=False)
    second = fm.simulate(rattling(), 0.1, control, initial=first.state)
    for name in "abc":
        assert speed(second, name)[-1] == pytest.approx(speed(whole, name)[-1], abs=1e-11)
    ends = [result.of("play").displacement[-1] for result in (whole, second)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_a_run_from_an_equilibrium_stays_there() -> None:
    """A torque on a wheel that meshes with a held one: angle T/(k r^2), kept by the run."""

    def loaded() -> fm.Model:
        model, (a,) = shafts("a")
        held = model.add(RigidBody(1.0, (1, 1, 1), (1, 0, 0), name="held"))
        model.fix(held)
        model.add(GearPair(a, held, Z, 0.1, 0.2, stiffness=1e5, name="gears"))
        model.add(Moment(a, (0, 0, 30.0)))
        return model

    found = fm.find_equilibrium(loaded())
    assert found.of("gears").displacement == pytest.approx(30.0 / (1e5 * 0.1), rel=1e-9)
    result = fm.simulate(loaded(), 0.1, fm.StepControl.fixed(1e-3), initial=found.state)
    assert np.abs(speed(result, "a")).max() < 1e-9
    assert result.of("gears").force == pytest.approx(300.0 * np.ones(len(result.time)), rel=1e-9)
