"""Motor torque that follows a given speed by a proportional and integral controller.

    T = proportional (Omega(t) - phi') + integral (integral of Omega from 0 to t - phi)

about the common axis of two bodies, + on L and - on K, with phi the rotation angle of L relative to K. It is a torsion
spring and damper whose neutral angle follows the desired angle: the parts are a `RotationalSpringDamper` and a
`JointTorque` of the terms that depend on time only. The energy balance holds with them: the work of the torque is
counted as work of loads, the proportional part as viscous dissipation, the integral part as elastic energy.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import not_negative, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.model.time_functions import as_time_function
from fem_mbd.core.model.time_functions.integral import integral_of
from fem_mbd.elements.loads.loads import JointTorque
from fem_mbd.elements.springs.springs import RotationalSpringDamper, SpringHandle


@arguments()
@dataclass(frozen=True, eq=False)
class SpeedController:
    """A motor torque that drives L relative to K at a given speed, about the axis of a revolute or cylindrical joint.

    Parameters
    ----------
    k, l : the two bodies, nodes or points
    axis : (3,) of the joint, global axes, reference configuration
    speed : desired speed of L relative to K, rad/s: number, function of time or TimeFunction
    proportional : N m s/rad, above zero
    integral : N m/rad, not negative. The torque has no limit
    name : shown in messages and results

    Raises
    ------
    InputError
        For gains out of range, an axis without direction, a speed that is no scalar.
    """

    k: Attachment
    l: Attachment
    axis: Any
    speed: Any
    proportional: float
    integral: float = 0.0
    _: KW_ONLY
    name: str = "speed controller"

    def __post_init__(self) -> None:
        what = f"speed controller '{self.name}'"
        positive(self.proportional, f"{what}: proportional")
        not_negative(self.integral, f"{what}: integral (N m/rad)")
        as_time_function(self.speed, (), f"{what}: speed")

    def build(self, model: Model) -> SpringHandle:
        """Called by `Model.add`."""
        speed = as_time_function(self.speed, (), f"speed controller '{self.name}': speed")
        spring = RotationalSpringDamper(
            self.k, self.l, self.axis, self.integral, self.proportional, name=self.name
        )
        torque = self.proportional * speed
        if self.integral > 0.0:
            torque = torque + self.integral * integral_of(speed, f"speed controller '{self.name}': speed")
        handle = spring.build(model)
        JointTorque(self.k, self.l, self.axis, torque, name=f"{handle.name}.torque").build(model)
        return handle
