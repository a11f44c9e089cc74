"""Small blade files with known contents."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array

# An isotropic rectangle b x h along x' and y', 2 m long: stiffness and mass about its centre in BeamDyn's order
B, H, E, G, RHO = 0.03, 0.08, 70e9, 27e9, 2700.0
AREA = B * H
STIFFNESS = np.diag([0.8 * G * AREA, 0.8 * G * AREA, E * AREA, E * B * H**3 / 12, E * H * B**3 / 12, 3.0e4])
MASS = RHO * np.diag([AREA, AREA, AREA, B * H**3 / 12, H * B**3 / 12, B * H * (B**2 + H**2) / 12])
ROWS = ("0.0 0.0 0.0 0.0", "0.0 0.0 1.0 0.0", "0.0 0.0 2.0 0.0")


def matrix_text(matrix: ArrayLike) -> str:
    return "\n".join("  ".join(f"{x:.15e}" for x in row) for row in np.asarray(matrix))


def primary_text(points: Sequence[str] = ROWS, members: str = "1  3", total: int | None = None) -> str:
    count = len(points) if total is None else total
    return "\n".join(
        [
            "--------- BEAMDYN",
            "title",
            "---------------------- GEOMETRY PARAMETER",
            f"  {len(members.splitlines())}   member_total - Total number of members (-)",
            f"  {count}   kp_total - Total number of key points (-)",
            *members.splitlines(),
            "   kp_xr   kp_yr   kp_zr   initial_twist",
            "   (m)     (m)     (m)     (deg)",
            *points,
            "---------------------- MATERIAL PARAMETER",
            '"blade.dat"   BldFile - Name of file',
            "",
        ]
    )


def blade_text(
    stations: Sequence[tuple[float, ArrayLike, ArrayLike]] = ((0.0, STIFFNESS, MASS), (1.0, STIFFNESS, MASS)),
    damping: Sequence[str] = ("0   damp_type - Damping type",),
    count: int | None = None,
) -> str:
    head = ["BEAMDYN V1.00", "title", f"{len(stations) if count is None else count}  station_total - number"]
    body = [f"  {eta}\n{matrix_text(k)}\n\n{matrix_text(m)}\n" for eta, k, m in stations]
    return "\n".join([*head, *damping, " ------ DISTRIBUTED PROPERTIES ------", *body])


def write_beamdyn(folder: Path, primary: str | None = None, blade: str | None = None) -> Path:
    path = folder / "primary.dat"
    path.write_text(primary_text() if primary is None else primary)
    (folder / "blade.dat").write_text(blade_text() if blade is None else blade)
    return path


def moved(matrix: ArrayLike, x: float, y: float) -> Array:
    """A BeamDyn matrix about the point from which its old reference is at (x, y), written out entry by entry.

    With strains about the new point, the old point stretches by gamma_z + y kappa_x - x kappa_y and shears by
    gamma_x - y kappa_z, gamma_y + x kappa_z.
    """
    old = np.eye(6)
    old[0, 5], old[1, 5], old[2, 3], old[2, 4] = -y, x, y, -x
    return np.asarray(old.T @ np.asarray(matrix) @ old)


def turned(matrix: ArrayLike, angle: float) -> Array:
    """A BeamDyn matrix of a section that is rotated by the angle about +z relative to the axes of the matrix."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.zeros((6, 6))
    for k in (0, 3):
        turn[k : k + 3, k : k + 3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    return np.asarray(turn @ np.asarray(matrix) @ turn.T)
