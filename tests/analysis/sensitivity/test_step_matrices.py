"""Matrices of a step against its own kernels with dual numbers along any direction, and many parameters by few."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.analysis.sensitivity.adjoint import Rows, adjoint_gradients
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.forward import tangents
from fem_mbd.analysis.sensitivity.parameters import ParameterColumns
from fem_mbd.analysis.sensitivity.recorded_run import StateVector
from fem_mbd.analysis.sensitivity.rows import Entities, Numbers, grouped
from fem_mbd.analysis.sensitivity.setup import Build, SetUp, made
from fem_mbd.analysis.sensitivity.step_matrices import STATE, UNKNOWN, StepMatrices
from fem_mbd.analysis.sensitivity.stretch import linearising
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.rotations import skew
from fem_mbd.elements import Beam, Material, PointMass, Section
from fem_mbd.joints import Clamp
from tests.analysis.sensitivity.replay import of_case, path_of
from tests.analysis.sensitivity.test_forward import CASES, _chain, _four_bars

pytestmark = pytest.mark.filterwarnings("ignore::fem_mbd.errors.FemMbdWarning")
BUILT = {
    **{name: of_case(case, given, list(shares)) for name, (case, given, shares) in CASES.items()},
    "redundant": (_four_bars, {"length": 0.5}),
    "chain": (_chain, {"mass": 0.3, "damping": 1e-3}),
    "shape damping": of_case("nrel5mw_turbine", ["end_time=0.1", "elements=2"], ["rotor_speed"]),
}


def _at_last_step(build: Build, values: Mapping[str, float]) -> tuple[StepMatrices, csr_matrix]:
    """Matrices of the last step of a run, and the one that its solver has."""
    path, plain = path_of(build, values), build(values)
    calls, clock = plain.scheme.calls, plain.scheme.workspace.clock
    for k, unknowns in enumerate(path.unknowns):
        clock[:] = path.clocks[k]
        start = StateVector(plain).get()
        CallList(calls.begin)()
        calls.y[:] = unknowns
        CallList(linearising(plain) if k == len(path) - 1 else [*calls.residual, *calls.accept])()
    found = StepMatrices(made(build, values))
    found.start[:], found.clock[:], found.unknowns[:] = start, path.clocks[-1], path.unknowns[-1]
    CallList(found.calls())()
    system = plain.system
    return found, csr_matrix((calls.values, system.indices, system.indptr), (system.size, system.size))


def _along(matrices: StepMatrices, scheme: DualScheme, state: Array, unknowns: Array) -> tuple[Array, Array]:
    """Derivatives of the equations and of the end of the step along directions (numbers, 7) and (size, 7)."""
    numbers, simulation = matrices.numbers, scheme.simulation
    own, work, duals = simulation.state, simulation.scheme.workspace, scheme.shadow.duals
    CallList(matrices._state.put(scheme, np.zeros(numbers.size, dtype=np.int64)))()
    nodes = state[numbers.of_nodes].reshape(-1, 12, 7)
    turned = np.einsum(
        "nij,njkl->nikl", duals(own.r)[..., 0], np.moveaxis(skew(np.moveaxis(nodes[:, 3:6], 2, 1)), 1, 3)
    )
    duals(own.u)[..., 1:] = duals(work.q_i)[:, 0, :, 1:] = nodes[:, :3]
    duals(own.r)[..., 1:] = duals(work.r_i)[..., 1:] = turned
    duals(work.q_i)[:, 1:, :, 1:] = np.swapaxes(turned, 1, 2)
    duals(own.v)[..., 1:], duals(own.omega)[..., 1:] = nodes[:, 6:9], nodes[:, 9:]
    for stored, (k, place) in zip(own.history, numbers.of_histories, strict=True):
        for one in (stored, simulation.system.kinds[k].history):
            target = duals(one)
            target[..., 1:] = state[place].reshape(target[..., 1:].shape)
    CallList(scheme.calls["begin"])()
    scheme.y[:, 0], scheme.y[:, 1:] = matrices.unknowns, unknowns
    CallList(scheme.calls["residual"])()
    equations = scheme.f[:, 1:].copy()
    CallList([*scheme.calls["accept"], *matrices._state.take(scheme)])()
    return equations, matrices._state.end.reshape(-1, 8)[:, 1:].copy()


@pytest.mark.parametrize("name", BUILT)
def test_products_are_derivatives_along_any_direction(name: str) -> None:
    """Every kind of part in the cases: a row that a column does not reach, or shares with another one, would show."""
    build, values = BUILT[name]
    matrices, assembled = _at_last_step(build, values)
    numbers, random = matrices.numbers, np.random.default_rng(5)
    state = random.normal(size=(numbers.size, 7))
    state[:12] = state[numbers.of_reactions] = 0.0  # the ground stays, and no equation reads reactions
    unknowns = random.normal(size=(len(matrices.unknowns), 7))
    equations, ends = _along(matrices, DualScheme(made(build, values)), state, unknowns)
    by_unknowns = assembled if matrices.exact else matrices.equations[UNKNOWN].scipy
    by_state, of_ends = matrices.equations[STATE].scipy, [one.scipy for one in matrices.ends]
    moves = np.ones(numbers.size, dtype=bool)
    moves[numbers.of_reactions] = False
    for found, products, sizes, allowed in (
        (
            equations, by_state @ state + by_unknowns @ unknowns,
            abs(by_state) @ abs(state) + abs(by_unknowns) @ abs(unknowns), 1e-9,
        ),
        (
            ends[moves], (of_ends[STATE] @ state + of_ends[UNKNOWN] @ unknowns)[moves],
            (abs(of_ends[STATE]) @ abs(state) + abs(of_ends[UNKNOWN]) @ abs(unknowns))[moves], 1e-7,
        ),
    ):  # fmt: skip
        assert np.abs(products).max() > 0.0
        assert (np.abs(found - products) <= allowed * sizes + 1e-15 * np.abs(products).max()).all()


def test_the_number_of_directions_does_not_grow_with_the_chain() -> None:
    def build(elements: int, _: Mapping[str, float]) -> Simulation:
        model = Model()
        tube = Section.tube(0.01, 0.001, Material(young=70e9, poisson=0.33, density=2700))
        beam = model.add(Beam(tube, (0, 0, 0), (1, 0, 0), elements=elements, order=2))
        model.add(Clamp(model.ground, beam.start))
        return Simulation(model, 1e-3, StepControl.fixed(1e-4))

    short, long = (StepMatrices(made(partial(build, n), {})) for n in (8, 80))
    assert long.directions == short.directions
    # neighbours of a node's neighbours: three groups of six numbers, and one of velocities
    assert (len(long.numbers.by_state()), len(long.numbers.by_velocities())) == (3 * 6, 6)


def test_groups_share_no_entity() -> None:
    reached = [frozenset(one) for one in ({1, 2}, {2, 3}, {3, 4}, {5}, {1, 5})]
    groups = grouped(reached)
    for a, first in enumerate(reached):
        for b, second in enumerate(reached[:a]):
            assert groups[a] != groups[b] or first.isdisjoint(second)
    assert max(groups) == 1


def test_nodes_reach_the_nodes_of_their_parts() -> None:
    system = made(_chain, {"mass": 0.3, "damping": 1e-3}).system
    entities = Entities(system)
    nodes = {one for one in entities.far(5) if one < entities.nodes}
    assert nodes == {4, 5, 6}
    assert {one for one in entities.near(5) if one < entities.nodes} == {5}


def _masses(values: Mapping[str, float]) -> Simulation:
    """A cantilever with several masses on each of some nodes, of a section that all elements share."""
    model = Model(gravity=(0, 0, -9.81))
    tube = Section.tube(0.01, 0.001, Material(young=70e9, poisson=0.33, density=values["density"]))
    beam = model.add(Beam(tube, (0, 0, 0), (1, 0, 0), elements=10, order=2))
    model.add(Clamp(model.ground, beam.start))
    for k in range(30):
        model.add(PointMass(values[f"mass {k}"], node=beam.nodes[1 + k % 10], name=f"mass {k}"))
    return Simulation(model, 2e-3, StepControl.fixed(2e-4))


def test_many_parameters_that_share_numbers() -> None:
    values = {"density": 2700.0} | {f"mass {k}": 0.1 + 1e-3 * k for k in range(30)}
    path = path_of(_masses, values)
    setup = SetUp(_masses, values, {})
    columns = ParameterColumns(setup, Numbers(setup.simulation.system))
    assert sum(len(one.directions) for one in columns.seeded) < 10
    along = tangents(_masses, path, ("position",), values)
    expected = np.array([one.history["position"][-1, 11, 2] for one in along.values()])
    output = Rows({len(path): [("position", np.array([35]), np.ones(1))]})
    found = adjoint_gradients(_masses, path, [output], values)[0][0]
    assert np.abs(expected).min() > 0.0
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
