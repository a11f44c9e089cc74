"""Reactions: Newton and Euler for both bodies of every joint in fast motion, statics and spinning in closed form."""

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl, simulate
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import Piecewise, Polynomial
from fem_mbd.elements import Force, RigidBody
from fem_mbd.friction import Dahl
from fem_mbd.joints import Clamp, DrivenPrismatic, DrivenRevolute, JointFriction, Prismatic, RigidOffset
from tests.core.scheme_tools import now, order, run, simulation
from tests.joints.joint_models import AT, CASES, joined
from tests.refusals import refused

GRAVITY = np.array([0, 0, -9.81])


def _momenta(sim: Simulation) -> Array:
    """(n, 6) momentum and angular momentum about the mass centre, global axes."""
    state, workspace = sim.state, sim.scheme.workspace
    spin = np.einsum("nij,njk,nk->ni", state.r, workspace.inertia, state.omega)
    return np.concatenate([workspace.mass[:, None] * state.v, spin], axis=1)


def _newton_euler_error(name: str, dt: float) -> float:
    """Largest error of force and moment on K and L after 0.3 s, rates of momentum from the steps before and after."""
    sim = simulation(joined(name), dt, 0.3 + 1.5 * dt)
    momenta, seen = [], []
    for _ in sim.steps():
        momenta.append(_momenta(sim))
        seen.append((sim.state.copy(), sim.outputs()["reaction_at_end"][0].copy()))
    middle = round(0.3 / dt) - 1
    rate = (momenta[middle + 1] - momenta[middle - 1]) / (2 * dt)
    state, reaction = seen[middle]
    worst = 0.0
    joints, workspace = sim.system.joints, sim.scheme.workspace
    assert joints is not None
    # the reaction on L acts at L's point; that on K is opposite, at the same point in space
    at = state.u[2] + state.r[2] @ joints.offsets[0, 1]
    for node, sign in ((1, -1.0), (2, 1.0)):
        force, moment = sign * reaction[:3], sign * reaction[3:6]
        weight = workspace.mass[node] * GRAVITY
        worst = max(worst, np.abs(rate[node, :3] - force - weight).max())
        worst = max(worst, np.abs(rate[node, 3:] - moment - np.cross(at - state.u[node], force)).max())
    return worst


@pytest.mark.parametrize("name", CASES)
def test_reactions_give_both_bodies_their_accelerations(name: str) -> None:
    steps = [0.3 / n for n in (30, 60, 120)]
    errors = [_newton_euler_error(name, dt) for dt in steps]
    assert order(errors, steps) == pytest.approx(2, abs=0.3)
    assert errors[-1] < 5e-3  # of forces of some 20 N


def _impulse_error(name: str, dt: float) -> float:
    """Largest difference between the sum of the mean force times dt and the change of momentum, N s."""
    sim = simulation(joined(name), dt, 0.3)
    workspace, start, impulse = sim.scheme.workspace, _momenta(sim)[:, :3], np.zeros(3)
    for step in sim.steps():
        impulse += step.dt * sim.outputs()["reaction"][0, :3]
    gained = _momenta(sim)[:, :3] - start - 0.3 * workspace.mass[:, None] * GRAVITY
    return float(max(np.abs(gained[1] + impulse).max(), np.abs(gained[2] - impulse).max()))


@pytest.mark.parametrize("name", CASES)
def test_mean_forces_times_the_steps_are_the_impulse(name: str) -> None:
    """Also in coarse steps, in which reactions at the ends of the steps add up to something else."""
    assert _impulse_error(name, 0.3 / 7) < 1e-10  # of 5 N s


def _spin_error(name: str, dt: float) -> float:
    """Largest error of the mean moment of a step, against the change of the angular momentum of L."""
    sim = simulation(joined(name), dt, 0.3)
    joints, worst = sim.system.joints, 0.0
    assert joints is not None
    offset, before = joints.offsets[0, 1], (_momenta(sim), sim.state.copy())
    for step in sim.steps():
        reaction, now = sim.outputs()["reaction"][0], (_momenta(sim), sim.state.copy())
        gained = (now[0] - before[0])[2, 3:] / step.dt
        arm = 0.5 * (now[1].r + before[1].r)[2] @ offset
        worst = max(worst, np.abs(gained - reaction[3:6] - np.cross(arm, reaction[:3])).max())
        before = now
    return float(worst)


@pytest.mark.parametrize("name", CASES)
def test_mean_moments_are_those_of_the_step(name: str) -> None:
    steps = [0.3 / n for n in (30, 60, 120)]
    errors = [_spin_error(name, dt) for dt in steps]
    assert order(errors, steps) > 1.7
    assert errors[-1] < 5e-3


@pytest.mark.parametrize("name", CASES)
def test_the_axes_of_both_bodies(name: str) -> None:
    """Means of components in axes that turn by 0.01 rad in the step: those of the mean in the middle, to 1e-4."""
    sim = simulation(joined(name), 0.003, 0.09)
    before = sim.state.r.copy()
    for _ in sim.steps():
        middle, before = 0.5 * (before + sim.state.r), sim.state.r.copy()
    reaction = sim.outputs()["reaction"][0].reshape(3, 2, 3)
    size = np.abs(reaction[0]).max()
    assert size > 0.1
    assert reaction[1] == pytest.approx(reaction[0] @ middle[1], abs=1e-4 * size)
    assert reaction[2] == pytest.approx(reaction[0] @ middle[2], abs=1e-4 * size)


def test_a_driven_rotor_pulls_and_shakes_its_bearing() -> None:
    """Angle t + 2 t^2 about z: centripetal and tangential force, moments of unbalance and the driver's torque."""
    inertia = np.array([[0.3, 0.05, 0.02], [0.05, 0.4, -0.03], [0.02, -0.03, 0.35]])
    arm = np.array([0.2, 0.1, 0.15])

    def error(dt: float) -> float:
        model = Model()
        rotor = model.add(RigidBody(2.0, inertia, (0, 0, 0), centre=arm)).node
        angle = Polynomial((0, 1, 2))
        model.add(DrivenRevolute(model.ground, rotor, at=(0, 0, 0), axis=(0, 0, 1), angle=angle))
        model.set_velocity(rotor, omega=(0, 0, 1), about=(0, 0, 0))
        sim = simulation(model, dt, 0.8)
        run(sim)
        # quadratic in time, so its mean over the last step is that of Gauss's two points
        middle, half = 0.8 - 0.5 * dt, 0.5 * dt / np.sqrt(3.0)
        exact = 0.5 * (wrench(middle - half) + wrench(middle + half))
        return float(np.abs(sim.outputs()["reaction"][0, 12:] - exact).max())

    def wrench(t: float) -> Array:
        w, rate = np.array([0, 0, 1 + 4 * t]), np.array([0, 0, 4.0])
        force = 2.0 * (np.cross(rate, arm) + np.cross(w, np.cross(w, arm)))
        moment = inertia @ rate + np.cross(w, inertia @ w) + np.cross(arm, force)
        return np.concatenate([force, moment])

    steps = [0.8 / n for n in (20, 40, 80)]
    errors = [error(dt) for dt in steps]
    assert order(errors, steps) > 1.8
    assert errors[-1] < 1e-4


@pytest.mark.filterwarnings("ignore::fem_mbd.runs.running.runs.NumericalDissipationWarning")
@pytest.mark.parametrize("dt", [0.01, 0.0007])
def test_a_jump_of_the_driven_speed_is_an_impulse(dt: float) -> None:
    """A slide of 2 kg that is at rest up to 0.1 s and at 1.5 m/s from then on: 3 N s, and no force before and after."""
    model = Model()
    slide = model.add(RigidBody(2.0, (1, 1, 1), (0, 0, 0)))
    speed = Piecewise((0.1,), (0.0, 1.5))
    model.add(DrivenPrismatic(model.ground, slide, at=(0, 0, 0), axis=(1, 0, 0), speed=speed, name="drive"))
    result = simulate(model, 0.3, StepControl.fixed(dt))
    force, steps = result.of("drive").reaction.force[:, 0], result.step["dt"]
    assert force @ steps == pytest.approx(3.0, rel=1e-12)
    assert np.sort(np.abs(force * steps))[-2] < 1e-9  # N s: all of it in one step
    assert result.of("drive").reaction_at_end.force.shape == (len(steps), 3)


def test_reaction_is_at_the_point_of_l() -> None:
    """A prismatic joint with a distant load: the moment increases with the displacement of L."""
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), AT)).node
    model.add(Prismatic(model.ground, body, at=AT, axis=(1, 0, 0)))
    model.set_velocity(body, (3, 0, 0))
    model.gravity[:] = GRAVITY
    sim = simulation(model, 0.1, 1.0)
    run(sim)
    assert sim.state.u[1] == pytest.approx(AT + (3, 0, 0), abs=1e-12)
    reaction = sim.outputs()["reaction"][0]
    assert reaction[:3] == pytest.approx((0, 0, 9.81), abs=1e-11)
    assert reaction[3:6] == pytest.approx(np.zeros(3), abs=1e-11)


@pytest.mark.parametrize("kind", [Clamp, RigidOffset])
def test_a_rigid_connection_gives_its_reaction_at_the_given_point(kind: type[Clamp]) -> None:
    """10 N down at x = 2 m: 15 N m about x = 0.5 m; of a rigid offset without ``at`` none, about x = 2 m."""
    for at, moment in (((0.5, 0, 0), (0, -15.0, 0)), (None, (0, 0, 0))):
        if at is None and kind is Clamp:
            continue  # its two points do not coincide
        model = Model()
        first, second = (model.add(RigidBody(1.0, (1, 1, 1), (x, 0, 0))).node for x in (0.0, 2.0))
        model.fix(first)
        joint = model.add(kind(first, second, at=at))
        model.add(Force(second, (0, 0, -10.0)))
        sim = simulation(model, 1e-3, 2e-3)
        run(sim)
        assert now(sim).of(joint).reaction.moment == pytest.approx(moment, abs=1e-9)


@pytest.mark.parametrize("kind", [Clamp, RigidOffset])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_clamp_to_the_ground_gives_its_reaction_where_it_is_asked_for(
    kind: type[Clamp], swapped: bool
) -> None:
    """10 N down at x = 2 m: 15 N m about x = 0.5 m on the body, opposite on the ground; at the node it is fixed."""
    for at in ((0.5, 0, 0), (2.0, 0, 0), None):
        model = Model()
        body = model.add(RigidBody(1.0, (1, 1, 1), (2.0, 0, 0), name="body")).node
        model.add(Force(body, (0, 0, -10.0)))
        pair = (body, model.ground) if swapped else (model.ground, body)
        joint = model.add(kind(*pair, at=at))
        result = simulate(model, 2e-3, StepControl.fixed(1e-3))
        assert np.abs(result.of(body).displacement).max() < 1e-14
        sign = -1.0 if swapped and joint is not None else 1.0
        force = result.of(body).support if joint is None else result.of(joint).reaction
        assert sign * force.force[-1] == pytest.approx((0, 0, 10.0), abs=1e-9)
        expected = (0, -15.0, 0) if at == (0.5, 0, 0) else (0, 0, 0)
        assert sign * force.moment[-1] == pytest.approx(expected, abs=1e-9)
        assert (joint is None) == (at != (0.5, 0, 0))


def test_a_point_of_the_ground_that_is_not_the_bodys_is_refused() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (2.0, 0, 0), name="body")).node
    refused(
        "point on the ground is not where 'body.node' is", model.add, Clamp(model.ground.at((1, 0, 0)), body)
    )
    assert model.add(Clamp(model.ground.at((2, 0, 0)), body)) is None


def test_friction_of_a_clamp_is_refused_with_the_ground_too() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    rubbing = Clamp(model.ground, body, friction=JointFriction(law=Dahl(0.3, 1e5)))
    refused("this joint has no sliding surfaces", model.add, rubbing)
