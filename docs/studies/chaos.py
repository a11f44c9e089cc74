"""Largest Lyapunov exponent of a case, from two runs that start nearly equal.

    python docs/studies/chaos.py CASE [--set NAME=VALUE ...] [--pairs N] [--samples N] [--step DT]

Runs a case as it is and, for each pair, once more with one step that ends at another instant, which changes nothing but
the error of that step. Both are sampled at the same instants. For cases with fixed or quantised steps, which soon agree
again; where every step follows from the one before the runs differ too much from the start, and ``--step`` takes steps
of one size (s) instead of the case's. chaos.md keeps the numbers. Time of processor: revolute_clearance_3d with
end_time=0.3 some 10 s a run.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd.case_parameters import fill
from fem_mbd.cases import load_case
from fem_mbd.errors import InputError

PARTED = 1e-5  # m: a fiftieth of the smallest clearance; beyond it neighbours are none


def places(
    case: Any, parameters: Any, instants: np.ndarray, extra: tuple[float, ...], step: float | None
) -> np.ndarray:
    """(instants, 3 nodes) m, mass centres of all nodes; steps end at the ``extra`` instants too."""
    sim = case.build(parameters)
    if step is not None:
        sim = fm.Simulation(sim.system.model, sim.end_time, fm.StepControl.fixed(step))
    sim.stop_at([*instants, *extra])
    found = [sim.state.u.ravel().copy() for record in sim.steps() if np.any(instants == record.time)]
    return np.array(found)


def main() -> None:
    """Print when the runs of each pair part, and the exponents."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("case")
    parser.add_argument("--set", nargs="*", default=[], dest="settings")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--step", type=float, default=None)
    given = parser.parse_args()
    case = load_case(given.case)
    parameters = fill(case.parameters, None, given.settings, "--set")
    end = case.build(parameters).end_time
    instants = np.linspace(0.0, end, given.samples + 1)[1:]
    first = places(case, parameters, instants, (), given.step)
    values = []
    for pair in range(given.pairs):
        cut = instants[0] * (0.3 + 0.1 * pair)
        second = places(case, parameters, instants, (cut,), given.step)
        distance = np.linalg.norm(first - second, axis=1)
        parted = np.flatnonzero(distance > PARTED)
        last = int(parted[0]) if len(parted) else len(instants)
        when = f"more than {PARTED:g} m from {instants[last]:.4g} s on" if len(parted) else "not parted"
        print(f"pair {pair}: distance {distance[0]:.1e} m first, {distance[-1]:.1e} m last, {when}")
        try:
            found = fm.exponent_of_two(instants[:last], first[:last], second[:last])
        except InputError as error:
            print(f"  no exponent: {error}")
            continue
        values.append(found.value)
        print(f"  {found.value:.4g} +- {found.uncertainty:.2g} 1/s by {found.points} samples")
    if len(values) > 1:
        print(f"mean {np.mean(values):.4g} +- {np.std(values, ddof=1) / np.sqrt(len(values)):.2g} 1/s")


if __name__ == "__main__":
    main()
