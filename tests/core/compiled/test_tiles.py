"""Tests of loops in tiles: every row once, no node before or after its time, the same bits as without tiles."""

from collections.abc import Iterator

import numpy as np
import pytest

from fem_mbd import Model, NewtonOptions, Simulation, StepControl
from fem_mbd.core.compiled import threads
from fem_mbd.core.compiled.calls import OF_NODES, Call, Split
from fem_mbd.core.compiled.threads import Loop, Range, in_tiles, inside, outside
from fem_mbd.core.scheme.array_kernels import copy
from fem_mbd.elements import Beam, Section

SECTION = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))
NODES = 200


def parts(random: np.random.Generator, far: int) -> np.ndarray:
    """(rows, 3) nodes of parts in the order of their first node, the others at most ``far`` away; some are missing."""
    first = np.sort(random.integers(0, NODES, size=300))
    others = first[:, None] + random.integers(-far, far + 1, size=(300, 2))
    others = np.where(random.random(others.shape) < 0.1, -1, np.clip(others, 0, NODES - 1))
    return np.column_stack([first, others])


def loops_over(members: list[np.ndarray]) -> list[Loop]:
    """Loops over nodes, parts, nodes, parts, nodes; a row of their arguments is its own number."""
    found = []
    for of in [None, *(one for some in members for one in (some, None))]:
        rows = np.arange(NODES if of is None else len(of), dtype=float)
        split = Split((0, 1), OF_NODES if of is None else of)
        found.append(Loop(Call(copy, rows, np.zeros_like(rows), split=split), NODES))
    return found


def made(loops: list[Loop], calls: list[Call]) -> Iterator[tuple[int, int]]:
    """The loop and the row of each iteration, in order."""
    sizes = {id(loop.call.arguments[0]): k for k, loop in enumerate(loops)}
    for call in calls:
        base = call.arguments[0]
        number = sizes[id(base if base.base is None or id(base) in sizes else base.base)]
        yield from ((number, int(row)) for row in base)


def check_order(loops: list[Loop], iterations: list[tuple[int, int]]) -> None:
    """Each row of each loop once, and the loops at each node one after the other."""
    assert sorted(iterations) == [(k, row) for k, loop in enumerate(loops) for row in range(loop.rows)]
    latest = np.zeros(NODES, dtype=int)
    for number, row in iterations:
        of = loops[number].call.split.nodes  # type: ignore[union-attr]
        nodes = [row] if of is OF_NODES else [n for n in of[row] if n >= 0]
        assert (latest[nodes] <= number).all(), (number, row)
        latest[nodes] = number


@pytest.mark.parametrize("far", [1, 10, NODES])
def test_each_node_sees_the_loops_in_their_order(far: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "TILE", 16)
    random = np.random.default_rng(far)
    loops = loops_over([parts(random, far), parts(random, far)])
    whole = Range(0, NODES)
    calls = in_tiles(loops, inside(loops, whole), whole)
    assert len(calls) > (10 if far < NODES else 4)
    order = list(made(loops, calls))
    check_order(loops, order)
    for number in range(len(loops)):
        rows = [row for k, row in order if k == number]
        assert rows == sorted(rows)


@pytest.mark.parametrize("far", [1, 10, NODES])
def test_ranges_of_nodes_are_independent(far: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any order, with what is outside of them behind."""
    monkeypatch.setattr(threads, "TILE", 16)
    random = np.random.default_rng(far)
    loops = loops_over([parts(random, far), parts(random, far)])
    ranges = [Range(50 * k, 50 * k + 50) for k in range(4)]
    rows = [inside(loops, one) for one in ranges]
    calls = [call for k in (2, 0, 3, 1) for call in in_tiles(loops, rows[k], ranges[k])]
    check_order(loops, list(made(loops, [*calls, *outside(loops, rows)])))


def test_a_run_in_tiles_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(gravity=(0, 0, -9.81))
    beam = model.add(Beam(SECTION, (0, 0, 0), (0, 1, 1), elements=100, order=2))
    model.add(Beam(SECTION, beam.end, (1, 2, 2), elements=50, order=3, up=(0, -1, 1)))
    model.fix(beam.start)

    def final() -> tuple[np.ndarray, int]:
        sim = Simulation(model, 0.02, StepControl.fixed(1e-3), newton=NewtonOptions())
        list(sim.steps())
        return sim.state.to_flat(), len(sim.scheme.calls.residual)

    whole, calls = final()
    monkeypatch.setattr(threads, "MIN_ROWS", 10)
    monkeypatch.setattr(threads, "TILE", 16)
    tiled, pieces = final()
    assert pieces > 3 * calls and np.array_equal(whole, tiled)
