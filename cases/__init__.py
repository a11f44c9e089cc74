"""Studies that are run by name: `fem-mbd run NAME`. Each is a module here that defines `CASE`.

To add a case, write its module and put its name into this list; it is imported only when it is asked for.
"""

from __future__ import annotations

CASE_NAMES: tuple[str, ...] = (
    "belt_block",
    "cantilever",
    "crank_mechanism",
    "cube_on_plane",
    "iea15mw_blade",
    "journal_bearing",
    "nrel5mw_blade",
    "pendulum",
    "slider_crank_clearance",
    "supercritical_rotor",
    "turbine_blades",
)
