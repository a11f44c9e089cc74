"""Matrices of a step: derivatives of its equations, end and outputs by the state at its start, by dual numbers."""
