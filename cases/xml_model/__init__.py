"""Case: a model from an XML file in MotionSolve's format: rigid bodies, ideal joints with friction, gravity.

`fem-mbd run --from-xml FILE`. It reads the elements shown in the documentation of ``Force_JointFriction``: bodies,
markers, joints, gravity, friction in joints, units, h_max of Param_Transient, Simulate, and requests of WZ and
FRICTION. An unknown element is an error that names its line: without it the model would be different. Names, formulas
and defaults: docs/explanation/joint_friction.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fem_mbd.base.validation import not_negative
from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.cases.xml_model.model_file import read_model
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import InputError
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, at_most
from fem_mbd.runs.results.result import Result


@dataclass(frozen=True)
class Parameters:
    """SI units; zero selects the value of the file."""

    file: str = parameter("", "", "the model file; `--from-xml FILE` gives it")
    end_time: float = parameter(0.0, "s", "simulated time; 0: that of the file")
    dt: float = parameter(0.0, "s", "constant step; 0: the smaller of the file's h_max and output interval")

    def __post_init__(self) -> None:
        for name in ("end_time", "dt"):
            not_negative(getattr(self, name), f"xml_model: {name}")


def build(p: Parameters) -> Simulation:
    """The model of the file and its steps."""
    if not p.file:
        raise InputError("xml_model: give a model file: fem-mbd run --from-xml FILE")
    file = read_model(p.file)
    return Simulation(file.model, p.end_time or file.end_time, StepControl.fixed(p.dt or file.dt))


def checks(result: Result, p: Parameters) -> list[Check]:
    """Check of the energy balance."""
    residual = result.summary["energy"]["relative"]
    return [at_most("energy residual / scale", residual, 1e-11, "energy balance of the scheme")]


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """The file's requests, in its units."""
    panels: dict[str, dict[str, object]] = {}
    for request in read_model(p.file).requests:
        label = f"{request.comment} [{request.unit}]"
        panels.setdefault(label, {})[request.text] = request.history(result)
    if not panels:
        return []
    drawn = [Panel(label, series) for label, series in panels.items()]  # type: ignore[arg-type]
    return [draw_panels(folder / "requests.png", result.output_time, drawn, title=Path(p.file).name)]


CASE = Case(
    "xml_model",
    "a model file of MotionSolve's XML format: rigid bodies, joints with friction (run --from-xml FILE)",
    Parameters,
    build,
    checks,
    plot,
)
