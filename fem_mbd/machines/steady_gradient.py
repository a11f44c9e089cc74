"""Derivatives of steady states by wind, pitch, speed and properties of the blades; pitch of a power, best speed.

A steady state x solves F(x, p) = 0 (`StaticForces`). For each parameter p the derivative x' of the state and that of
outputs o fulfil

    d/de F(x + e x', p + e) = 0        o' = d/de o(x + e x', p + e)

x' is found by iteration with the tangent K of structure, centrifugal forces and loads that solve momentum theory:
x' <- x' - K^-1 d/de F. K has all but the dependence of Prandtl's factor on the place of the tip, so that each iteration
reduces the error by a factor of some hundred. The derivatives along the one number e are central differences over 2e-5
of the parameter's scale; no state is solved anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse.linalg import splu

from fem_mbd.aerodynamics.blade import MachPolars, Polar
from fem_mbd.aerodynamics.rotor_loads import RotorLoadsKind
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.machines.aerodynamic_loads import aerodynamics_of, rotor_flow
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.description.beams import with_elements
from fem_mbd.machines.description.machine import Machine, pitch_bearings
from fem_mbd.machines.steady import ELEMENTS, SteadyFinder, SteadyState, tip_of

# of differences: relative to a number, or of an angle in rad and a factor
STEP = 1e-5
OUTPUTS = ("thrust", "torque", "power", "tip_flap", "tip_edge", "tip_twist")
AERODYNAMIC = {"chord": 1.0, "twist": 0.0, "lift": 1.0}
PARAMETERS = ("wind", "pitch", "speed", *AERODYNAMIC)
MAX_ITERATIONS, TOLERANCE, CORRECTIONS = 20, 1e-9, 8


@dataclass(frozen=True, eq=False)
class SteadyGradient:
    """A steady state and its derivatives.

    Attributes
    ----------
    state : the steady state
    wrt : names of the parameters: "wind" (m/s), "pitch" (rad), "speed" (rad/s); of all blades "chord" and "lift",
        factors, and "twist", an angle in rad that adds to that of the chord, positive nose down
    jacobian : (6, parameters) derivatives of thrust (N), torque (N m), power (W), deflections of the tip to the suction
        side and to the trailing edge (m) and its twist (rad)
    """

    state: SteadyState
    wrt: Sequence[str]
    jacobian: Array

    def of(self, output: str, parameter: str) -> float:
        """One derivative.

        Parameters
        ----------
        output : thrust, torque, power, tip_flap, tip_edge or tip_twist
        parameter : one of ``wrt``

        Raises
        ------
        InputError
            For other names.
        """
        for name, known in ((output, OUTPUTS), (parameter, self.wrt)):
            if name not in known:
                raise InputError(f"gradient of a steady state: there is no {name!r}; {nearest(name, known)}")
        return float(self.jacobian[OUTPUTS.index(output), list(self.wrt).index(parameter)])


def machine_steady_gradient(
    machine: Machine,
    wind: float,
    pitch: float = 0.0,
    speed: float | None = None,
    wrt: Sequence[str] = PARAMETERS,
    elements: int = ELEMENTS,
    **options: Any,
) -> SteadyGradient:
    """`Machine.steady_gradient`, see there."""
    if speed is None:
        raise InputError("steady_gradient: give the speed of the rotor (rad/s)")
    for name in wrt:
        if name not in PARAMETERS:
            raise InputError(f"steady_gradient: there is no parameter {name!r}; {nearest(name, PARAMETERS)}")
    return _gradient(with_elements(machine, elements), wind, pitch, speed, wrt, options)


def _gradient(
    meshed: Machine, wind: float, pitch: float, speed: float, wrt: Sequence[str], options: dict[str, Any]
) -> SteadyGradient:
    at = {"wind": float(wind), "pitch": float(pitch), "speed": float(speed), **AERODYNAMIC}
    driven = [link.name for link in pitch_bearings(meshed)]
    steady = SteadyFinder(meshed, **options, driven=driven).at(at["wind"], at["pitch"], at["speed"])
    state = steady.equilibrium.state
    here = _Forces(meshed, at, driven, options)
    factors = splu(here.forces.tangent(state).tocsc())
    columns = []
    for name in wrt:
        step = STEP * (abs(at[name]) if name in ("wind", "speed") else 1.0)
        high, low = (_Forces(meshed, at | {name: at[name] + h}, driven, options) for h in (step, -step))
        moved, size = np.zeros(here.forces.n + here.forces.m), np.inf
        for _ in range(CORRECTIONS):
            unbalanced = high.forces.residual(high.forces.update(state, step * moved))
            unbalanced -= low.forces.residual(low.forces.update(state, -step * moved))
            change = factors.solve(unbalanced / (2.0 * step))
            # until what is left is the round-off of the differences
            if (latest := float(np.linalg.norm(change))) > 0.5 * size:
                break
            moved, size = moved - change, latest
        difference = high.outputs(high.forces.update(state, step * moved))
        difference -= low.outputs(low.forces.update(state, -step * moved))
        columns.append(difference / (2.0 * step))
    return SteadyGradient(steady, tuple(wrt), np.array(columns).T)


class _Forces:
    """Forces and outputs of a machine at parameters."""

    def __init__(
        self, machine: Machine, at: dict[str, float], driven: Sequence[str], options: dict[str, Any]
    ):
        finder = SteadyFinder(_with_blades(machine, at), **options, driven=driven)
        self.assembly: Assembly = finder.built(at["wind"], at["pitch"])
        self.speed = at["speed"]
        self.forces = StaticForces(self.assembly.model, spin=self.assembly.rotor.spin(self.speed))

    def outputs(self, state: State) -> Array:
        """(6,) see `OUTPUTS`."""
        rotor, system = self.assembly.rotor, self.forces.system
        self.forces.forces(state)
        kind = next(k for k in system.kinds if isinstance(k, RotorLoadsKind))
        flow = rotor_flow(kind, rotor.axis, rotor.point, len(rotor.blades))
        deflection, twist = tip_of(self.assembly, system, state)
        return np.array([flow.thrust, flow.torque, flow.torque * self.speed, *deflection, twist])


def _with_blades(machine: Machine, at: dict[str, float]) -> Machine:
    """The machine with chord, twist and lift of its blades changed."""
    if all(at[name] == value for name, value in AERODYNAMIC.items()):
        return machine
    aero, changed = aerodynamics_of(machine), {}
    polars: dict[int, Polar | MachPolars] = {}

    def lifted(polar: Polar | MachPolars) -> Polar | MachPolars:
        if id(polar) not in polars:
            polars[id(polar)] = polar.lifted(at["lift"])
        return polars[id(polar)]

    for name, blade in aero.blades.items():
        blade_polars = [lifted(polar) for polar in blade.polars] if at["lift"] != 1.0 else blade.polars
        changed[name] = replace(
            blade, chord=at["chord"] * blade.chord, polars=blade_polars, twist=blade.twist + at["twist"]
        )
    return replace(machine, aerodynamics=replace(aero, blades=changed))


Step = Callable[[float], tuple[SteadyState, float, bool]]  # state, change of a number, whether it is done


def pitch_for_power(
    machine: Machine, power: float, wind: float, speed: float, pitch: float = 0.0, elements: int = ELEMENTS
) -> SteadyState:
    """The steady state with a given power of the rotor (W), by Newton's method with the derivative by the pitch.

    Parameters
    ----------
    machine : with aerodynamics
    power : W, of the rotor
    wind, speed : m/s, rad/s
    pitch : rad, from which the search starts
    elements : of a member, at most

    Raises
    ------
    SolverFailure
        When it does not converge.
    """
    meshed = with_elements(machine, elements)

    def step(x: float) -> tuple[SteadyState, float, bool]:
        gradient = _gradient(meshed, wind, x, speed, ("pitch",), {})
        missing = power - gradient.state.power
        return gradient.state, missing / gradient.of("power", "pitch"), abs(missing) <= TOLERANCE * abs(power)

    return _newton(step, pitch, np.radians(10.0), f"the pitch of {power:g} W at {wind:g} m/s")


def best_speed(
    machine: Machine, wind: float, speed: float, pitch: float = 0.0, elements: int = ELEMENTS
) -> SteadyState:
    """The steady state of largest power over the speed of the rotor: the best tip-speed ratio at a wind and pitch.

    The zero of the derivative of the power by the speed, by the secant method.

    Parameters
    ----------
    machine : with aerodynamics
    wind : m/s
    speed : rad/s, from which the search starts
    pitch : rad
    elements : of a member, at most

    Raises
    ------
    SolverFailure
        When it does not converge.
    """
    meshed = with_elements(machine, elements)
    before: list[tuple[float, float]] = []

    def step(x: float) -> tuple[SteadyState, float, bool]:
        gradient = _gradient(meshed, wind, pitch, x, ("speed",), {})
        slope = gradient.of("power", "speed")
        change = 0.02 * x if slope > 0.0 else -0.02 * x
        if before and before[-1][0] != x:
            curvature = (slope - before[-1][1]) / (x - before[-1][0])
            change = -slope / curvature if curvature < 0.0 else change
        before.append((x, slope))
        return gradient.state, change, abs(change) <= 1e-5 * x

    return _newton(step, speed, 0.1 * speed, f"the speed of largest power at {wind:g} m/s")


def _newton(
    step: Callable[[float], tuple[SteadyState, float, bool]], start: float, most: float, what: str
) -> SteadyState:
    """The state at which a step (state, change, whether done) is done."""
    x = float(start)
    for _ in range(MAX_ITERATIONS):
        state, change, done = step(x)
        if done:
            return state
        x += float(np.clip(change, -most, most))
    raise SolverFailure(
        f"steady state: {what} was not found in {MAX_ITERATIONS} iterations: start nearer to it"
    )
