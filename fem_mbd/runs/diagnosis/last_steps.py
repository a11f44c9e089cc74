"""The last steps of a run: sizes, the rules that decided them, Newton's effort, and where the energy went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from fem_mbd.core.scheme.ledger_names import DISSIPATIONS, ENERGIES, WORKS
from fem_mbd.runs.results.result import Result

LAST = 50


@dataclass(frozen=True)
class Steps:
    """What the step statistics say.

    Attributes
    ----------
    count : steps on record; last : how many of them are looked at
    smallest, largest : s, of the last steps
    rules : share of the last steps by the rule that decided them, the most frequent first
    rules_before : the same of all steps
    iterations : Newton iterations a step, mean of the last steps
    rejected : attempts thrown away in the last steps
    shrinking : last size over the median of all
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
    """J over the last steps: changes of the energies, sums of dissipations and works, and what the balance leaves."""
    n = min(last, result.steps)
    flow = {
        f"change of {name}": float(result.energy[name][-1] - result.energy[name][-n]) for name in ENERGIES
    }
    # a change goes from the end of the first of these steps on: so do the sums
    flow |= {name: float(result.energy[name][-n:][1:].sum()) for name in (*DISSIPATIONS, *WORKS, "residual")}
    return {name: value for name, value in flow.items() if value != 0.0}


def _shares(rules: np.ndarray) -> dict[str, float]:
    return {str(rule): count / len(rules) for rule, count in Counter(rules.tolist()).most_common()}
