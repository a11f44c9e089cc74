"""Princeton beam: a strip loaded at its tip, turned at its root by theta (chordwise to flapwise).

E. H. Dowell and J. J. Traybar, Princeton University AMS Reports 1194 and 1257 (1975); data as in O. A. Bauchau et al.,
Validation of flexible multibody dynamics beam formulations using benchmark problems, Multibody Syst. Dyn. 37 (2016):
L 0.508 m, 12.377 x 3.2024 mm, E 71.7 GPa, nu 0.31. Numbers below: converged boundary-value solutions for 4.448 N.
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd.elements import Material, Section
from tests.validation.beams import cantilever, grown, section, tip_under

LENGTH, LOAD = 0.508, 4.448
EA, GA, GJ, EI_FLAP, EI_CHORD = 2.84190871e6, 9.0391499e5, 3.10333827, 2.428734443, 36.27936354
# theta: u axial, u chord, u flap in m, twist of the chord line in degrees
REFERENCE = {
    0: (-0.00003391, 0.00535954, 0.0, 0.0),
    15: (-0.00054378, 0.00521016, 0.02080109, -0.22272),
    30: (-0.00191679, 0.00475107, 0.03994940, -0.38223),
    45: (-0.00374689, 0.00396516, 0.05605519, -0.43596),
    60: (-0.00552706, 0.00286221, 0.06812912, -0.37303),
    75: (-0.00680012, 0.00150299, 0.07557150, -0.21352),
    90: (-0.00725995, 0.0, 0.07808187, 0.0),
}


@pytest.mark.parametrize("theta", list(REFERENCE))
def test_tip(theta: int) -> None:
    """Section axis 2 is the chord, 3 the thickness; the load has components along both in root axes."""
    model, beam = cantilever(LENGTH, section(EA, GA, GJ, EI_FLAP, EI_CHORD), 8)
    c, s = np.cos(np.radians(theta)), np.sin(np.radians(theta))
    place, q = tip_under(model, beam, 6, force=grown([0, c, s], LOAD))
    axial, chord, flap, twist = REFERENCE[theta]
    assert place - [LENGTH, 0, 0] == pytest.approx([axial, chord, flap], abs=2e-8)
    chord_line = np.array(
        [2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[1] ** 2 + q[3] ** 2), 2 * (q[2] * q[3] + q[0] * q[1])]
    )
    assert np.degrees(np.arctan2(chord_line[2], chord_line[1])) == pytest.approx(twist, abs=2e-5)


def test_rigidities_of_the_strip_from_its_shape() -> None:
    strip = Section.rectangle(12.377e-3, 3.2024e-3, Material(young=71.7e9, poisson=0.31, density=2700.0))
    found = np.diag(np.asarray(strip.stiffness))
    assert sorted(found) == pytest.approx(sorted([EA, GA, GA, GJ, EI_FLAP, EI_CHORD]), rel=2e-4)
