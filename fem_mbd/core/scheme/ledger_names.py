"""Names of the energy ledger's columns, in the order in which every row of the ledger is stored.

Energies (J) are values at the end of a step; dissipations and works (J) are amounts of that step. The
balance is

    change of all energies + all dissipations = work_loads + work_drivers + residual

and `residual`, what the balance does not explain, is round-off when every part keeps its work identity.
"""

from __future__ import annotations

ENERGIES = ("kinetic", "elastic", "gravity", "contact", "bristle")
DISSIPATIONS = ("dissipation_scheme", "dissipation_contact", "dissipation_friction", "dissipation_viscous")
WORKS = ("work_loads", "work_drivers")

ROUND_OFF = (
    4e-15  # of a place or turn, some ten units in the last digit: what it moves is missing in the balance
)

RESOLVED = 1e-12  # of a run's energies: a residual below it needs no other explanation

LEDGER = (*ENERGIES, *DISSIPATIONS, *WORKS, "residual")
