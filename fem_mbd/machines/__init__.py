"""Whole machines: turbines and rotors from the files of other programs, made into models."""

from fem_mbd.machines.assembly import Assembly, RotorParts, assemble
from fem_mbd.machines.family import MachineFamily
from fem_mbd.machines.hawc2 import read_hawc2_machine
from fem_mbd.machines.machine import Link, Lump, Machine, Member, Placement

__all__ = [
    "Assembly",
    "Link",
    "Lump",
    "Machine",
    "MachineFamily",
    "Member",
    "Placement",
    "RotorParts",
    "assemble",
    "read_hawc2_machine",
]
