"""Nacelle of a windIO file that gives none: the rotor-nacelle assembly minus blades and hub.

With m, c the mass and mass centre of the assembly from the tower's top (windIO version 1,
`RNA.elastic_properties_mb`), the nacelle's mass is m - n m_b - m_h, and its mass centre preserves the first moment. Its
rotary inertia is left out.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import trapezoid

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.machines.building.blocks import Drivetrain, Nacelle, Rotor
from fem_mbd.machines.readers.windio.entries import Entries

X, Y, Z = np.eye(3)
PLACES = 201  # along a blade, where its mass is summed


def nacelle_of_assembly(rna: Entries, rotor: Rotor, drivetrain: Drivetrain, remarks: list[str]) -> Nacelle:
    """The nacelle; one without mass where the file has no assembly.

    Parameters
    ----------
    rna : `RNA` of the file, may be empty
    rotor, drivetrain : what is built beside it
    remarks : to which is added what follows

    Raises
    ------
    InputError
        For numbers that are none.
    """
    if "elastic_properties_mb" not in rna:
        remarks.append(
            "nacelle: no mass: frequencies of the tower are too high; give components.drivetrain.elastic_properties "
            "with mass, inertia and location"
        )
        return Nacelle()
    own = rna.part("elastic_properties_mb")
    mass, first = own.number("mass"), own.number("mass") * own.numbers("center_mass", 3, 3)
    turned = rotation_about(Y, drivetrain.tilt)
    apex = drivetrain.height * Z + turned @ (drivetrain.overhang * X)
    for blade, cone in zip(rotor.blades, rotor.cones, strict=True):
        own_mass, along = _along_shaft(blade, cone, rotor.hub.radius)
        mass -= own_mass
        first = first - own_mass * (apex + turned @ (along * X))
    mass -= rotor.hub.mass
    first = first - rotor.hub.mass * (apex + turned @ (rotor.hub.centre * X))
    if mass <= 0.0:
        remarks.append("nacelle: the rotor weighs more than the file's RNA: the nacelle has no mass here")
        return Nacelle()
    remarks.append(
        f"nacelle: {mass:.5g} kg, what RNA leaves beside the rotor (with the hub where that has none), as a point"
    )
    return Nacelle(mass, first / mass)


def _along_shaft(blade: Blade, cone: float, radius: float) -> tuple[float, float]:
    """Mass of a blade, and its centre along the shaft from the apex, the mean over the azimuth."""
    s = np.linspace(0.0, 1.0, PLACES)
    sections = [blade.sections(float(at)) for at in s]
    frames = [blade.axis.at(float(at)) for at in s]
    mass = np.array([section.mass_per_length for section in sections])
    points = np.array(
        [
            place + axes[:, 1:] @ np.asarray(section.mass_centre)
            for (place, axes), section in zip(frames, sections, strict=True)
        ]
    )
    centre = trapezoid(mass[:, None] * points, s, axis=0) / trapezoid(mass, s)
    rooted: Array = rotation_about(Y, cone) @ (centre + radius * Z)
    return blade.mass, float(rooted[0])
