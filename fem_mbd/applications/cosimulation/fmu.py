"""Export of a case as a functional mock-up unit (FMU) for co-simulation, FMI 3.0, by the package pythonfmu3.

The FMU holds the name of the case (or the folder of a user's study), its parameters, and its inputs and outputs;
it runs in a Python with fem_mbd. Its state can be saved, restored and serialised.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fem_mbd import case_parameters
from fem_mbd.applications.cosimulation.plant import plant_of_case
from fem_mbd.base.validation import positive
from fem_mbd.case import Case
from fem_mbd.errors import InputError, MissingDependency

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
