"""Tests of the matrix pattern by blocks, against one computed entry by entry."""

import numpy as np
import pytest

from fem_mbd import Model
from fem_mbd.core.scheme.matrix_pattern import Pattern
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import Beam, RigidBody, Section
from fem_mbd.joints import Revolute, Spherical

SECTION = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))


def mechanism() -> Model:
    """Beams of two and four nodes, a body, joints among them and to the ground, a node that can only turn."""
    model = Model(gravity=(0, 0, -9.81))
    first = model.add(Beam(SECTION, (0, 0, 0), (1, 0, 0), elements=3, order=2))
    second = model.add(Beam(SECTION, (1, 0, 0), (1, 1, 0), elements=2, order=4))
    body = model.add(RigidBody(2.0, (1.0, 1.0, 1.0), (1, 2, 0)))
    model.fix(first.start, rotation=False)
    model.add(Revolute(first.end, second.start, at=(1, 0, 0), axis=(0, 0, 1)))
    model.add(Spherical(second.end, body, at=(1, 1, 0)))
    model.add(Revolute(model.ground, body, at=(1, 2, 0), axis=(1, 0, 0)))
    return model


def dense(system: System) -> np.ndarray:
    """Which entries there are: all pairs of the unknowns of a part, and of a node, and the diagonal."""
    found = np.eye(system.size, dtype=bool)
    groups = [list(row) for row in system.equation]
    for kind in system.kinds:
        for nodes, first, count in zip(kind.nodes, kind.first_row, kind.multipliers, strict=True):
            own = [system.equation[n] for n in nodes if n >= 0]
            groups.append([*np.concatenate(own), *system.constraint_equation[first : first + count].ravel()])
    for group in groups:
        there = [row for row in group if row >= 0]
        found[np.ix_(there, there)] = True
    return found


def test_pattern_is_that_of_all_pairs_of_unknowns() -> None:
    system = System(mechanism())
    pattern, expected = system.pattern, dense(system)
    rows = np.repeat(np.arange(system.size), np.diff(pattern.indptr))
    assert np.array_equal(np.argwhere(expected), np.column_stack([rows, pattern.indices]))
    assert np.array_equal(rows[pattern.diagonal], pattern.indices[pattern.diagonal])


def test_places_of_parts_lead_to_their_unknowns() -> None:
    """Both ways to tell them: every pair, or where a node begins in a row."""
    system = System(mechanism())
    pattern = system.pattern
    rows = np.repeat(np.arange(system.size), np.diff(pattern.indptr))
    nodes = system.kinds[0].nodes
    equations = system.equation[nodes].reshape(len(nodes), -1)
    slots, by_row = pattern.slots(nodes, nodes.shape[1]), pattern.row_slots(nodes)
    for part, row, col in np.ndindex(slots.shape):
        there = equations[part, row] >= 0 and equations[part, col] >= 0
        place = slots[part, row, col]
        assert (place < pattern.dump) == there
        if there:
            assert (rows[place], pattern.indices[place]) == (equations[part, row], equations[part, col])
            at, inside = by_row[part, row, col // 12], pattern.column[nodes[part, col // 12], col % 12]
            assert at + inside == place
    held = by_row[equations < 0]
    assert held.size and (held == pattern.dump).all()


def test_what_is_held_altogether_has_no_block() -> None:
    equation = np.array([[-1] * 12, list(range(12))])
    pattern = Pattern(equation, np.zeros((0, 2), dtype=np.int64), [np.array([[0, 1]])])
    assert pattern.first.tolist() == [0] and pattern.size.tolist() == [12]
    assert np.array_equal(pattern.indices.reshape(12, 12), np.tile(np.arange(12), (12, 1)))


@pytest.mark.parametrize("pieces", [1, 10_000])
def test_pieces_do_not_show(pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = System(mechanism())
    monkeypatch.setattr("fem_mbd.core.scheme.matrix_pattern.CHUNK_ENTRIES", pieces)
    again = System(mechanism())
    assert np.array_equal(whole.indices, again.indices)
    for one, other in zip(whole.kinds, again.kinds, strict=True):
        assert np.array_equal(one.slots, other.slots)
