"""Diagnosis of a run: its last steps, the energy flow, the condition of the constraints, and advice."""
