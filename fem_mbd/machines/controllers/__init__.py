"""Turbine controllers: Bladed-style libraries joined to a machine."""
