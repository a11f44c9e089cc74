"""Reader of a model file: bodies, joints with friction, gravity, the transient run and its requests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fem_mbd.cases.xml_model.document import parse
from fem_mbd.cases.xml_model.joints import ReadJoint, add_joints
from fem_mbd.cases.xml_model.markers import add_bodies, read_gravity, read_markers
from fem_mbd.cases.xml_model.requests import Built, Request, read_requests
from fem_mbd.cases.xml_model.tables import Tables, tabulate
from fem_mbd.cases.xml_model.units import Units
from fem_mbd.core.model.model import Model


@dataclass(frozen=True, eq=False)
class ModelFile:
    """Contents of a file.

    Attributes
    ----------
    model : ready to be run; joints : by the file's ids
    end_time : s; dt : s, the largest step permitted by the file: h_max, and its output interval
    requests : requested histories
    without_effect : elements, with their lines, without effect on the motion (pictures, output files)
    """

    model: Model
    joints: dict[str, ReadJoint]
    end_time: float
    dt: float
    requests: list[Request]
    without_effect: list[str]


def read_model(path: Path | str) -> ModelFile:
    """Read a model file.

    Raises
    ------
    InputError
        For missing, unknown, repeated and out-of-range data; the message names file, line, element and id.
    """
    root = parse(Path(path))
    tables = tabulate(root)
    units = Units.of(tables.only("Param_Unit", "the units of everything else"))
    markers = read_markers(tables, units)
    model = Model(gravity=read_gravity(tables, units), name=Path(path).stem)
    nodes = add_bodies(tables, units, markers, model)
    joints = add_joints(tables, units, markers, nodes, model)
    end_time, dt = _run(tables, units)
    requests = read_requests(Built(tables, units, markers, nodes, joints))
    return ModelFile(model, joints, end_time, dt, requests, tables.without_effect)


def _run(tables: Tables, units: Units) -> tuple[float, float]:
    """End time and step in s; of the other program's integrator settings only h_max is used."""
    simulate = tables.only("Simulate", "the end of the run")
    simulate.choice("analysis_type", {"TRANSIENT": True})
    end_time = simulate.number("end_time")
    steps = simulate.number("num_step", 0.0)
    dt = end_time / steps if steps >= 1 else end_time / 100
    for element in tables.all("Param_Transient"):
        dt = min(dt, element.number("h_max", dt))
    return end_time * units.time, dt * units.time
