"""Statistics of a run's last steps: sizes, step rules that decided them, Newton iterations, and energy flow."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from fem_mbd.core.scheme.ledger_names import DISSIPATIONS, ENERGIES, WORKS
from fem_mbd.runs.results.result import Result

LAST = 50


@dataclass(frozen=True)
class Steps:
    """Step statistics.

    Attributes
    ----------
    count : number of recorded steps; last : number of last steps examined
    smallest, largest : s, sizes of the last steps
    rules : share of the last steps by the rule that decided them, the most frequent first
    rules_before : the same for all steps
    iterations : Newton iterations per step, mean of the last steps
    rejected : rejected attempts in the last steps
    shrinking : last step size over the median of all
    """

    count: int
    last: int
    smallest: float
    largest: float
    rules: dict[str, float]
    rules_before: dict[str, float]
    iterations: float
    rejected: int
    shrinking: float


def last_steps(result: Result, last: int = LAST) -> Steps:
    """Statistics of a run with at least one step."""
    n = min(last, result.steps)
    sizes, rules = result.step["dt"], result.step["rule"]
    return Steps(
        count=result.steps,
        last=n,
        smallest=float(sizes[-n:].min()),
        largest=float(sizes[-n:].max()),
        rules=_shares(rules[-n:]),
        rules_before=_shares(rules),
        iterations=float(result.step["newton_iterations"][-n:].mean()),
        rejected=int(result.step["rejections"][-n:].sum()),
        shrinking=float(sizes[-1] / np.median(sizes)),
    )


def energy_flow(result: Result, last: int = LAST) -> dict[str, float]:
    """J over the last steps: changes of the energies, sums of dissipations and works, and the residual of the
    balance.
    """
    n = min(last, result.steps)
    flow = {
        f"change of {name}": float(result.energy[name][-1] - result.energy[name][-n]) for name in ENERGIES
    }
    # changes and sums begin at the end of the first of these steps
    flow |= {name: float(result.energy[name][-n:][1:].sum()) for name in (*DISSIPATIONS, *WORKS, "residual")}
    return {name: value for name, value in flow.items() if value != 0.0}


def _shares(rules: np.ndarray) -> dict[str, float]:
    return {str(rule): count / len(rules) for rule, count in Counter(rules.tolist()).most_common()}
