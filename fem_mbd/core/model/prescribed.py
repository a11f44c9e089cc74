"""Class `PrescribedMotion`: the user's prescribed displacement and rotation of a node or of a point of one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from fem_mbd.base.arguments import arguments
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, as_point
from fem_mbd.core.model.prescription import Prescription
from fem_mbd.core.model.time_functions import TimeFunctionLike
from fem_mbd.errors import InputError


@arguments()
@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """Prescribed displacement and rotation of a node or point, functions of time from the reference configuration on.

    Parameters
    ----------
    node : the node, a point of it, or the handle of a body with this node
    displacement : (3,) function of time, m, global axes, of the node or point; None fixes its position
    axis : (3,) of the rotation about the node or point, global axes
    angle : function of time in rad about ``axis``; None fixes the rotation
    name : shown in messages
    allow_jumps : let displacement and angle jump; the step that begins at a jump carries it out, and its work is in the
        energy balance (`fem_mbd.core.model.function_values`)
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
                f"{self.name}: node '{node.name}' is fixed (the ground, or Model.fix): do not fix it"
            )
        prescription = Prescription.of(
            as_point(self.node), self.displacement, self.axis, self.angle, self.name, self.allow_jumps
        )
        model.fix(node)
        model.prescribed.append(prescription)
        return self
