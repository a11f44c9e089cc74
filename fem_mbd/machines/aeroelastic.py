"""Class `AeroelasticFamily`: linear models of a turbine in steady wind over the wind, in multi-blade coordinates.

Each is linearised about the steady state of `Machine.steady` at its wind, pitch and speed: blades in equilibrium with
the wind along the shaft, tower as built, no weight. States of dynamic inflow and dynamic stall are among the unknowns;
with a frozen wake the induced velocities keep the values of the steady state. What the motion of the hub changes in
the wind through the rotor is in the loads, not in the momentum theory's free wind.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.aerodynamics.momentum import FrozenInduction, Induction, StallModel
from fem_mbd.aerodynamics.rotor_loads import RotorLoadsKind
from fem_mbd.analysis.control.state_space import WIND
from fem_mbd.analysis.modal.linear_model import LinearModel, linearise_at, settle_states
from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.rotors.campbell import Campbell, follow_modes
from fem_mbd.analysis.rotors.multiblade import MultiBlade, in_fixed_axes, mean_over_a_turn
from fem_mbd.analysis.rotors.rotor_modes import RotorShape, mode_names
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.core.model.node import Node
from fem_mbd.core.model.time_functions.inputs import Input
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError
from fem_mbd.machines.aerodynamic_loads import add_rotor_loads, aerodynamics_of
from fem_mbd.machines.description.beams import with_elements
from fem_mbd.machines.description.machine import Machine, rotor_of
from fem_mbd.machines.family import Drivable, MachineFamily
from fem_mbd.machines.steady import SteadyFinder, SteadyState, along_shaft, pitched

ELEMENTS = 12  # of a member, at most


class AeroelasticFamily(Drivable):
    """Linear models of a turbine at the winds of its operation; between them pitch and speed are linear in the wind.

    Parameters
    ----------
    machine : with aerodynamics, a free shaft and three blades or more
    winds : (k,) m/s, ascending
    pitch, speed : (k,) or one: rad towards feather, rad/s
    frozen_wake : induced velocities stay those of the steady state
    rotor_only : the bearing of the shaft is held: no tower, no nacelle
    locked : the rotor's speed is held
    induction, stall : of the loads, those of the machine's files when left out
    driven : pitch bearings whose angle can be an input of state spaces

    Raises
    ------
    InputError
        For winds that do not ascend, a machine without aerodynamics, a rotor of one or two blades.
    """

    frame = "multi-blade"
    over = "wind"

    def __init__(
        self,
        machine: Machine,
        winds: ArrayLike,
        pitch: ArrayLike = 0.0,
        speed: ArrayLike = 0.0,
        *,
        frozen_wake: bool = False,
        rotor_only: bool = False,
        locked: bool = False,
        induction: Induction | None = None,
        stall: StallModel | None = None,
        driven: Sequence[str] = (),
    ):
        aerodynamics_of(machine)
        self._options: dict[str, Any] = {
            "frozen_wake": frozen_wake, "rotor_only": rotor_only, "locked": locked, "induction": induction,
            "stall": stall,
        }  # fmt: skip
        self.driven = tuple(driven)
        self.machine, self.frozen_wake, self.rotor_only, self.locked = (
            machine,
            frozen_wake,
            rotor_only,
            locked,
        )
        v = np.atleast_1d(np.asarray(winds, dtype=float))
        if v.ndim != 1 or not np.all(np.isfinite(v)) or np.any(np.diff(v) <= 0.0):
            raise InputError("campbell: winds (m/s) have to ascend")
        self._operation = np.stack([v, np.broadcast_to(pitch, v.shape), np.broadcast_to(speed, v.shape)])
        if not np.all(self._operation[2] > 0.0):
            raise InputError("campbell: give the rotor's speed at each wind, above zero")
        self._induction, self._stall = induction, stall
        self._finder = SteadyFinder(machine, induction, stall, driven=self.driven)
        undeflected = MachineFamily(machine, driven=self.driven)
        self.generator, self.blades = undeflected.generator, undeflected.blades
        self.axis: Spin = undeflected.axis
        self._isotropic = undeflected.isotropic
        self._shapes: dict[int, RotorShape] = {}
        self.states: dict[float, SteadyState] = {}

    @cached_property
    def rest(self) -> LinearModel:
        """At the first wind."""
        return self.at(float(self._operation[0, 0]))

    def operation(self, wind: float) -> tuple[float, float]:
        """Pitch (rad) and speed (rad/s) at a wind.

        Parameters
        ----------
        wind : m/s
        """
        v, pitch, speed = self._operation
        return float(np.interp(wind, v, pitch)), float(np.interp(wind, v, speed))

    def at(self, wind: float) -> LinearModel:
        """The linear model at a wind, in multi-blade coordinates.

        Parameters
        ----------
        wind : m/s

        Raises
        ------
        SolverFailure
            When there is no steady state.
        """
        return in_fixed_axes(*self.rotating(wind))

    def rotating(self, wind: float) -> tuple[LinearModel, MultiBlade]:
        """The linear model at a wind in axes that rotate with the rotor, and its multi-blade coordinates.

        Parameters
        ----------
        wind : m/s
        """
        pitch, speed = self.operation(wind)
        steady = self.states[wind] = self._finder.at(wind, pitch, speed)
        motions = {name: Input(name, "rad", pitch, "linear") for name in self.driven}
        assembly = pitched(self.machine, pitch, locked=self.locked, held=self.rotor_only, motions=motions)
        rotor = assembly.rotor
        add_rotor_loads(assembly, along_shaft(rotor.axis, wind), induction=self._induction, stall=self._stall)
        spin, system = rotor.spin(speed), System(assembly.model)
        state = system.reference_state()
        state.u[:], state.r[:] = steady.equilibrium.state.u, steady.equilibrium.state.r
        if self.frozen_wake:
            _freeze(system, state, spin)
        linear, _ = linearise_at(system, state, spin)
        blades = MultiBlade.of(spin, rotor.blades)
        first = rotor_of(self.machine).first
        carrier = None if first is None else assembly.node(*first)
        self._shapes[id(system)] = RotorShape(blades, rotor.hub, rotor.axes, carrier)
        return (linear if self._isotropic else mean_over_a_turn(linear, blades)), blades

    def operating_inputs(self, wind: float) -> dict[str, float]:
        """Values of inputs in the steady state of a model that was made: wind, pitch, torque that holds the speed.

        Parameters
        ----------
        wind : m/s
        """
        steady = self.states[wind]
        pitch = {f"collective({name}.angle)": steady.pitch for name in self.driven}
        return {WIND: wind, "generator.torque": 0.0 if self.locked else steady.torque} | pitch

    def _with_driven(self, bearings: tuple[str, ...]) -> Self:
        return type(self)(self.machine, *self._operation, driven=bearings, **self._options)

    def hub(self, linear: LinearModel) -> Node:
        """The node to which the blades are attached.

        Parameters
        ----------
        linear : one of these models
        """
        return self._shapes[id(linear.system)].hub

    def names(self, modes: Modes, whirling: bool = True) -> list[str]:
        """Names of modes of one of these models, see `fem_mbd.analysis.rotors.rotor_modes`.

        Parameters
        ----------
        modes : the modes
        whirling : name standing modes as whirling ones
        """
        return mode_names(modes, self._shapes[id(modes.linear.system)], whirling)

    def campbell(self, number: int = 12) -> Campbell:
        """Modes over the winds, tracked and named; its ``speeds`` are the winds, m/s.

        Parameters
        ----------
        number : of modes, the lowest ones at the last wind
        """
        return follow_modes(self, self._operation[0], number)


def _freeze(system: System, state: State, spin: Spin) -> None:
    """Keep the induced velocities of the steady state."""
    for kind in system.kinds:
        kind.rotate_axes(spin.omega, spin.place)
    settle_states(system, state)
    for kind in system.kinds:
        if isinstance(kind, RotorLoadsKind):
            kind.set_induction(FrozenInduction())


def machine_campbell_over_winds(
    machine: Machine, winds: ArrayLike, number: int = 12, elements: int = ELEMENTS, **options: Any
) -> Campbell:
    """`Machine.campbell_over_winds`, see there."""
    return AeroelasticFamily(with_elements(machine, elements), winds, **options).campbell(number)
