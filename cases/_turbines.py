"""Parameters and model of a turbine, its linear models over speed, and its free rotation in still air."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.analysis.modal.linear_model import LinearModel, close_joints
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.rotors.weight import SteadySway
from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import InputError
from fem_mbd.machines import Assembly, Machine, MachineFamily, assemble, with_elements
from fem_mbd.machines.assembly.bearings import warn_fixed_bearings
from fem_mbd.machines.assembly.still_water import move_guides
from fem_mbd.machines.description.machine import blades_of
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.checks import Check, at_most, balance, near
from fem_mbd.runs.results.result import Result

RESIDUAL_BOUND = 1e-10
NOT_STEADY = 0.1  # largest share of the weight that is unbalanced, and of the swing, in a steady start
LINEAR = "modal campbell linearize"  # commands of linear models
SWAY = "steady sway, to first order in the deflection"


@dataclass(frozen=True)
class TurbineParameters:
    """SI units except for the rotor's speed and the pitch."""

    pitch: float = parameter(0.0, "deg", "of all blades, positive turns the leading edge upwind")
    shape: Literal["undeflected", "equilibrium"] = parameter(
        "undeflected",
        "",
        "modes: undeflected blades with the stress of rotation, or deflected by the rotation",
        LINEAR,
    )
    gravity: bool = parameter(False, "", "with gravity", f"run {LINEAR} static loads")
    damped: bool = parameter(True, "", "with the structural damping of the files", f"run {LINEAR}")
    refine: int = parameter(
        1, "", "elements between two stations of the sections", f"run {LINEAR} static loads"
    )
    elements: int = parameter(
        0, "", "largest number of elements along a blade and the tower; 0: one between two stations"
    )
    rotor_speed: float = parameter(7.5, "rev/min", "run: speed at the start", "run")
    end_time: float = parameter(5.0, "s", "run: simulated time", "run")
    dt: float = parameter(0.05, "s", "run: constant step", "run")

    def __post_init__(self) -> None:
        check_positive(self, "turbine", "end_time dt")
        if self.elements < 0:
            raise InputError(
                f"turbine: elements is {self.elements}: give at least 1, or 0 for those of the file"
            )
        if self.refine < 1:
            raise InputError(f"turbine: refine is {self.refine}: give at least 1")

    @property
    def omega(self) -> float:
        """rad/s."""
        return self.rotor_speed * np.pi / 30

    @property
    def angles(self) -> dict[str, float]:
        """rad, of the pitch bearings."""
        return {f"pitch{k}": float(np.radians(self.pitch)) for k in (1, 2, 3)}


def turbine(machine: Machine, p: TurbineParameters, locked: bool = False) -> Assembly:
    """The model of a turbine, with the shaft free or locked."""
    gravity = machine.gravity if p.gravity else 0.0
    if locked:
        warn_fixed_bearings(machine)
    meshed = _meshed(machine, p)
    return assemble(meshed, p.angles, gravity, p.damped, p.refine, locked=locked, standing=locked)


def family(machine: Machine, p: TurbineParameters, locked: bool = False) -> MachineFamily:
    """Linear models over speed."""
    gravity = machine.gravity if p.gravity else None
    return MachineFamily(_meshed(machine, p), p.angles, p.shape, p.damped, p.refine, gravity, locked)


def _meshed(machine: Machine, p: TurbineParameters) -> Machine:
    return with_elements(machine, p.elements) if p.elements else machine


def simulation(machine: Machine, p: TurbineParameters) -> Simulation:
    """Free rotation from the steady state."""
    assembly = turbine(machine, p)
    if p.gravity and len(blades_of(machine)) > 2:
        sway, floater = _sway(machine, p), machine.floater
        start = sway.softened().start(assembly.node(*floater.end)) if floater else sway.start()
        return Simulation(
            assembly.model, p.end_time, StepControl.fixed(p.dt), initial=state_of(assembly, start)
        )
    # with one or two blades the weight causes an oscillation: this equilibrium contains only its component along the
    # shaft
    locked = turbine(machine, p, locked=True)
    start = find_equilibrium(locked.model, spin=locked.rotor.spin(p.omega), load_steps=2).state
    return Simulation(assembly.model, p.end_time, StepControl.fixed(p.dt), initial=state_of(assembly, start))


def state_of(assembly: Assembly, machine_state: State) -> State:
    """A state of the machine's nodes as one of its model, with the water that moves with a platform."""
    system = System(assembly.model)
    state, n = system.reference_state(), len(machine_state.u)
    for name in ("u", "r", "v", "omega", "slope"):
        getattr(state, name)[:n] = getattr(machine_state, name)
    if assembly.guides and n < len(state.u):
        move_guides(assembly, state)
        close_joints(system, state)
    return state


def motion_checks(result: Result, machine: Machine, p: TurbineParameters) -> list[Check]:
    """Energy balance, and constancy of the speed."""
    checks = balance(result.summary, RESIDUAL_BOUND)
    if not p.gravity and p.omega > 0.0:
        speed = float(_speed(result, turbine(machine, p))[-1])
        source = "no torque acts on the shaft"
        checks.append(near("rotor speed at the end [rad/s]", speed, p.omega, 1e-3, source))
    swaying = p.gravity and len(blades_of(machine)) > 2
    return checks + (_sway_checks(result, machine, p) if swaying else [])


def _sway_checks(result: Result, machine: Machine, p: TurbineParameters) -> list[Check]:
    """Checks that the run starts in a steady motion, and that the tower's top is at rest in it."""
    locked = turbine(machine, p, locked=True)
    top, at_rest = locked.beams["tower"].end, find_equilibrium(locked.model, load_steps=2)
    deflection = float(np.linalg.norm(at_rest.of(top).position - top.position))
    swing = float(np.ptp(result.of(top).position, axis=0).max()) / (2 * deflection)
    checks = []
    if machine.floater is None:
        # water is not part of the model of the sway: its forces would be missing from the balance
        sway = _sway(machine, p)
        share = sway.out_of_balance(_initial_state(result, sway.linear))
        checks.append(at_most("start: unbalanced forces / weight", share, NOT_STEADY, SWAY))
    checks.append(
        at_most("swing of the tower's top / that of a start without weight", swing, NOT_STEADY, SWAY)
    )
    return checks


def _initial_state(result: Result, linear: LinearModel) -> State:
    """Initial positions and rotations of the run."""
    state, first = linear.state.copy(), result.initial
    state.r[:] = Rotation.from_quat(np.roll(first["quaternion"], -1, axis=1)).as_matrix()
    state.u[:] = first["position"] + np.einsum("nij,nj->ni", state.r, linear.system.workspace.centre)
    return state


@lru_cache(maxsize=1)
def _sway(machine: Machine, p: TurbineParameters) -> SteadySway:
    """The steady sway, cached, as the checks of a run need it again."""
    return family(machine, replace(p, shape="equilibrium")).sway(p.omega)


def frequencies(linear: MachineFamily, speed: float, number: int) -> dict[str, float]:
    """Hz, by name of the mode; ``speed`` in rad/s."""
    computed = modes_of(linear.at(speed), number)
    return dict(zip(linear.names(computed), map(float, computed.frequencies_hz), strict=True))


def plot(result: Result, machine: Machine, p: TurbineParameters, folder: Path, title: str) -> list[Path]:
    """The rotor's speed, and positions of the tower's top and of a blade's tip."""
    assembly = turbine(machine, p)
    top = assembly.beams["tower"].end
    tip, root = assembly.beams["blade1"].end, assembly.beams["blade1"].start
    displacement = result.of(top).position - top.position
    distance = np.linalg.norm(result.of(tip).position - result.of(root).position, axis=1)
    panels = [
        Panel("rotor speed [rev/min]", {"": _speed(result, assembly) * 30 / np.pi}),
        Panel("tower top [m]", {"downwind": displacement[:, 0], "lateral": displacement[:, 1]}),
        Panel("tip from root,\nchange [m]", {"": distance - np.linalg.norm(tip.position - root.position)}),
    ]
    return [draw_panels(folder / "turbine.png", result.output_time, panels, title=title)]


def _speed(result: Result, assembly: Assembly) -> np.ndarray:
    """(m,) rad/s, of the hub about the shaft's axis."""
    return np.asarray(result.of(assembly.rotor.hub).angular_velocity @ assembly.rotor.axis)
