"""Motion prescribed at a node, as the user gives it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from fem_mbd.base.arguments import arguments
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.model.prescription import Prescription
from fem_mbd.core.model.time_functions import TimeFunctionLike
from fem_mbd.errors import InputError


@arguments("node displacement axis angle name allow_jumps")
@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """Given displacement and rotation of a node, both functions of time that start from the reference configuration.

    Parameters
    ----------
    node : that is moved; a handle of a body does as well
    displacement : (3,) function of time, m, global axes; None holds the node's place
    axis : (3,) of the rotation, global axes
    angle : function of time in rad about ``axis``; None holds the rotation
    name : shown in messages
    allow_jumps : let displacement and angle jump; the step that begins at a jump carries it out, and its work is in the
        energy balance (`fem_mbd.core.model.jumps`)
    """

    node: Attachment
    displacement: TimeFunctionLike | None = None
    _: KW_ONLY
    axis: tuple[float, float, float] | None = None
    angle: TimeFunctionLike | None = None
    name: str = "prescribed motion"
    allow_jumps: bool = False

    def build(self, model: Model) -> PrescribedMotion:
        """Called by `Model.add`."""
        if (self.axis is None) != (self.angle is None):
            raise InputError(f"{self.name}: give axis and angle together, or neither")
        node = model.registry.node_of(self.node, self.name)
        if node is model.ground or len(model.fixed.get(node.index, ())) == 6:
            raise InputError(
                f"{self.name}: node '{node.name}' is held (the ground, or clamped to it): free it first"
            )
        prescription = Prescription.of(
            node, self.displacement, self.axis, self.angle, self.name, self.allow_jumps
        )
        model.fix(node)
        model.prescribed.append(prescription)
        return self
