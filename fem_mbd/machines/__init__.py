"""Whole machines: turbines and rotors, built from blocks or read from files of other programs, and their models."""

from fem_mbd.machines.aerodynamic_loads import add_load_tables, add_rotor_loads
from fem_mbd.machines.aeroelastic import AeroelasticFamily
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly, RotorParts
from fem_mbd.machines.building.blocks import (
    Drivetrain,
    Hinge,
    Hub,
    Nacelle,
    PitchLinks,
    Rotor,
    Support,
    Swashplate,
    Teeter,
    Tower,
)
from fem_mbd.machines.building.substructure import Substructure, in_soil, on_foundation
from fem_mbd.machines.building.turbine import build_rotor, build_turbine, swashplate
from fem_mbd.machines.controllers.bladed import (
    BladedController,
    ControlledTurbine,
    ControllerWarning,
    Measured,
    controlled_turbine,
)
from fem_mbd.machines.controllers.variable_speed import VariableSpeedController, law_of
from fem_mbd.machines.description.beams import with_elements
from fem_mbd.machines.description.control import DisconFile, PitchActuator, Ratings, VariableSpeed
from fem_mbd.machines.description.machine import Machine
from fem_mbd.machines.description.parts import Link, Lump, Member, Placement, Soil
from fem_mbd.machines.family import MachineFamily
from fem_mbd.machines.mode_polynomials import (
    ModeShape,
    blade_mode_shapes,
    fit_mode_shape,
    tower_mode_shapes,
)
from fem_mbd.machines.readers.any_file import read_machine
from fem_mbd.machines.readers.hawc2.machine import read_hawc2_machine
from fem_mbd.machines.readers.left_out import LeftOutWarning
from fem_mbd.machines.readers.openfast.machine import read_openfast_machine
from fem_mbd.machines.readers.windio.machine import read_windio_machine
from fem_mbd.machines.rotorcraft import Rotorcraft
from fem_mbd.machines.steady import SteadyState, SteadyStates
from fem_mbd.machines.steady_gradient import best_speed, pitch_for_power

__all__ = [
    "AeroelasticFamily",
    "Assembly",
    "BladedController",
    "ControlledTurbine",
    "ControllerWarning",
    "DisconFile",
    "Drivetrain",
    "Hinge",
    "Hub",
    "LeftOutWarning",
    "Link",
    "Lump",
    "Machine",
    "MachineFamily",
    "Measured",
    "Member",
    "ModeShape",
    "Nacelle",
    "PitchActuator",
    "PitchLinks",
    "Placement",
    "Ratings",
    "Rotor",
    "RotorParts",
    "Rotorcraft",
    "Soil",
    "SteadyState",
    "SteadyStates",
    "Substructure",
    "Support",
    "Swashplate",
    "Teeter",
    "Tower",
    "VariableSpeed",
    "VariableSpeedController",
    "add_load_tables",
    "add_rotor_loads",
    "assemble",
    "best_speed",
    "blade_mode_shapes",
    "build_rotor",
    "build_turbine",
    "controlled_turbine",
    "fit_mode_shape",
    "in_soil",
    "law_of",
    "on_foundation",
    "pitch_for_power",
    "read_hawc2_machine",
    "read_machine",
    "read_openfast_machine",
    "read_windio_machine",
    "swashplate",
    "tower_mode_shapes",
    "with_elements",
]
