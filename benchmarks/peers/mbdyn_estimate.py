"""Estimate of the cost ratio to MBDyn without running it, extrapolated from an earlier measurement.

The ratios of CPU seconds to MBDyn's were measured once, with this package as it was before its steps ran in compiled
code. That state and the present one were then run alternately on one machine with the same steps and hence the same
errors. The former ratio times the change of the time per step is the present ratio if MBDyn's speed is unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.reports.report import Table

THEN, NOW, MEASURED = "0bf98c2", "2bfcea3", "2026-11-23"
TIME_GOAL, TOTAL_GOAL = 0.4, 0.05


@dataclass(frozen=True)
class Estimate:
    """One problem at one step size.

    ratio : smallest and largest ratio of CPU seconds to MBDyn's measured formerly
    then, now : ms of a step, the fastest of eight alternating runs each
    """

    problem: str
    ratio: tuple[float, float]
    then: float
    now: float

    @property
    def change(self) -> float:
        return self.now / self.then

    @property
    def carried(self) -> tuple[float, float]:
        """Estimate of the present ratio, smallest and largest."""
        return self.ratio[0] * self.change, self.ratio[1] * self.change


ESTIMATES = (
    Estimate("spin-up, dt 0.025", (0.63, 0.92), 0.3266, 0.0599),
    Estimate("spin-up, dt 0.0125", (0.63, 0.92), 0.2780, 0.0467),
    Estimate("right-angle cantilever, dt 0.05: error 1e-3", (0.60, 0.60), 0.7464, 0.3055),
    Estimate("right-angle cantilever, dt 0.025: error 1.25e-4", (0.39, 0.39), 0.8129, 0.2980),
    Estimate("flying beam, dt 0.05", (1.0, 1.5), 0.6689, 0.1646),
    Estimate("flying beam, dt 0.0125", (1.0, 1.5), 0.4935, 0.0787),
)
TOTAL_THEN = 1 / 20, 1 / 5  # of the same three problems, at equal total error
# chain of 5,000 elements, ms of a step: MBDyn and Exudyn on one machine then; this package and Exudyn on one now
CHAIN_THEN = {"MBDyn": 68.0, "Exudyn": 51.0}
CHAIN_NOW = {"Exudyn": 93.3, "kept": 13.8, "full": 42.8}
COLUMNS = (
    "problem", "ratio to MBDyn then", "ms/step then", "ms/step now", "now / then", "estimate of the ratio now", "goal",
)  # fmt: skip


def total_now() -> tuple[float, float]:
    """Smallest and largest ratio at equal total error; which problem had which is unknown."""
    changes = [one.change for one in ESTIMATES]
    return TOTAL_THEN[0] * min(changes), TOTAL_THEN[1] * max(changes)


def chain_now(factorisations: str) -> float:
    """Ratio to MBDyn's step on the chain, by way of Exudyn's, which was measured together with both."""
    return CHAIN_NOW[factorisations] / CHAIN_NOW["Exudyn"] * CHAIN_THEN["Exudyn"] / CHAIN_THEN["MBDyn"]


def estimate() -> str:
    """The section of RESULTS.md."""
    rows = [
        (
            one.problem, _range(one.ratio), one.then, one.now, one.change, _range(one.carried),
            f"at most {TIME_GOAL:g}: " + ("likely" if one.carried[1] <= TIME_GOAL else "not certain"),
        )
        for one in ESTIMATES
    ]  # fmt: skip
    table = Table("Estimate, not a measurement", COLUMNS, rows).markdown()
    total = "likely" if total_now()[1] <= TOTAL_GOAL else "not certain"
    return f"""{HEADING}

{TEXT}

{table}

- Total error: the same three problems stood at {_range(TOTAL_THEN)} then, which would be {_range(total_now())} now;
  at most {TOTAL_GOAL:g} is {total}.
- Chain of 5,000 elements: a step took MBDyn {CHAIN_THEN["MBDyn"]:g} ms then, and Exudyn {CHAIN_THEN["Exudyn"]:g}.
  By way of Exudyn, ours would take {chain_now("kept"):.2g} of MBDyn's time now, and {chain_now("full"):.2g} with full
  Newton."""


def _range(pair: tuple[float, float]) -> str:
    low, high = (f"{value:.2g}" for value in pair)
    return low if low == high else f"{low} to {high}"


HEADING = "## Beside MBDyn: an estimate"
TEXT = f"""\
MBDyn could not be run for this document. Its ratios of CPU seconds at equal error of time were measured once, in one
run on one machine, before steps ran in compiled code. The last such state (commit {THEN}) and commit {NOW} were run in
turn with the same steps ({MEASURED}, the fastest of eight runs each); the ratio then, times how a step's time has
changed, is the estimate. It holds as far as MBDyn is as fast as it was, and as the state measured then was as fast as
{THEN}: on the chain it was slower, beside Exudyn, and where that holds of the others too, today's ratios are smaller
than estimated."""
