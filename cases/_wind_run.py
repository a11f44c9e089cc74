"""Run of a machine from a file in the wind, steady or turbulent, from the steady state at its start, with a controller.

The controller is that of the machine's files: DTU's of HAWC2's (`VariableSpeed`), a library's of OpenFAST's. Without
one the generator's torque is K Omega^2, with the K that holds the steady state at the start, and the pitch stays.
Speed and pitch that are not given are those which the controller holds in the mean wind. With gravity the run starts in
the steady state without weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.wind import Wind, read_bts, read_uniform_wind
from fem_mbd.cases import _turbines
from fem_mbd.cases._turbines import TurbineParameters
from fem_mbd.core.scheme.state import State
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements.loads.generator import QuadraticTorque
from fem_mbd.errors import InputError
from fem_mbd.machines import (
    Assembly,
    DisconFile,
    Machine,
    VariableSpeed,
    add_rotor_loads,
    assemble,
    controlled_turbine,
    law_of,
    with_elements,
)
from fem_mbd.machines.aerodynamic_loads import add_tower_drag, tower_shadow
from fem_mbd.machines.description.machine import pitch_bearings, rotor_of
from fem_mbd.machines.steady import SteadyFinder, SteadyState, operation_at
from fem_mbd.output.figures.plots import Panel, draw_panels
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.controlled import Controlled

MARGIN = 1.02  # of the rotor's radius that a box has to cover
RINGS, RAYS = 3, 12  # points of the rotor's disc over which the wind of the controller is averaged
OPERATION_ELEMENTS = 8  # of a member, for the point of operation from which a run starts
Controller = VariableSpeed | DisconFile


@dataclass(frozen=True)
class WindOptions:
    """What a run in the wind is asked for.

    Attributes
    ----------
    wind : speed at the hub, m/s, or the path of a .bts or .wnd file
    shear : exponent of the power law, for a speed
    speed, pitch : rad/s, rad at the start; None for those of the controller, or of the machine's files
    controller : "" for the machine's, "none", or the path of a DISCON.IN
    library : path of the controller's library, "" for that of the package rosco
    """

    wind: str
    shear: float = 0.0
    speed: float | None = None
    pitch: float | None = None
    controller: str = ""
    library: str = ""


def wind_of(options: WindOptions, assembly: Assembly, end_time: float) -> Wind:
    """The wind of a run.

    Parameters
    ----------
    options : of the run
    assembly : of the machine
    end_time : s

    Raises
    ------
    InputError
        For a text that is neither a speed nor a box, and a box that is too small.
    """
    hub, text = float(assembly.rotor.hub.position[2]), options.wind
    if text.lower().endswith(".bts"):
        box = read_bts(text)
        assert box.mean is not None
        tips = [blade[-1].position for blade in assembly.rotor.blades]
        radius = MARGIN * max(float(np.linalg.norm(tip - assembly.rotor.point)) for tip in tips)
        box.check_covers(radius, hub - radius, hub + radius, end_time)
        return Wind(box.mean, turbulence=box, tower=tower_shadow(assembly))
    if text.lower().endswith((".wnd", ".hh")):
        return replace(read_uniform_wind(text, hub), tower=tower_shadow(assembly))
    try:
        speed = float(text)
    except ValueError as error:
        raise InputError(f"wind is {text!r}: give a speed (m/s), a .bts or a .wnd file") from error
    if options.shear == 0.0:
        return Wind(speed, tower=tower_shadow(assembly))
    return Wind(speed, profile="power", height=hub, exponent=options.shear, tower=tower_shadow(assembly))


def controller_of(machine: Machine, options: WindOptions) -> Controller | None:
    """The controller of a run.

    Parameters
    ----------
    machine : whose controller it is unless the options name one
    options : of the run

    Raises
    ------
    InputError
        For a file that does not exist, a library without a controller's file.
    """
    library = Path(options.library) if options.library else None
    if options.controller == "none":
        return None
    if options.controller:
        file = Path(options.controller)
        if not file.is_file():
            raise InputError(
                f"controller is {options.controller!r}: give 'none' or the path of a DISCON.IN file; this one does not "
                "exist"
            )
        return DisconFile(file, library=library)
    controller = machine.controller
    if library is not None and isinstance(controller, DisconFile):
        return replace(controller, library=library)
    if library is not None:
        raise InputError("library is for a controller's file: --set controller=DISCON.IN library=PATH")
    return controller


def simulation(machine: Machine, p: TurbineParameters, options: WindOptions) -> Simulation | Controlled:
    """The run, from the steady state in the mean wind.

    Parameters
    ----------
    machine : with aerodynamics and a free shaft
    p : parameters of the run
    options : of the wind and the controller
    """
    meshed = with_elements(machine, p.elements) if p.elements else machine
    controller = controller_of(machine, options)
    assembly = assemble(meshed, p.angles, locked=True, standing=True)
    blow = wind_of(options, assembly, p.end_time)
    wind = float(blow.arrays.table[0, 1])
    state = _operation(meshed, controller, options, wind, p)
    common: dict[str, Any] = {
        "gravity": machine.gravity if p.gravity else 0.0,
        "damped": p.damped,
        "refine": p.refine,
    }
    control = StepControl.fixed(p.dt)
    if controller is None:
        free = assemble(meshed, _with_pitch(meshed, p, state.pitch), **common)
        free.add_generator(QuadraticTorque(state.torque / state.speed**2))
        _add_loads(free, blow)
        start = _start(free, _steady(meshed, p, wind, state, driven=False))
        return Simulation(free.model, p.end_time, control, initial=start)
    gearbox = controller.gearbox if isinstance(controller, DisconFile) else 1.0
    turbine = controlled_turbine(
        meshed, gearbox, state.pitch, speed=0.0, angles=_with_pitch(meshed, p, None), **common
    )
    _add_loads(turbine.assembly, blow)
    start = _start(turbine.assembly, _steady(meshed, p, wind, state, driven=True))
    sim = Simulation(turbine.model, p.end_time, control, initial=start)
    hub, disc = turbine.assembly.rotor.hub.position, _points_of_disc(turbine.assembly)

    def at_hub(time: float) -> float:
        return float(blow.at(hub[None], time)[0, 0])

    def over_rotor(time: float) -> float:
        return float(blow.at(disc, time)[:, 0].mean())

    return Controlled(sim, law_of(controller, turbine, p.dt, at_hub, over_rotor), p.dt)


def _points_of_disc(assembly: Assembly) -> np.ndarray:
    """(36, 3) m, points of the undeflected rotor's disc that stand for equal areas of it."""
    rotor = assembly.rotor
    arms = np.array([blade[-1].position - rotor.point for blade in rotor.blades])
    across = arms - np.outer(arms @ rotor.axis, rotor.axis)
    radius = float(np.linalg.norm(across, axis=1).max())
    first = across[0] / np.linalg.norm(across[0])
    second = np.cross(rotor.axis, first)
    azimuths = 2.0 * np.pi * np.arange(RAYS) / RAYS
    rays = np.cos(azimuths)[:, None] * first + np.sin(azimuths)[:, None] * second
    radii = radius * np.sqrt((np.arange(RINGS) + 0.5) / RINGS)
    return rotor.point + np.concatenate([r * rays for r in radii])


def _add_loads(assembly: Assembly, wind: Wind) -> None:
    """Loads on the blades, and the drag of the tower."""
    add_rotor_loads(assembly, wind)
    add_tower_drag(assembly, wind)


def _operation(
    machine: Machine, controller: Controller | None, options: WindOptions, wind: float, p: TurbineParameters
) -> SteadyState:
    """The steady state from which a run starts; the torque has to drive the rotor."""
    finder = SteadyFinder(with_elements(machine, OPERATION_ELEMENTS))
    if controller is not None and options.speed is None and options.pitch is None:
        state = operation_at(finder, controller.ratings, wind)
    else:
        pitch_angles = [p.angles.get(link.name, 0.0) for link in pitch_bearings(machine)]
        speed = p.omega if options.speed is None else options.speed
        if speed <= 0.0:
            raise InputError("a run in the wind starts with a turning rotor: --set rotor_speed=RPM")
        state = finder.at(wind, pitch_angles[0] if options.pitch is None else options.pitch, speed)
    if state.torque <= 0.0:
        raise InputError(
            f"at {wind:g} m/s and {state.speed * 30 / np.pi:.4g} rev/min the wind does not drive the rotor (torque "
            f"{state.torque:.3g} N m): choose another speed or pitch: --set rotor_speed=RPM pitch=DEG"
        )
    return state


def _steady(
    machine: Machine, p: TurbineParameters, wind: float, at: SteadyState, driven: bool
) -> SteadyState:
    """The steady state on the mesh of the run, with pitch bearings that are driven if the run's are."""
    names = [link.name for link in pitch_bearings(machine)] if driven else []
    finder = SteadyFinder(machine, refine=p.refine, driven=names, held=False)
    return finder.at(wind, at.pitch, at.speed)


def _start(assembly: Assembly, steady: SteadyState) -> State:
    """The steady state as one of the run's model; the rotor turns about the axis of its bearing on the bent tower."""
    state, rotor = _turbines.state_of(assembly, steady.equilibrium.state), assembly.rotor
    first = rotor_of(assembly.machine).first
    if first is None:
        return state
    carrier = assembly.node(*first)
    turned = state.r[carrier.index] @ carrier.rotation.T
    workspace = steady.equilibrium.forces.workspace
    origin = workspace.node_positions(state.u[: workspace.n], state.r[: workspace.n])[carrier.index]
    spin = replace(
        rotor.spin(steady.speed),
        point=origin + turned @ (rotor.point - carrier.position),
        axis=turned @ rotor.axis,
    )
    turning = spin.turns(len(state.u)) > 0.0
    v, omega = spin.velocities(state)
    state.v[turning], state.omega[turning] = v[turning], omega[turning]
    state.slope[turning, :3] = np.cross(spin.omega, v[turning])
    return state


def _with_pitch(machine: Machine, p: TurbineParameters, pitch: float | None) -> dict[str, float]:
    """Angles of the bearings with all blades pitched; without the blades' for a pitch of None."""
    names = [link.name for link in pitch_bearings(machine)]
    others = {name: angle for name, angle in p.angles.items() if name not in names}
    return others if pitch is None else others | dict.fromkeys(names, pitch)


def plot(result: Result, file: Path, title: str) -> list[Path]:
    """Wind, rotor, pitch, power and the bending moment at the root of blade 1 over the time.

    Parameters
    ----------
    result : of the run
    file : of the figure
    title : of the figure
    """
    loads = result.loads("RtVAvgxh", "RtSpeed", "RtAeroPwr", "RtAeroFxh", "RootMyb1")
    panels = [
        Panel("wind through the rotor [m/s]", {"": loads["RtVAvgxh"]}),
        Panel("rotor speed [rev/min]", {"": loads["RtSpeed"]}),
        Panel("aerodynamic power [MW]", {"": loads["RtAeroPwr"] / 1e6}),
        Panel("thrust [MN]", {"": loads["RtAeroFxh"] / 1e6}),
        Panel("flapwise moment,\nroot 1 [MN m]", {"": loads["RootMyb1"] / 1e6}),
    ]
    pitch = _pitch(result)
    if pitch is not None:
        panels.insert(2, Panel("pitch, change from\nthe start [deg]", {"": np.degrees(pitch)}))
    return [draw_panels(file, result.output_time, panels, title=title)]


def _pitch(result: Result) -> np.ndarray | None:
    """(m,) rad, of blade 1 from the start of the run; None where the pitch stays."""
    driven = [part for part in result.model["parts"].get("joint", []) if part["name"].startswith("pitch1")]
    return np.asarray(result.of(driven[0]["name"]).angle) if driven else None
