"""Tests of the block LU on blocks of 12 unknowns: Higham's bound of the residual, invalid pivots.

Source of the bound: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 9.4.
"""

import numpy as np
import pytest

from fem_mbd import Model
from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.elements import Beam, Section

EPS = float(np.finfo(float).eps)
LIMP = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))
# a steel rod 10 mm thick: stiffness against stretching is a million times that against bending
STEEL = Section(np.diag([1.6e7, 6.2e6, 6.2e6, 77.0, 98.0, 98.0]), 0.61, np.diag([7.6e-6, 3.8e-6, 3.8e-6]))


def branched(section: Section, order: int = 2, held: str = "") -> System:
    """A trunk with two branches; fixed at its foot: not at all, its position, or position and rotation."""
    model = Model()
    trunk = model.add(Beam(section, (0, 0, 0), (0, 0, 1), elements=4, order=order))
    for side in (-1.0, 1.0):
        model.add(Beam(section, trunk.end, (side, 0, 2), elements=3, order=order, up=(0, 1, 0)))
    if held:
        model.fix(trunk.start, rotation=held == "all")
    return System(model)


def dense(system: System, values: Array) -> Array:
    """The whole matrix (size, size)."""
    rows = np.repeat(np.arange(system.size), np.diff(system.indptr))
    matrix = np.zeros((system.size, system.size))
    matrix[rows, system.indices] = values
    return matrix


def eliminated(matrix: Array) -> tuple[Array, Array]:
    """L and U without pivoting, columns from left to right."""
    lower, upper = np.eye(len(matrix)), matrix.copy()
    for k in range(len(matrix)):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k]
        upper[k + 1 :] -= np.outer(lower[k + 1 :, k], upper[k])
    return lower, np.triu(upper)


def run(calls: list) -> None:
    for call in calls:
        call()


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("dt", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("section", [LIMP, STEEL], ids=["limp", "steel"])
def test_residual_is_within_the_bound_of_round_off(section: Section, dt: float, order: int) -> None:
    system = branched(section, order, "place")
    scheme = Scheme(system, system.reference_state())
    scheme.residual(scheme.begin(dt), np.empty(system.size))
    values = scheme.tangent().copy()
    matrix = dense(system, values)
    lower, upper = eliminated(matrix)
    right = matrix @ np.random.default_rng(2).normal(size=system.size)
    y, failed = np.zeros(system.size), np.zeros(1, dtype=np.int32)
    own = BlockLU(system.pattern, values, failed)
    run([*own.factorise(), *own.solve(right, y)])
    assert failed[0] == 0
    # a sum has no more products than a row has entries; a division is a product with an inverse, which has an error too
    errors = 3 * (int(np.diff(system.indptr).max()) + 2) * EPS
    bound = errors / (1 - errors) * (np.abs(lower) @ (np.abs(upper) @ np.abs(y)))
    assert (np.abs(right - matrix @ y) <= bound).all()


@pytest.mark.parametrize("pivot", [0.0, 1e-15, np.nan, np.inf])
@pytest.mark.parametrize("place", [0, 7, 8, 11])
def test_an_invalid_pivot_is_reported(place: int, pivot: float) -> None:
    system = branched(LIMP)
    values, failed = np.zeros(len(system.indices)), np.zeros(1, dtype=np.int32)
    values[system.pattern.diagonal] = 1.0
    factorise = BlockLU(system.pattern, values, failed).factorise()
    run(factorise)
    assert failed[0] == 0
    values[:] = 0.0
    values[system.pattern.diagonal] = 1.0
    values[system.pattern.diagonal[24 + place]] = pivot
    run(factorise)
    assert failed[0] == 1
