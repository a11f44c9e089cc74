"""Linear models for control design: state space with named inputs and outputs."""
