"""6 x 6 section matrices of files: checks, transformation to other axes and reference points, writers of tables.

Checks are in a file's own axes and order, so that messages name its entries.

Strains or velocities are pairs of vectors in the axes of a section: (gamma, kappa) or (v, omega). For a point B at the
offset r from A (both in the plane of the section, r in its axes),

    gamma_A = gamma_B + r x kappa        v_A = v_B + r x omega

since the point B of a section moves with x_B = x_A + R r, x_B' = x_A' + R (kappa x r). Energies do not depend on the
reference point, so with T = [[1, r~], [0, 1]] both matrices transform as X_B = T^T X_A T. The ratio of lengths of the
lines through A and B on a curved beam, 1 + r x curvature, is neglected, as in all these formats.

Axes: if a = P b takes components in axes b to components in axes a, X_a = diag(P, P) X_b diag(P, P)^T. All P here are
rotations, so rotations and moments transform like forces; a reflection would need the opposite sign for them.

The writers `write_beamdyn_blade` and `write_hawc2_st` write BeamDyn's blade file and HAWC2's `_st` file with full
matrices; the meaning of the files is in `beamdyn` and `hawc2`. In the `_st` file, the line to which x_cg … y_e refer is
the reference axis of the sections: HAWC2's `c2_def` has to be that axis. Radii of gyration are about the elastic
centre, as in HAWC2's manual; the file has no product of inertia in the principal bending axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew
from fem_mbd.elements.section.checks import definite
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError

# Blade axes are those of BeamDyn and the IEC: x to the suction side, y to the trailing edge, z to the tip. Sections
# have 1 along the beam, 2 and 3 across: 1 = z, 2 = x, 3 = y, a cyclic permutation and hence a rotation.
FROM_BEAMDYN = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
# HAWC2 has x to the leading edge, y to the suction side, z to the tip: x = -y, y = x of blade axes.
BLADE_FROM_HAWC2 = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
FROM_HAWC2 = FROM_BEAMDYN @ BLADE_FROM_HAWC2
_POLAR = 1e-3  # largest relative difference of Ixx + Iyy and Izz, from printed digits
_PLANE = 1e-5  # bound of entries that must vanish, as a fraction of m times the section's size


def in_axes(matrix: ArrayLike, axes: Array) -> Array:
    """`matrix` (6, 6) in other axes: `axes` (3, 3) transforms components from the old axes to the new ones."""
    rotation = np.kron(np.eye(2), axes)
    return np.asarray(rotation @ np.asarray(matrix, dtype=float) @ rotation.T)


def at_point(matrix: ArrayLike, offset: ArrayLike) -> Array:
    """`matrix` (6, 6) at the reference point at `offset` (3,) from the present one, in the matrix's own axes."""
    shift = np.eye(6)
    shift[:3, 3:] = skew(np.asarray(offset, dtype=float))
    return np.asarray(shift.T @ np.asarray(matrix, dtype=float) @ shift)


def about_third(angle: float) -> Array:
    """Rotation (3, 3) by `angle` (rad) about axis 3: columns are the rotated axes."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def checked_section(stiffness: Array, mass: Array, axes: Array, where: str) -> Section:
    """The `Section` of two (6, 6) matrices in file axes; `axes` (3, 3) transforms their components to section axes.

    Raises
    ------
    InputError
        Beginning with `where` (file, line, station), when the stiffness is not symmetric or not positive definite, or
        when the mass is not that of a section: symmetric, the same mass in all directions, coupling of a mass centre in
        the plane of the section, the polar moment the sum of the other two.
    """
    stiffness = definite(stiffness, 6, f"{where}: stiffness matrix", strict=True)
    mass = definite(mass, 6, f"{where}: mass matrix", strict=False)
    along = int(np.argmax(np.abs(axes[0])))  # the file's axis along the beam
    _check_mass(mass, along, f"{where}: mass matrix")
    try:
        return Section.from_mass_matrix(in_axes(stiffness, axes), in_axes(mass, axes))
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _check_mass(mass: Array, along: int, what: str) -> None:
    """Check the pattern of a mass matrix about a point of the section's plane; `along` is the axis normal to it."""
    m = float(np.trace(mass[:3, :3])) / 3.0
    if m <= 0.0:
        raise InputError(f"{what} has no mass: the sum of its first three diagonal entries is {3 * m:g}")
    _check_entries(
        mass[:3, :3], m * np.eye(3), 1e-6 * m, (0, 0), what, "the mass must be the same in all directions"
    )
    a, b = (along + 1) % 3, (along + 2) % 3
    size = m * np.sqrt(max(float(mass[3 + along, 3 + along]), 0.0) / m)
    # v_along gets -omega_a x_b + omega_b x_a of the offset (x_a, x_b) of the mass centre
    coupling = np.zeros((3, 3))
    first, second = -mass[along, 3 + b], mass[along, 3 + a]
    coupling[along, b], coupling[along, a] = -first, second
    coupling[a, along], coupling[b, along] = -second, first
    message = (
        "the block that couples translation and rotation is not that of a mass centre in the section plane"
    )
    _check_entries(mass[:3, 3:], coupling, _PLANE * size, (0, 3), what, message)
    zero = mass[3:, 3:].copy()
    for k in (a, b):
        zero[along, k] = zero[k, along] = 0.0
    message = "a plane section has no product of inertia with the axis along the beam"
    _check_entries(mass[3:, 3:], zero, _PLANE * size**2 / m, (3, 3), what, message)
    polar, bending = mass[3 + along, 3 + along], mass[3 + a, 3 + a] + mass[3 + b, 3 + b]
    if abs(polar - bending) > _POLAR * max(polar, bending):
        raise InputError(
            f"{what}: entry ({4 + along}, {4 + along}), the polar moment, is {polar:g}, but entries "
            f"({4 + a}, {4 + a}) and ({4 + b}, {4 + b}) add up to {bending:g}: for a section they must be equal"
        )


def _check_entries(
    matrix: Array, expected: Array, tolerance: float, first: tuple[int, int], what: str, reason: str
) -> None:
    gap = np.abs(matrix - expected)
    if gap.max() > tolerance:
        i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
        raise InputError(
            f"{what}: entry ({first[0] + i + 1}, {first[1] + j + 1}) is {matrix[i, j]:g}, {expected[i, j]:g} is "
            f"expected: {reason}"
        )


def beamdyn_matrices(section: Section) -> tuple[Array, Array]:
    """(6, 6) stiffness and mass in BeamDyn's axes and order."""
    return in_axes(section.stiffness, FROM_BEAMDYN.T), in_axes(section.mass_matrix, FROM_BEAMDYN.T)


def write_beamdyn_blade(path: str | Path, table: SectionTable, mu: ArrayLike = (0.0,) * 6) -> Path:
    """Write a BeamDyn blade file.

    Parameters
    ----------
    path : of the file
    table : sections over fractions of the axis
    mu : (6,) damping times, s, in BeamDyn's order
    """
    damping = np.asarray(mu, dtype=float)
    lines = [
        "------- BEAMDYN INDIVIDUAL BLADE INPUT FILE -------------------------------------",
        "Sections written by fem_mbd",
        "---------------------- BLADE PARAMETERS -----------------------------------------",
        f"{len(table.s):10d}  station_total  - Number of blade input stations (-)",
        f"{int(damping.any()):10d}  damp_type      - Damping type (switch): 0: none, 1: stiffness-proportional",
        "---------------------- DAMPING COEFFICIENT --------------------------------------",
        " mu1 mu2 mu3 mu4 mu5 mu6",
        " (-) (-) (-) (-) (-) (-)",
        _row(damping),
        "---------------------- DISTRIBUTED PROPERTIES -----------------------------------",
    ]
    for s, section in zip(table.s, table.sections, strict=True):
        lines.append(f"{s:18.12f}")
        for matrix in beamdyn_matrices(section):
            lines += [*map(_row, matrix), ""]
    return _written(path, lines)


def write_hawc2_st(path: str | Path, table: SectionTable, length: float) -> Path:
    """Write a HAWC2 `_st` file with one set and one subset of 30 columns.

    Parameters
    ----------
    path : of the file
    table : sections over fractions of the axis
    length : m, arc length of the axis
    """
    names = "r m x_cg y_cg ri_x ri_y pitch x_e y_e".split()
    names += [f"K{i}{j}" for i in range(1, 7) for j in range(i, 7)]
    lines = ["#1 Sections written by fem_mbd", "".join(f"{name:>19}" for name in names)]
    lines.append(f"$1 {len(table.s)}")
    lines += [_row(_st_row(s * length, section)) for s, section in zip(table.s, table.sections, strict=True)]
    return _written(path, lines)


def _st_row(r: float, section: Section) -> Array:
    elastic = FROM_HAWC2.T @ np.array([0.0, *section.tension_centre])
    centre = FROM_HAWC2.T @ np.array([0.0, *section.mass_centre])
    softest = FROM_HAWC2.T @ np.array([0.0, np.cos(section.principal_angle), np.sin(section.principal_angle)])
    pitch = float(np.arctan(softest[1] / softest[0])) if softest[0] else np.pi / 2
    stiffness, mass = (
        in_axes(at_point(in_axes(matrix, FROM_HAWC2.T), elastic), about_third(pitch).T)
        for matrix in (section.stiffness, section.mass_matrix)
    )
    radii = np.sqrt(np.diag(mass)[3:5] / section.mass_per_length)
    numbers = [r, section.mass_per_length, *centre[:2], *radii, np.degrees(pitch), *elastic[:2]]
    return np.concatenate([numbers, stiffness[np.triu_indices(6)]])


def _row(numbers: Sequence[float] | Array) -> str:
    return " " + " ".join(f"{number:18.10e}" for number in numbers)


def _written(path: str | Path, lines: Sequence[str]) -> Path:
    target = Path(path)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def section_rows(sections: Sequence[Section], s: Sequence[float]) -> dict[str, Array]:
    """Columns for a table: mass, rigidities and centres at the fractions ``s``."""
    compliance = [np.linalg.inv(section.stiffness) for section in sections]
    bending = np.array([1 / np.linalg.eigvalsh(c[4:, 4:])[::-1] for c in compliance])
    columns = {
        "at": np.asarray(s, dtype=float),
        "mass [kg/m]": np.array([section.mass_per_length for section in sections]),
        "EA [N]": np.array(
            [1 / np.linalg.inv(np.asarray(k.stiffness)[np.ix_([0, 4, 5], [0, 4, 5])])[0, 0] for k in sections]
        ),
        "EI flap [N m^2]": bending[:, 0],
        "EI edge [N m^2]": bending[:, 1],
        "GJ [N m^2]": np.array([1 / c[3, 3] for c in compliance]),
    }
    for name in ("mass_centre", "tension_centre", "shear_centre"):
        values = np.array([getattr(section, name) for section in sections])
        short = name.split("_")[0]
        columns |= {f"{short} x [m]": values[:, 0], f"{short} y [m]": values[:, 1]}
    return columns
