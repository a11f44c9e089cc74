"""Class `Rotorcraft`: a rotor of building blocks in flight, its airloads and its controls, for `fem_mbd.trim` and runs.

Global axes: x aft, z along the rotor's axis, which stays; the angle of the shaft turns the flow and the weight of the
rotor instead. psi is the azimuth from aft in the direction of rotation.

With pitch links the controls move the swashplate: its heave is a theta_0, and where the horn of the blade at psi is, an
angle of arctan(a/r) ahead at the distance (r^2 + a^2)^.5 from the axis, its tilt adds a (theta_c cos psi + theta_s sin
psi). On stiff links the pitch is then theta_0 + theta_c cos psi + theta_s sin psi, but for theta^3/6 and what flap adds
where the horns are not at the flap hinges. These are for runs: periodic motions, and a trim, refuse the scissors, which
constrain velocities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics
from fem_mbd.aerodynamics.inflow import PittPeters
from fem_mbd.aerodynamics.momentum import AIR, SOUND, Induction, StallModel
from fem_mbd.aerodynamics.rotor_blade import RotorBlade
from fem_mbd.aerodynamics.rotor_loads import RotorLoads
from fem_mbd.aerodynamics.wind import Wind
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, not_negative, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Constant, Harmonic, SmoothStep
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.building.blocks import PitchLinks, Rotor
from fem_mbd.machines.building.turbine import build_rotor
from fem_mbd.machines.description.machine import Machine
from fem_mbd.machines.description.parts import Control

CONTROLS = ("collective", "lateral", "longitudinal", "shaft_angle", "flight_speed")
FIRST_BLADE = np.pi  # rad, psi of blade 1 of `build_rotor` about the vertical: it points forward
NAME = "airloads"
DEFAULT_INFLOW = PittPeters()


@dataclass(frozen=True, eq=False)
class Rotorcraft:
    """A rotor whose shaft turns at a constant speed: a function of its controls that makes a model.

    The pitch of a blade is collective + lateral cos psi + longitudinal sin psi, nose up, without its own twist; it is
    moved there from zero in the first revolution, by its pitch bearing or by swashplate and pitch links.

    Parameters
    ----------
    rotor : of building blocks
    aerodynamics : of each blade, over its length
    speed : rad/s
    flight_speed : m/s, where the controls have none
    induction, stall, stations, density, sound : as of `RotorLoads`
    order : nodes per element: 2, or 3 and 4 for few elements. A trim takes the longer the more nodes there are, and n
        elements of two have 1/(2 n^2) too much inertia about the hinge: one of three nodes has none
    gravity : m/s^2, of the weight of the rotor, normal to the flow

    Raises
    ------
    InputError
        For a speed or density that is not above zero, pitch links without a swashplate or with one that moves.
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
    gravity: float = 0.0
    machine: Machine = field(init=False, repr=False)

    def __post_init__(self) -> None:
        positive(self.speed, "rotorcraft: speed (rad/s)")
        finite(self.flight_speed, "rotorcraft: flight_speed (m/s)")
        positive(self.density, "rotorcraft: density (kg/m^3)")
        not_negative(self.gravity, "rotorcraft: gravity (m/s^2)")
        if self.rotor.pitch_links is not None:
            _check_links(self.rotor.pitch_links)
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
        values = {name: 0.0 for name in CONTROLS} | {"flight_speed": self.flight_speed} | dict(controls)
        made = self._controlled(values)
        angle = values["shaft_angle"]
        made.model.gravity = -self.gravity * np.array([-np.sin(angle), 0.0, np.cos(angle)])
        blades = [
            RotorBlade(made.beams[f"blade{k + 1}"], self.aerodynamics) for k in range(self.rotor.number)
        ]
        flap = [hinge.radius for hinge in self.rotor.hinges if hinge.kind == "flap"]
        air = Wind(values["flight_speed"], inclination=np.degrees(angle))
        loads = RotorLoads(
            blades, made.rotor.hub, made.rotor.axis, air, induction=self.induction, stall=self.stall,
            stations=self.stations, density=self.density, sound=self.sound, mean_loads=True,
            flap_offset=sum(flap), name=NAME,
        )  # fmt: skip
        made.model.add(loads)
        return made

    def _controlled(self, controls: Mapping[str, float]) -> Assembly:
        """The rotor with the motion of its pitch."""
        # each function is zero at time 0, exactly: joints as built do not depend on the controls
        if self.machine.control is not None:
            moved = replace(
                self.machine, control=_with_swashplate(self.machine.control, self.start, controls)
            )
            return assemble(moved, turning=True)
        motions: dict[str, Any] = {}
        for k in range(self.rotor.number):
            psi = FIRST_BLADE + self.rotor.azimuth + 2.0 * np.pi * k / self.rotor.number
            waves = [(controls["lateral"], 0.5 * np.pi + psi), (controls["longitudinal"], psi)]
            offsets = [size * np.sin(phase) for size, phase in waves]
            cosine, sine = (
                Harmonic(-size, self.speed, phase, offset)
                for (size, phase), offset in zip(waves, offsets, strict=True)
            )
            begin = SmoothStep(0.0, self.start, 0.0, -(controls["collective"] + sum(offsets)))
            motions[f"pitch{k + 1}"] = cosine + sine + begin
        return assemble(self.machine, motions=motions, turning=True)


def _with_swashplate(control: Control, time: float, controls: Mapping[str, float]) -> Control:
    """Pitch links whose swashplate moves to the controls in a time (s); its azimuths count from ahead."""
    links = control.links
    per, ahead = links.arm / np.hypot(links.arm, links.radius), np.arctan2(links.arm, links.radius)
    cosine, sine = -controls["lateral"], -controls["longitudinal"]
    ends = {
        "heave": links.arm * controls["collective"],
        "tilt_cosine": per * (cosine * np.cos(ahead) - sine * np.sin(ahead)),
        "tilt_sine": per * (cosine * np.sin(ahead) + sine * np.cos(ahead)),
    }
    moved = {name: SmoothStep(0.0, time, 0.0, end) for name, end in ends.items()}
    return replace(control, links=replace(links, swashplate=replace(links.swashplate, **moved)))


def _check_links(links: PitchLinks) -> None:
    """InputError for pitch links that the controls cannot move."""
    if links.swashplate is None:
        raise InputError(
            "rotorcraft: pitch links end at the hub: give them a Swashplate, which the controls move"
        )
    for name in ("heave", "tilt_cosine", "tilt_sine"):
        if not isinstance(getattr(links.swashplate, name), Constant):
            raise InputError(f"rotorcraft: {name} of the swashplate is given: it is moved by the controls")
