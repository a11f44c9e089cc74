"""The IEA 15 MW turbine on its fixed substructure: tower, nacelle, drivetrain with free shaft, three blades.

E. Gaertner and others, Definition of the IEA 15-megawatt offshore reference wind turbine, NREL/TP-5000-75698 (2020), as
HAWC2 input of IEAWindTask37/IEA-15-240-RWT (November 2022). Global axes: x downwind, z up, the origin at sea level.

Modes and Campbell diagram: in multi-blade coordinates, shaft free, no wind; `gravity` adds the stress of the weight,
its mean over the azimuth (see `fem_mbd.rotors.weight`). `shape` = "undeflected" takes the blades as built, with the
stress of their rotation, "equilibrium" as they stand in steady rotation. Reference: HAWCStab2's structural modes of the
same input, from the examples of DLR-AE/CampbellViewer (Apache 2.0).

The run: the rotor turns freely in still air without wind, from the equilibrium in steady rotation, with `gravity` from
the steady sway of the machine under its weight. Checks: closed energy balance, the rotor's speed, the reference's
frequencies at 5 rev/min.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from fem_mbd.case import Case
from fem_mbd.case_parameters import parameter
from fem_mbd.cases._blades import DATA
from fem_mbd.errors import InputError
from fem_mbd.figures.plots import Panel, draw_panels
from fem_mbd.machines import Assembly, Machine, MachineFamily, assemble, read_hawc2_machine
from fem_mbd.modal.modes import modes_of
from fem_mbd.model.model import Model
from fem_mbd.results.checks import Check, at_most, near
from fem_mbd.results.result import Result
from fem_mbd.scheme.system import System
from fem_mbd.solver.simulation import Simulation
from fem_mbd.statics.equilibrium import find_equilibrium
from fem_mbd.stepping.step_control import StepControl

NAME = "iea15mw_turbine"
GRAVITY = 9.81  # m/s^2
RESIDUAL_BOUND = 1e-10
SCHEME = "property of the scheme"
SPEED, PITCH = 5.0, 2.667  # rev/min, degrees: a steady state of the reference
# Hz at that state, and how near frequencies about the undeflected shape come
REFERENCE = {
    "first tower fore-aft": (0.22946, 2e-3),
    "first tower side-side": (0.23531, 2e-3),
    "first flap backward": (0.40559, 3e-3),
    "first flap collective": (0.53298, 3e-3),
    "first flap forward": (0.57149, 3e-3),
    "first edge backward": (0.61308, 3e-3),
    "first edge forward": (0.78131, 3e-3),
    "second flap backward": (1.22840, 1e-2),
    "drivetrain": (1.39691, 1e-2),
}


@dataclass(frozen=True)
class Parameters:
    """SI units but for the rotor's speed and the pitch."""

    pitch: float = parameter(0.0, "deg", "of all blades, positive turns the leading edge upwind")
    shape: Literal["undeflected", "equilibrium"] = parameter(
        "undeflected", "", "modes: blades as built, with the stress of rotation, or as they stand in rotation"
    )
    gravity: bool = parameter(False, "", "with gravity")
    damped: bool = parameter(True, "", "with the structural damping of the files")
    refine: int = parameter(1, "", "elements for each piece between two stations of the sections")
    rotor_speed: float = parameter(7.5, "rev/min", "run: speed at the start")
    end_time: float = parameter(5.0, "s", "run: simulated time")
    dt: float = parameter(0.05, "s", "run: constant step")

    def __post_init__(self) -> None:
        for name in ("end_time", "dt"):
            if not getattr(self, name) > 0.0:
                raise InputError(f"turbine: {name} is {getattr(self, name)}: it must be above zero")
        if self.refine < 1:
            raise InputError(f"turbine: refine is {self.refine}: give 1 or more")

    @property
    def omega(self) -> float:
        """rad/s."""
        return self.rotor_speed * np.pi / 30

    @property
    def angles(self) -> dict[str, float]:
        """rad, of the pitch bearings."""
        return {f"pitch{k}": float(np.radians(self.pitch)) for k in (1, 2, 3)}


@cache
def machine() -> Machine:
    """As the files describe it; their radii of gyration are at the mass centre, see docs/blades.md."""
    path = DATA / "iea15_turbine" / "IEA_15MW_RWT_FixedSubstructure.htc"
    return read_hawc2_machine(path, radii_at="mass centre", name=NAME)


def turbine(p: Parameters, locked: bool = False) -> Assembly:
    """Its model, with the shaft free or locked."""
    gravity = GRAVITY if p.gravity else 0.0
    return assemble(machine(), p.angles, gravity, p.damped, p.refine, locked=locked)


def family(p: Parameters) -> MachineFamily:
    """Linear models over speed."""
    return MachineFamily(machine(), p.angles, p.shape, p.damped, p.refine, GRAVITY if p.gravity else 0.0)


def model(p: Parameters) -> Model:
    """The turbine at rest, shaft locked."""
    return turbine(p, locked=True).model


def build(p: Parameters) -> Simulation:
    """The transient."""
    made = turbine(p)
    if p.gravity:
        state = family(replace(p, shape="equilibrium")).sway(p.omega).start()
        return Simulation(made.model, StepControl.fixed(p.dt), p.end_time, initial=state)
    held = turbine(p, locked=True)
    found = find_equilibrium(held.model, spin=held.rotor.spin(p.omega), load_steps=2).state
    state = System(made.model).reference_state()
    for name in ("u", "r", "v", "omega", "slope"):
        getattr(state, name)[:] = getattr(found, name)
    return Simulation(made.model, StepControl.fixed(p.dt), p.end_time, initial=state)


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, speed, and the reference's frequencies."""
    made = [at_most("energy residual / scale", result.summary["energy"]["relative"], RESIDUAL_BOUND, SCHEME)]
    if not p.gravity and p.omega > 0.0:
        speed = float(_speed(result, p)[-1])
        made.append(
            near("rotor speed at the end [rad/s]", speed, p.omega, 1e-3, "no torque acts on the shaft")
        )
    linear = family(Parameters(pitch=PITCH))
    found = modes_of(linear.at(SPEED * np.pi / 30), 11)
    by_name = dict(zip(linear.names(found), found.frequencies_hz, strict=True))
    for name, (wanted, bound) in REFERENCE.items():
        label, value = f"{name} at {SPEED:g} rev/min [Hz]", float(by_name.get(name, 0.0))
        made.append(near(label, value, wanted, bound, "HAWCStab2"))
    return made


def plot(result: Result, p: Parameters, folder: Path) -> list[Path]:
    """The rotor's speed, and places of the tower's top and of a blade's tip."""
    made = turbine(p)
    top = made.beams["tower"].end
    tip, root = made.beams["blade1"].end, made.beams["blade1"].start
    moved = result.of(top).position - top.position
    distance = np.linalg.norm(result.of(tip).position - result.of(root).position, axis=1)
    panels = [
        Panel("rotor speed [rev/min]", {"": _speed(result, p) * 30 / np.pi}),
        Panel("tower top [m]", {"downwind": moved[:, 0], "lateral": moved[:, 1]}),
        Panel("tip from root,\nchange [m]", {"": distance - np.linalg.norm(tip.position - root.position)}),
    ]
    return [draw_panels(folder / "turbine.png", result.output_time, panels, title="IEA 15 MW turbine")]


def _speed(result: Result, p: Parameters) -> np.ndarray:
    """(m,) rad/s, of the hub about the shaft's axis, by its turn between outputs."""
    made = turbine(p)
    hub, axis = made.rotor.hub, made.rotor.axis
    return np.asarray(result.of(hub).angular_velocity @ axis)


CASE = Case(
    name=NAME,
    summary="the whole IEA 15 MW turbine: modes in multi-blade coordinates, Campbell diagram, free rotation",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
    model=model,
    family=family,
    speeds=(0.0, 0.8),  # rated 0.79 rad/s
)
