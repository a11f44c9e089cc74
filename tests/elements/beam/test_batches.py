"""SIMD batches of beam elements: the same numbers as one element after the other, for any number of elements."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.workspace import Forces, Maps, Masses, Motion, Rotations
from fem_mbd.core.scheme.nodes import batches as node_batches, node_kernels
from fem_mbd.elements import Beam, Section
from fem_mbd.elements.beam import batches, forces, tangent as one_by_one

DT = 1e-2


class Elements:
    """Records of elements in a row, each with different numbers, and the node data for their kernels."""

    def __init__(self, nn: int, count: int, viscous: bool, alike: bool = False):
        random = np.random.default_rng(10 * nn + count)
        self.records: Any = np.zeros(count, forces.beam_dtype(nn))
        self.n = n = count * (nn - 1) + 1
        for name in forces.beam_dtype(nn).names or ():
            if name not in ("nodes", "viscous", "viscosity"):
                self.records[name] = random.normal(size=self.records[name].shape)
        self.records["nodes"] = (nn - 1) * np.arange(count)[:, None] + np.arange(nn)
        self.records["offset"][: count // 2] = 0.0
        if alike:
            for name in ("offset", "stiffness"):
                self.records[name] = self.records[name][-1]
        if viscous:  # some of them only
            self.records["viscosity"][::3] = random.normal(size=self.records["viscosity"][::3].shape)
            self.records["viscous"][::3] = 1
        self.numbers = batches.as_numbers(self.records)
        self.q_f, self.p, self.dq, self.dp = random.normal(size=(4, n, 4, 3))
        self.x, self.r_i, self.r_f = (random.normal(size=(n, *shape)) for shape in ((12,), (3, 3), (3, 3)))
        self.spin, self.w_m = random.normal(size=(n, 3, 6)), random.normal(size=(n, 3, 3, 6))
        self.column = np.tile(np.arange(12), (n, 1))
        self.column[0] = -1  # held
        self.column[n // 2] = [0, 1, 2, -1, 3, 4, 5, 6, 7, -1, 8, 9]  # in part
        self.slots, self.node_slots, self.size = self._places(nn)

    def _places(self, nn: int) -> tuple[Any, Any, int]:
        """A dense matrix of all unknowns; entries of fixed ones are stored after it."""
        free = (self.column >= 0).sum(axis=1)
        first = np.cumsum(free) - free
        size = int(free.sum())
        row = np.where(self.column >= 0, first[:, None] + self.column, -1)
        at = np.where(row[:, :, None] >= 0, size * row[:, :, None] + first, size * size)
        nodes = self.records["nodes"]
        slots = np.concatenate([at[nodes[:, m]][np.arange(len(nodes))[:, None, None], np.arange(12)[None, :, None],
                                                nodes[:, None, :]] for m in range(nn)], axis=1)  # fmt: skip
        own = at[
            np.arange(self.n)[:, None, None], np.arange(12)[None, :, None], np.arange(self.n)[:, None, None]
        ]
        return slots.astype(np.int32, order="C"), own.astype(np.int32, order="C"), size * size + 1

    def sums(self) -> tuple[Array, Array, Array]:
        return np.ones((self.n, 4, 3)), np.ones((self.n, 4, 3)), np.ones(self.size)


@pytest.mark.parametrize(("nn", "count"), [(2, 1), (2, 8), (2, 21), (3, 7), (4, 10)])
@pytest.mark.parametrize("viscous", [False, True])
@pytest.mark.parametrize("alike", [False, True])
def test_all_kernels(nn: int, count: int, viscous: bool, alike: bool) -> None:
    """Sums of several Gauss points are rounded in another order; nothing else may differ."""
    one, many = Elements(nn, count, viscous, alike), Elements(nn, count, viscous, alike)
    assert (many.numbers.alike > 0) == (alike or count == 1)
    a, b = one.sums(), many.sums()
    forces.residual(one.records, DT, one.q_f, one.p, a[0], a[1])
    batches.residual(many.records, many.numbers, DT, many.q_f, many.p, b[0], b[1])
    for found, expected in zip(b, a, strict=True):
        assert found == pytest.approx(expected, abs=1e-13 * np.abs(expected).max())
    amounts = np.ones((2, 3))
    forces.energies(one.records, DT, one.q_f, one.p, amounts[0])
    batches.energies(many.records, many.numbers, DT, many.q_f, many.p, amounts[1])
    assert amounts[1] == pytest.approx(amounts[0], rel=1e-13)
    assert (amounts[0, :2] != 1.0).all() and (amounts[0, 2] != 1.0) == viscous
    forces.extrapolate(one.records, DT, one.q_f, one.p, one.dq, one.dp)
    batches.extrapolate(many.records, many.numbers, DT, many.q_f, many.p, many.dq, many.dp)
    assert many.records.tobytes() == one.records.tobytes()
    a, b = one.sums(), many.sums()
    for elements, sums, tangent in (
        ((one.records,), a, one_by_one.tangent),
        ((many.records, many.numbers), b, batches.tangent),
    ):
        motion, rotations = Motion(one.q_f, one.q_f, one.p), Rotations(one.x, one.r_f, one.spin)
        maps, lin = Maps(one.w_m, one.w_m, one.w_m, one.w_m), Forces(sums[0], sums[1])
        tangent(*elements, DT, motion, rotations, maps, lin, one.column, one.slots, sums[2])
    for found, expected in zip(b, a, strict=True):
        assert found == pytest.approx(expected, abs=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("count", [1, 7, 16])
def test_tangent_of_nodes(count: int) -> None:
    given = Elements(2, count, viscous=False)
    random = np.random.default_rng(count)
    mass, inertia = random.random(given.n), random.random((given.n, 3, 3))
    found, expected = given.sums()[2], given.sums()[2]
    for tangent, data in ((node_batches.node_tangent, found), (node_kernels.node_tangent, expected)):
        tangent(
            given.x, given.r_i, given.r_f, given.spin, Masses(mass, inertia), Forces(given.q_f, given.p),
            given.column, given.node_slots, data,
        )  # fmt: skip
    assert found == pytest.approx(expected, abs=1e-14 * np.abs(expected).max())
    assert np.abs(found - 1.0).max() > 0.1


@pytest.mark.parametrize("count", [1, 7, 16])
def test_equations_of_nodes(count: int) -> None:
    """To the last bit: how many nodes a model has decides which of the kernels serve."""
    given, random = Elements(2, count, viscous=False), np.random.default_rng(count)
    n, found = given.n, []
    x_i, mass, inertia = random.normal(size=(n, 6)), random.random(n), random.random((n, 3, 3))
    start, gravity = random.normal(size=(n, 12)), np.array([1.0, -2.0, 9.81])
    for kernels_of in (node_batches, node_kernels):
        q_f, p, r_f, rows = np.zeros((n, 4, 3)), np.zeros((n, 4, 3)), np.zeros((n, 3, 3)), start.copy()
        kernels_of.kinematics(given.x, given.r_i, given.q_f, q_f, p, r_f)
        kernels_of.finish_rows(
            given.x, x_i, Masses(mass, inertia), gravity, DT, given.r_i, r_f, Forces(given.dq, given.dp), rows
        )
        found.append(np.concatenate([part.ravel() for part in (q_f, p, r_f, rows)]))
    assert found[0].tobytes() == found[1].tobytes()
    assert np.isfinite(found[0]).all()
    assert (found[0] != 0.0).all()
    assert (rows != start).all()


def test_a_beam_moves_the_same_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bent beam of nine elements, clamped at one end, under gravity."""

    def tip(many: int) -> Array:
        monkeypatch.setattr("fem_mbd.core.scheme.nodes.batches.MIN_NODES", many)
        monkeypatch.setattr("fem_mbd.elements.beam.kind.MIN_BEAMS", many)
        model = Model(gravity=(0, -9.81, 0))
        section = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))
        beam = model.add(Beam(section, (0, 0, 0), (1, 0.2, 0.1), elements=9, order=2, damping=1e-3))
        model.fix(beam.start)
        sim = Simulation(model, 20 * DT, StepControl.fixed(DT))
        for _ in sim.steps():
            pass
        return sim.state.u[beam.end.index]

    each, eight = tip(100), tip(1)
    assert eight == pytest.approx(each, abs=1e-12)
    assert np.abs(each - tip(100)).max() == 0.0
