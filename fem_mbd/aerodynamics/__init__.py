"""Aerodynamic loads of rotors: airfoils, blade-element momentum theory, dynamic stall and inflow, wind."""

from fem_mbd.aerodynamics.blade import BladeAerodynamics, MachPolars, Polar, PolarSet
from fem_mbd.aerodynamics.files import read_c81
from fem_mbd.aerodynamics.inflow import DreesInflow, PetersHe, PittPeters, UniformInflow
from fem_mbd.aerodynamics.momentum import FrozenInduction, Momentum, NoInduction
from fem_mbd.aerodynamics.rigid_rotor import RigidRotor
from fem_mbd.aerodynamics.rotor_blade import RigidSpan, RotorBlade
from fem_mbd.aerodynamics.rotor_loads import RotorLoads, line_drag
from fem_mbd.aerodynamics.wind import (
    TowerShadow,
    TurbulenceBox,
    Wind,
    coherent_gust,
    operating_gust,
    read_bts,
    read_mann_box,
    read_uniform_wind,
)

__all__ = [
    "BladeAerodynamics",
    "DreesInflow",
    "FrozenInduction",
    "MachPolars",
    "Momentum",
    "NoInduction",
    "PetersHe",
    "PittPeters",
    "Polar",
    "PolarSet",
    "RigidRotor",
    "RigidSpan",
    "RotorBlade",
    "RotorLoads",
    "TowerShadow",
    "TurbulenceBox",
    "UniformInflow",
    "Wind",
    "coherent_gust",
    "line_drag",
    "operating_gust",
    "read_bts",
    "read_c81",
    "read_mann_box",
    "read_uniform_wind",
]
