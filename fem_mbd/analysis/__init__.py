"""Analyses of a model beside runs: statics, modes, rotors, kinematics, linear control models, chaos."""
