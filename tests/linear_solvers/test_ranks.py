"""Runs that several ranks of MPI share: the numbers of a run alone, whatever the number of ranks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fem_mbd import Model, NewtonOptions, Simulation, StepControl
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.linear_solvers.ranks import Alone
from fem_mbd.scheme.share import Share
from fem_mbd.scheme.state import State
from fem_mbd.scheme.system import System
from fem_mbd.scheme.tdg import Scheme
from tests.linear_solvers.ranks_program import MODELS
from tests.mpi_tools import mpiexec

PROGRAM = str(Path(__file__).with_name("ranks_program.py"))


@pytest.mark.slow
def test_shared_runs_end_where_runs_alone_do(tmp_path: Path) -> None:
    """Models: chain with joints, lattice, contact and given motion; kept factorisations; compiled loop and SNES."""
    done = mpiexec(2, PROGRAM, folder=tmp_path)  # more ranks than processors wait for each other for minutes
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == 12
    assert max(found.values()) < 1e-10, found


def share_of(system: System, rank: int) -> Share:
    """Of a rank that does not hear of the others."""
    return Share(system, rank, lambda bounds: lambda array: lambda: None)


def shares(name: str, ranks: int) -> tuple[Scheme, list[Scheme], list[Share]]:
    """The scheme of a run alone and those of its ranks, all numbered alike, in a state that moves."""
    rng = np.random.default_rng(1)
    systems = [System(MODELS[name](), ranks=ranks) for _ in range(ranks + 1)]
    states: list[State] = [system.reference_state() for system in systems]
    v, omega = rng.normal(size=states[0].v.shape), rng.normal(size=states[0].omega.shape)
    for system, state in zip(systems, states, strict=True):
        free = system.equation[:, :6] >= 0
        state.v[:], state.omega[:] = v * free[:, :3], omega * free[:, 3:]
    parts = [share_of(system, k) for k, system in enumerate(systems[1:])]
    schemes = [Scheme(*each[:2], share=each[2]) for each in zip(systems[1:], states[1:], parts, strict=True)]
    return Scheme(systems[0], states[0]), schemes, parts


@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize("name", MODELS)
def test_equations_and_tangent_of_each_rank_are_those_of_a_run_alone_to_the_last_bit(
    name: str, ranks: int
) -> None:
    whole, schemes, parts = shares(name, ranks)
    for scheme in (whole, *schemes):
        y = scheme.begin(1e-3)
        f = np.zeros_like(y)
        for _ in range(2):  # the second time with extrapolated stresses, and values to be cleared
            scheme.residual(y, f)
            scheme.tangent()
            y = y * 1.01
        scheme.residual(y, f)
    size, indptr = whole.system.size, whole.system.indptr
    covered = np.zeros(size, dtype=int)
    for k, (scheme, share) in enumerate(zip(schemes, parts, strict=True)):
        first, behind = (int(b) for b in share.bounds[k : k + 2])
        covered[first:behind] += 1
        own = slice(int(indptr[first]), int(indptr[behind]))
        assert (scheme.calls.f[first:behind] == whole.calls.f[first:behind]).all()
        assert (scheme.calls.values[own] == whole.calls.values[own]).all()
        assert (scheme.calls.diagonal[first:behind] == whole.calls.diagonal[first:behind]).all()
        scheme.calls.y[:] = whole.calls.y
        assert (scheme.ledger() == whole.ledger()).all()
    assert (covered == 1).all()


def test_each_rank_has_about_as_many_entries() -> None:
    _, schemes, parts = shares("lattice", 4)
    entries = np.diff(schemes[0].system.indptr[parts[0].bounds])
    assert entries.max() < 1.25 * entries.mean()


def test_more_ranks_than_parts_are_refused() -> None:
    system = System(MODELS["chain"](), ranks=15)
    with pytest.raises(InputError, match=r"15 ranks for model 'chain' of 14 parts .* start 14 at most"):
        share_of(system, 0)


def test_ranks_that_were_not_started_are_refused() -> None:
    model = Model()
    model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0)))
    with pytest.raises(InputError, match="ranks is 2, but the processes started for this run are 1"):
        Simulation(model, StepControl.fixed(1e-3), 1.0, NewtonOptions(ranks=2))
    with pytest.raises(InputError, match="2 threads in each of 2 ranks"):
        NewtonOptions(ranks=2, threads=2)
    with pytest.raises(InputError, match="ranks"):
        NewtonOptions(ranks=0)


def test_a_run_alone_agrees_with_itself() -> None:
    alone = Alone()
    assert alone.first and alone.size == 1 and alone.largest(3.0) == 3.0
    alone.check_together(1.0)
