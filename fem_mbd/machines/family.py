"""Class `MachineFamily`: linear models of a machine at any speed of its rotor, in multi-blade coordinates.

They are linearised about one of two shapes:

- "undeflected": blades as built, with the stress of their rotation, as in stability programs for turbines;
- "equilibrium": the blades' equilibrium in steady rotation.

The shaft is free to rotate; there is no wind. With gravity the stiffness has the stress due to the weight, averaged
over the azimuth, see `fem_mbd.analysis.rotors.weight`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.eigen import lowest_frequency
from fem_mbd.analysis.modal.linear_model import LinearModel, linearise, linearise_undeflected
from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.rotors.campbell import Campbell, follow_modes
from fem_mbd.analysis.rotors.isotropy import isotropic, mean_over_a_turn
from fem_mbd.analysis.rotors.multiblade import MultiBlade, in_fixed_axes
from fem_mbd.analysis.rotors.rotor_modes import RotorShape, mode_names
from fem_mbd.analysis.rotors.weight import SteadySway
from fem_mbd.analysis.statics.equilibrium import Equilibrium, find_equilibrium
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError
from fem_mbd.machines.afloat import afloat, lift_at, platform_of
from fem_mbd.machines.assembly.assemble import Assembly, assemble
from fem_mbd.machines.assembly.bearings import equal_bearings, refuse_unheld
from fem_mbd.machines.assembly.foundation import weighing
from fem_mbd.machines.description.machine import Machine, rotor_of
from fem_mbd.machines.description.parts import Link

Shape = Literal["undeflected", "equilibrium"]
SHAPES = ("undeflected", "equilibrium")


class MachineFamily:
    """Linear models of a machine with an isotropic rotor.

    Parameters
    ----------
    machine : with a bearing that is free to turn and three blades or more; fewer for standstill only
    angles : rad, of bearings by name, e.g. the pitch of each blade
    shape : about which to linearise, see the module's heading
    damped : with the damping of the files
    refine : elements for each piece between two stations of the sections
    gravity : m/s^2, downwards; left out 0, of a floating machine that of its files, as its weight is what holds it up
    locked : with the shaft held, as by a generator's brake: at standstill only
    stiffest : as of `assemble`: how much stiffer than the least stiff member connecting pieces may be; left out 1e4, of
        a floating machine 1e3, as round-off of stiff pieces would hide its slowest motions
    driven : bearings that are held at an angle, as pitch, built as driven joints: inputs of `fem_mbd.state_space`

    Raises
    ------
    InputError
        When the rotor is not isotropic, says what differs; for a floating machine without gravity.
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
        self.made: Assembly = assemble(machine, angles, **options)
        self.held: Assembly = assemble(machine, angles, **options, locked=True, standing=True)
        self.generator = _joint_of(self.made, rotor_of(machine))
        rotor = self.made.rotor
        self.axis: Spin = rotor.spin(0.0)
        # one or two blades: at standstill only
        self._turns = len(rotor.blades) > 2
        self.blades = MultiBlade.of(self.axis, rotor.blades, standing=not self._turns)
        first = rotor_of(machine).first
        carrier = None if first is None else self.made.node(*first)
        platform = platform_of(self.made, machine.floater) if machine.floater else None
        self._rotor = RotorShape(self.blades, rotor.hub, rotor.axes, carrier, platform)
        self._last: Equilibrium | None = None
        self._unstressed = linearise_undeflected(self.made.model, self.axis)
        self._round = not self._turns or isotropic(self._unstressed, self.blades)
        if locked:
            self.made = assemble(machine, angles, **options, locked=True)
            self._unstressed = linearise_undeflected(self.made.model, self.axis)
        self._unstressed = self._afloat(self._unstressed)

    @cached_property
    def rest(self) -> LinearModel:
        """The linear model at standstill."""
        return self._weighted(0.0)

    @cached_property
    def _lowest(self) -> float:
        """rad/s, lowest elastic frequency at standstill."""
        linear = self._unstressed
        return lowest_frequency(linear.reduced(linear.stiffness), linear.reduced(linear.mass))

    @cached_property
    def _unit(self) -> LinearModel:
        """At 1 rad/s: the stress of rotation, and with it the stiffness, grows with the square of the speed."""
        return self._afloat(linearise_undeflected(self.made.model, self.made.rotor.spin(1.0)))

    def at(self, rate: float) -> LinearModel:
        """The linear model at a speed.

        Parameters
        ----------
        rate : rad/s

        Raises
        ------
        InputError
            For a speed of a machine whose shaft is locked, or which has fewer than three blades.
        SolverFailure
            When there is no equilibrium at that speed.
        """
        if self.locked and rate != 0.0:
            raise InputError(
                f"machine '{self.machine.name}': its shaft is locked, it cannot turn at {rate:g} rad/s"
            )
        if rate != 0.0 and not self._turns:
            raise InputError(
                f"machine '{self.machine.name}': a turning rotor of {len(self.blades.azimuths)} blades is not "
                "isotropic, its equations are periodic: take Floquet multipliers (fm.floquet) of a run at "
                f"{rate:g} rad/s, or modes at standstill (speed 0)"
            )
        return self.rest if rate == 0.0 else self._weighted(rate)

    def driving(self, bearings: Sequence[str]) -> MachineFamily:
        """The same machine with bearings, as those of the pitch, whose angle can be an input; with one of blade 1, all.

        Parameters
        ----------
        bearings : names; those that are fixed at an angle otherwise

        Raises
        ------
        InputError
            For a bearing that there is not.
        """
        if not bearings:
            return self
        return MachineFamily(self.machine, driven=equal_bearings(self.machine, bearings), **self._options)

    def sway(self, rate: float) -> SteadySway:
        """The steady motion under the machine's weight; periodic, as seen from a blade.

        Parameters
        ----------
        rate : rad/s

        Raises
        ------
        InputError
            When the weight turns a bearing that nothing holds, as a teeter hinge.
        SolverFailure
            When there is no equilibrium at that speed.
        """
        linear = self._fixed(rate)
        force = np.zeros((len(self.made.model.nodes), 6))
        force[:, 2] = -self.gravity * weighing(self.made)
        if self.machine.floater:
            force += self.gravity * lift_at(linear, self.made, self.machine.floater)
        sway = SteadySway.of(linear, self.blades, force, self._lowest)
        refuse_unheld(self.made, linear.expand(sway.motion).real)
        return sway

    def names(self, found: Modes, whirling: bool = False) -> list[str]:
        """Names of modes of one of these models, see `fem_mbd.analysis.rotors.rotor_modes`; none of one or two blades.

        Parameters
        ----------
        found : the modes
        whirling : name standing motions as the whirls that they become when the rotor turns
        """
        return mode_names(found, self._rotor, whirling) if self._turns else []

    def campbell(self, speeds: ArrayLike, number: int = 12, undamped: bool = False) -> Campbell:
        """Modes over speed, followed by their names.

        Parameters
        ----------
        speeds : (s,) rad/s, ascending, from 0
        number : modes followed, the lowest ones at the last speed
        undamped : leave material damping out

        Raises
        ------
        InputError
            For speeds that do not ascend.
        """
        return follow_modes(self, speeds, number, undamped)

    def equilibrium(self, rate: float) -> Equilibrium:
        """The equilibrium in steady rotation with the shaft held in its bearing.

        Parameters
        ----------
        rate : rad/s
        """
        spin = self.held.rotor.spin(rate)
        self._last = find_equilibrium(self.held.model, spin=spin, start=self._last, load_steps=2)
        return self._last

    def _weighted(self, rate: float) -> LinearModel:
        """In multi-blade coordinates, with the stress of the weight."""
        return self.sway(rate).with_weight() if self.gravity != 0.0 else self._fixed(rate)

    def _fixed(self, rate: float) -> LinearModel:
        """In multi-blade coordinates, without the weight."""
        if rate == 0.0:
            return self._unstressed if self._round else mean_over_a_turn(self._unstressed, self.blades)
        return in_fixed_axes(self._linear(rate), self.blades)

    def _linear(self, rate: float) -> LinearModel:
        """In axes that turn with the rotor; the mean over a turn of one that is not quite isotropic."""
        linear = self._own(rate)
        return linear if self._round else mean_over_a_turn(linear, self.blades)

    def _own(self, rate: float) -> LinearModel:
        spin = self.made.rotor.spin(rate)
        if self.shape == "equilibrium":
            return self._afloat(
                linearise(self.made.model, self._free_state(self.equilibrium(rate)), spin=spin)
            )
        more = self._unit.stiffness - self._unstressed.stiffness
        return replace(
            self._unit,
            gyroscopic=csr_matrix(rate * self._unit.gyroscopic),
            stiffness=csr_matrix(self._unstressed.stiffness + rate**2 * more),
            spin=spin.omega,
        )

    def _afloat(self, linear: LinearModel) -> LinearModel:
        floater = self.machine.floater
        return afloat(linear, self.made, floater) if floater else linear

    def _free_state(self, found: Equilibrium) -> State:
        """The state of the machine with its shaft free, from that with the shaft held."""
        state = System(self.made.model).reference_state()
        state.u[:], state.r[:] = found.state.u, found.state.r
        return state


def _gravity(machine: Machine, given: float | None) -> float:
    if machine.floater is None:
        return 0.0 if given is None else given
    if given == 0.0:
        raise InputError(
            f"machine '{machine.name}' floats: weight and buoyancy hold it upright; leave gravity out, or give m/s^2"
        )
    return machine.floater.gravity if given is None else given


def _joint_of(made: Assembly, link: Link) -> str:
    """Name of a link's joint in the model, where a member may have the link's own name already."""
    ends = made.node(*link.first) if link.first else made.model.ground, made.node(*link.second)
    joints: list[Constraints] = made.model.specs.get(ConstraintKind, [])
    return next(spec.name for spec in joints if (spec.k.node, spec.l.node) == ends)
