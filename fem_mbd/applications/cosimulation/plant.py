"""Class `Plant`: a simulation with named scalar inputs and outputs, for a controller or an FMU, and the FMU's export.

Loads at parts of the model can be inputs too; they are named like quantities:

    hinge.torque        N m about the axis of a revolute or cylindrical joint, positive on L and negative on K
    bob.force[2]        N on a body or node, along a global axis (0, 1, 2 for x, y, z), at the node's position
    bob.moment[0]       N m on a body or node, about a global axis

Each is constant from the start of an interval (`fem_mbd.Input`).

`write_fmu` exports a case as a functional mock-up unit (FMU) for co-simulation, FMI 3.0, by the package pythonfmu3. The
FMU holds the name of the case (or the folder of a user's study), its parameters, and its inputs and outputs; it runs in
a Python with fem_mbd. Its state can be saved, restored and serialised.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd import case_parameters
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import positive
from fem_mbd.case import Case
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.time_functions.inputs import Input
from fem_mbd.core.scheme.constraints.constraint_kind import Constraints
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.elements.loads.loads import Force, JointTorque, Moment
from fem_mbd.errors import InputError, MissingDependency
from fem_mbd.runs.results.views.paths import QuantityPath, current_state

FORM = re.compile(r"(?P<part>.+)\.(?P<kind>torque|force|moment)(?:\[(?P<k>[012])\])?")
UNITS = {"torque": "N m", "force": "N", "moment": "N m"}


def add_part_input(system: System, name: str, existing: list[str]) -> None:
    """Add the load of an input at a part to the system's model.

    Parameters
    ----------
    system : with the part; the load is added to its model, from which a new system has to be created
    name : as above
    existing : inputs of the model, for the message

    Raises
    ------
    InputError
        For a name of another form, an unknown part, a joint without an axis.
    """
    match = FORM.fullmatch(name)
    if match is None or (match["kind"] == "torque") != (match["k"] is None):
        known = f"; {nearest(name, existing)}" if existing else ""
        raise InputError(
            f"input {name!r}: the model has no input of that name{known}. Inputs at parts are JOINT.torque, "
            "BODY.force[0], BODY.moment[0] (also 1 and 2)"
        )
    signal = Input(name, UNITS[match["kind"]])
    system.model.add(_load(system, match["part"], match["kind"], match["k"], signal))


def _load(system: System, part: str, kind: str, k: str | None, signal: Input) -> Any:
    if k is None:
        joint = _joint(system, part)
        axis = joint.k.node.rotation @ joint.axes_k[:, 2]
        return JointTorque(joint.k, joint.l, axis, signal, name=signal.name)
    vector = np.eye(3)[int(k)] * signal
    node = _node(system.model, part)
    return (
        Force(node, vector, name=signal.name) if kind == "force" else Moment(node, vector, name=signal.name)
    )


def _joint(system: System, name: str) -> Constraints:
    joints = {spec.name: spec for spec in system.joints.specs} if system.joints is not None else {}
    if name not in joints:
        raise InputError(f"input '{name}.torque': the model has no joint '{name}'; {nearest(name, joints)}")
    return joints[name]


def _node(model: Model, name: str) -> Node:
    nodes = {node.name: node for node in model.nodes[1:]} | model.bodies
    if name not in nodes:
        raise InputError(
            f"input at '{name}': the model has no body or node of that name; {nearest(name, nodes)}"
        )
    return nodes[name]


@dataclass(frozen=True, eq=False)
class Plant:
    """A simulation with its external inputs and outputs.

    Attributes
    ----------
    sim : the simulation
    inputs : unit by name
    outputs : path by name
    units : of the outputs, by name
    """

    sim: Simulation
    inputs: Mapping[str, str]
    outputs: Mapping[str, QuantityPath]
    units: Mapping[str, str]

    def values(self) -> dict[str, float]:
        """Current values of the outputs, by name."""
        states = current_state(self.sim)
        return {name: float(path.value(states)) for name, path in self.outputs.items()}


def plant_of_case(case: Case[Any], parameters: Any, inputs: Sequence[str], outputs: Sequence[str]) -> Plant:
    """A case as a plant.

    Parameters
    ----------
    case : the case
    parameters : of the case
    inputs : names of inputs of its model, or of inputs at its parts; if empty, all of the model's
    outputs : PATH or NAME=PATH of quantities (`fem_mbd.Simulation.value`); a path of several numbers represents all of
        them, NAME[0], NAME[1] …

    Raises
    ------
    InputError
        For an invalid input or output, or when there is no output.
    """
    sim = case.build(parameters)
    if not isinstance(sim, Simulation):
        raise InputError(
            f"case '{case.name}' does not build a fem_mbd.Simulation: it cannot be controlled from outside"
        )
    sim = _with_inputs(sim, [name for name in inputs if name not in sim.inputs])
    units = {name: sim.inputs.declared[name].unit for name in (inputs or sim.inputs)}
    states = current_state(sim)
    paths: dict[str, QuantityPath] = {}
    for text in outputs:
        name, _, path = text.rpartition("=")
        for scalar, scalar_path in _scalar_paths(
            name.strip() or path.strip(), QuantityPath.read(path), states
        ):
            if scalar in paths or scalar in units:
                raise InputError(
                    f"output {text!r}: the name {scalar!r} is used already: write NAME={path.strip()}"
                )
            paths[scalar] = scalar_path
    if not paths:
        raise InputError("there are no outputs: give quantities, e.g. hinge.angle")
    return Plant(sim, units, paths, {name: path.unit(states) for name, path in paths.items()})


def _with_inputs(sim: Simulation, names: Sequence[str]) -> Simulation:
    """A new simulation with inputs at parts of its model."""
    if not names:
        return sim
    for name in names:
        add_part_input(sim.system, name, list(sim.inputs))
    return Simulation(
        sim.system.model, sim.end_time, sim.control, newton=sim.solver.options, initial=sim.state
    )


def _scalar_paths(name: str, path: QuantityPath, states: Any) -> list[tuple[str, QuantityPath]]:
    """The path under its name, or one path for each of its components."""
    size = np.shape(path.value(states))
    if not size:
        return [(name, path)]
    if len(size) > 1:
        raise InputError(f"output {path.text!r} is an array of shape {size}: choose a vector or a number")
    return [(f"{name}[{k}]", QuantityPath.read(f"{path.text}[{k}]")) for k in range(size[0])]


ENDING = ".fmu"
SCRIPT = '''"""Written by fem_mbd: script that the FMU's library runs."""

from pythonfmu3 import Fmi3Slave

try:
    from fem_mbd.applications.cosimulation.slave import Slave
except ImportError as error:
    raise ImportError(f"this FMU needs fem_mbd in the Python that runs it ({error})") from error


class NAME(Slave, Fmi3Slave):
    pass
'''
# the capabilities declared by the FMU: FMI 3.0, section 2.4.6
CAPABILITIES = {
    "needsExecutionTool": True,
    "canHandleVariableCommunicationStepSize": True,
    "canGetAndSetFMUState": True,
    "canSerializeFMUState": True,
}


def write_fmu(
    case: Case[Any],
    parameters: Any,
    file: str | Path,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    step: float | None = None,
) -> Path:
    """Write a case to an FMU file.

    Parameters
    ----------
    case : the case, or the study in a folder
    parameters : of the case
    file : the FMU, with a name ending in .fmu; an existing one is replaced
    inputs : inputs of its model, or at its parts ("hinge.torque"); if empty, all of the model's
    outputs : PATH or NAME=PATH of quantities
    step : s, default step of importing programs; None leaves the choice to them

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        For invalid inputs or outputs, a name that does not end in .fmu, or a file that cannot be written.
    MissingDependency
        Without the package pythonfmu3.
    """
    _require_pythonfmu3()
    target = Path(file)
    if target.suffix != ENDING or not target.stem:
        raise InputError(f"{target}: the name of an FMU ends in {ENDING}")
    plan = {
        "name": _identifier(target.stem),
        "case": case.name,
        "folder": "" if case.place is None else case.place.name,
        "parameters": case_parameters.to_plain(parameters),
        "inputs": list(inputs),
        "outputs": list(outputs),
        "step": None if step is None else positive(step, "step (s)"),
    }
    plant = plant_of_case(case, parameters, inputs, outputs)
    plan["names"] = structured_names([*plant.inputs, *plant.outputs])
    with tempfile.TemporaryDirectory() as workspace:
        built = _build(Path(workspace), plan, case.place)
        try:
            shutil.copyfile(built, target)
        except OSError as error:
            raise InputError(f"{target}: the FMU cannot be written there ({error.strerror})") from error
    return target


def structured_names(names: Iterable[str]) -> dict[str, str]:
    """Names converted to FMI's structured naming convention: identifiers, dots, indices.

    Parameters
    ----------
    names : as used in the model

    Raises
    ------
    InputError
        When two become equal.
    """
    converted: dict[str, str] = {}
    for name in names:
        stem, index = re.fullmatch(r"(.*?)(\[\d+\])?", name).groups(default="")  # type: ignore[union-attr]
        parts = [_identifier(part) for part in re.sub(r"(?<=\d)\.(?=\d)", "_", stem).split(".")]
        fmi_name = ".".join(parts) + index
        if fmi_name in converted.values():
            raise InputError(
                f"{name!r}: another variable of the FMU would be called {fmi_name!r}: write NAME={name}"
            )
        converted[name] = fmi_name
    return converted


def _identifier(text: str) -> str:
    word = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return word if word[:1].isalpha() else f"_{word}"


def _build(workspace: Path, plan: dict[str, Any], folder: Path | None) -> Path:
    from pythonfmu3.builder import FmuBuilder

    name = f"fem_mbd_{plan['name']}"
    script, data = workspace / f"{name}.py", workspace / "plan.json"
    script.write_text(SCRIPT.replace("NAME", plan["name"]), "utf-8")
    data.write_text(json.dumps(plan), "utf-8")
    return FmuBuilder.build_FMU(
        script, workspace / "made", [data, *([folder] if folder else [])], **CAPABILITIES
    )


def _require_pythonfmu3() -> None:
    if find_spec("pythonfmu3") is None:
        raise MissingDependency(
            "an FMU is created by the package pythonfmu3, which is not installed: pip install 'fem_mbd[fmu]'"
        )
