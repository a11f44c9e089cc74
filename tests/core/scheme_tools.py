"""Tools of the contract tests: random states, tangents against differences, orders by regression, rotations."""

from collections.abc import Callable, Sequence

import numpy as np
from hypothesis import settings, strategies as st
from scipy.sparse import csr_matrix

from fem_mbd import Model, NewtonOptions, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.rotations import rotation_from_vector
from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.core.scheme.nodes.node_kernels import fill_maps, kinematics
from fem_mbd.core.scheme.nodes.node_map import pull_back, rotation_factor
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import PartTable

# -- runs ------------------------------------------------------------------------------------------------------


def simulation(model: Model, dt: float, end: float = 1.0) -> Simulation:
    """A run with fixed steps, whose equations are solved as well as they can be: with a fresh tangent every time."""
    return Simulation(model, end, StepControl.fixed(dt), newton=NewtonOptions(reuse=False))


def run(sim: Simulation) -> Array:
    """The ledger (steps, columns) of a whole run."""
    return np.array([record.energy for record in sim.steps()])


def now(sim: Simulation) -> SingleState:
    """The accepted state, to be asked by part."""
    return SingleState(PartTable(sim.system.describe()), sim.outputs(), sim.state.time)


def pulled_back(sim: Simulation, part: PartKind) -> Array:
    """Generalised forces (n, 12) of one element class at the unknowns `work.x`."""
    workspace = sim.scheme.workspace
    kinematics(workspace.x, workspace.r_i, workspace.q_i, workspace.q_f, workspace.p, workspace.r_f)
    for forces in (workspace.rows, workspace.force_m, workspace.force_f):
        forces[:] = 0.0
    part.residual(workspace)
    for n in range(workspace.n):
        pull_back(
            workspace.x[n],
            workspace.r_i[n],
            workspace.r_f[n],
            workspace.force_m[n],
            workspace.force_f[n],
            workspace.rows[n],
        )
    return workspace.rows / workspace.dt**2


def column(ledger: Array, name: str) -> Array:
    """One column of a ledger."""
    return ledger[..., LEDGER.index(name)]


def worst_residual(sim: Simulation, ledger: Array) -> float:
    """Largest residual of the energy balance over the run's energy scale."""
    return float(np.abs(column(ledger, "residual")).max() / sim.energy_scale)


def momenta(sim: Simulation) -> tuple[Array, Array]:
    """Linear and angular momentum about the origin, (3,) each."""
    state, workspace = sim.state, sim.scheme.workspace
    linear = workspace.mass[:, None] * state.v
    spin = np.einsum("nij,njk,nk->ni", state.r, workspace.inertia, state.omega)
    return linear.sum(axis=0), (np.cross(state.u, linear) + spin).sum(axis=0)


def order(errors: Sequence[float], steps: Sequence[float]) -> float:
    """Slope of log(error) over log(step) by regression."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def orders(solve: Callable[[int], Sequence[Array]], counts: Sequence[int], reference: int) -> list[float]:
    """Orders of convergence of all results of ``solve(number of steps)`` towards those of ``reference`` steps."""
    exact = solve(reference)
    errors = [[float(np.abs(a - b).max()) for a, b in zip(solve(n), exact, strict=True)] for n in counts]
    return [order(e, [1.0 / n for n in counts]) for e in zip(*errors, strict=True)]


# -- one step at a random place --------------------------------------------------------------------------------


def disturb(sim: Simulation, rng: np.random.Generator, size: float = 1.0) -> None:
    """Random velocities for all nodes that can move."""
    free = ~sim.system.fixed
    sim.state.v[:] = np.where(free[:, :3], size * rng.normal(size=free[:, :3].shape), sim.state.v)
    sim.state.omega[:] = np.where(free[:, 3:], size * rng.normal(size=free[:, 3:].shape), sim.state.omega)


def random_step(model: Model, dt: float, scale: float, seed: int = 0) -> tuple[Simulation, Array]:
    """A step begun from random velocities, and unknowns (size,) ``scale`` away from its predictor; evaluated there."""
    rng = np.random.default_rng(seed)
    sim = simulation(model, dt)
    disturb(sim, rng)
    y = sim.scheme.begin(dt) + scale * rng.normal(size=sim.system.size)
    sim.scheme.residual(y, np.empty_like(y))
    return sim, y


def tangent(sim: Simulation, y: Array) -> Array:
    """The tangent (size, size) at y, with the stresses of the geometric terms taken at y itself."""
    scheme, workspace, system = sim.scheme, sim.scheme.workspace, sim.system
    scheme.residual(y, np.empty_like(y))
    fill_maps(workspace)
    workspace.dq[:] = workspace.dp[:] = 0.0
    for kind in system.kinds:
        kind.extrapolate(workspace)
    matrix = csr_matrix((scheme.tangent().copy(), system.indices, system.indptr), shape=(system.size,) * 2)
    scheme.calls.after_tangent[0] = 0  # residuals that follow are plain evaluations, nothing to extrapolate
    return matrix.toarray()


def difference_tangent(sim: Simulation, y: Array, h: float = 1e-3) -> Array:
    """The same by central differences of fourth order: error h^4 times a fifth derivative, about 1e-12."""
    size = len(y)
    out, f = np.empty((size, size)), np.empty((4, size))
    for j, e in enumerate(np.eye(size)):
        for row, k in zip(f, (-2, -1, 1, 2), strict=True):
            sim.scheme.residual(y + k * h * e, row)
        out[:, j] = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h)
    return out


def tangent_error(sim: Simulation, y: Array, h: float = 1e-3) -> float:
    """Largest error of a tangent's entry over the largest entry of its row, against differences over h."""
    exact = difference_tangent(sim, y, h)
    return float((np.abs(tangent(sim, y) - exact) / np.abs(exact).max(axis=1, keepdims=True)).max())


def rigid_step(sim: Simulation, rng: np.random.Generator, size: float = 1.0) -> tuple[Array, Array]:
    """Fill the unknowns of all free nodes with one finite rigid motion that spins and moves on at the step's end.

    Returns the rotation (3, 3) and the displacement (3,) of the origin.
    """
    workspace, state = sim.scheme.workspace, sim.state
    b, e, shift, rate = size * rng.normal(size=(4, 3))
    mu = rotation_factor.in_python(b @ b)  # the scheme's: beyond 2 rad it is not that of |b| to round-off
    theta = (1 + mu * b @ b) * b + 2 * mu * np.cross(b, e)
    angle = 2 * float(np.arctan(0.5 * np.linalg.norm(theta)))
    turn = rotation_from_vector(angle * theta / np.linalg.norm(theta))
    spin = turn @ (b + e)
    for n in range(workspace.n):
        moved = turn @ state.u[n]
        a = moved + shift - state.u[n]
        workspace.x[n] = np.concatenate(
            [a, state.r[n].T @ b, rate + np.cross(spin, moved) - a, state.r[n].T @ e]
        )
    return turn, shift


# -- hypothesis ------------------------------------------------------------------------------------------------

# the same examples in every run; no deadline, as the first example compiles
seeded = settings(derandomize=True, deadline=None, max_examples=100)


def _direction(cylinder: tuple[float, float]) -> Array:
    z, phi = cylinder
    rho = np.sqrt(max(1 - z * z, 0.0))
    return np.array([rho * np.cos(phi), rho * np.sin(phi), z])


directions = st.tuples(st.floats(-1, 1), st.floats(-np.pi, np.pi)).map(_direction)
near_zero = st.floats(-12, -1).map(lambda power: 10.0**power)
angles = st.one_of(
    st.floats(0, np.pi), near_zero, near_zero.map(lambda gap: np.pi - gap), st.sampled_from([0.0, np.pi])
)
rotation_vectors = st.tuples(angles, directions).map(lambda pair: pair[0] * pair[1])
vectors = st.tuples(*[st.floats(-3, 3)] * 3).map(np.array)
