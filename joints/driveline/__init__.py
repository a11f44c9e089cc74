"""Drivelines: shaft inertias, gears, planetary sets, clutches, torsional play, belts."""
