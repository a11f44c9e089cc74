"""Tests of loops divided among threads: bitwise the same for any number of them, errors, parallel simulations."""

import ctypes
import threading
import time

import numpy as np
import pytest

from fem_mbd import InputError, Model, NewtonOptions, Simulation, StepControl
from fem_mbd.core.compiled import threads
from fem_mbd.core.compiled.calls import OF_NODES, Call, CallList, ForeignCall, Split
from fem_mbd.core.compiled.threads import Parallel, divided
from fem_mbd.core.scheme.array_kernels import clear, copy
from fem_mbd.elements import Beam, Section

SECTION = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))


def tree(elements: int = 25) -> Model:
    """A trunk that forks: elements of three nodes and of two."""
    model = Model(gravity=(0, 0, -9.81))
    trunk = model.add(Beam(SECTION, (0, 0, 0), (0, 1, 1), elements=elements, order=3))
    for side in (-1.0, 1.0):
        model.add(Beam(SECTION, trunk.end, (side, 2, 2), elements=elements, order=2, up=(0, -1, 1)))
    model.fix(trunk.start)
    return model


def final(count: int, linear_solver: str = "block", compiled: bool = True) -> tuple[np.ndarray, int]:
    options = NewtonOptions(threads=count, linear_solver=linear_solver, compiled=compiled)
    sim = Simulation(tree(), 0.02, StepControl.fixed(1e-3), newton=options)
    for record in sim.steps():
        assert abs(record.energy[-1]) < 1e-11 * sim.energy_scale
    return sim.state.to_flat(), sum(isinstance(task, Parallel) for task in sim.scheme.calls.tangent)


@pytest.mark.parametrize(
    ("solver", "compiled"), [("block", True), ("lu", True), ("lu", False), ("mumps", True)]
)
def test_any_number_of_threads_gives_the_same_bits(
    solver: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "MIN_ROWS", 10)
    monkeypatch.setattr(threads, "TILE", 8)
    one, undivided = final(1, solver, compiled)
    two, sections = final(2, solver, compiled)
    assert undivided == 0 and sections == 1
    assert np.array_equal(two, final(3, solver, compiled)[0])
    assert np.array_equal(two, final(2, solver, compiled)[0])
    # sums in another order; Newton ends at 1e-10 of a step's motion
    np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-8 * float(np.abs(one).max()))


def test_pieces_that_add_to_the_same_node_are_not_made_at_the_same_time() -> None:
    random = np.random.default_rng(1)
    nodes = random.integers(0, 300, size=(40, 3))
    pieces = [np.unique(nodes[k : k + 5]) for k in range(0, 40, 5)]
    groups = threads._colours(pieces)
    assert sorted(k for group in groups for k in group) == list(range(8))
    for group in groups:
        together = np.concatenate([pieces[k] for k in group])
        assert len(np.unique(together)) == len(together)
    chain = [np.arange(10 * k, 10 * k + 11) for k in range(6)]
    assert threads._colours(chain) == [[0, 2, 4], [1, 3, 5]]


def test_loops_over_nodes_and_parts_share_a_section() -> None:
    a, b, c = np.ones(2000), np.zeros(2000), np.zeros(3000)
    tasks = [
        Call(copy, a, b, split=Split((0, 1), OF_NODES)),
        Call(clear, a, split=Split((0,), OF_NODES)),
        Call(clear, c, split=Split((0,))),
        Call(clear, np.zeros(10), split=Split((0,))),
        Call(clear, np.zeros(2000)),
    ]
    found = divided(tasks, 2)
    assert [type(task) for task in found] == [Parallel, Parallel, Call, Call]
    for task in found:
        task()
    assert (b == 1.0).all() and (a == 0.0).all()


def fail() -> None:
    raise ValueError("from a thread")


def test_what_a_thread_raises_is_raised_by_the_list() -> None:
    parallel = Parallel([[[Call(clear, np.ones(5))], [fail]]], 2)
    with pytest.raises(ValueError, match="from a thread"):
        parallel()
    with pytest.raises(ValueError, match="from a thread"):
        CallList([parallel])()


@pytest.mark.parametrize("free", [True, False])
def test_python_runs_while_calls_are_made_free(free: bool) -> None:
    """A list sleeps in C, then clears a number: a list that holds Python's lock lets nobody see it before."""
    number = np.ones(1)
    usleep = ctypes.cast(ctypes.CDLL(None).usleep, ctypes.c_void_p).value or 0
    calls = CallList([ForeignCall(usleep, 900_000), ForeignCall(usleep, 900_000), Call(clear, number)])
    thread = threading.Thread(target=calls.run_without_gil if free else calls)
    thread.start()
    time.sleep(0.3)
    seen = number[0]
    thread.join()
    assert (seen, number[0]) == (1.0 if free else 0.0, 0.0)


def test_two_simulations_in_two_threads_are_those_of_one() -> None:
    expected = final(1)[0]
    found: dict[int, np.ndarray] = {}
    workers = [threading.Thread(target=lambda k=k: found.update({k: final(1)[0]})) for k in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert np.array_equal(found[0], expected) and np.array_equal(found[1], expected)


def test_number_of_threads_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEM_MBD_THREADS", "2")
    assert NewtonOptions().threads == 2
    for wrong in ("0", "two", "-1", ""):
        monkeypatch.setenv("FEM_MBD_THREADS", wrong)
        with pytest.raises(InputError, match="environment variable FEM_MBD_THREADS is"):
            NewtonOptions()
    with pytest.raises(InputError, match="NewtonOptions threads is 0"):
        NewtonOptions(threads=0)
