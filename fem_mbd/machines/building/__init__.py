"""Construction of machines from building blocks: tower, nacelle, drivetrain, rotor, substructure."""
