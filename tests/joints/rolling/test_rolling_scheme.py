"""Rolling in the scheme: exact tangent, no work, constraints at velocity level, order of convergence, bad input."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import InputError, Model, Simulation, SolverFailure
from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.initial import InitialVelocityWarning, ambient_vectors
from fem_mbd.elements import PointMass, RigidBody
from fem_mbd.joints import DrivenRevolute, RollingBall, RollingDisk, rolling_kernels
from fem_mbd.joints.rolling import RollingKind
from fem_mbd.joints.rolling_kernels import ROWS
from tests.core.scheme_tools import orders, random_step, simulation, tangent_error, worst_residual
from tests.joints.rolling.rolling_models import DISK, RADIUS, ball_on_table, disk, general_pair
from tests.refusals import refused

ENDS: list[Callable[[], Model]] = [lambda: general_pair(True), lambda: general_pair(False)]


def rolling_velocity(sim: Simulation) -> float:
    """Largest velocity at the contact of the accepted state, along and across the plane, m/s."""
    kind = next(k for k in sim.system.kinds if isinstance(k, RollingKind))
    state = sim.state
    jacobian = kind.velocity_jacobian(ambient_vectors(state))
    speeds = np.concatenate([state.v, state.omega], axis=1)[np.repeat(kind.nodes, ROWS, axis=0)]
    return float(np.abs(np.einsum("rsi,rsi->r", jacobian, speeds)).max())


def height_error(sim: Simulation) -> float:
    """By how much the centre is off its height, m."""
    kind = next(k for k in sim.system.kinds if isinstance(k, RollingKind))
    found = np.zeros((len(kind.records), 2))
    rolling_kernels.heights(kind.records, ambient_vectors(sim.state), found)
    return float(np.abs(found[:, 0]).max())


@pytest.mark.filterwarnings("ignore::fem_mbd.core.scheme.initial.InitialVelocityWarning")
@pytest.mark.parametrize("ball", [True, False])
def test_tangent(ball: bool) -> None:
    for scale, seed in ((0.02, 0), (0.1, 1)):
        sim, y = random_step(general_pair(ball), 0.1, scale, seed)
        assert tangent_error(sim, y) < 1e-9


@pytest.mark.filterwarnings("ignore::fem_mbd.core.scheme.initial.InitialVelocityWarning")
@pytest.mark.parametrize("ball", [True, False])
def test_forces_do_no_work(ball: bool) -> None:
    """Forces times unknowns are multipliers times equations, whatever the unknowns are, at the two points of a step."""
    rng = np.random.default_rng(3)
    sim = simulation(general_pair(ball), 0.1)
    kind = next(k for k in sim.system.kinds if isinstance(k, RollingKind))
    sim.scheme.begin(0.1)
    x, lam = 0.05 * rng.normal(size=(2, 12)), rng.normal(size=(ROWS, 2))
    lam[2] = 0.0  # the height is a condition on places: its equation is no velocity
    rows, errors = np.zeros((2, 12)), np.zeros((ROWS, 2))
    nodes = kind.nodes[0]
    workspace = sim.scheme.workspace
    rolling_kernels.joint_rows(
        kind.records[0], x, lam, workspace.r_i[nodes], workspace.q_i[nodes], rows, errors
    )
    third, end = lam[:, 0] - lam[:, 1] / 3, lam[:, 0] + lam[:, 1]
    assert (rows * x).sum() == pytest.approx(
        0.75 * third @ errors[:, 0] + 0.25 * end @ errors[:, 1], rel=1e-12
    )


@pytest.mark.filterwarnings("ignore::fem_mbd.core.scheme.initial.InitialVelocityWarning")
def test_height_does_the_work_of_its_change() -> None:
    """The multiplier's work: (mean - jump/3) times the change of height, jump/3 times its rate at the end."""
    rng = np.random.default_rng(4)
    sim = simulation(general_pair(False), 0.1)
    kind = next(k for k in sim.system.kinds if isinstance(k, RollingKind))
    sim.scheme.begin(0.1)
    x, lam = 0.05 * rng.normal(size=(2, 12)), np.zeros((ROWS, 2))
    lam[2] = 1.3, -0.7
    rows, errors = np.zeros((2, 12)), np.zeros((ROWS, 2))
    nodes, workspace = kind.nodes[0], sim.scheme.workspace
    start = np.zeros((1, 2))
    rolling_kernels.heights(kind.records, workspace.q_i, start)
    rolling_kernels.joint_rows(
        kind.records[0], x, lam, workspace.r_i[nodes], workspace.q_i[nodes], rows, errors
    )
    change = errors[2, 0] - start[0, 0]
    assert (rows * x).sum() == pytest.approx((1.3 + 0.7 / 3) * change - 0.7 / 3 * errors[2, 1], rel=1e-11)


def tumbling() -> Model:
    """A leaning disk that rolls, wobbles and spins."""
    model, _ = disk(lean=1.2)
    model.set_velocity(
        model.nodes[1], omega=(0.4, 1.1, -6.0), about=(0.0, 0.0, 0.0)
    )  # about the contact: rolling
    return model


def test_velocity_constraints_and_energy_balance() -> None:
    sim = simulation(tumbling(), 5e-3, 2.0)
    rows, speed, height = [], 0.0, 0.0
    for record in sim.steps():
        rows.append(record.energy)
        speed, height = max(speed, rolling_velocity(sim)), max(height, height_error(sim))
    assert speed < 1e-11
    assert height < 1e-12
    assert worst_residual(sim, np.array(rows)) < 1e-13


def test_order_of_convergence() -> None:
    def solve(steps: int) -> tuple[Array, Array]:
        sim = simulation(tumbling(), 0.4 / steps, 0.4)
        for _ in sim.steps():
            pass
        return sim.state.u[1].copy(), sim.state.r[1].copy()

    assert all(2.8 < order < 3.2 for order in orders(solve, (80, 160, 320), 1280))


def test_driven_turntable() -> None:
    """The plane may be driven: the driver's work is in the balance."""
    model = Model((0, 0, -9.81))
    table = model.add(RigidBody(10.0, (1, 1, 1), (0, 0, 0), name="table"))
    speed = fm.time_functions.Ramp(0, 1, 0, 5)
    model.add(DrivenRevolute(model.ground, table, at=(0, 0, 0), axis=(0, 0, 1), speed=speed))
    ball = model.add(RigidBody(1.0, (4e-3,) * 3, (0.5, 0, 0.1), name="ball"))
    model.add(RollingBall(table, ball, 0.1, direction=(0, 0, 1)))
    result = fm.simulate(model, 1.5, fm.StepControl.fixed(1e-2))
    assert result.summary["energy"]["relative"] < 1e-12
    assert result.energy["work_drivers"].sum() > 10.0


def test_velocities_that_slip_are_changed_as_by_an_impact() -> None:
    """A disk that starts without spin: the impulse at the rim leaves v/(1 + k^2/r^2) = 2 v/3."""
    model, _ = disk()
    model.set_velocity(model.nodes[1], velocity=(1.5, 0, 0))
    with pytest.warns(InitialVelocityWarning, match="rolling disk joint 'wheel'"):
        sim = simulation(model, 1e-3)
    assert sim.state.v[1] == pytest.approx([1.0, 0, 0], abs=1e-8)
    assert sim.state.omega[1] @ sim.state.r[1].T == pytest.approx([0, 1.0 / RADIUS, 0], abs=1e-8)


@pytest.mark.parametrize("reuse", ["auto", "step", True, False])
def test_disk_that_falls_flat_ends_the_run(reuse: Any) -> None:
    """Whatever a factorisation serves, no step before is shortened: where it ends is a multiple of the step."""
    model, _ = disk(lean=0.02)
    with pytest.raises(SolverFailure, match=r"'wheel' lies flat at t = 0\.038\d s"):
        fm.simulate(model, 1.0, fm.StepControl.fixed(1e-4), newton=fm.NewtonOptions(reuse=reuse))


def test_bad_input() -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0.3), name="body"))
    for radius in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="rolling ball 'b': radius"):
            RollingBall(model.ground, body, radius, direction=(0, 0, 1), name="b")
    refused(r"rolling ball 'b'.*direction", RollingBall, model.ground, body, 0.3, name="b")
    refused(r"rolling disk 'd'.*axis", RollingDisk, model.ground, body, 0.3, direction=(0, 0, 1), name="d")
    refused("rolls on its own node", lambda: model.add(RollingBall(body, body, 0.3, direction=(0, 0, 1))))
    mass = model.add(PointMass(1.0, (0, 0, 0.3), name="bead"))
    with pytest.raises(InputError, match="point mass, which has no rotation"):
        model.add(RollingBall(model.ground, mass, 0.3, direction=(0, 0, 1)))


@pytest.mark.parametrize(
    ("axis", "radius", "message"),
    [((0, 1, 0), 0.29, r"does not touch its plane .* too high by 0\.01"), ((0, 0, 1), 0.3, "starts flat")],
)
def test_disk_off_its_plane(axis: tuple[float, ...], radius: float, message: str) -> None:
    model = Model()
    body = model.add(RigidBody(1.0, tuple(DISK), (0, 0, 0.3), name="body"))
    model.add(RollingDisk(model.ground, body, radius, direction=(0, 0, 1), name="d", axis=axis))
    refused(message, lambda: fm.simulate(model, 0.1, fm.StepControl.fixed(1e-2)))


def test_kinematic_analysis_refuses_rolling_joints() -> None:
    model, _ = ball_on_table(1.0)
    with pytest.raises(InputError, match="positions of rolling bodies are not determined"):
        fm.kinematic_analysis(model, np.linspace(0, 1, 5))
