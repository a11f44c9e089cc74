"""Run of a machine from a file in the wind: steady or turbulent, from the steady state at its start.

Without a controller the generator's torque is K Omega^2, with the K that holds the steady state at the start: the best
tip-speed ratio is kept where the start has it. The pitch stays. With gravity the run starts in the steady state without
weight.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.aerodynamics.rotor_loads import RotorLoadsKind
from fem_mbd.aerodynamics.wind import Wind, read_bts
from fem_mbd.analysis.statics.equilibrium import find_equilibrium
from fem_mbd.cases import _turbines
from fem_mbd.cases._turbines import TurbineParameters
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.elements.loads.generator import QuadraticTorque
from fem_mbd.errors import InputError
from fem_mbd.machines import Assembly, Machine, add_rotor_loads
from fem_mbd.machines.rotor_loads import rotor_flow
from fem_mbd.machines.steady import along_shaft

MARGIN = 1.02  # of the rotor's radius that a box has to cover


def wind_of(text: str, shear: float, assembly: Assembly, end_time: float) -> Wind:
    """The wind of a run.

    Parameters
    ----------
    text : its speed at the hub, m/s, or the path of a .bts file
    shear : exponent of the power law, for a speed
    assembly : of the machine
    end_time : s

    Raises
    ------
    InputError
        For a text that is neither, and a box that is too small.
    """
    hub = float(assembly.rotor.hub.position[2])
    if text.lower().endswith(".bts"):
        box = read_bts(text)
        assert box.mean is not None
        tips = [blade[-1].position for blade in assembly.rotor.blades]
        radius = MARGIN * max(float(np.linalg.norm(tip - assembly.rotor.point)) for tip in tips)
        box.check_covers(radius, hub - radius, hub + radius, end_time)
        return Wind(box.mean, turbulence=box)
    try:
        speed = float(text)
    except ValueError as error:
        raise InputError(f"wind is {text!r}: give a speed (m/s) or a .bts file") from error
    if shear == 0.0:
        return Wind(speed)
    return Wind(speed, profile="power", height=hub, exponent=shear)


def simulation(machine: Machine, p: TurbineParameters, wind: str, shear: float) -> Simulation:
    """The run, from the steady state in the mean wind.

    Parameters
    ----------
    machine : with aerodynamics and a free shaft
    p : parameters of the run
    wind, shear : see `wind_of`
    """
    if p.omega <= 0.0:
        raise InputError("a run in the wind starts with a turning rotor: --set rotor_speed=RPM")
    assembly, locked = _turbines.turbine(machine, p), _turbines.turbine(machine, p, locked=True)
    blow = wind_of(wind, shear, assembly, p.end_time)
    speed = float(blow.arrays.table[0, 1])
    add_rotor_loads(locked, along_shaft(locked.rotor.axis, speed))
    steady = find_equilibrium(locked.model, spin=locked.rotor.spin(p.omega), load_steps=1)
    kind = next(kind for kind in steady.forces.system.kinds if isinstance(kind, RotorLoadsKind))
    torque = rotor_flow(kind, locked.rotor.axis, locked.rotor.point, len(locked.rotor.blades)).torque
    if torque <= 0.0:
        raise InputError(
            f"at {speed:g} m/s and {p.omega * 30 / np.pi:.4g} rev/min the wind does not drive the rotor (torque "
            f"{torque:.3g} N m): choose another speed or pitch: --set rotor_speed=RPM pitch=DEG"
        )
    add_rotor_loads(assembly, blow)
    assembly.add_generator(QuadraticTorque(torque / p.omega**2))
    start = _turbines.state_of(assembly, steady.state)
    return Simulation(assembly.model, p.end_time, StepControl.fixed(p.dt), initial=start)
