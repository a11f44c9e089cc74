"""Class `MachineFamily`: linear models of a machine at any speed of its rotor, in multi-blade coordinates.

Floating machines (`with_floater`): added mass, mooring and hydrostatic stiffness at the platform's node. With T (6, 6)
from the node's unknowns to the motion of the reference point, rho = reference - mass centre of the node:

    u_ref = u + theta x rho,  theta = R theta_node       M += T^T A T,  D += T^T B T,  K += T^T C T + K_W

At rest the platform carries the machine's weight W, a force F = W z at the reference point whose arm rotates with the
node: its moment about the mass centre gives K_W = -F~ rho~. The node's own weight gives such a term where part of its
mass, as water inside, has no weight.

Models are linearised about one of two shapes:

- "undeflected": blades as built, with the stress of their rotation, as in stability programs for turbines;
- "equilibrium": the blades' equilibrium in steady rotation.

The shaft is free to rotate; there is no wind. With gravity the stiffness has the stress due to the weight, averaged
over the azimuth, see `fem_mbd.analysis.rotors.weight`.

The analyses that are methods of `Machine` come last: modes, Campbell diagram, section loads. Bearing angles are the
initial ones of the machine's files (`Machine.start`) unless others are given.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix, csr_matrix

from fem_mbd.analysis.modal.eigen import lowest_frequency
from fem_mbd.analysis.modal.linear_model import LinearModel, linearise, linearise_undeflected
from fem_mbd.analysis.modal.modes import Modes, modes_of, warn_of_coarse_parts
from fem_mbd.analysis.rotors.campbell import Campbell, follow_modes
from fem_mbd.analysis.rotors.multiblade import MultiBlade, in_fixed_axes, isotropic, mean_over_a_turn
from fem_mbd.analysis.rotors.rotor_modes import Platform, RotorShape, mode_names
from fem_mbd.analysis.rotors.weight import SteadySway
from fem_mbd.analysis.statics.equilibrium import Equilibrium, find_equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.assembly.bearings import (
    check_rotation_under_weight,
    mass_with_weight,
    on_all_blades,
    warn_fixed_bearings,
)
from fem_mbd.machines.description.beams import with_elements
from fem_mbd.machines.description.machine import Machine, pitch_bearings, rotor_of
from fem_mbd.machines.description.parts import Floater, Link


def with_floater(linear: LinearModel, assembly: Assembly, floater: Floater) -> LinearModel:
    """A linear model with the terms of its floating platform added.

    Parameters
    ----------
    linear : of the machine without supports
    assembly : from which it was linearised
    floater : matrices of water and mooring
    """
    node = assembly.node(*floater.end).index
    r, rho = linear.state.r[node], floater.reference - linear.state.u[node]
    motion = np.block([[np.eye(3), -skew(rho) @ r], [np.zeros((3, 3)), r]])
    mass, damping, stiffness = (
        motion.T @ matrix @ motion for matrix in (floater.added_mass, floater.damping, floater.stiffness)
    )
    for load, arm in _unit_forces(linear, assembly, floater):
        stiffness[3:, 3:] -= r.T @ skew(floater.gravity * load) @ skew(arm) @ r
    return replace(
        linear,
        mass=_add_block(linear, node, linear.mass, mass),
        damping=_add_block(linear, node, linear.damping, damping),
        stiffness=_add_block(linear, node, linear.stiffness, stiffness),
    )


def unit_lift(linear: LinearModel, assembly: Assembly, floater: Floater) -> Array:
    """(nodes, 6) forces at mass centres, and moments, node axes, that balance the weight at 1 m/s^2."""
    node = assembly.node(*floater.end).index
    forces = np.zeros((linear.system.workspace.n, 6))
    (lift, arm), (weight, weight_arm) = _unit_forces(linear, assembly, floater)
    forces[node, :3] = lift
    forces[node, 3:] = linear.state.r[node].T @ (np.cross(arm, lift) + np.cross(weight_arm, weight))
    return forces


def _unit_forces(linear: LinearModel, assembly: Assembly, floater: Floater) -> list[tuple[Array, Array]]:
    """Lift and weight (3,) of the platform's node in a gravity of 1 m/s^2, arms (3,) from its mass centre."""
    node, mass = assembly.node(*floater.end), mass_with_weight(assembly)
    moment = node.rotation @ assembly.model.inertia[node.index].first_moment
    for member in assembly.machine.members:
        for lump in member.lumps:
            if lump.weightless and assembly.node(member.name, lump.node) is node:
                moment = moment - lump.mass * assembly.frames[member.name].rotation @ lump.centre
    centre, up = linear.state.u[node.index], np.array([0.0, 0.0, 1.0])
    weight_arm = node.position + moment / mass[node.index] - centre if mass[node.index] > 0.0 else np.zeros(3)
    return [(mass.sum() * up, floater.reference - centre), (-mass[node.index] * up, weight_arm)]


def platform_description(assembly: Assembly, floater: Floater) -> Platform:
    """Platform data needed to name modes."""
    return Platform(assembly.node(*floater.end), floater.reference, floater.added_mass)


def _add_block(linear: LinearModel, node: int, matrix: csr_matrix, block: Array) -> csr_matrix:
    """The matrix with ``block`` (6, 6) added at a free node."""
    free = ~linear.system.fixed.ravel()
    index = np.cumsum(free)[6 * node : 6 * node + 6] - 1
    rows, columns = np.meshgrid(index, index, indexing="ij")
    added = coo_matrix((block.ravel(), (rows.ravel(), columns.ravel())), shape=matrix.shape)
    return csr_matrix(matrix + added)


Shape = Literal["undeflected", "equilibrium"]
SHAPES = ("undeflected", "equilibrium")


class Drivable(ABC):
    """Base of the families of a machine, `machine`, whose bearings can be inputs."""

    machine: Machine

    @abstractmethod
    def _with_driven(self, bearings: tuple[str, ...]) -> Self:
        """The same family with these bearings driven."""

    def driving(self, bearings: Sequence[str]) -> Self:
        """The same machine with bearings, such as pitch, whose angle can be an input; one of blade 1 stands for all.

        Parameters
        ----------
        bearings : names, of kind "angle"

        Raises
        ------
        InputError
            For an unknown bearing.
        """
        return self._with_driven(tuple(on_all_blades(self.machine, bearings))) if bearings else self


class MachineFamily(Drivable):
    """Linear models of a machine with an isotropic rotor.

    Parameters
    ----------
    machine : with a free or driven shaft and three blades or more; fewer for standstill only
    angles : rad, of bearings by name, e.g. the pitch of each blade; of others, the initial ones of the files
    shape : about which to linearise, see the module's docstring
    damped : with the damping of the files
    refine : elements between two adjacent stations
    gravity : m/s^2, downwards; by default 0, or that of its files for a floating machine, whose stiffness depends on it
    locked : with the shaft fixed, as by a brake: at standstill only
    stiffest : limit of stiffness, see `assemble`; by default 1e4, for a floating machine 1e3, as round-off of stiffer
        pieces would hide its slowest motions
    driven : bearings of kind "angle", such as pitch, that become driven joints: inputs of `fem_mbd.state_space`

    Raises
    ------
    InputError
        When the rotor is not isotropic (the message says what differs), or a floating machine has no gravity.
    """

    frame = "multi-blade"

    def __init__(
        self,
        machine: Machine,
        angles: Mapping[str, float] | None = None,
        shape: Shape = "undeflected",
        damped: bool = True,
        refine: int = 1,
        gravity: float | None = None,
        locked: bool = False,
        driven: Sequence[str] = (),
        stiffest: float | None = None,
    ):
        if shape not in SHAPES:
            raise InputError(f"shape is {shape!r}; {nearest(shape, SHAPES)}")
        self.machine, self.shape, self.locked = machine, shape, locked
        self.gravity = _gravity(machine, gravity)
        if stiffest is None:
            stiffest = 1e3 if machine.floater else 1e4
        self._options: dict[str, Any] = {
            "angles": angles, "shape": shape, "damped": damped, "refine": refine, "gravity": gravity, "locked": locked,
            "stiffest": stiffest,
        }  # fmt: skip
        motions = dict.fromkeys(driven, 0.0)
        options: dict[str, Any] = {
            "damped": damped,
            "refine": refine,
            "motions": motions,
            "stiffest": stiffest,
        }
        self.assembly: Assembly = assemble(machine, angles, **options)
        self.locked_assembly: Assembly = assemble(machine, angles, **options, locked=True, standing=True)
        self.generator = _joint_of(self.assembly, rotor_of(machine))
        rotor = self.assembly.rotor
        self.axis: Spin = rotor.spin(0.0)
        # one or two blades: at standstill only
        self._can_rotate = len(rotor.blades) > 2
        self.blades = MultiBlade.of(self.axis, rotor.blades, standing=not self._can_rotate)
        first = rotor_of(machine).first
        carrier = None if first is None else self.assembly.node(*first)
        platform = platform_description(self.assembly, machine.floater) if machine.floater else None
        self._rotor = RotorShape(self.blades, rotor.hub, rotor.axes, carrier, platform)
        self._last: Equilibrium | None = None
        self._undeflected = linearise_undeflected(self.assembly.model, self.axis)
        self.isotropic = not self._can_rotate or isotropic(self._undeflected, self.blades)
        if locked:
            self.assembly = assemble(machine, angles, **options, locked=True)
            self._undeflected = linearise_undeflected(self.assembly.model, self.axis)
        self._undeflected = self._with_floater(self._undeflected)

    @cached_property
    def rest(self) -> LinearModel:
        """The linear model at standstill."""
        return self._weighted(0.0)

    @cached_property
    def _lowest_elastic(self) -> float:
        """rad/s, lowest elastic frequency at standstill."""
        linear = self._undeflected
        return lowest_frequency(linear.reduced(linear.stiffness), linear.reduced(linear.mass))

    @cached_property
    def _spinning(self) -> tuple[LinearModel, float]:
        """The linear model at a rate, rad/s: the stress of rotation, and the stiffness from it, grow with its square.

        The rate is so high that this stiffness is as large as the elastic one: at 1 rad/s a stiff rotor's would drown
        in the elastic one's round-off, and a free shaft would have a stiffness.
        """
        stiffness, mass = (abs(m).max() for m in (self._undeflected.stiffness, self._undeflected.mass))
        rate = float(np.sqrt(stiffness / mass))
        spin = self.assembly.rotor.spin(rate)
        return self._with_floater(linearise_undeflected(self.assembly.model, spin)), rate

    def at(self, rate: float) -> LinearModel:
        """The linear model at a speed.

        Parameters
        ----------
        rate : rad/s

        Raises
        ------
        InputError
            For a speed other than 0 with a locked shaft or fewer than three blades.
        SolverFailure
            When there is no equilibrium at that speed.
        """
        if self.locked and rate != 0.0:
            raise InputError(
                f"machine '{self.machine.name}': its shaft is locked, it cannot turn at {rate:g} rad/s"
            )
        if rate != 0.0 and not self._can_rotate:
            raise InputError(
                f"machine '{self.machine.name}': a turning rotor of {len(self.blades.azimuths)} blades is not "
                "isotropic, its equations are periodic: take Floquet multipliers (fm.floquet) of a run at "
                f"{rate:g} rad/s, or modes at standstill (speed 0)"
            )
        return self.rest if rate == 0.0 else self._weighted(rate)

    def _with_driven(self, bearings: tuple[str, ...]) -> Self:
        return type(self)(self.machine, driven=bearings, **self._options)

    def sway(self, rate: float) -> SteadySway:
        """The steady motion under the machine's weight, periodic in rotating axes.

        Parameters
        ----------
        rate : rad/s

        Raises
        ------
        InputError
            When the weight turns a free bearing without a spring, such as a teeter hinge, too far.
        SolverFailure
            When there is no equilibrium at that speed.
        """
        linear = self._multiblade(rate)
        force = np.zeros((len(self.assembly.model.nodes), 6))
        force[:, 2] = -self.gravity * mass_with_weight(self.assembly)
        if self.machine.floater:
            force += self.gravity * unit_lift(linear, self.assembly, self.machine.floater)
        sway = SteadySway.of(linear, self.blades, force, self._lowest_elastic)
        check_rotation_under_weight(self.assembly, linear.expand(sway.motion).real)
        return sway

    def names(self, modes: Modes, whirling: bool = False) -> list[str]:
        """Names of modes of one of these models, see `fem_mbd.analysis.rotors.rotor_modes`; none for one or two blades.

        Parameters
        ----------
        modes : the modes
        whirling : name standing modes as the whirling modes that they become when the rotor rotates
        """
        return mode_names(modes, self._rotor, whirling) if self._can_rotate else []

    def campbell(self, speeds: ArrayLike, number: int = 12, undamped: bool = False) -> Campbell:
        """Modes over speed, tracked and named.

        Parameters
        ----------
        speeds : (s,) rad/s, ascending, from 0
        number : of modes, the lowest ones at the last speed
        undamped : leave dampers and material damping out

        Raises
        ------
        InputError
            For speeds that do not ascend.
        """
        # in multi-blade coordinates the dampers of a turning rotor are in the stiffness too
        again = undamped and self._options["damped"]
        without = MachineFamily(self.machine, **self._options | {"damped": False}) if again else self
        return follow_modes(without, speeds, number, undamped)

    def equilibrium(self, rate: float) -> Equilibrium:
        """The equilibrium in steady rotation with the shaft fixed in its bearing.

        Parameters
        ----------
        rate : rad/s
        """
        spin = self.locked_assembly.rotor.spin(rate)
        self._last = find_equilibrium(self.locked_assembly.model, spin=spin, start=self._last, load_steps=2)
        return self._last

    def _weighted(self, rate: float) -> LinearModel:
        """In multi-blade coordinates, with the stress of the weight."""
        return self.sway(rate).with_weight() if self.gravity != 0.0 else self._multiblade(rate)

    def _multiblade(self, rate: float) -> LinearModel:
        """In multi-blade coordinates, without the weight."""
        if rate == 0.0:
            return self._undeflected if self.isotropic else mean_over_a_turn(self._undeflected, self.blades)
        return in_fixed_axes(self._averaged(rate), self.blades)

    def _averaged(self, rate: float) -> LinearModel:
        """In rotating axes; averaged over a revolution unless exactly isotropic."""
        linear = self._rotating(rate)
        return linear if self.isotropic else mean_over_a_turn(linear, self.blades)

    def _rotating(self, rate: float) -> LinearModel:
        spin = self.assembly.rotor.spin(rate)
        if self.shape == "equilibrium":
            return self._with_floater(
                linearise(self.assembly.model, self._free_state(self.equilibrium(rate)), spin=spin)
            )
        spinning, there = self._spinning
        share = rate / there
        stress_stiffness = spinning.stiffness - self._undeflected.stiffness
        return replace(
            spinning,
            gyroscopic=csr_matrix(share * spinning.gyroscopic),
            stiffness=csr_matrix(self._undeflected.stiffness + share**2 * stress_stiffness),
            spin=spin.omega,
        )

    def _with_floater(self, linear: LinearModel) -> LinearModel:
        floater = self.machine.floater
        return with_floater(linear, self.assembly, floater) if floater else linear

    def _free_state(self, equilibrium: Equilibrium) -> State:
        """State of the model with the free shaft, from the equilibrium with the fixed one."""
        state = System(self.assembly.model).reference_state()
        state.u[:], state.r[:] = equilibrium.state.u, equilibrium.state.r
        return state


def _gravity(machine: Machine, gravity: float | None) -> float:
    if machine.floater is None:
        return 0.0 if gravity is None else gravity
    if gravity == 0.0:
        raise InputError(
            f"machine '{machine.name}' floats: weight and buoyancy hold it upright; leave gravity out, or give m/s^2"
        )
    return machine.floater.gravity if gravity is None else gravity


def _joint_of(assembly: Assembly, link: Link) -> str:
    """Name of a link's joint in the model; it differs from the link's where a member has that name."""
    ends = assembly.node(*link.first) if link.first else assembly.model.ground, assembly.node(*link.second)
    joints: list[Constraints] = assembly.model.specs.get(ConstraintKind, [])
    return next(spec.name for spec in joints if (spec.k.node, spec.l.node) == ends)


def machine_modes(machine: Machine, speed: float = 0.0, number: int = 12, **options: Any) -> Modes:
    """`Machine.modes`, see there."""
    family = _family(machine, "modes", **options)
    modes = modes_of(family.at(speed), number)
    warn_of_coarse_parts(modes, 4)
    return replace(modes, names=tuple(family.names(modes)))


def machine_campbell(
    machine: Machine,
    speeds: ArrayLike,
    number: int = 12,
    **options: Any,
) -> Campbell:
    """`Machine.campbell`, see there."""
    return _family(machine, "campbell", **options).campbell(speeds, number)


def machine_loads(
    machine: Machine,
    speed: float = 0.0,
    azimuth: float = 0.0,
    angles: Mapping[str, float] | None = None,
    gravity: float | None = None,
    elements: int | None = None,
    pitch: float | None = None,
) -> dict[str, float]:
    """`Machine.loads`, see there."""
    gravity = machine.gravity if gravity is None else gravity
    if machine.floater is not None and not gravity:
        raise InputError(
            f"machine '{machine.name}' floats: weight and buoyancy hold it upright: leave gravity out, or read it with "
            "platform='held'"
        )
    bearing_angles = dict(machine.start) | _angles(machine, angles, pitch)
    shaft = rotor_of(machine).name
    bearing_angles[shaft] = bearing_angles.get(shaft, 0.0) + float(np.radians(azimuth))
    warn_fixed_bearings(machine)
    assembly = assemble(
        _meshed(machine, elements), bearing_angles, gravity=gravity, locked=True, standing=True
    )
    # the rotor is assembled at its azimuth, so its forces on the tower are in fixed axes
    spin = replace(assembly.rotor.spin(speed), azimuth=0.0)
    return find_equilibrium(assembly.model, spin=spin, load_steps=2).loads()


def _family(
    machine: Machine,
    method: str,
    angles: Mapping[str, float] | None = None,
    elements: int | None = None,
    pitch: float | None = None,
    **options: Any,
) -> MachineFamily:
    known = [
        name
        for name in inspect.signature(MachineFamily.__init__).parameters
        if name not in ("self", "machine")
    ]
    for name in options:
        if name not in known:
            permitted = ["speed", "number", "pitch", "elements", *known]
            raise InputError(f"Machine.{method} has no option '{name}'; {nearest(name, permitted)}")
    return MachineFamily(_meshed(machine, elements), _angles(machine, angles, pitch), **options)


def _angles(machine: Machine, angles: Mapping[str, float] | None, pitch: float | None) -> dict[str, float]:
    """rad, the given angles of bearings; ``pitch`` is that of all blades without an angle of their own."""
    names = [] if pitch is None else [link.name for link in pitch_bearings(machine)]
    return dict.fromkeys(names, 0.0 if pitch is None else finite(pitch, "pitch (rad)")) | dict(angles or {})


def _meshed(machine: Machine, elements: int | None) -> Machine:
    return machine if elements is None else with_elements(machine, elements)
