"""Generator: a braking torque between the two bodies of a revolute joint, as a function of their relative speed.

With a_K and a_L the joint's axis in both bodies (node axes), and b = dt times the mean angular velocity of a node over
the step (node axes), the mean speed of the step and the moments are

    Omega = (a_L . b_L - a_K . b_K) / dt        -T(Omega) a_L on L,  +T(Omega) a_K on K,

constant over the step: second order. The work -T Omega dt is in the energy balance, to round-off, as work of loads; the
power extracted is the electric power plus the losses of the generator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import unit_vector
from fem_mbd.elements.loads.joint_axis import check_joint_axis
from fem_mbd.elements.loads.torque_laws import TorqueLaw
from fem_mbd.errors import InputError

TURNS = slice(3, 6)  # of a node's twelve unknowns: b, the mean rotation of the step
GENERATOR = Output(
    "generator",
    "generator",
    (
        Quantity("speed", "rad/s", "of L relative to K, mean of the step", within="mean"),
        Quantity("torque", "N m", "braking L, mean of the step", within="mean"),
        Quantity("power", "W", "extracted, mean of the step", within="mean"),
    ),
)


@dataclass(frozen=True, eq=False)
class GeneratorSpec:
    """One generator: nodes of K and L, the axis (2, 3) in the axes of both, its law."""

    name: str
    nodes: tuple[int, int]
    axes: Array
    law: TorqueLaw


class GeneratorKind(PartKind):
    """All generators of a model."""

    label: ClassVar[str] = "generator"
    applied: ClassVar[bool] = True
    recorded: tuple[Output, ...] = (GENERATOR,)

    def __init__(self, specs: Sequence[GeneratorSpec], work: Workspace):
        self.specs = list(specs)
        self.nodes = np.array([spec.nodes for spec in self.specs])
        self.multipliers = np.zeros(len(self.specs), dtype=np.int64)
        # the speed is the sum of these times b / dt
        self._signed = np.array([[-spec.axes[0], spec.axes[1]] for spec in self.specs])
        self._means = np.zeros((len(self.specs), 3))

    def _speeds(self, work: Workspace) -> Array:
        """(n,) rad/s."""
        return np.asarray(np.einsum("pki,pki->p", self._signed, work.x[self.nodes, TURNS]) / work.dt)

    def residual(self, work: Workspace) -> None:
        for spec, signed, speed in zip(self.specs, self._signed, self._speeds(work), strict=True):
            # internal forces: minus the load, which is -T on L and +T on K
            for node, axis in zip(spec.nodes, signed, strict=True):
                work.rows[node, TURNS] += work.dt**2 * spec.law(float(speed))[0] * axis

    def tangent(self, work: Workspace) -> None:
        for spec, signed, speed, slots in zip(
            self.specs, self._signed, self._speeds(work), self.slots, strict=True
        ):
            along = np.zeros((2, 12))
            along[:, TURNS] = signed
            block = work.dt * spec.law(float(speed))[1] * np.outer(along, along)
            np.add.at(work.data, slots, block)

    def ledger(self, work: Workspace) -> None:
        for k, (spec, speed) in enumerate(zip(self.specs, self._speeds(work), strict=True)):
            torque = spec.law(float(speed))[0]
            self._means[k] = speed, torque, torque * speed
        work.ledger["work_loads"] -= float(self._means[:, 2].sum()) * work.dt

    def measured(self) -> dict[str, Array]:
        """Speed, torque and power of the last step (n, 3)."""
        return {GENERATOR.name: self._means}


@arguments("k l axis law name")
@dataclass(frozen=True, eq=False)
class Generator:
    """A torque that brakes L relative to K about the axis of a revolute or cylindrical joint, a function of the speed.

    Parameters
    ----------
    k, l : the two bodies of the joint, which is added first; L rotates, K is the support
    axis : (3,) global axes, reference configuration; positive direction of the speed
    law : torque over speed: `QuadraticTorque`, `TorqueTable`, or any function of the speed (rad/s) that returns the
        torque (N m) and its derivative
    name : shown in messages and results

    Raises
    ------
    InputError
        When the joint of the two bodies lacks this axis, or the law does not return two finite numbers.
    """

    k: Attachment
    l: Attachment
    axis: Any
    law: TorqueLaw
    _: KW_ONLY
    name: str = "generator"

    def build(self, model: Model) -> Generator:
        """Called by `Model.add`."""
        what = f"generator '{self.name}'"
        direction = unit_vector(self.axis, f"{what}: axis")
        nodes = model.registry.node_of(self.k, what), model.registry.node_of(self.l, what)
        check_joint_axis(model, *nodes, direction, what)
        try:
            found = np.array(self.law(0.0), dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what}: its law fails at speed 0 ({error})") from error
        if found.shape != (2,) or not np.all(np.isfinite(found)):
            raise InputError(f"{what}: its law has to return the torque and its derivative by the speed")
        axes = np.array([node.rotation.T @ direction for node in nodes])
        spec = GeneratorSpec(
            model.registry.unique_name(self.name), (nodes[0].index, nodes[1].index), axes, self.law
        )
        model.registry.add(GeneratorKind, spec)
        return self
