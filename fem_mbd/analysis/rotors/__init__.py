"""Rotors: Campbell diagrams, critical speeds, multi-blade coordinates, Floquet multipliers, names of modes."""
