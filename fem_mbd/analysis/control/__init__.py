"""Linear state-space models for control design, with named inputs and outputs."""
