"""Rotor blades from files of BeamDyn, HAWC2, VABS and SONATA. Conventions: docs/how-to/machines/blades.md."""

from fem_mbd.elements.blades.beamdyn import read_beamdyn
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.blades.hawc2 import read_hawc2
from fem_mbd.elements.blades.vabs import read_sonata_table, read_vabs_section

__all__ = [
    "Blade",
    "BladeAxis",
    "read_beamdyn",
    "read_hawc2",
    "read_sonata_table",
    "read_vabs_section",
]
