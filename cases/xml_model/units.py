"""Conversion of a model file's units to SI: length, mass, time and force are independent (Param_Unit).

The four need not be consistent: millimetre, kilogram, second and newton are common. Each quantity is converted by the
units of which it is composed, forces by the unit of force.
"""

from __future__ import annotations

from dataclasses import dataclass

from fem_mbd.cases.xml_model.document import Element

LENGTHS = {
    "METER": 1.0,
    "CENTIMETER": 1e-2,
    "MILLIMETER": 1e-3,
    "KILOMETER": 1e3,
    "INCH": 0.0254,
    "FOOT": 0.3048,
}
MASSES = {
    "KILOGRAM": 1.0,
    "GRAM": 1e-3,
    "MEGAGRAM": 1e3,
    "POUND_MASS": 0.45359237,
    "SLUG": 14.593902937206364,
}
TIMES = {"SECOND": 1.0, "MILLISECOND": 1e-3, "MINUTE": 60.0, "HOUR": 3600.0}
FORCES = {
    "NEWTON": 1.0,
    "KILONEWTON": 1e3,
    "MILLINEWTON": 1e-3,
    "DYNE": 1e-5,
    "POUND_FORCE": 4.4482216152605,
    "KILOGRAM_FORCE": 9.80665,
}


@dataclass(frozen=True)
class Units:
    """SI values of one unit of the file."""

    length: float
    mass: float
    time: float
    force: float

    @classmethod
    def of(cls, element: Element) -> Units:
        """Read the file's Param_Unit."""
        return cls(
            element.choice("length_unit", LENGTHS),
            element.choice("mass_unit", MASSES),
            element.choice("time_unit", TIMES),
            element.choice("force_unit", FORCES),
        )

    @property
    def velocity(self) -> float:
        return self.length / self.time

    @property
    def acceleration(self) -> float:
        return self.length / self.time**2

    @property
    def inertia(self) -> float:
        return self.mass * self.length**2

    @property
    def torque(self) -> float:
        return self.force * self.length
