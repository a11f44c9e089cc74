"""Turbine controllers: Bladed-style libraries (DISCON) coupled to a machine."""
