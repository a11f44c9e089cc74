"""Co-simulation: a case with inputs at its parts, exported as a functional mock-up unit (FMU)."""

from fem_mbd.applications.cosimulation.plant import Plant, plant_of_case, write_fmu

__all__ = ["Plant", "plant_of_case", "write_fmu"]
