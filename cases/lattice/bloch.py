"""Bloch wave in an infinite square lattice of beams, from the textbook's matrices of a beam between two crossings.

A wave exp(i (phi j + psi k)) over crossings (j, k) of an infinite lattice leaves three unknowns: deflection and the two
slopes of a crossing. Beams along x bend with the phase phi from end to end and twist with the slope along y; beams
along y conversely. So sin(phi j) sin(psi k), the motion of a lattice hinged along its edges, has a stiffness and a mass
of three by three, and a frequency, whatever the number of beams.

Source: J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968): stiffness of a beam with shear, equation
(5.116); consistent mass with rotary inertia, chapter 11, here without shear, which hardly affects the mass matrix of a
slender beam. Waves over a periodic structure: L. Brillouin, Wave Propagation in Periodic Structures (1946).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from fem_mbd.base.arrays import Array
from fem_mbd.elements.section.section import Section


@dataclass(frozen=True, eq=False)
class Wave:
    """The lowest motion with given phases: deflections are 1 times sin(phi j) sin(psi k).

    Attributes
    ----------
    omega : rad/s
    slope_x, slope_y : of sin(psi k) cos(phi j) and sin(phi j) cos(psi k), the slopes along x and y, 1/m
    """

    omega: float
    slope_x: float
    slope_y: float


def wave(section: Section, spacing: float, phi: float, psi: float) -> Wave:
    """The wave in a lattice of equal beams.

    Parameters
    ----------
    section : of all beams, the same about both axes
    spacing : m, from crossing to crossing
    phi, psi : rad, phase from one crossing to the next along x and y
    """
    stiffness, mass = _beam_stiffness(section, spacing), _beam_mass(section, spacing)
    k, m = np.zeros((3, 3), dtype=complex), np.zeros((3, 3), dtype=complex)
    for phase, slope, twist in ((phi, 1, 2), (psi, 2, 1)):
        # deflection and slope at both ends of a beam, from those of its first end
        ends = np.zeros((4, 3), dtype=complex)
        ends[0, 0] = ends[1, slope] = 1.0
        ends[2:] = np.exp(1j * phase) * ends[:2]
        k += ends.conj().T @ stiffness @ ends
        m += ends.conj().T @ mass @ ends
        k[twist, twist] += section.stiffness[3, 3] / spacing * abs(np.exp(1j * phase) - 1.0) ** 2
        m[twist, twist] += section.inertia[0, 0] * spacing * (2.0 + np.cos(phase)) / 3.0
    values, vectors = eigh(k, m)
    shape = vectors[:, 0] / vectors[0, 0]
    return Wave(float(np.sqrt(values[0])), float(shape[1].imag), float(shape[2].imag))


def _beam_stiffness(section: Section, length: float) -> Array:
    """(4, 4) stiffness for deflection and slope at both ends."""
    bending, shear = float(section.stiffness[4, 4]), float(section.stiffness[2, 2])
    soft, h = 12.0 * bending / (shear * length**2), length
    matrix = [
        [12.0, 6.0 * h, -12.0, 6.0 * h],
        [6.0 * h, (4.0 + soft) * h**2, -6.0 * h, (2.0 - soft) * h**2],
        [-12.0, -6.0 * h, 12.0, -6.0 * h],
        [6.0 * h, (2.0 - soft) * h**2, -6.0 * h, (4.0 + soft) * h**2],
    ]
    return np.array(matrix) * bending / (h**3 * (1.0 + soft))


def _beam_mass(section: Section, length: float) -> Array:
    """(4, 4) consistent mass: of the deflection, and of the rotating sections."""
    h = length
    deflected = [
        [156.0, 22.0 * h, 54.0, -13.0 * h],
        [22.0 * h, 4.0 * h**2, 13.0 * h, -3.0 * h**2],
        [54.0, 13.0 * h, 156.0, -22.0 * h],
        [-13.0 * h, -3.0 * h**2, -22.0 * h, 4.0 * h**2],
    ]
    turned = [
        [36.0, 3.0 * h, -36.0, 3.0 * h],
        [3.0 * h, 4.0 * h**2, -3.0 * h, -(h**2)],
        [-36.0, -3.0 * h, 36.0, -3.0 * h],
        [3.0 * h, -(h**2), -3.0 * h, 4.0 * h**2],
    ]
    per_length, rotary = section.mass_per_length, float(section.inertia[1, 1])
    return np.array(deflected) * per_length * h / 420.0 + np.array(turned) * rotary / (30.0 * h)
