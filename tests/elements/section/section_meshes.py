"""Meshes of squares, rings and pipes for the tests of sections, and their change to second order."""

import numpy as np

from fem_mbd.base.arrays import Array, Indices


def grid(x: Array, y: Array) -> tuple[Array, Indices]:
    """Points (n, 2) of two lists of coordinates, and quadrilaterals (m, 4); those along y come one after the other."""
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    first = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    return points, np.column_stack([first, first + len(y), first + len(y) + 1, first + 1])


def square(side: float, parts: int) -> tuple[Array, Indices]:
    x = side * np.linspace(-0.5, 0.5, parts + 1)
    return grid(x, x)


def arc(radii: Array, angles: Array) -> tuple[Array, Indices]:
    """Part of a ring; angles ascend, rad. A whole turn is closed."""
    polar, cells = grid(angles, radii)
    cells = cells[:, ::-1]
    if np.isclose(angles[-1] - angles[0], 2 * np.pi):
        polar = polar[: -len(radii)]
        cells = cells % len(polar)
    return polar[:, 1:] * np.column_stack([np.cos(polar[:, 0]), np.sin(polar[:, 0])]), cells


def triangles(cells: Indices) -> Indices:
    return np.vstack([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])


def second_order(points: Array, cells: Indices) -> tuple[Array, Indices]:
    """The mesh with a point in the middle of each edge."""
    edges = np.sort(np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1), axis=-1).reshape(-1, 2)
    distinct, places = np.unique(edges, axis=0, return_inverse=True)
    middle = len(points) + places.reshape(cells.shape)
    return np.vstack([points, points[distinct].mean(axis=1)]), np.hstack([cells, middle])


def two_layer_pipe(along: int, around: int, through: int) -> tuple[Array, Indices, Array]:
    """The multi-layer pipe of Yu et al. (2012), inch: straight walls [0/90] outside to inside, arcs [45/-45] inside to
    outside; points, cells and angles (m, 2), degrees."""
    y = np.linspace(0.3, 0.5, through + 1)
    pieces, angles = [], []
    for piece in range(4):
        straight = piece % 2 == 0
        s = np.linspace(0.0, 1.0, (along if straight else around) + 1)
        s, r = (v.ravel() for v in np.meshgrid(s, y, indexing="ij"))
        sign = 1.0 if piece < 2 else -1.0  # the second half is the first one turned by 180 degrees
        turn = np.pi / 2 - np.pi * s
        x = np.stack([2 * s - 1, r] if straight else [1 + r * np.cos(turn), r * np.sin(turn)], axis=-1)
        pieces.append(sign * x)
        layer = np.tile(np.repeat([0, 1], through // 2), along if straight else around)
        fibre = np.array([90.0, 0.0] if straight else [45.0, -45.0])[layer]
        if straight:
            plane = np.zeros(along)
        else:
            plane = -180.0 * (np.arange(around) + 0.5) / around
        plane = np.repeat(plane, through) + (0.0 if sign > 0 else 180.0)
        angles.append(np.column_stack([fibre, plane]))
    columns = np.vstack([piece[: -(through + 1)] for piece in pieces])
    first = (np.arange(len(columns) // (through + 1))[:, None] * (through + 1) + np.arange(through)).ravel()
    cells = np.column_stack([first, first + through + 1, first + through + 2, first + 1]) % len(columns)
    return columns, cells, np.vstack(angles)
