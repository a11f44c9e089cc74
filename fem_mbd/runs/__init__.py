"""Runs: time loop of a simulation with recording and checkpoints, result files, and diagnosis of a finished run."""
