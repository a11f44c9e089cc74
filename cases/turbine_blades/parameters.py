"""Data of the three blades: what the paper gives, what the search finds, and what is assumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fem_mbd.case_parameters import parameter
from fem_mbd.errors import InputError

# Hz: one blade as multibody and as solid model, three linked ones as solid model (the paper's tables)
TABLE_3, TABLE_4, TABLE_5 = (53.0, 321.0, 408.0), (53.0, 312.0, 436.0), (127.0, 239.0, 329.0)
POSITIVE = ("lower_length", "upper_length", "dt", "preload", "stribeck_velocity", "sigma")


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, found by docs/studies/turbine_blades.py, or assumed (marked so). SI units."""

    simulation: Literal[1, 2] = parameter(1, "", "1: 30 Hz with growing force, 2: swept sine 30 to 80 Hz")
    friction: Literal["lugre", "gkf"] = parameter("lugre", "", "LuGre, or general kinetic friction")
    points: Literal[1, 4] = parameter(1, "", "contact points of each face")
    lower_length: float = parameter(0.10929, "m", "beam from the ground to the tie-boss, found by matching")
    upper_length: float = parameter(0.05400, "m", "beam from the tie-boss to the tip, found by matching")
    ends: Literal["faces", "centres"] = parameter("faces", "", "where beams end on tie-boss and tip; assumed")
    turn: float = parameter(90.0, "deg", "of the outer blades about their axes, assumed; see the case's text")
    damping_mass: float = parameter(3.03, "1/s", "alpha of the Rayleigh damping")
    damping_stiffness: float = parameter(1.1e-6, "s", "beta of the Rayleigh damping")
    preload: float = parameter(5.0, "N", "normal force of a face, grown to in the first second")
    force: float = parameter(0.0, "N", "amplitude at the centre tip; 0: 5 N in simulation 1, 2 N in 2")
    sigma: float = parameter(3e-9, "m^2 N^0.5", "compliance of the faces, assumed as for the cube")
    contact_damping: float = parameter(4.88e5, "N s/m^1.5", "of a face, assumed as for the cube")
    sigma_0: float = parameter(4e4, "1/m", "bristle stiffness per unit normal force")
    sigma_1: float = parameter(60.0, "s/m", "bristle damping per unit normal force")
    mu_s: float = parameter(0.5, "", "static coefficient of friction")
    mu_k: float = parameter(0.3, "", "kinetic coefficient of friction")
    stribeck_velocity: float = parameter(3e-3, "m/s", "v_st")
    threshold: float = parameter(3e-4, "m/s", "of the gkf law")
    dt: float = parameter(5e-4, "s", "constant step")
    end_time: float = parameter(0.0, "s", "simulated time; 0: 1.8 s of simulation 1, 9 s of simulation 2")
    elements: int = parameter(1, "", "beam elements of four nodes below and above the tie-boss")

    def __post_init__(self) -> None:
        for name in POSITIVE:
            if not getattr(self, name) > 0:
                raise InputError(f"turbine_blades: {name} is {getattr(self, name)}: it must be above zero")
        for name in ("force", "end_time"):
            if not getattr(self, name) >= 0:
                raise InputError(f"turbine_blades: {name} is {getattr(self, name)}: it must not be negative")

    @property
    def amplitude(self) -> float:
        """Largest force at the centre tip, N."""
        return self.force or (5.0 if self.simulation == 1 else 2.0)

    @property
    def duration(self) -> float:
        """Simulated time, s."""
        return self.end_time or (1.8 if self.simulation == 1 else 9.0)
