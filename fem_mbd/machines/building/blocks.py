"""Building blocks of turbines and rotors; `fem_mbd.machines.building.turbine` builds machines from them.

Frames: global axes have z up and x downwind. Rotor axes have x along the axis of rotation, to the suction side of the
blades (downwind for a turbine, up for a helicopter), z along blade 1 at azimuth 0. The rotor rotates about +x, leading
edges first. Blade axes: x to the suction side, y to the trailing edge, z to the tip; at azimuth 0,
without cone and pitch, those of blade 1 are the rotor's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, finite, not_negative, positive, whole_number
from fem_mbd.core.model.time_functions import as_time_function
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class Hinge:
    """A hinge of a blade, between the hub and the blade's root.

    Parameters
    ----------
    kind : "flap" (blade moves along the rotor's axis), "lag" (in the plane of rotation), or "pitch", the pitch bearing
        where it is not at the blade's root
    radius : m, from the axis of rotation along the blade
    stiffness, damping : N m/rad and N m s/rad
    skew : rad, of a flap hinge, delta_3: flapping up by beta turns the nose down by tan(delta_3) beta
    parallel : dampers of other laws: `OrificeDamper`, `FrictionDamper`, `FreePlay` of `fem_mbd.elements`

    Raises
    ------
    InputError
        For another kind, or invalid numbers.
    """

    kind: Literal["flap", "lag", "pitch"]
    radius: float
    stiffness: float = 0.0
    damping: float = 0.0
    skew: float = 0.0
    parallel: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in ("flap", "lag", "pitch"):
            raise InputError(f"hinge: kind is {self.kind!r}: give 'flap', 'lag' or 'pitch'")
        positive(self.radius, f"{self.kind} hinge: radius (m)")
        if finite(self.skew, f"{self.kind} hinge: skew (rad)") and self.kind != "flap":
            raise InputError(f"{self.kind} hinge: skew is of a flap hinge")
        if self.kind == "pitch" and (self.stiffness or self.damping or self.parallel):
            raise InputError("pitch hinge: give stiffness and damping to the pitch links")
        for name in ("stiffness", "damping"):
            not_negative(getattr(self, name), f"{self.kind} hinge: {name}")


@dataclass(frozen=True, eq=False)
class Teeter:
    """A teeter hinge between the shaft and the hub of a rotor with two blades, its axis normal to shaft and blades.

    Positive teeter moves blade 1 to +x, the suction side. Without springs the rotor teeters once per revolution.

    Parameters
    ----------
    undersling : m, from the pin to the apex of the blades, along the rotor's x
    stiffness, damping : N m/rad and N m s/rad

    Raises
    ------
    InputError
        For invalid numbers.
    """

    undersling: float
    stiffness: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        finite(self.undersling, "teeter: undersling (m)")
        for name in ("stiffness", "damping"):
            not_negative(getattr(self, name), f"teeter: {name}")


@dataclass(frozen=True, eq=False)
class Hub:
    """The hub, which carries the blades' roots.

    Parameters
    ----------
    radius : m, from the axis of rotation to the blades' roots, along the blades
    mass : kg
    centre : m, of its mass, along the rotor's axis from the apex of the blades
    inertia : kg m^2 about its mass centre: a number (about the axis only), or (3, 3) in rotor axes
    """

    radius: float
    mass: float = 0.0
    centre: float = 0.0
    inertia: ArrayLike = 0.0

    def __post_init__(self) -> None:
        positive(self.radius, "hub: radius (m)")
        not_negative(self.mass, "hub: mass (kg)")
        finite(self.centre, "hub: centre (m)")
        inertia = np.asarray(self.inertia, dtype=float)
        if inertia.ndim == 0:
            inertia = np.diag([float(inertia), 0.0, 0.0])
        object.__setattr__(self, "inertia", array(inertia, (3, 3), "hub: inertia (kg m^2)"))


@dataclass(frozen=True, eq=False)
class Swashplate:
    """A swashplate: a plate that does not rotate, slides along the mast and tilts, with a bearing for one that rotates.

    Its point at the azimuth psi and the radius r is at heave + r (tilt_cosine cos psi + tilt_sine sin psi) above its
    height as built. The rotating plate turns with the shaft (scissors).

    Parameters
    ----------
    mass : kg, of the rotating plate
    inertia : kg m^2, of the rotating plate about the axis; half of it about axes across
    heave : m, along the rotor's x, a function of time that begins at zero: at first the plate is as built
    tilt_cosine, tilt_sine : rad, likewise

    Raises
    ------
    InputError
        For invalid numbers, functions that do not begin at zero.
    """

    mass: float
    inertia: float
    heave: Any = 0.0
    tilt_cosine: Any = 0.0
    tilt_sine: Any = 0.0

    def __post_init__(self) -> None:
        positive(self.mass, "swashplate: mass (kg)")
        positive(self.inertia, "swashplate: inertia (kg m^2)")
        for name in ("heave", "tilt_cosine", "tilt_sine"):
            motion = as_time_function(getattr(self, name), (), f"swashplate: {name}")
            if abs(float(motion.value(0.0))) > 1e-12:
                raise InputError(
                    f"swashplate: {name} is {float(motion.value(0.0)):g} at time 0: let it begin at zero, and give the "
                    "pitch that the links hold then as pitch of the rotor"
                )
            object.__setattr__(self, name, motion)


@dataclass(frozen=True, eq=False)
class PitchLinks:
    """Pitch horns and pitch links of all blades, as elastic rods along the shaft, down to a swashplate or to the hub.

    Parameters
    ----------
    arm : m, from the pitch axis to the end of the horn, positive ahead of the leading edge
    radius : m, from the axis of rotation to the end of the horn
    length : m, of the links, from the horn down
    stiffness, damping : N/m and N s/m, of a link
    parallel : `FreePlay` of a worn link, and dampers, of `fem_mbd.elements`
    station : of a bearingless rotor, whose blades have no pitch bearing: fraction of the blade where the torque tube,
        which is rigid and carries the horn, is fixed outboard of the flexbeam
    swashplate : to which the links go; without one they are hinged to the hub

    Raises
    ------
    InputError
        For invalid numbers, an arm of zero.
    """

    arm: float
    radius: float
    length: float
    stiffness: float
    damping: float = 0.0
    parallel: tuple[Any, ...] = ()
    station: float = 0.0
    swashplate: Swashplate | None = None

    def __post_init__(self) -> None:
        if finite(self.arm, "pitch links: arm (m)") == 0.0:
            raise InputError("pitch links: arm is 0 m: they would not hold the pitch")
        for name in ("radius", "length"):
            positive(getattr(self, name), f"pitch links: {name} (m)")
        for name in ("stiffness", "damping"):
            not_negative(getattr(self, name), f"pitch links: {name}")
        if not 0.0 <= finite(self.station, "pitch links: station") <= 1.0:
            raise InputError(f"pitch links: station is {self.station}: give a fraction of the blade, 0 to 1")


@dataclass(frozen=True, eq=False)
class Rotor:
    """A rotor of equal or different blades.

    Parameters
    ----------
    blade : the blade, or a tuple of them
    hub : that carries them
    number : of blades
    cone : rad, inclination of the blades' roots to +x, a number or a tuple
    pitch : rad, as built; positive moves the leading edge to -x (turbine: to feather)
    precone : rad, inclination of a blade to +x relative to its pitch axis
    azimuth : rad, of blade 1
    hinges : of each blade, from the hub outwards, in any order; the pitch bearing is at the blade's root unless it is
        among them
    pitch_links : that hold the pitch, which is then free in its bearing
    tip_mass : kg, at each blade's tip
    teeter : hinge between shaft and hub, of two blades
    elements : largest number along a blade, with boundaries at every second, third, … station where the sections allow;
        sections in between are integrated exactly

    Raises
    ------
    InputError
        For invalid numbers, a teeter hinge of other than two blades, or hinge radii that do not ascend up to the hub's.
    """

    blade: Blade | tuple[Blade, ...]
    hub: Hub
    number: int = 3
    cone: float | tuple[float, ...] = 0.0
    pitch: float = 0.0
    precone: float = 0.0
    azimuth: float = 0.0
    hinges: tuple[Hinge, ...] = ()
    pitch_links: PitchLinks | None = None
    tip_mass: float | tuple[float, ...] = 0.0
    teeter: Teeter | None = None
    elements: int = 50

    def __post_init__(self) -> None:
        count = whole_number(self.number, "rotor: number of blades")
        if len(self.blades) != count:
            raise InputError(f"rotor: {len(self.blades)} blades are given, number is {count}")
        whole_number(self.elements, "rotor: elements of a blade")
        if self.teeter is not None and count != 2:
            raise InputError(f"rotor: a teeter hinge is for two blades, not for {count}")
        array(self.cones, (count,), "rotor: cone (rad)")
        array(self.tip_masses, (count,), "rotor: tip_mass (kg)")
        for name in ("pitch", "precone", "azimuth"):
            finite(getattr(self, name), f"rotor: {name} (rad)")
        kinds = [hinge.kind for hinge in self.hinges]
        if len(set(kinds)) < len(kinds):
            raise InputError(f"rotor: hinges {kinds}: give each kind once")
        radii = [0.0, *(hinge.radius for hinge in self.hinges), self.hub.radius]
        if np.any(np.diff(radii) <= 0.0):
            raise InputError(
                f"rotor: hinges at {radii[1:-1]} m, hub radius {radii[-1]} m: each has to lie beyond the one before it"
            )
        if self.pitch_links is not None and self.pitch_links.station > 0.0 and "pitch" in kinds:
            raise InputError(
                "rotor: a torque tube turns the blade beyond its flexbeam: leave out the pitch hinge"
            )

    @property
    def blades(self) -> tuple[Blade, ...]:
        """(number,) blades."""
        return self.blade if isinstance(self.blade, tuple) else (self.blade,) * self.number

    @property
    def cones(self) -> tuple[float, ...]:
        """(number,) rad."""
        return self.cone if isinstance(self.cone, tuple) else (self.cone,) * self.number

    @property
    def tip_masses(self) -> tuple[float, ...]:
        """(number,) kg."""
        return self.tip_mass if isinstance(self.tip_mass, tuple) else (self.tip_mass,) * self.number


@dataclass(frozen=True, eq=False)
class Support:
    """Support of a rotor without a tower: a mass on springs along the global axes, which does not rotate.

    Parameters
    ----------
    mass : kg, without the hub
    stiffness : (3,) N/m along x, y, z; infinite where it is fixed
    damping : (3,) N s/m

    Raises
    ------
    InputError
        For numbers that are negative, a damping that is not finite, a direction without spring.
    """

    mass: float = 0.0
    stiffness: Any = (np.inf, np.inf, np.inf)
    damping: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        not_negative(self.mass, "support: mass (kg)")
        stiffness = np.asarray(self.stiffness, dtype=float)
        if stiffness.shape != (3,) or not np.all(stiffness > 0.0):
            raise InputError(
                f"support: stiffness is {self.stiffness!r}: give three numbers above zero, infinite where it is fixed"
            )
        damping = array(self.damping, (3,), "support: damping")
        if np.any(damping < 0.0):
            raise InputError(f"support: damping is {self.damping!r}: it must not be negative")
        object.__setattr__(self, "stiffness", stiffness)
        object.__setattr__(self, "damping", damping)


@dataclass(frozen=True, eq=False)
class Tower:
    """A tower: a straight beam upwards.

    Parameters
    ----------
    beam : along z of its own axes, which are the global ones
    base : m, height of its foot, global z
    top_mass : kg, of the yaw bearing
    """

    beam: Blade
    base: float = 0.0
    top_mass: float = 0.0


@dataclass(frozen=True, eq=False)
class Nacelle:
    """The nacelle, on the tower; it carries the shaft.

    Parameters
    ----------
    mass : kg
    centre : (3,) m, of its mass, from the tower's top, global axes at yaw zero
    inertia : (3, 3) kg m^2 about that mass centre; may be about one axis only
    yaw_drive : stiffness (N m/rad) and damping (N m s/rad) in yaw; rigid when left out, free with stiffness 0
    """

    mass: float = 0.0
    centre: ArrayLike = (0.0, 0.0, 0.0)
    inertia: ArrayLike = field(default_factory=lambda: np.zeros((3, 3)))
    yaw_drive: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Drivetrain:
    """Shaft and generator.

    Parameters
    ----------
    overhang : m, along the shaft from the yaw axis to the apex of the blades; negative upwind
    height : m, from the tower's top to the intersection of shaft and yaw axis
    tilt : rad, of the shaft, upwind end upwards
    twist : torsional stiffness (N m/rad) and damping (N m s/rad) between rotor and generator; rigid when left out
    generator : kg m^2, inertia of the generator's side, referred to the rotor's speed
    gear_ratio : of the gearbox, speed of the generator over that of the rotor: where the shaft is locked or driven, the
        generator has its own inertia, generator/gear_ratio^2, which moves with the nacelle
    speed : rad/s, initial, of the rotor
    driven : the generator's speed is prescribed
    """

    overhang: float
    height: float
    tilt: float = 0.0
    twist: tuple[float, float] | None = None
    generator: float = 0.0
    speed: float = 0.0
    driven: bool = False
    gear_ratio: float = 1.0

    def __post_init__(self) -> None:
        if finite(self.gear_ratio, "drivetrain: gear_ratio") == 0.0:
            raise InputError("drivetrain: gear_ratio is 0: give the generator's speed over that of the rotor")
        if finite(self.overhang, "drivetrain: overhang (m)") == 0.0:
            raise InputError("drivetrain: overhang is 0 m: the rotor cannot be on the yaw axis")
        positive(self.height, "drivetrain: height of the shaft above the tower's top (m)")
        finite(self.tilt, "drivetrain: tilt (rad)")

    @property
    def upwind(self) -> bool:
        """Whether the rotor stands upwind of the tower."""
        return self.overhang < 0.0

    @property
    def axes(self) -> Array:
        """(3, 3) columns are the axes of the shaft's member, z from the yaw axis to the rotor, in rotor axes."""
        return along_shaft(-1.0 if self.upwind else 1.0)


def along_shaft(sense: float) -> Array:
    """(3, 3) columns are the axes of a member along the shaft, z to +x or -x of the rotor, in rotor axes."""
    y, z = np.array([0.0, 1.0, 0.0]), np.array([sense, 0.0, 0.0])
    return np.column_stack([np.cross(y, z), y, z])
