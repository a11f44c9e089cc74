"""Factorisation times of all linear solvers for chains, trees and lattices of beams, and the choice of "auto".

PETSc's own LU, MUMPS, KLU, and block LU in the place of the matrix ("block") where elimination causes little fill;
SciPy's SuperLU is used without PETSc elsewhere. The matrix is the tangent of a first step of 1 ms, factorised
repeatedly with the same pattern, as in a run.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from benchmarks.comparison.study import Settings
from benchmarks.reports.report import Goal, Report, Table
from fem_mbd import Model, Node
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.linear_solvers.linear_solver import LinearSolver
from fem_mbd.core.linear_solvers.petsc import has_package, petsc
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.elements import Beam, Section

SECTION = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))
DT = 1e-3
PACKAGES = ("petsc", "mumps", "klu")
COLUMNS = (
    "model",
    "unknowns",
    "multiplications/unknown",
    "auto takes",
    *(f"{name}, ms" for name in (*PACKAGES, "block", "superlu")),
)
WITHIN = 1.2  # limit of the time of auto over the fastest


def chain(elements: int) -> Model:
    """Elements end to end."""
    model = Model()
    beam = model.add(Beam(SECTION, (0, 0, 0), (10.0, 0, 0), elements=elements, order=2))
    model.fix(beam.start)
    return model


def tree(levels: int) -> Model:
    """A trunk that forks into two branches at the end of each level, ten elements between forks."""
    model = Model()
    trunk = model.add(Beam(SECTION, (0, 0, 0), (0, 0, 1.0), elements=10, order=2))
    model.fix(trunk.start)
    tips: list[tuple[Node, tuple[float, float, float]]] = [(trunk.end, (0.0, 0.0, 1.0))]
    for level in range(levels):
        tips = [tip for end, place in tips for tip in _fork(model, end, place, level)]
    return model


def _fork(model: Model, start: Node, place: tuple[float, float, float], level: int) -> list[Any]:
    tips = []
    for side in (-1.0, 1.0):
        end = (place[0] + side * 0.5**level, place[1] + 0.1 * side, place[2] + 1.0)
        tips.append((model.add(Beam(SECTION, start, end, elements=10, order=2)).end, end))
    return tips


def lattice(cells: int) -> Model:
    """A plane grid with that many cells in each direction, one element along each edge."""
    model = Model()
    nodes: dict[tuple[int, int], Node] = {}
    edges = [((i, j), (i + 1, j)) for i in range(cells) for j in range(cells + 1)]
    edges += [((i, j), (i, j + 1)) for i in range(cells + 1) for j in range(cells)]
    for a, b in sorted(edges):
        start, end = (nodes.get(k, (float(k[0]), float(k[1]), 0.0)) for k in (a, b))
        beam = model.add(Beam(SECTION, start, end, elements=1, order=2))
        nodes.setdefault(a, beam.start)
        nodes.setdefault(b, beam.end)
    model.fix(nodes[0, 0])
    return model


MODELS: tuple[tuple[str, Callable[[int], Model], tuple[int, ...]], ...] = (
    ("chain", chain, (15, 300, 5000)),
    ("tree", tree, (3, 7)),
    ("lattice", lattice, (6, 10, 14, 20, 40, 60)),
)


def run(settings: Settings) -> Report:
    """Milliseconds of a factorisation by each package, and those of the choice of "auto" over the fastest."""
    report = Report("linear_solvers", "Linear solvers", "Milliseconds of one factorisation, pattern known.")
    rows: list[tuple[str | float | int, ...]] = []
    for name, build, sizes in MODELS:
        for size in sizes[:1] if settings.quick else sizes:
            label = f"{name} {size}"
            system, matrix = _tangent(build(size))
            filled, values = _tangent(build(size), filled=True)
            cost = {p: _milliseconds(matrix, p, settings.repeats) for p in PACKAGES if _has(p)}
            block = _in_place(filled, values, settings.repeats) if filled.pattern.fills_nothing else np.nan
            superlu = _superlu(system, matrix, settings.repeats)
            chosen = LinearSolver("auto", system.size, system.elimination_work, filled.pattern)
            taken = "block" if chosen.in_place else chosen.package
            fill = system.elimination_work / system.size
            found = (*(cost.get(p, np.nan) for p in PACKAGES), block, superlu)
            rows.append((label, system.size, fill, taken, *found))
            if np.isfinite(block):
                cost["block"] = block
            ratio = cost[taken] / min(cost.values())
            report.goals.append(Goal(f"auto over the fastest, {label}", ratio, WITHIN, timed=True))
    report.tables.append(Table("Runs", COLUMNS, rows, frozenset(COLUMNS[4:]), keys=1))
    return report


def _has(package: str) -> bool:
    return package == "petsc" or has_package({"klu": "suitesparse"}.get(package, package))


def _tangent(model: Model, filled: bool = False) -> tuple[System, Any]:
    system = System(model, filled=filled)
    scheme = Scheme(system, system.reference_state())
    scheme.residual(scheme.begin(DT), np.empty(system.size))
    P = petsc()
    pattern = [a.astype(P.IntType) for a in (system.indptr, system.indices)]
    size = (system.size, system.size)
    matrix = P.Mat().createAIJWithArrays(size, (*pattern, scheme.tangent().copy()), comm=P.COMM_SELF)
    matrix.assemble()
    return system, matrix


def _in_place(system: System, matrix: Any, repeats: int) -> float:
    """Milliseconds of an in-place factorisation."""
    values = matrix.getValuesCSR()[2]
    factors, failed = values.copy(), np.zeros(1, dtype=np.int32)
    factorise = CallList(BlockLU(system.pattern, factors, failed).factorise())
    best = np.inf
    for _ in range(max(3, repeats)):
        factors[:] = values
        start = process_time()
        factorise()
        best = min(best, process_time() - start)
    return 1e3 * best


def _superlu(system: System, matrix: Any, repeats: int) -> float:
    """Milliseconds of a factorisation by SciPy's SuperLU."""
    values = matrix.getValuesCSR()[2]
    factorise = CallList(SuperLU(system.indptr, system.indices, values, system.elimination_work).factorise())
    best = np.inf
    for _ in range(max(3, repeats)):
        start = process_time()
        factorise()
        best = min(best, process_time() - start)
    return 1e3 * best


def _milliseconds(matrix: Any, package: str, repeats: int) -> float:
    """Milliseconds of a factorisation by one of PETSc's packages."""
    P = petsc()
    pc = P.PC().create(P.COMM_SELF)
    pc.setOperators(matrix)
    pc.setType("lu")
    pc.setFactorSolverType(package)
    if package == "petsc":
        pc.setFactorOrdering(P.Mat.OrderingType.NATURAL)
    pc.setUp()
    best = np.inf
    for _ in range(max(3, repeats)):
        matrix.stateIncrease()  # as after a new tangent
        start = process_time()
        pc.setUp()
        best = min(best, process_time() - start)
    pc.destroy()
    return 1e3 * best
