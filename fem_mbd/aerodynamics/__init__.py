"""Aerodynamic loads of rotors: airfoils, blade-element momentum theory, dynamic stall and inflow, wind."""

from fem_mbd.aerodynamics.blade import BladeAerodynamics, Polar, PolarSet
from fem_mbd.aerodynamics.momentum import FrozenInduction, Momentum, NoInduction
from fem_mbd.aerodynamics.rotor_loads import RigidRotor, RotorBlade, RotorLoads
from fem_mbd.aerodynamics.wind import (
    TowerShadow,
    TurbulenceBox,
    Wind,
    coherent_gust,
    operating_gust,
    read_bts,
    read_mann_box,
)

__all__ = [
    "BladeAerodynamics",
    "FrozenInduction",
    "Momentum",
    "NoInduction",
    "Polar",
    "PolarSet",
    "RigidRotor",
    "RotorBlade",
    "RotorLoads",
    "TowerShadow",
    "TurbulenceBox",
    "Wind",
    "coherent_gust",
    "operating_gust",
    "read_bts",
    "read_mann_box",
]
