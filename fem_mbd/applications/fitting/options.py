"""Options of a fit: number of starts, substeps, confidence level, difference steps."""

from __future__ import annotations

from dataclasses import dataclass

from fem_mbd.base.validation import finite, not_negative, positive, whole_number
from fem_mbd.errors import InputError


@dataclass(frozen=True)
class FitOptions:
    """Settings of a fit.

    Attributes
    ----------
    starts : number of start points of the search, random except for the first ones
    seed : of the random points
    substeps : steps of the law between rows
    skip : s, at the beginning, simulated but not fitted
    level : probability of the confidence intervals
    diff_step : step of the differences, as a fraction of a parameter
    evaluations : largest number of evaluations of a search, without those of differences
    """

    starts: int = 1
    seed: int = 0
    substeps: int = 8
    skip: float = 0.0
    level: float = 0.95
    diff_step: float = 1e-3
    evaluations: int = 150

    def __post_init__(self) -> None:
        whole_number(self.starts, "fit starts")
        whole_number(self.seed, "fit seed", 0)
        whole_number(self.evaluations, "fit evaluations")
        not_negative(self.skip, "fit skip")
        if not 0.0 < finite(self.level, "fit level") < 1.0:
            raise InputError(f"fit level is {self.level:g}: give a number between 0 and 1, such as 0.95")
        if positive(self.diff_step, "fit diff_step") > 0.3:
            raise InputError(f"fit diff_step is {self.diff_step:g}: it must not exceed 0.3")
