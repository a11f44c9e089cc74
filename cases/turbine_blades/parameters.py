"""Parameters of the three blades: data of the paper, results of the search, and assumptions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from fem_mbd.case_parameters import check_not_negative, check_positive, parameter

# Hz: one blade as multibody and as solid model, three connected ones as solid model (the paper's tables)
TABLE_3, TABLE_4, TABLE_5 = (53.0, 321.0, 408.0), (53.0, 312.0, 436.0), (127.0, 239.0, 329.0)


@dataclass(frozen=True)
class Geometry:
    """Data omitted in the paper: lengths of the beams (m) and arrangement of the outer blades.

    turn : deg, rotation of the outer blades about their own axes, in opposite directions
    set_back, spacing : m, displacement of both outer blades against i1, and along i2 to either side
    """

    lower_length: float
    upper_length: float
    turn: float
    set_back: float
    spacing: float


# Found by docs/studies/turbine_blades.py: lengths from table 3; lengths and positions from tables 4 and 5.
SETS = {
    "simulated": Geometry(0.0975, 0.0674, 90.0, 0.0, 0.034),
    "cad": Geometry(0.1154, 0.0467, 0.0, 0.0097, 0.045),
}


@dataclass(frozen=True)
class Parameters:
    """Defaults are those of the paper, found by docs/studies/turbine_blades.py, or assumed (marked so). SI units."""

    set: Literal["simulated", "cad"] = parameter(
        "simulated",
        "",
        "geometry from the paper's multibody model (table 3), or its solid model (tables 4, 5)",
    )
    simulation: Literal[1, 2] = parameter(1, "", "1: 30 Hz with growing force, 2: swept sine 30 to 80 Hz")
    friction: Literal["lugre", "gkf"] = parameter("lugre", "", "LuGre, or general kinetic friction")
    points: Literal[1, 4] = parameter(1, "", "contact points of each face")
    lower_length: float | None = parameter(
        None, "m", "beam from the ground to the tie-boss; none: of the set"
    )
    upper_length: float | None = parameter(None, "m", "beam from the tie-boss to the tip; none: of the set")
    ends: Literal["faces", "centres"] = parameter(
        "faces", "", "end points of the beams on tie-boss and tip; assumed"
    )
    turn: float | None = parameter(None, "deg", "of the outer blades about their axes; none: of the set")
    set_back: float | None = parameter(None, "m", "of both outer blades against i1; none: of the set")
    spacing: float | None = parameter(None, "m", "of the blades along i2; none: of the set")
    damping_mass: float = parameter(3.03, "1/s", "alpha of the Rayleigh damping")
    damping_stiffness: float = parameter(1.1e-6, "s", "beta of the Rayleigh damping")
    preload: float = parameter(
        5.0, "N", "normal force of a face, increased to this value in the first second"
    )
    force: float = parameter(0.0, "N", "amplitude at the centre tip; 0: 5 N in simulation 1, 2 N in 2")
    frequency: float = parameter(30.0, "Hz", "of the force in simulation 1")
    sigma: float = parameter(3e-9, "m^2 N^0.5", "compliance of the faces, assumed as for the cube")
    contact_damping: float = parameter(4.88e5, "N s/m^1.5", "of a face, assumed as for the cube")
    sigma_0: float = parameter(4e4, "1/m", "bristle stiffness per unit normal force")
    sigma_1: float = parameter(60.0, "s/m", "bristle damping per unit normal force")
    mu_s: float = parameter(0.5, "", "static coefficient of friction")
    mu_k: float = parameter(0.3, "", "kinetic coefficient of friction")
    stribeck_velocity: float = parameter(3e-3, "m/s", "v_st")
    threshold: float = parameter(3e-4, "m/s", "of the gkf law")
    sweep_start: float = parameter(1.0, "s", "simulation 2: the sweep begins, 30 Hz before; assumed")
    sweep_time: float = parameter(8.0, "s", "duration of the sweep from 30 to 80 Hz, assumed")
    dt: float = parameter(5e-4, "s", "constant step")
    end_time: float = parameter(0.0, "s", "simulated time; 0: 1.8 s of simulation 1, the whole sweep of 2")
    elements: int = parameter(1, "", "beam elements of four nodes below and above the tie-boss")

    def __post_init__(self) -> None:
        lengths = [name for name in vars(self.geometry) if name.endswith("length") or name == "spacing"]
        check_positive(self, "turbine_blades", "dt preload stribeck_velocity sigma sweep_time")
        check_positive(self.geometry, "turbine_blades", " ".join(lengths))
        check_not_negative(self, "turbine_blades", "force end_time sweep_start")

    @property
    def geometry(self) -> Geometry:
        """The geometry of the set, with the explicitly given values."""
        own = {name: getattr(self, name) for name in vars(SETS[self.set])}
        return replace(SETS[self.set], **{name: value for name, value in own.items() if value is not None})

    @property
    def amplitude(self) -> float:
        """Largest force at the centre tip, N."""
        return self.force or (5.0 if self.simulation == 1 else 2.0)

    @property
    def duration(self) -> float:
        """Simulated time, s."""
        return self.end_time or (1.8 if self.simulation == 1 else self.sweep_start + self.sweep_time)
