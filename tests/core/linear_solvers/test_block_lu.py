"""Tests of the block LU in place: fill, solutions against SciPy, failures, memory."""

import tracemalloc
from collections import OrderedDict

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.linalg import spsolve

from fem_mbd import InputError, Model, NewtonOptions, Simulation, StepControl
from fem_mbd.core.linear_solvers import block_lu
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import Beam, RigidBody, Section
from fem_mbd.joints import Revolute, Spherical, Universal

SECTION = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))


def chain(order: int = 2, elements: int = 6) -> Model:
    """A flexible beam on a spherical support."""
    model = Model(gravity=(0, 0, -9.81))
    beam = model.add(Beam(SECTION, (0, 0, 0), (2, 0, 0), elements=elements, order=order))
    model.fix(beam.start, rotation=False)
    return model


def hinged() -> Model:
    """Two beams on a hinge: the constraints' multipliers are eliminated before the nodes beyond."""
    model = chain()
    second = model.add(Beam(SECTION, (2, 0, 0), (3, 0, 0), elements=3, order=2))
    model.add(Revolute(model.parts[0].end, second.start, at=(2, 0, 0), axis=(0, 1, 0)))
    return model


def tree() -> Model:
    """A trunk with two branches."""
    model = Model(gravity=(0, 0, -9.81))
    trunk = model.add(Beam(SECTION, (0, 0, 0), (0, 0, 1), elements=4, order=2))
    for side in (-1.0, 1.0):
        model.add(Beam(SECTION, trunk.end, (side, 0, 2), elements=3, order=2, up=(0, 1, 0)))
    model.fix(trunk.start)
    return model


def ring() -> Model:
    """A square of beams, whose elimination causes fill."""
    model = Model(gravity=(0, 0, -9.81))
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
    nodes = [model.node(corner) for corner in corners]
    for a, b in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
        model.add(Beam(SECTION, a, b, elements=3, order=2))
    return model


def closed() -> Model:
    """A four-bar mechanism of beams and a body: joints with six to ten unknowns, one of them in a loop."""
    model = Model(gravity=(0, 0, -9.81))
    first = model.add(Beam(SECTION, (0, 0, 0), (0, 0, 1), elements=2, order=2))
    second = model.add(Beam(SECTION, (0, 0, 1), (1, 0, 1), elements=2, order=3))
    body = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), (1, 0, 0.5)))
    model.add(Revolute(model.ground, first.start, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(first.end, second.start, at=(0, 0, 1), axis=(0, 1, 0)))
    model.add(Spherical(second.end, body, at=(1, 0, 1)))
    model.add(Universal(model.ground, body, at=(1, 0, 0), axis_k=(0, 1, 0), axis_l=(1, 0, 0)))
    return model


@pytest.mark.parametrize(
    ("model", "fills"),
    [
        (chain(), False),
        (chain(4), False),
        (tree(), False),
        (ring(), True),
        (hinged(), True),
        (closed(), True),
    ],
)
def test_fill_is_that_of_symbolic_elimination(
    model: Model, fills: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_fill, without = entries(model, monkeypatch), entries(model, monkeypatch, dense=0.0)
    filled = without.copy()
    for k in range(len(filled)):
        later = np.flatnonzero(filled[k + 1 :, k]) + k + 1
        filled[np.ix_(later, later)] = True
    assert bool((filled & ~without).any()) is fills
    assert np.array_equal(filled, with_fill)


def entries(model: Model, monkeypatch: pytest.MonkeyPatch, dense: float = 1e9) -> np.ndarray:
    """Which entries the matrix has, (size, size); ``dense`` : work for an unknown up to which its fill is included."""
    monkeypatch.setattr("fem_mbd.core.scheme.matrix_structure.MIN_SPARSE_WORK", dense)
    monkeypatch.setattr("fem_mbd.core.scheme.matrix_structure._cache", OrderedDict())
    system = System(model, filled=True)
    found = np.zeros((system.size, system.size), dtype=bool)
    found[np.repeat(np.arange(system.size), np.diff(system.indptr)), system.indices] = True
    return found


@pytest.mark.parametrize("model", [chain(), chain(4), tree(), ring(), hinged(), closed()])
def test_solution_is_that_of_another_factorisation(model: Model) -> None:
    system = System(model, filled=True)
    random = np.random.default_rng(3)
    values = random.normal(size=len(system.indices))
    values[system.pattern.diagonal] += 30.0  # no pivots needed
    matrix = csr_matrix((values.copy(), system.indices, system.indptr))
    right, y, failed = random.normal(size=system.size), np.zeros(system.size), np.zeros(1, dtype=np.int32)
    own = BlockLU(system.pattern, values, failed)
    for call in [*own.factorise(), *own.solve(right, y)]:
        call()
    assert failed[0] == 0
    assert y == pytest.approx(spsolve(csc_matrix(matrix), right), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("model", [chain(), chain(4), tree(), ring(), hinged(), closed()])
def test_kept_factors_are_rounded_to_single_precision(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """And only those: with ``kept`` zero the same calls solve in double precision."""
    monkeypatch.setattr(block_lu, "SINGLE_PRECISION_BYTES", 0.0)
    system = System(model, filled=True)
    random = np.random.default_rng(3)
    values, kept = np.empty(len(system.indices)), np.zeros(1, dtype=np.int64)
    right, y = random.normal(size=system.size), np.zeros(system.size)
    own = BlockLU(system.pattern, values, kept=kept)
    calls = [*own.factorise(), *own.solve(right, y)]
    largest = []
    for single in (0, 1, 0):
        values[:] = random.normal(size=len(values))
        values[system.pattern.diagonal] += 30.0  # no pivots needed, and a condition number near one
        expected = spsolve(csc_matrix(csr_matrix((values.copy(), system.indices, system.indptr))), right)
        kept[0] = single
        for call in calls:
            call()
        largest.append(np.abs(y - expected).max() / np.abs(expected).max())
    rounding = float(np.finfo(np.float32).eps)
    assert largest[0] < 1e-13 and largest[2] < 1e-13
    assert 1e-3 * rounding < largest[1] < 10 * rounding


def test_runs_with_rounded_factors_end_in_the_same_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains, trees and joints, whose steps fulfil the same tests of convergence and of the energy balance."""
    for model in (chain(), tree(), hinged()):
        double = final(model, reuse=True)[1]
        with monkeypatch.context() as patched:
            patched.setattr(block_lu, "SINGLE_PRECISION_BYTES", 0.0)
            single = final(model, reuse=True)[1]
        assert not np.array_equal(double, single)
        assert single == pytest.approx(double, rel=1e-8, abs=1e-8 * float(np.abs(double).max()))


def test_a_zero_pivot_is_reported() -> None:
    system = System(chain())
    values, failed = np.zeros(len(system.indices)), np.zeros(1, dtype=np.int32)
    for call in BlockLU(system.pattern, values, failed).factorise():
        call()
    assert failed[0] == 1


def final(model: Model, **options: object) -> tuple[Simulation, np.ndarray]:
    sim = Simulation(model, 0.04, StepControl.fixed(2e-3), newton=NewtonOptions(**options))  # type: ignore[arg-type]
    for record in sim.steps():
        assert abs(record.energy[-1]) < 1e-11 * sim.energy_scale
    return sim, sim.state.to_flat()


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize("model", [chain, tree, ring, hinged, closed])
def test_runs_are_those_with_petsc(model, reuse: bool) -> None:
    sim, own = final(model(), linear_solver="block", reuse=reuse)
    assert sim.solver.linear.in_place
    _, expected = final(model(), linear_solver="lu", reuse=reuse)
    # Newton ends at 1e-10 of a step's motion
    np.testing.assert_allclose(own, expected, rtol=1e-8, atol=1e-8 * float(np.abs(expected).max()))


def test_automatic_unless_elimination_fills_much(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Simulation(ring(), 1e-3, StepControl.fixed(1e-3)).solver.linear.in_place
    entries(ring(), monkeypatch, dense=0.0)
    assert not Simulation(ring(), 1e-3, StepControl.fixed(1e-3)).solver.linear.in_place
    assert Simulation(chain(), 1e-3, StepControl.fixed(1e-3)).solver.linear.in_place


def test_a_failed_factorisation_is_repeated_by_petsc(monkeypatch: pytest.MonkeyPatch) -> None:
    """PETSc then reads the values of a fresh tangent, not incomplete factors."""
    monkeypatch.setattr("fem_mbd.core.newton.newton_solver.BlockLU", Failing)
    sim, there = final(chain(), linear_solver="block")
    _, expected = final(chain(), linear_solver="lu")
    assert sim.counters["rejected"] == 0
    np.testing.assert_allclose(there, expected, rtol=1e-8, atol=1e-8 * float(np.abs(expected).max()))


class Failing(BlockLU):
    """Factorises and reports a zero pivot."""

    def factorise(self) -> list:
        def fail() -> None:
            self.failed[0] = 1

        return [*super().factorise(), fail]


def test_models_with_much_fill_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    entries(ring(), monkeypatch, dense=0.0)
    with pytest.raises(InputError, match=r"too much fill in the matrix of this model .*: give 'auto'"):
        Simulation(ring(), 1e-3, StepControl.fixed(1e-3), newton=NewtonOptions(linear_solver="block"))
    with pytest.raises(InputError, match="needs the compiled iteration"):
        NewtonOptions(linear_solver="block", compiled=False)


def test_memory_of_a_large_chain_is_15_kb_for_an_element() -> None:
    """Model, matrix with its factors, and the arrays of a step; 37 kB with a model of objects and PETSc's factors."""
    elements = 2000
    final(chain(elements=100), linear_solver="block")  # kernels are compiled, those for many nodes too
    tracemalloc.start()
    model = Model(gravity=(0, 0, -9.81))
    beam = model.add(Beam(SECTION, (0, 0, 0), (10, 0, 0), elements=elements, order=2))
    model.fix(beam.start)
    sim = Simulation(model, 2e-3, StepControl.fixed(1e-3), newton=NewtonOptions(linear_solver="block"))
    assert [record.newton_iterations > 0 for record in sim.steps()] == [True, True]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15_000 * elements
