"""`diagnose`: all findings about a run in one object, printable as text and convertible to plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError
from fem_mbd.runs.diagnosis.advice import advice
from fem_mbd.runs.diagnosis.constraint_condition import Condition, condition
from fem_mbd.runs.diagnosis.last_steps import Steps, energy_flow, last_steps
from fem_mbd.runs.results.result import Result


@dataclass(frozen=True)
class Diagnosis:
    """Findings about a run.

    Attributes
    ----------
    status, reason : how the run ended; where Newton failed, the reason names part and equation with the largest
        residual
    end_time : s, of the last step
    steps : statistics of the last steps
    energy : J by name, flows over the last steps
    worst_balance : time (s) of the step with the largest energy residual, and this residual (J)
    condition : of the constraint Jacobian; None where it is unknown
    advice : options to change, the most urgent first
    """

    status: str
    reason: str
    end_time: float
    steps: Steps
    energy: dict[str, float]
    worst_balance: tuple[float, float]
    condition: Condition | None
    advice: list[str]

    def to_plain(self) -> dict[str, Any]:
        """The findings as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        s, c = self.steps, self.condition
        lines = [f"{self.status} at t = {self.end_time:.6g} s after {s.count} steps"]
        lines += [f"  {self.reason}"] if self.reason else []
        lines.append(f"last {s.last} steps")
        lines.append(
            f"  size        {s.smallest:.3g} to {s.largest:.3g} s, the last {s.shrinking:.2g} of the run's median"
        )
        lines.append(f"  decided by  {_shares(s.rules)}  (whole run: {_shares(s.rules_before)})")
        lines.append(f"  Newton      {s.iterations:.1f} iterations a step, {s.rejected} rejected attempts")
        lines.append("energy flow over them [J]")
        lines += [f"  {name.ljust(22)} {value:+.3e}" for name, value in self.energy.items()]
        lines.append(
            f"  largest energy residual at t = {self.worst_balance[0]:.6g} s, by {self.worst_balance[1]:+.1e}"
        )
        if c is not None:
            lines.append("constraints' Jacobian (1: independent joints)")
            lines.append(
                f"  condition   {c.at_end:.3g} at the end; worst {c.worst:.3g} at t = {c.worst_time:.6g} s"
            )
            lines.append(f"  there       {', '.join(c.joints)}")
        lines.append("what to change")
        lines += [f"  - {text}" for text in self.advice or ["nothing stands out"]]
        return "\n".join(lines)


def diagnose(result: Result, system: System | None = None) -> Diagnosis:
    """Diagnose a run: finished, failed, interrupted or still running.

    Parameters
    ----------
    result : the run
    system : ``simulation.system`` of the same model, for the condition of its constraints

    Raises
    ------
    InputError
        When no step of the run was recorded.
    """
    if not result.steps:
        raise InputError(
            f"no step of this run was recorded ({result.status}: {result.reason or 'no reason recorded'})"
        )
    steps = last_steps(result)
    found = None if system is None else condition(result, system)
    residual = result.energy["residual"]
    worst = int(abs(residual).argmax())
    return Diagnosis(
        status=result.status,
        reason=result.reason,
        end_time=float(result.time[-1]),
        steps=steps,
        energy=energy_flow(result),
        worst_balance=(float(result.time[worst]), float(residual[worst])),
        condition=found,
        advice=advice(result, steps, found),
    )


def _shares(rules: dict[str, float]) -> str:
    return ", ".join(f"{rule} {share:.0%}" for rule, share in list(rules.items())[:4])
