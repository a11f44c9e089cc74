"""Scene of a run as plain data: parts with their geometry, and their motion in packed arrays.

Positions of nodes in m and rotations as unit quaternions (scalar first), global axes; section forces and strains at the
Gauss points in section axes. The page constructs beams and bodies from these, interpolating between times.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.core.model.output import outputs_from
from fem_mbd.output.animation.scene.arrows import arrows
from fem_mbd.output.animation.scene.curves import curves
from fem_mbd.output.animation.scene.packing import packed
from fem_mbd.output.animation.scene.selected_states import SelectedStates
from fem_mbd.output.animation.scene.solids import bodies, extent, joints, sockets
from fem_mbd.output.animation.scene.tubes import tubes
from fem_mbd.runs.results.result import Result


def scene_of(result: Result, frames: int, plots: list[str] | None) -> dict[str, Any]:
    """The scene of a run; InputError when it has nothing to show, or for an unknown plot."""
    states, model = SelectedStates.of_run(result, frames), result.model
    title = Path(result.case).name or model["name"] or "model"
    return picture(model, states, title, _subtitle(result, len(states))) | {"curves": curves(result, plots)}


def picture(model: Mapping[str, Any], states: SelectedStates, title: str, subtitle: str) -> dict[str, Any]:
    """The scene of a model in given states, without histories.

    Parameters
    ----------
    model : description stored with a run
    states : with positions and rotations of the nodes
    title, subtitle : headings of the page
    """
    places = states.values["position"][:, 1:] if len(model["nodes"]) > 1 else states.values["position"]
    middle, size = extent(places, model)
    elements = tubes(model, size)
    return {
        "title": title,
        "subtitle": subtitle,
        "up": _up(model),
        "middle": middle.tolist(),
        "size": size,
        "low": _lowest(places, _up(model)),
        "times": states.times.tolist(),
        "nodes": len(model["nodes"]),
        "position": packed(states.values["position"]),
        "quaternion": packed(states.values["quaternion"]),
        "tubes": elements,
        "sections": _sections(model, states, bool(elements)),
        "bodies": bodies(model, size),
        "joints": joints(model, elements, size),
        "sockets": sockets(model),
        "supports": [k for k, node in enumerate(model["nodes"]) if node["name"] in model["supports"]],
        "arrows": arrows(model, states),
        "curves": [],
    }


def _subtitle(result: Result, frames: int) -> str:
    return f"{result.steps} steps to {result.time[-1] if result.steps else 0.0:.4g} s, {frames} of them shown"


def _up(model: Mapping[str, Any]) -> list[float]:
    """Direction against gravity; without gravity the third axis."""
    gravity = np.array(model["gravity"], dtype=float)
    size = float(np.linalg.norm(gravity))
    return (-gravity / size).tolist() if size > 0 else [0.0, 0.0, 1.0]


def _lowest(places: Any, up: list[float]) -> float:
    return float((places @ np.array(up)).min())


def _sections(model: Mapping[str, Any], states: SelectedStates, drawn: bool) -> list[dict[str, Any]]:
    """For each quantity by which beams can be coloured: title and unit, the output's column, and range."""
    found: list[dict[str, Any]] = []
    for name, output in outputs_from(model["outputs"]).items():
        if not (drawn and output.along and name in states.values):
            continue
        values, column = states.values[name], 0
        titles = [(title, q.unit) for q in output.quantities for title in q.components or (q.name,)]
        for column, (title, unit) in enumerate(titles):
            own = values[..., column]
            found.append({
                "title": title, "unit": unit, "output": name, "column": column, "width": values.shape[-1],
                "rows": values.shape[1], "low": float(own.min()), "high": float(own.max()),
            })  # fmt: skip
        found[-1]["data"] = packed(values)
    return found
