"""Parameters of the rotor: data of the paper, and assumptions for data it omits."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from fem_mbd.case_parameters import check_not_negative, check_positive, parameter
from fem_mbd.errors import InputError


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, or assumed where the text gives none (marked so). SI units."""

    end_time: float = parameter(3.0, "s", "assumed: the paper's text mentions nothing later than 2.6 s")
    dt_max: float = parameter(2e-3, "s", "largest step, assumed")
    damping: float = parameter(8e-4, "s", "Kelvin-Voigt damping of the shaft, assumed; 0 gives dry whirl")
    whirl_time: float = parameter(1.5, "s", "end of the undamped run shown in the figures; 0: no such run")
    length: float = parameter(6.0, "m", "of the shaft, from R to T")
    bending_2: float = parameter(28.2e3, "N m^2", "bending stiffness about section axis 2")
    bending_3: float = parameter(28.7e3, "N m^2", "bending stiffness about section axis 3")
    torsion: float = parameter(22.1e3, "N m^2", "torsional stiffness")
    section: Literal["fitted", "tube"] = parameter(
        "fitted", "", "shear and axial stiffness: fitted to the critical speeds, or those of the paper's tube"
    )
    shear: float | None = parameter(
        None,
        "N",
        "shear stiffness in both directions; none: 2.0 MN fitted to the critical speeds, 4.4 MN of the tube",
    )
    axial: float | None = parameter(
        None, "N", "axial stiffness; none: 50 MN with the fitted section, assumed, 22.6 MN of the tube"
    )
    mass_per_length: float = parameter(0.848, "kg/m", "of the shaft")
    mean_radius: float = parameter(
        50e-3, "m", "of the tube; with the wall it gives the rotary inertia, assumed"
    )
    wall: float = parameter(5e-3, "m", "thickness of the tube's wall")
    polar_factor: float = parameter(1.0, "", "scales the tube's rotary inertia m (R^2 + t^2/4), assumed 1")
    eccentricity: float = parameter(
        1e-3, "m", "offset of the shaft's mass centre from its axis, whole length"
    )
    eccentricity_angle: float = parameter(
        90.0,
        "deg",
        "direction of that offset from section axis 2 towards 3, chosen to agree with the paper's statements",
    )
    disk_mass: float = parameter(5.0, "kg", "rigid disk at mid-span, centred on the axis (assumed)")
    disk_radius: float = parameter(15e-3, "m", "of that disk, whose inertia is that of a thin one")
    torque: float = parameter(0.825, "N m", "Q0 of the torque Q0 (1 - cos 2 pi t) at R")
    speed: float = parameter(0.0, "rad/s", "a driver turns the rotor at this speed; 0: the torque turns it")
    torque_time: float = parameter(0.93, "s", "t_s, from which the torque is constant")
    radius_cylinder: float = parameter(80.8e-3, "m", "outer race of the joint at T")
    radius_disk: float = parameter(80e-3, "m", "inner race")
    contact_stiffness: float = parameter(15e6, "N/m", "linear contact spring")
    hunt_crossley: float = parameter(0.0, "s/m", "contact damping, assumed none")
    friction: float = parameter(0.3, "", "mu_s = mu_k of the LuGre model; 0 for a frictionless contact")
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness of the LuGre model")
    stribeck_velocity: float = parameter(1e-3, "m/s", "v_s of the LuGre model")
    penetration: float = parameter(3e-6, "m", "eps_p of the contact rule of step control, eq. 19")
    tau_min: float = parameter(0.1, "", "smallest step of the friction rule in time constants, eq. 33")
    gravity: float = parameter(0.0, "m/s^2", "across the shaft; the paper has none")
    elements: int = parameter(6, "", "beam elements of the shaft, an even number: a node carries the disk")
    order: Literal[2, 3, 4] = parameter(3, "", "nodes per element")

    @property
    def shear_stiffness(self) -> float:
        """GA in N: given, fitted (2.0 MN), or half of G A, G from the torsional stiffness of a thin tube."""
        if self.shear is not None:
            return self.shear
        return 2.0e6 if self.section == "fitted" else 0.5 * self.torsion / self._turning_radius**2

    @property
    def axial_stiffness(self) -> float:
        """EA in N: given, assumed (50 MN), or E from the mean bending stiffness of a thin tube."""
        if self.axial is not None:
            return self.axial
        bending = 0.5 * (self.bending_2 + self.bending_3)
        return 50e6 if self.section == "fitted" else 2.0 * bending / self._turning_radius**2

    @property
    def _turning_radius(self) -> float:
        """m, radius of gyration of a thin tube about its axis, root of R^2 + t^2/4."""
        return sqrt(self.mean_radius**2 + self.wall**2 / 4)

    def __post_init__(self) -> None:
        check_positive(
            self,
            "supercritical_rotor",
            "end_time dt_max length torque_time mean_radius polar_factor disk_mass",
        )
        if self.elements < 2 or self.elements % 2:
            raise InputError(
                f"supercritical_rotor: elements is {self.elements}: give an even number, so that a node is at mid-span"
            )
        check_not_negative(self, "supercritical_rotor", "whirl_time")
