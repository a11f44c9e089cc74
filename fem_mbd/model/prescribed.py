"""Motion prescribed at a node, as the user gives it."""

from __future__ import annotations

from dataclasses import dataclass

from fem_mbd.errors import InputError
from fem_mbd.model.model import Model
from fem_mbd.model.node import Attachment
from fem_mbd.model.prescription import Prescription
from fem_mbd.model.time_functions import TimeFunctionLike


@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """Given displacement and rotation of a node, both functions of time that start from the reference configuration.

    displacement : (3,) function, global axes, m, or None to hold the node's place
    angle : function in rad about ``axis`` (3,), global axes, or None to hold its rotation
    """

    node: Attachment
    displacement: TimeFunctionLike | None = None
    axis: tuple[float, float, float] | None = None
    angle: TimeFunctionLike | None = None
    name: str = "prescribed motion"

    def build(self, model: Model) -> PrescribedMotion:
        if (self.axis is None) != (self.angle is None):
            raise InputError(f"{self.name}: give axis and angle together, or neither")
        node = model.own(self.node, self.name)
        if node is model.ground or len(model.fixed.get(node.index, ())) == 6:
            raise InputError(
                f"{self.name}: node '{node.name}' is held (the ground, or clamped to it): free it first"
            )
        prescription = Prescription.of(node, self.displacement, self.axis, self.angle, self.name)
        model.fix(node)
        model.prescribed.append(prescription)
        return self
