"""Aerodynamic loads of rotors: airfoils, blade-element momentum theory, dynamic stall and inflow, wind."""

from fem_mbd.aerodynamics.airfoils import Polar, PolarSet
from fem_mbd.aerodynamics.blade import BladeAerodynamics
from fem_mbd.aerodynamics.induction import FrozenInduction, Momentum, NoInduction
from fem_mbd.aerodynamics.rigid_rotor import RigidRotor
from fem_mbd.aerodynamics.rotor_loads import RotorBlade, RotorLoads
from fem_mbd.aerodynamics.turbulence import TurbulenceBox, read_bts, read_mann_box
from fem_mbd.aerodynamics.wind import TowerShadow, Wind, coherent_gust, operating_gust

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
