"""Summary of a run, `summary.json`: step statistics and energy balance as plain data."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.ledger import ENERGIES, RESOLVED, ROUND_OFF
from fem_mbd.runs.results.checks import Check
from fem_mbd.runs.results.run_info import RunInfo, to_plain

SUMMARY_NAME = "summary.json"
# Paths of the entries of every complete run, besides energy totals, counts by rule and seconds by phase.
SUMMARY_KEYS = (
    "case", "status", "reason", "fem_mbd_version", "created", "start_time", "end_time", "steps", "rejected_steps",
    "newton_iterations", "factorisations", "step_size.smallest", "step_size.mean", "step_size.largest",
    "energy.residual_max", "energy.residual_sum", "energy.scale", "energy.round_off", "energy.relative",
    "energy.relative_sum",
)  # fmt: skip


class Run(Protocol):
    """Protocol: the data needed for a summary; `Result` provides them."""

    info: RunInfo
    log: dict[str, Any]
    status: str
    reason: str
    steps: int
    time: Array

    @property
    def case(self) -> str: ...

    @property
    def parameters(self) -> dict[str, Any]: ...

    @property
    def energy(self) -> Mapping[str, Array]: ...

    @property
    def step(self) -> Mapping[str, Array]: ...


def summarise(result: Run) -> dict[str, Any]:
    """Statistics and energy balance of a run: all of `summary.json` except checks and figures.

    Counts are sums over the recorded accepted steps, so they do not depend on whether a run was resumed.
    `energy.residual_max` (J) is the largest of a single step, `scale` (J) the size of the energies and works of the
    run, `relative` their ratio; `residual_sum` and `relative_sum` are those of the largest sum over the steps so far. A
    step whose residual can be explained by round-off alone (`step["round_off"]`, its largest is `round_off`, J) counts
    relative to the terms whose differences form the residual: where all energies are tiny, or where steps are so short
    that reactions are round-off themselves. `totals` has the energies at the end, and dissipations and works as sums.
    `ranges` has the largest measure of every range of validity relative to its limit (`Ranges.findings`).
    """
    end = float(result.time[-1]) if result.steps else result.info.start_time
    return {
        "case": result.case,
        "parameters": result.parameters,
        "status": result.status,
        "reason": result.reason,
        "fem_mbd_version": result.info.version,
        "created": result.info.created,
        "start_time": result.info.start_time,
        "end_time": end,
        "steps": result.steps,
        "rejected_steps": int(result.step["rejections"].sum()),
        "newton_iterations": int(result.step["newton_iterations"].sum()),
        "factorisations": int(result.step["factorisations"].sum()),
        "step_size": _step_sizes(result),
        "wall_seconds": {**result.log.get("seconds", {})},
        "energy": _energy_balance(result),
        "ranges": result.log.get("ranges", []),
    }


def _step_sizes(result: Run) -> dict[str, Any]:
    if not result.steps:
        return {}
    sizes = result.step["dt"]
    rules, counts = np.unique(result.step["rule"], return_counts=True)
    return {
        "smallest": float(sizes.min()),
        "mean": float(sizes.mean()),
        "largest": float(sizes.max()),
        "steps_by_rule": dict(zip(rules.tolist(), counts.tolist(), strict=True)),
    }


def _energy_balance(result: Run) -> dict[str, Any]:
    if not result.steps:
        zeros = dict.fromkeys(("residual_max", "residual_sum", "scale", "relative", "relative_sum"), 0.0)
        return {**zeros, "totals": {}}
    totals = {
        name: float(column[-1] if name in ENERGIES else column.sum())
        for name, column in result.energy.items()
    }
    residual = np.asarray(result.energy["residual"])
    round_off = np.asarray(result.step["round_off"])
    scale = float(result.log.get("energy_scale", 0.0)) or _recorded_scale(result)
    summed = np.cumsum(residual)
    return {
        "residual_max": float(np.abs(residual).max()),
        "residual_sum": float(np.abs(summed).max()),
        "scale": scale,
        "round_off": float(round_off.max()),
        "relative": _relative(residual, scale, round_off),
        "relative_sum": _relative(summed, scale, np.cumsum(round_off)),
        "totals": totals,
    }


def _relative(residuals: Array, scale: float, round_off: Array) -> float:
    """Largest of the residuals (steps,) over the scale; residuals of round-off size over the subtracted terms."""
    sizes = np.abs(residuals)
    rounded = (sizes > RESOLVED * scale) & (sizes <= round_off)
    share = float((sizes[rounded] / round_off[rounded]).max(initial=0.0))
    largest = float(sizes[~rounded].max(initial=0.0))
    # a model without any energy: its residual has to be zero
    relative = largest / scale if scale > 0.0 else (0.0 if largest == 0.0 else math.inf)
    return max(relative, ROUND_OFF * share)


def _recorded_scale(result: Run) -> float:
    """Energy scale (J) from the columns, for a run that was killed before it could log its own."""
    energy = result.energy
    stored = np.abs(energy["kinetic"] + energy["elastic"] + energy["contact"])
    work = np.abs(np.cumsum(energy["work_loads"] + energy["work_drivers"]))
    return float((stored + work).max())


def write_summary(
    folder: Path, summary: dict[str, Any], checks: Sequence[Check], figures: Sequence[Path] = ()
) -> Path:
    """Write `summary.json` into a run's folder atomically: a reader sees the old file or the new one, never a part.

    Numbers that are not finite become null, since JSON has no such numbers.
    """
    content = {
        **summary,
        "checks": [check.to_dict() for check in checks],
        "figures": [str(figure.relative_to(folder)) for figure in figures],
    }
    path = folder / SUMMARY_NAME
    building = folder / (SUMMARY_NAME + ".new")
    with building.open("w", encoding="utf-8") as file:
        file.write(json.dumps(finite_json(content), indent=2, allow_nan=False) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(building, path)
    return path


def finite_json(value: Any) -> Any:
    """The same nested data with plain numbers, and None for numbers that are not finite."""
    if isinstance(value, dict):
        return {str(key): finite_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite_json(entry) for entry in value]
    if isinstance(value, np.generic | np.ndarray):
        return finite_json(to_plain(value))
    return None if isinstance(value, float) and not math.isfinite(value) else value
