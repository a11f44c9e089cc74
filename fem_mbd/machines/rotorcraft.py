"""Class `Rotorcraft`: a rotor of building blocks in flight, its airloads and its controls, for `fem_mbd.trim` and runs.

Global axes: x aft, z along the rotor's axis, which stays; the angle of the shaft turns the flow instead. psi is the
azimuth from aft in the direction of rotation. The weight of the blades is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics
from fem_mbd.aerodynamics.inflow import PittPeters
from fem_mbd.aerodynamics.momentum import AIR, SOUND, Induction, StallModel
from fem_mbd.aerodynamics.rotor_loads import RotorBlade, RotorLoads
from fem_mbd.aerodynamics.wind import Wind
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Harmonic, SmoothStep
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.building.blocks import Rotor
from fem_mbd.machines.building.turbine import build_rotor
from fem_mbd.machines.description.machine import Machine

CONTROLS = ("collective", "lateral", "longitudinal", "shaft_angle", "flight_speed")
FIRST_BLADE = np.pi  # rad, psi of blade 1 of `build_rotor` about the vertical: it points forward
NAME = "airloads"
DEFAULT_INFLOW = PittPeters()


@dataclass(frozen=True, eq=False)
class Rotorcraft:
    """A rotor whose shaft turns at a constant speed: a function of its controls that makes a model.

    The pitch of a blade is collective + lateral cos psi + longitudinal sin psi, nose up, without its own twist; it is
    moved there from zero in the first revolution.

    Parameters
    ----------
    rotor : of building blocks
    aerodynamics : of each blade, over its length
    speed : rad/s
    flight_speed : m/s, where the controls have none
    induction, stall, stations, density, sound : as of `RotorLoads`
    order : nodes per element: 2, or 3 and 4 for few elements; a trim takes the longer the more nodes there are

    Raises
    ------
    InputError
        For a speed or density that is not above zero.
    """

    rotor: Rotor
    aerodynamics: BladeAerodynamics
    speed: float
    flight_speed: float = 0.0
    _: KW_ONLY
    induction: Induction = DEFAULT_INFLOW
    stall: StallModel = "none"
    stations: int = 20
    order: int = 2
    density: float = AIR
    sound: float = SOUND
    machine: Machine = field(init=False, repr=False)

    def __post_init__(self) -> None:
        positive(self.speed, "rotorcraft: speed (rad/s)")
        finite(self.flight_speed, "rotorcraft: flight_speed (m/s)")
        positive(self.density, "rotorcraft: density (kg/m^3)")
        machine = build_rotor("rotor", self.rotor, speed=self.speed)
        members = tuple(replace(member, order=self.order) for member in machine.members)
        object.__setattr__(self, "machine", replace(machine, members=members))

    @property
    def joint(self) -> str:
        """Name of the joint that carries the rotor: a member of the machine is called shaft, too."""
        return "shaft-2"

    @property
    def start(self) -> float:
        """s, after which the pitch is that of the controls: a revolution."""
        return 2.0 * np.pi / self.speed

    def __call__(self, controls: Mapping[str, float]) -> Model:
        """The model, see `assembly`."""
        return self.assembly(controls).model

    def assembly(self, controls: Mapping[str, float]) -> Assembly:
        """The assembled rotor with its airloads, in steady rotation.

        Parameters
        ----------
        controls : rad, "collective", "lateral", "longitudinal", "shaft_angle" (nose up), and "flight_speed" in m/s;
            zero where left out

        Raises
        ------
        InputError
            For unknown controls, and as `RotorLoads`.
        """
        for name in controls:
            if name not in CONTROLS:
                raise InputError(f"rotorcraft: there is no control {name!r}; {nearest(name, list(CONTROLS))}")
        given = {name: 0.0 for name in CONTROLS} | {"flight_speed": self.flight_speed} | dict(controls)
        number, lateral, longitudinal = self.rotor.number, given["lateral"], given["longitudinal"]
        motions: dict[str, Any] = {}
        for k in range(number):
            psi = FIRST_BLADE + self.rotor.azimuth + 2.0 * np.pi * k / number
            # each function is zero at time 0, exactly: joints as built do not depend on the controls
            waves = [(lateral, 0.5 * np.pi + psi), (longitudinal, psi)]
            offsets = [size * np.sin(phase) for size, phase in waves]
            cosine, sine = (
                Harmonic(-size, self.speed, phase, offset)
                for (size, phase), offset in zip(waves, offsets, strict=True)
            )
            begin = SmoothStep(0.0, self.start, 0.0, -(given["collective"] + sum(offsets)))
            motions[f"pitch{k + 1}"] = cosine + sine + begin
        made = assemble(self.machine, motions=motions, turning=True)
        blades = [RotorBlade(made.beams[f"blade{k + 1}"], self.aerodynamics) for k in range(number)]
        flap = [hinge.radius for hinge in self.rotor.hinges if hinge.kind == "flap"]
        air = Wind(given["flight_speed"], inclination=np.degrees(given["shaft_angle"]))
        loads = RotorLoads(
            blades, made.rotor.hub, made.rotor.axis, air, induction=self.induction, stall=self.stall,
            stations=self.stations, density=self.density, sound=self.sound, mean_loads=True,
            flap_offset=sum(flap), name=NAME,
        )  # fmt: skip
        made.model.add(loads)
        return made
