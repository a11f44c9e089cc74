"""The Princeton beam: bending about both axes and torsion, coupled by large deflections.

E. H. Dowell, J. J. Traybar, An experimental study of the nonlinear stiffness of a rotor blade undergoing flap, lag and
twist deformations, Princeton University AMS reports 1194 and 1257 (1975); a benchmark in O. A. Bauchau and others,
Validation of flexible multibody dynamics beam formulations using benchmark problems, Multibody System Dynamics 37
(2016) 29-48. A strip of aluminium, 508 x 12.377 x 3.2024 mm, E = 71.7 GPa, Poisson's ratio 0.31, clamped with its chord
at an angle to the vertical, with a weight at its tip. The tables are from a high-order solution of the boundary value
problem, without beam code, rounded to eight digits of a metre and five of a degree.

Four 4-node elements reach these digits.
"""

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.elements import Material, Section
from tests.validation.cantilevers import axes, bend, clamped, section
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

LENGTH, FORCE = 0.508, 4.448
EA, GA, GJ, EI_FLAP, EI_CHORD = 2.84190871e6, 9.0391499e5, 3.10333827, 2.428734443, 36.27936354
# angle (degrees): displacement (m) along beam, chord and normal of the strip; twist of the chord line (degrees)
LIGHT = {
    0: (-0.00003391, 0.00535954, 0.0, 0.0),
    15: (-0.00054378, 0.00521016, 0.02080109, -0.22272),
    30: (-0.00191679, 0.00475107, 0.03994940, -0.38223),
    45: (-0.00374689, 0.00396516, 0.05605519, -0.43596),
    60: (-0.00552706, 0.00286221, 0.06812912, -0.37303),
    75: (-0.00680012, 0.00150299, 0.07557150, -0.21352),
    90: (-0.00725995, 0.0, 0.07808187, 0.0),
}


def tip_of(angle: float) -> Array:
    """Displacement (m) along beam, chord and normal, and twist of the chord line (degrees).

    Chord along axis 2.
    """
    strip = section(EA, GA, GJ, EI_FLAP, EI_CHORD)
    model, beam = clamped(strip, LENGTH, elements=4)
    phi = np.radians(angle)
    found, tip = bend(model, beam, (0, FORCE * np.cos(phi), FORCE * np.sin(phi)))
    chord = axes(found, beam.end)[:, 1]
    return np.array([*(tip - (LENGTH, 0, 0)), np.degrees(np.arctan2(chord[2], chord[1]))])


def solve() -> Solution:
    found: list[Number] = []
    for angle, (along, chordwise, normal, twist) in LIGHT.items():
        tip = tip_of(angle)
        lengths = {"along the beam": along, "chordwise": chordwise, "normal to the strip": normal}
        found += numbers(f"{angle}°, displacement ", "m", lengths, tip[:3], 6e-9)
        found += numbers(f"{angle}°, ", "°", {"twist of the chord": twist}, tip[3:], 6e-6)
    return Solution(found, pictures())


def pictures() -> list[Picture]:
    """Displacements and twist over the angle."""
    fine = np.linspace(0, 90, 31)
    tips = np.array([tip_of(angle) for angle in fine])
    table = np.array(list(LIGHT.values()))
    moved = [ours(fine, 1e3 * tips[:, k], name) for k, name in ((1, "chordwise"), (2, "normal"))]
    moved += [reference(list(LIGHT), 1e3 * table[:, k], "reference" if k == 1 else "") for k in (1, 2)]
    turned = [ours(fine, tips[:, 3]), reference(list(LIGHT), table[:, 3])]
    return [
        Picture("angle [°]", "displacement [mm]", moved),
        Picture("angle [°]", "twist of the chord [°]", turned),
    ]


PROBLEM = Problem(
    name="princeton_beam",
    title="Princeton beam",
    group="Statics",
    source="Dowell & Traybar 1975; Bauchau et al. 2016",
    reference="boundary value problem, eight digits",
    solve=solve,
)


def test_rigidities_from_the_shape_of_the_strip() -> None:
    """GA with the factor 5/6, GJ by Saint-Venant's series: the benchmark's numbers, to its eight digits."""
    strip = Section.rectangle(12.377e-3, 3.2024e-3, Material(young=71.7e9, poisson=0.31, density=2700.0))
    assert np.diag(strip.stiffness) == pytest.approx([EA, GA, GA, GJ, EI_FLAP, EI_CHORD], rel=1e-8)
