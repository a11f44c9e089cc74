"""Execution of a run: time loop with recording, checkpoints, signals, progress display, run folders."""
