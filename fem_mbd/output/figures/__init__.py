"""Figures common to all studies: energies and steps of a run, modes, Campbell diagrams, equilibria, machines."""
