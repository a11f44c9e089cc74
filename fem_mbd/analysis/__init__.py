"""Analyses of a model other than time integration: statics, modes, rotors, kinematics, linear control models, chaos."""
