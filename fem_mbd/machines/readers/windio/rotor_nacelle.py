"""Nacelle of a windIO file without nacelle data: the rotor-nacelle assembly minus blades and hub.

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
POINTS = 201  # along a blade, for its mass centre


def nacelle_of_assembly(rna: Entries, rotor: Rotor, drivetrain: Drivetrain, remarks: list[str]) -> Nacelle:
    """The nacelle; without mass where the file has no rotor-nacelle assembly.

    Parameters
    ----------
    rna : `RNA` of the file, may be empty
    rotor, drivetrain : of the machine
    remarks : list to which consequences are added

    Raises
    ------
    InputError
        For invalid numbers.
    """
    if "elastic_properties_mb" not in rna:
        remarks.append(
            "nacelle: no mass: frequencies of the tower are too high; give components.drivetrain.elastic_properties "
            "with mass, inertia and location"
        )
        return Nacelle()
    properties = rna.part("elastic_properties_mb")
    mass, moment = (
        properties.number("mass"),
        properties.number("mass") * properties.numbers("center_mass", 3, 3),
    )
    rotation = rotation_about(Y, drivetrain.tilt)
    apex = drivetrain.height * Z + rotation @ (drivetrain.overhang * X)
    for blade, cone in zip(rotor.blades, rotor.cones, strict=True):
        blade_mass, along = _along_shaft(blade, cone, rotor.hub.radius)
        mass -= blade_mass
        moment = moment - blade_mass * (apex + rotation @ (along * X))
    mass -= rotor.hub.mass
    moment = moment - rotor.hub.mass * (apex + rotation @ (rotor.hub.centre * X))
    if mass <= 0.0:
        remarks.append("nacelle: the rotor weighs more than the file's RNA: the nacelle has no mass here")
        return Nacelle()
    remarks.append(
        f"nacelle: {mass:.5g} kg, the mass of RNA minus that of the rotor (with the hub where that has none), a point"
    )
    return Nacelle(mass, moment / mass)


def _along_shaft(blade: Blade, cone: float, radius: float) -> tuple[float, float]:
    """Mass of a blade, and its centre along the shaft from the apex, the mean over the azimuth."""
    s = np.linspace(0.0, 1.0, POINTS)
    sections = [blade.sections(float(at)) for at in s]
    frames = [blade.axis.at(float(at)) for at in s]
    mass = np.array([section.mass_per_length for section in sections])
    points = np.array(
        [
            origin + axes[:, 1:] @ np.asarray(section.mass_centre)
            for (origin, axes), section in zip(frames, sections, strict=True)
        ]
    )
    centre = trapezoid(mass[:, None] * points, s, axis=0) / trapezoid(mass, s)
    in_rotor: Array = rotation_about(Y, cone) @ (centre + radius * Z)
    return blade.mass, float(in_rotor[0])
