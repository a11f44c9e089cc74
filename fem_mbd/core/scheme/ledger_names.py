"""Names of the energy ledger's columns, in the order in which every row of the ledger is stored.

Energies (J) are values at the end of a step; dissipations and works (J) are amounts of that step. The
balance is

    change of all energies + all dissipations = work_loads + work_drivers + residual

where `residual` is round-off if every part fulfils its work identity.
"""

from __future__ import annotations

ENERGIES = ("kinetic", "elastic", "gravity", "contact", "bristle")
DISSIPATIONS = ("dissipation_scheme", "dissipation_contact", "dissipation_friction", "dissipation_viscous")
WORKS = ("work_loads", "work_drivers")

ROUND_OFF = 4e-15  # relative error of positions and rotations, about ten units in the last place
RESOLVED = 1e-12  # fraction of a run's energies: a smaller residual is negligible

LEDGER = (*ENERGIES, *DISSIPATIONS, *WORKS, "residual")
