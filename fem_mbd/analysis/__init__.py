"""Analyses about an equilibrium. The package knows no element or joint by name: it asks the kinds of parts."""
