"""Deterministic substitute for `Simulation` with the interface that `run` needs and trivial physics.

The numbers follow a logistic map, so any state that was not restored exactly is visible within a few steps. The
"solver" has a cache that changes the numbers, like a lagged factorisation, until it is reset.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np

from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.core.stepping.step_record import CONTACT_RECORD, StepRecord
from fem_mbd.errors import SolverFailure
from fem_mbd.runs.running.session import COUNTS

RULES = ("penetration", "stribeck", "growth")


class FakeState:
    """Time and n numbers between 0 and 1."""

    def __init__(self, n: int) -> None:
        self.time = 0.0
        self.x = np.linspace(0.2, 0.7, 3 * n).reshape(n, 3)

    def to_flat(self) -> np.ndarray:
        return np.concatenate([[self.time], self.x.ravel()])

    def fill_from_flat(self, flat: np.ndarray) -> None:
        self.time = float(flat[0])
        self.x[...] = flat[1:].reshape(self.x.shape)


class FakeSystem:
    """A system with a description."""

    def __init__(self, n: int, label: str) -> None:
        self.n = n
        self.label = label

    def describe(self) -> dict[str, Any]:
        return {"name": self.label, "nodes": [f"n{i}" for i in range(self.n)]}


class FakeSimulation:
    """`steps` steps to `end_time`; `fail_at` fails at that step, `each_step` is called before each, `pause` in s."""

    def __init__(
        self,
        steps: int = 50,
        *,
        n: int = 4,
        end_time: float = 1.0,
        contacts: int = 1,
        fail_at: int | None = None,
        pause: float = 0.0,
        each_step: Callable[[int], None] | None = None,
        label: str = "fake",
    ) -> None:
        self.end_time = end_time
        self.system = FakeSystem(n, label)
        self.state = FakeState(n)
        self.energy_scale = 1.0
        self.resets = 0
        self.counters: dict[str, Any] = {
            "steps": 0,
            "rejected": 0,
            "newton_iterations": 0,
            "factorisations": 0,
            "solve": 0.0,
            "assembly": 0.0,
        }
        self._dt = end_time / steps
        self._fail_at = fail_at
        self._pause = pause
        self._each_step = each_step
        self._lagged = 0.0
        self._stops: dict[int, float] = {}
        self._rng_like = 0.3
        self._contacts = np.zeros(contacts, CONTACT_RECORD)

    @property
    def hooks(self) -> Self:
        return self

    def steps(self) -> Iterator[StepRecord]:
        while self.state.time < self.end_time * (1 - 1e-12):
            yield self._step()

    def _step(self) -> StepRecord:
        index = self.counters["steps"] + 1
        if self._each_step is not None:
            self._each_step(index)
        if index == self._fail_at:
            raise SolverFailure(
                f"step from t = {self.state.time:g} s failed at the smallest size: node 'tip'"
            )
        time.sleep(self._pause)
        x = self.state.x
        x[...] = 3.9 * x * (1 - x)
        self._rng_like = 3.8 * self._rng_like * (1 - self._rng_like)
        self._lagged = 0.5 * self._lagged + 1e-9 * self._rng_like
        x += self._lagged
        self.state.time = self._stops.get(index, min(self.end_time, self.state.time + self._dt))
        self._contacts["normal_force"] = x[0, 0]
        self.energy_scale = max(self.energy_scale, 1.0 + float(x[0, 1]))
        energy = np.full(len(LEDGER), self._rng_like)
        energy[LEDGER.index("dissipation_scheme")] = 1e-3 * self._rng_like
        energy[-1] = 1e-15 * self._rng_like
        iterations = 2 + index % 3
        self.counters["steps"] = index
        self.counters["newton_iterations"] += iterations
        self.counters["factorisations"] += 1
        self.counters["solve"] += 1e-3
        return StepRecord(
            index,
            self.state.time,
            self._dt,
            RULES[index % 3],
            iterations,
            1,
            index % 2,
            energy,
            0.0,
            self._contacts.copy(),
        )

    @property
    def output_names(self) -> tuple[str, ...]:
        return tuple(self.outputs())

    def outputs(self) -> dict[str, np.ndarray]:
        n = self.system.n
        return {
            "position": self.state.x.copy(),
            "reaction": np.zeros((0, 12)),
            "section_force": np.full((n, 6), self._rng_like),
            "contact": self._contacts.copy(),
        }

    def stop_at(self, times: Iterable[float]) -> None:
        """The times have to be ends of its equal steps, which are hit exactly."""
        self._stops = {round(t / self._dt): t for t in times}
        assert all(abs(t / self._dt - k) < 1e-9 for k, t in self._stops.items())

    def controller_state(self) -> dict[str, float]:
        own = {"dt": self._dt, "rng_like": self._rng_like, "energy_scale": self.energy_scale}
        return own | {f"count_{name}": value for name, value in self.counters.items() if name in COUNTS}

    def resume_from(self, controller_state: dict[str, float]) -> None:
        stored = controller_state
        self._dt, self._rng_like, self.energy_scale = stored["dt"], stored["rng_like"], stored["energy_scale"]
        for name in COUNTS:
            self.counters[name] = int(stored[f"count_{name}"])
        self._contacts["normal_force"] = self.state.x[0, 0]
        self.solver_reset()

    def range_findings(self) -> list[dict[str, Any]]:
        return []

    def restore_ranges(self, findings: list[dict[str, Any]]) -> None:
        assert findings == []

    def solver_reset(self) -> None:
        self._lagged = 0.0
        self.resets += 1
