"""Generator: a braking torque between the two bodies of a revolute joint, as a function of their relative speed.

With a_K and a_L the joint's axis in both bodies (node axes), and b = dt times the mean angular velocity of a node over
the step (node axes), the mean speed of the step and the moments are

    Omega = (a_L . b_L - a_K . b_K) / dt        -T(Omega) a_L on L,  +T(Omega) a_K on K,

constant over the step: second order. The work -T Omega dt is in the energy balance, to round-off, as work of loads; the
power extracted is the electric power plus the losses of the generator.

A law of torque over speed (`TorqueLaw`) gives T(Omega), N m, and dT/dOmega, N m s. Tables are evaluated in the compiled
kernels, which come first in this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, positive
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import float64, matrix, record, slots, vector, void
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import unit_vector
from fem_mbd.core.scheme.ledger import add_amounts, columns
from fem_mbd.elements.loads.loads import check_joint_axis
from fem_mbd.errors import InputError

TURNS = 3  # index of a node's mean rotation in the step among its unknowns
OWN_LAW = -1  # ``count`` of a generator whose torque is computed in Python

GENERATOR_DATA = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("axes", "f8", (2, 3)),  # node axes; that of K times -1: the speed is the sum of axis . b/dt
        ("first", "i8"),  # of its rows in the table of speeds and torques
        ("count", "i8"),  # of them; 0: torque = factor speed^2
        ("factor", "f8"),
    ],
    align=True,
)


@kernel
def _in_table(table, first, count, speed):
    """Torque and its derivative by linear interpolation between rows (speed, torque); constant beyond the ends."""
    last = first + count - 1
    if speed <= table[first, 0]:
        return table[first, 1], 0.0
    if speed >= table[last, 0]:
        return table[last, 1], 0.0
    k = first
    while table[k + 1, 0] <= speed:
        k += 1
    slope = (table[k + 1, 1] - table[k, 1]) / (table[k + 1, 0] - table[k, 0])
    return table[k, 1] + slope * (speed - table[k, 0]), slope


@kernel(void(record(GENERATOR_DATA)[::1], matrix, matrix, float64, matrix, vector))
def evaluate_generators(generators, table, x, dt, means, slopes):
    """Fill means (n, 3) with speed and torque, means of the step, and slopes (n,) with the torque's derivative."""
    for k in range(generators.shape[0]):
        generator, speed = generators[k], 0.0
        for side in range(2):
            for i in range(3):
                speed += generator["axes"][side, i] * x[generator["nodes"][side], TURNS + i] / dt
        means[k, 0] = speed
        if generator.count > 0:
            means[k, 1], slopes[k] = _in_table(table, generator.first, generator.count, speed)
        elif generator.count == 0:
            forward = max(speed, 0.0)
            means[k, 1], slopes[k] = generator.factor * forward * forward, 2.0 * generator.factor * forward


@kernel(void(record(GENERATOR_DATA)[::1], matrix, float64, matrix))
def add_torques(generators, means, dt, rows):
    """Add dt^2 times the moments, internal ones, to the nodes' rows (N, 12)."""
    for k in range(generators.shape[0]):
        for side in range(2):
            node = generators[k]["nodes"][side]
            for i in range(3):
                rows[node, TURNS + i] += dt * dt * means[k, 1] * generators[k]["axes"][side, i]


@kernel(void(record(GENERATOR_DATA)[::1], vector, float64, slots, vector))
def generator_tangent(generators, slopes, dt, places, data):
    """Add the derivatives of `add_torques`; places (n, 24, 24) in the matrix values."""
    for k in range(generators.shape[0]):
        axes = generators[k]["axes"]
        for row in range(6):
            for column in range(6):
                product = axes[row // 3, row % 3] * axes[column // 3, column % 3]
                i, j = 12 * (row // 3) + TURNS + row % 3, 12 * (column // 3) + TURNS + column % 3
                data[places[k, i, j]] += dt * slopes[k] * product


@kernel(void(matrix, float64, vector))
def generator_work(means, dt, out):
    """Fill the powers, means[:, 2], and out[0] with the work of the loads, J: extracted energy is negative."""
    out[0] = 0.0
    for k in range(means.shape[0]):
        means[k, 2] = means[k, 0] * means[k, 1]
        out[0] -= means[k, 2] * dt


AMOUNTS = columns("work_loads")
GENERATOR = Output(
    "generator",
    "generator",
    (
        Quantity("speed", "rad/s", "of L relative to K, mean of the step", within="mean"),
        Quantity("torque", "N m", "braking L, mean of the step", within="mean"),
        Quantity("power", "W", "extracted, mean of the step", within="mean"),
    ),
)


class TorqueLaw(Protocol):
    """Interface of a law: called with the speed (rad/s) it returns torque (N m) and its derivative (N m s)."""

    def __call__(self, speed: float) -> tuple[float, float]: ...


@dataclass(frozen=True)
class QuadraticTorque:
    """T = k Omega^2 for Omega above zero, none below: a generator below rated speed, at the best tip-speed ratio.

    Parameters
    ----------
    factor : k, N m s^2
    """

    factor: float

    def __post_init__(self) -> None:
        positive(self.factor, "QuadraticTorque: factor (N m s^2)")

    def __call__(self, speed: float) -> tuple[float, float]:
        """T and dT/dOmega."""
        forward = max(speed, 0.0)
        return self.factor * forward**2, 2.0 * self.factor * forward


@dataclass(frozen=True, eq=False)
class TorqueTable:
    """Torque over speed as a table, linear interpolation, constant beyond its ends.

    Parameters
    ----------
    speeds : (n,) rad/s, ascending
    torques : (n,) N m

    Raises
    ------
    InputError
        For speeds that do not ascend, or another number of torques.
    """

    speeds: Any
    torques: Any

    def __post_init__(self) -> None:
        speeds = array(self.speeds, np.shape(self.speeds), "TorqueTable: speeds (rad/s)")
        if speeds.ndim != 1 or len(speeds) < 2 or np.any(np.diff(speeds) <= 0.0):
            raise InputError("TorqueTable: speeds (rad/s) have to ascend, two at least")
        object.__setattr__(self, "speeds", speeds)
        object.__setattr__(self, "torques", array(self.torques, speeds.shape, "TorqueTable: torques (N m)"))

    def __call__(self, speed: float) -> tuple[float, float]:
        """T and dT/dOmega."""
        if not self.speeds[0] < speed < self.speeds[-1]:
            return float(self.torques[0 if speed <= self.speeds[0] else -1]), 0.0
        k = int(np.searchsorted(self.speeds, speed, side="right")) - 1
        slope = float((self.torques[k + 1] - self.torques[k]) / (self.speeds[k + 1] - self.speeds[k]))
        return float(self.torques[k]) + slope * (speed - float(self.speeds[k])), slope


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

    def __init__(self, specs: Sequence[GeneratorSpec], workspace: Workspace):
        self.specs = list(specs)
        count = len(self.specs)
        self.records: Any = np.zeros(count, dtype=GENERATOR_DATA)
        tables = [np.zeros((0, 2))]
        for entry, spec in zip(self.records, self.specs, strict=True):
            entry["nodes"], entry["axes"] = spec.nodes, (-spec.axes[0], spec.axes[1])
            if isinstance(spec.law, TorqueTable):
                entry["first"], entry["count"] = sum(map(len, tables)), len(spec.law.speeds)
                tables.append(np.column_stack([spec.law.speeds, spec.law.torques]))
            elif isinstance(spec.law, QuadraticTorque):
                entry["factor"] = spec.law.factor
            else:
                entry["count"] = OWN_LAW
        self._table = np.concatenate(tables)
        self.nodes = self.records["nodes"].copy()
        self.multipliers = np.zeros(count, dtype=np.int64)
        self._means, self._slopes, self._work = np.zeros((count, 3)), np.zeros(count), np.zeros(1)

    def phases(self, workspace: Workspace) -> dict[str, list[Task]]:
        torques = Call(
            evaluate_generators, self.records, self._table, workspace.x, workspace.step, self._means, self._slopes,
        )  # fmt: skip
        in_python = bool((self.records["count"] == OWN_LAW).any())
        return {
            "residual": [
                torques,
                *([self._evaluate_python_laws] if in_python else []),
                Call(add_torques, self.records, self._means, workspace.step, workspace.rows),
            ],
            "tangent": [
                Call(
                    generator_tangent, self.records, self._slopes, workspace.step, self.slots, workspace.data
                )
            ],
            "ledger": [
                Call(generator_work, self._means, workspace.step, self._work),
                Call(add_amounts, self._work, AMOUNTS, workspace.amounts),
            ],
        }

    def _evaluate_python_laws(self) -> None:
        """Torques by functions in Python."""
        for k in np.flatnonzero(self.records["count"] == OWN_LAW):
            self._means[k, 1], self._slopes[k] = self.specs[k].law(float(self._means[k, 0]))

    def output_arrays(self) -> dict[str, Array]:
        """Speed, torque and power of the last step (n, 3)."""
        return {GENERATOR.name: self._means}


@arguments()
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
            values = np.array(self.law(0.0), dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what}: its law fails at speed 0 ({error})") from error
        if values.shape != (2,) or not np.all(np.isfinite(values)):
            raise InputError(f"{what}: its law has to return the torque and its derivative by the speed")
        axes = np.array([node.rotation.T @ direction for node in nodes])
        spec = GeneratorSpec(
            model.registry.unique_name(self.name), (nodes[0].index, nodes[1].index), axes, self.law
        )
        model.registry.add(GeneratorKind, spec)
        return self
