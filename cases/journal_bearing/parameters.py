"""Data of the overhung rotor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from fem_mbd.case_parameters import above_zero, parameter


@dataclass(frozen=True)
class Parameters:
    """The rotor and its bearing; SI units. The case's data are its own."""

    end_time: float = parameter(2.6, "s", "a little beyond the standstill")
    speed: float = parameter(30.0, "rad/s", "spin at the start")
    mass: float = parameter(3.0, "kg", "of the overhung disk; the journal has none")
    disk_radius: float = parameter(0.1, "m", "of the disk, thin and uniform")
    overhang: float = parameter(0.06, "m", "from the journal's end to the disk")
    length: float = parameter(0.1, "m", "of the journal, between its edges")
    radius_sleeve: float = parameter(20.2e-3, "m", "of the sleeve")
    radius_journal: float = parameter(20e-3, "m", "of the journal")
    gravity: float = parameter(9.81, "m/s^2", "across the axis")
    contact_stiffness: float = parameter(15e6, "N/m", "linear contact spring of each edge")
    hunt_crossley: float = parameter(0.5, "s/m", "contact damping")
    friction: float = parameter(0.2, "", "mu_s = mu_k of the LuGre model")
    sigma_0: float = parameter(1e5, "1/m", "bristle stiffness of the LuGre model")
    sigma_1: float = parameter(1e-2, "s/m", "damping of the bristles")
    stribeck_velocity: float = parameter(1e-3, "m/s", "v_s of the LuGre model")
    penetration: float = parameter(3e-6, "m", "eps_p of the contact rule of step control")
    tau_min: float = parameter(0.1, "", "smallest step of the friction rule in time constants")
    dt_max: float = parameter(2e-4, "s", "largest step")

    def __post_init__(self) -> None:
        above_zero(
            self, "journal_bearing", "end_time speed mass disk_radius gravity friction dt_max overhang"
        )

    @property
    def reactions(self) -> tuple[float, float]:
        """Forces (N) that carry the weight: on the edge far from the disk (pressed up) and on the one near it."""
        weight = self.mass * self.gravity
        return weight * self.overhang / self.length, weight * (self.length + self.overhang) / self.length

    @property
    def friction_angle(self) -> float:
        """atan(mu), rad."""
        return float(np.arctan(self.friction))

    @property
    def inertia(self) -> float:
        """Polar moment of the disk, kg m^2."""
        return self.mass * self.disk_radius**2 / 2

    @property
    def deceleration(self) -> float:
        """rad/s^2: both edges' forces carry the weight and touch the friction circle of radius r sin(atan mu)."""
        arm = self.radius_journal * np.sin(self.friction_angle)
        return float(arm * sum(self.reactions) / self.inertia)

    @property
    def standstill(self) -> float:
        """s, when the spin is used up."""
        return self.speed / self.deceleration

    @property
    def rocking(self) -> float:
        """rad/s, small oscillations of the journal at rest, which rolls to and fro on both edges.

        Two unknowns: the angle of the edges round the sleeve, and the spin. An edge e is c_e (clearance and
        penetration) off the axis; bristles of stiffness sigma_0 f_e hold its rolling, c_e angle + r spin.
        """
        far, near = self.reactions
        c_far, c_near = (
            self.radius_sleeve - self.radius_journal + force / self.contact_stiffness for force in (far, near)
        )
        share = self.overhang / self.length
        shift = c_near * (1 + share) + c_far * share  # of the disk's centre, per unit angle
        tilt = (c_near + c_far) / self.length
        mass = np.diag([self.mass * shift**2 + self.inertia / 2 * tilt**2, self.inertia])
        stiffness = np.diag([self.mass * self.gravity * shift, 0.0])
        for force, c in ((far, c_far), (near, c_near)):
            rolled = np.array([c, self.radius_journal])
            stiffness += self.sigma_0 * force * np.outer(rolled, rolled)
        return float(np.sqrt(eigh(stiffness, mass, eigvals_only=True)[0]))
