"""Class `Slave`: a plant inside an FMU, with the functions of the Functional Mock-up Interface, FMI 3.0.

Units have the form that the interface requires, a factor and powers of SI base units and the radian (`powers`).
FMI 3.0, section 2.4.3 "Definition of Units": value in base units = factor times value. Unknown units are passed on by
name only.

The class is mixed with `pythonfmu3.Fmi3Slave` by the script that `fem_mbd.applications.cosimulation.plant` puts into
the FMU: the library loaded by an importing program looks for that name in the script's text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from pythonfmu3 import DefaultExperiment, Float64, Unit
from pythonfmu3.enums import Fmi3Causality, Fmi3Initial, Fmi3Status, Fmi3Variability
from pythonfmu3.fmi3slave import Fmi3StepResult

from fem_mbd import case_parameters
from fem_mbd.applications.cosimulation.plant import plant_of_case
from fem_mbd.cases import load_case
from fem_mbd.core.solver.saved_state import SavedState
from fem_mbd.errors import FemMbdError

BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
DERIVED = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "1": {},
}
FACTOR = re.compile(r"([A-Za-z]+|1)(?:\^(\d+))?")
PLAN = "plan.json"


def powers(unit: str) -> dict[str, int] | None:
    """Powers of base units in a unit such as "N m", "rad/s" or "m/s^2"; None for an unknown unit.

    Parameters
    ----------
    unit : factors separated by blanks, those after a "/" in the denominator
    """
    exponents: Counter[str] = Counter()
    numerator, *denominators = unit.split("/")
    for sign, text in ((1, numerator), *((-1, part) for part in denominators)):
        for word in text.split():
            match = FACTOR.fullmatch(word)
            if match is None or not (match[1] in BASES or match[1] in DERIVED):
                return None
            for base, power in DERIVED.get(match[1], {match[1]: 1}).items():
                exponents[base] += sign * power * int(match[2] or 1)
    return {base: exponents[base] for base in BASES if exponents[base]}


class Slave:
    """The plant described by the plan in the FMU's resources, beside the script.

    Attributes
    ----------
    plant : simulation, inputs and outputs
    input_values : for the next step
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        resources = Path(options["resources"])
        plan = json.loads((resources / PLAN).read_text("utf-8"))
        case = load_case(resources / plan["folder"] if plan["folder"] else plan["case"])
        parameters = case_parameters.from_plain(case.parameters, plan["parameters"])
        self.plant = plant_of_case(case, parameters, plan["inputs"], plan["outputs"])
        self.input_values = dict(self.plant.sim.inputs)
        self._start = 0.0  # in the importing program's time
        self._values: dict[str, float] | None = None
        self._begin = self.plant.sim.time
        self.modelName, self.description = plan["name"], case.summary
        self.default_experiment = DefaultExperiment(
            0.0, self.plant.sim.end_time - self._begin, plan["step"] or None
        )
        self._declare(plan["names"])

    def _declare(self, names: dict[str, str]) -> None:
        """Declare the variables under names that follow FMI's naming convention."""
        self._add("time", "s", Fmi3Causality.independent, lambda: self.plant.sim.time, None)
        for name, unit in self.plant.inputs.items():
            self._add(
                names[name],
                unit,
                Fmi3Causality.input,
                lambda n=name: self.input_values[n],
                self._setter(name),
            )
        for name, unit in self.plant.units.items():
            self._add(names[name], unit, Fmi3Causality.output, lambda n=name: self._output(n), None)

    def _add(self, name: str, unit: str, causality: Any, getter: Any, setter: Any) -> None:
        base = powers(unit)
        if base:
            self.register_units([Unit(unit, **base)])  # type: ignore[attr-defined]
        initial = Fmi3Initial.calculated if causality is Fmi3Causality.output else None
        variable = Float64(
            name, causality=causality, variability=Fmi3Variability.continuous, initial=initial,
            unit=unit if base else None, getter=getter, setter=setter,
        )  # fmt: skip
        self.register_variable(variable, nested=False)  # type: ignore[attr-defined]

    def _setter(self, name: str) -> Any:
        def set_input(value: float) -> None:
            self.input_values[name] = value

        return set_input

    def _output(self, name: str) -> float:
        if self._values is None:
            self._values = self.plant.values()
        return self._values[name]

    # functions called by the importing program

    def setup_experiment(self, start_time: float) -> None:
        """Set the importing program's start time."""
        self._start = start_time

    def do_step(self, current_time: float, step_size: float) -> Any:
        """Simulate one interval; a failure is reported and ends the co-simulation."""
        sim = self.plant.sim
        try:
            sim.advance(self._begin + (current_time + step_size - self._start), self.input_values)
        except FemMbdError as error:
            self.log(str(error), Fmi3Status.error)  # type: ignore[attr-defined]
            return Fmi3StepResult(status=Fmi3Status.error)
        finally:
            self._values = None
        return Fmi3StepResult()

    def _get_fmu_state(self) -> dict[str, Any]:
        return {"state": self.plant.sim.save(), "wanted": dict(self.input_values), "start": self._start}

    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        self.plant.sim.restore(state["state"])
        self.input_values, self._start = dict(state["wanted"]), state["start"]
        self._values = None

    @staticmethod
    def _fmu_state_to_bytes(state: dict[str, Any]) -> bytes:
        head = json.dumps({"wanted": state["wanted"], "start": state["start"]})
        return head.encode() + b"\n" + bytes(state["state"].to_bytes())

    @staticmethod
    def _fmu_state_from_bytes(data: bytes) -> dict[str, Any]:
        head, _, state = bytes(data).partition(b"\n")
        return {"state": SavedState.from_bytes(state), **json.loads(head)}
