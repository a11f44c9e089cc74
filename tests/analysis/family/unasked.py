"""How any part of the package is tried on the frame: from the names of its parameters, or as `PARTS` has it.

A new part is compared as soon as it can be added to a model, without being listed.
"""

import inspect
from typing import Any

import fem_mbd as fm
from fem_mbd import elements, joints
from tests.analysis.family.frame import Kind
from tests.analysis.family.parts import (
    ACROSS,
    AT,
    AXIS,
    BRISTLES,
    ELSEWHERE,
    PARTS,
    SIDE,
    STEEL,
    TABLE,
    _beam,
    _wheel,
)

# by the name of a parameter; SI units. Those of `OPTIONAL` are given too where a part has them
VALUES: dict[str, Any] = {
    "axis": AXIS, "direction": AXIS, "axis_k": ACROSS, "axis_l": SIDE, "first": ACROSS,
    "stiffness": 40.0, "damping": 0.3, "inertia": (0.02, 0.025, 0.03), "mass": 0.7, "ratio": -1.5, "speed": 0.0,
    "force": (3.0, -2.0, 5.0), "moment": (0.3, -0.2, 0.5), "torque": 0.7, "law": TABLE, "normal": STEEL,
    "friction": BRISTLES, "viscosity": 0.3, "radius": 0.05, "length": 0.3, "proportional": 0.02, "ratios": (0.02, 0.03),
}  # fmt: skip
OPTIONAL = {"at", "axis", "direction", "axis_k", "axis_l"}
TURNING = {
    "torque",
    "law",
    "speed",
    "ratio",
}  # parts with one of these act between bodies that turn about an axis


def kinds() -> list[str]:
    """Names of all parts that users can add to a model."""
    return [
        name
        for package in (elements, joints)
        for name in package.__all__
        if isinstance(getattr(package, name), type) and hasattr(getattr(package, name), "build")
    ]


COMPARED = [name for name in kinds() if name not in ELSEWHERE]


def kind_of(name: str) -> Kind:
    """How a part is tried.

    Raises
    ------
    LookupError
        For a part with parameters of unknown names, which needs an example of its own in `PARTS`.
    """
    if name in PARTS:
        return PARTS[name]
    part = getattr(elements, name, None) or getattr(joints, name)
    parameters = inspect.signature(part).parameters
    needed = [p.name for p in parameters.values() if p.default is p.empty]
    places = {"k", "l", "at", "node", "body", "beam"}
    unknown = [p for p in needed if p not in VALUES and p not in places]
    if unknown:
        raise LookupError(
            f"{name}: the parameters {unknown} have names without a value here: put an example into tests.analysis."
            "family.parts, or the values into VALUES"
        )

    def add(model: fm.Model, body: Any) -> None:
        ends = (
            (body, _wheel(model, body)) if TURNING & set(needed) and "k" in needed else (model.ground, body)
        )
        given = {p: VALUES[p] for p in parameters if p in VALUES and (p in needed or p in OPTIONAL)}
        if "k" in needed:
            given |= {"k": ends[0], "l": ends[1]}
        if "at" in parameters:
            given["at"] = AT if "k" in needed else body.node.at((0.1, 0.05, 0))
        given |= {p: body.node for p in ("node", "body") if p in needed}
        if "beam" in needed:
            given["beam"] = _beam(model, body)
        model.add(part(**given))

    return Kind(add, steps=400 if "beam" in needed else 100)
