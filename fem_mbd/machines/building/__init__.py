"""Machines of building blocks: tower, nacelle, drivetrain, rotor, substructure."""
