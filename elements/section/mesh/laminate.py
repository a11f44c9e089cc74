"""Meshes of thin-walled sections from an outline, layers over arcs of it, and shear webs.

The outline is cut into columns at the ends of layers, at corners, at the feet of webs, and between them every ``size``.
On each column the layers are stacked from the outline, along the outline's normal; where layers end, the thickness on
the column is the mean of both sides, weighted by their lengths, so that the area of the layers is kept and they taper
over one element. Columns lean towards the bisector within three thicknesses of a corner, so that they never cross.

Trailing edge: where the outline begins and ends in an edge sharper than 90 degrees, both sides have their columns at
the same distances from it. As far as their layers are thicker than the section, columns of both sides point at each
other and share the node where they meet; the thickness is divided in proportion. An open end of an outline that is not
that thin is closed by the layers that both its ends have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array, finite, positive
from fem_mbd.elements.section.mesh.mesh import MAX_ANGLE, SectionMesh
from fem_mbd.errors import InputError

COLUMNS = 160  # along the outline, by default
CORNER = np.radians(20.0)  # a point of the outline where it turns more is kept
SHARP = np.radians(90.0)  # interior angle of a trailing edge
HOLLOW = 1.5  # of twice the thicker wall: where a flat back is wider it is a wall of its own
REACH = 3.0  # thicknesses from a corner within which columns lean
CLOSE = 0.05  # fraction of the element size: ends of layers closer to a column than this are moved there
BESIDE = 0.1  # fraction of a web's thickness: layers do not end closer to an edge of its foot than this


@dataclass(frozen=True)
class Layer:
    """A layer of a wall.

    Parameters
    ----------
    material : `Material`, `Orthotropic` or `Anisotropic`
    thickness : m, above zero
    angle : degrees, of the fibres, from the beam's axis towards the outline's direction (in webs: from start to end)
    start, end : fractions of the outline's length, 0 to 1; webs have their layers from end to end
    name : for messages
    """

    material: Any
    thickness: float
    angle: float = 0.0
    start: float = 0.0
    end: float = 1.0
    name: str = "layer"

    def __post_init__(self) -> None:
        positive(self.thickness, f"{self.name}: thickness")
        if abs(finite(self.angle, f"{self.name}: angle")) > MAX_ANGLE:
            raise InputError(f"{self.name}: angle is {self.angle:g}: give degrees, not beyond {MAX_ANGLE:g}")
        if not 0.0 <= self.start < self.end <= 1.0:
            raise InputError(
                f"{self.name}: its arc runs from {self.start:g} to {self.end:g}: give 0 <= start < end <= 1; a layer "
                "across the outline's beginning is two layers"
            )


@dataclass(frozen=True)
class Web:
    """A straight web between two places of the outline.

    Parameters
    ----------
    start, end : fractions of the outline's length at its middle, start below end
    layers : stacked in the sense of the outline's direction at the start
    name : for messages
    """

    start: float
    end: float
    layers: Sequence[Layer]
    name: str = "web"

    def __post_init__(self) -> None:
        if not 0.0 <= self.start < self.end <= 1.0 or not self.layers:
            raise InputError(
                f"{self.name}: it runs from {self.start:g} to {self.end:g} with {len(self.layers)} layers: give "
                "0 <= start < end <= 1, and one layer at least"
            )


def laminate_mesh(
    outline: ArrayLike,
    layers: Sequence[Layer],
    webs: Sequence[Web] = (),
    size: float | None = None,
    outwards: bool = False,
    closed: bool = True,
) -> SectionMesh:
    """The mesh of a thin-walled section; arguments and errors as of `Section.from_laminate`."""
    if not layers:
        raise InputError("laminate: there are no layers")
    wall = _Outline(np.asarray(outline, dtype=float), closed, outwards, layers)
    step = wall.length / COLUMNS if size is None else positive(size, "laminate: size")
    feet = [_foot_fractions(wall, web) for web in webs]
    _check_feet(webs, feet, wall)
    layers = [_clear_of_feet(layer, feet) for layer in layers]
    cuts = [np.array([layer.start, layer.end]) for layer in layers] + [
        wall.corners,
        *wall.beside_corners(layers),
    ]
    columns = _columns(wall, np.concatenate(cuts), feet, step / wall.length)
    # thick layers are several rows of elements
    counts = [max(int(np.ceil(layer.thickness / step)), 1) for layer in layers]
    rows = [
        replace(layer, thickness=layer.thickness / n)
        for layer, n in zip(layers, counts, strict=True)
        for _ in range(n)
    ]
    stack = _Stack(wall, columns, rows)
    pieces: list[Any] = [stack.elements()]
    for web, foot in zip(webs, feet, strict=True):
        pieces.append(_web_elements(stack, web, foot, step))
    return _assembled(stack, pieces, wall.sense < 0)


class _Outline:
    """An outline by the fraction of its given length.

    s, points : (k,) and (k, 2) m, its corners; fractions of 0 and 1 are the middle of the side that closes an open one
    sense : 1 where the layers lie to its left, -1 to its right
    loop : whether its end is its beginning; fold : fraction up to which, from either end, both sides are thicker than
        the section
    """

    def __init__(self, points: Array, closed: bool, outwards: bool, layers: Sequence[Layer]) -> None:
        points = array(points, (len(points), 2), "laminate: outline")
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        points = points[np.append(True, steps > 1e-12 * steps.sum())]
        if len(points) < (3 if closed else 2):
            raise InputError(f"laminate: the outline has {len(points)} different points: give more")
        arc = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
        gap = float(np.linalg.norm(points[-1] - points[0])) if closed else 0.0
        gap = gap if gap > 1e-9 * arc[-1] else 0.0
        self.length = float(arc[-1]) + gap
        self.s, self.points = (arc + 0.5 * gap) / self.length, points
        x, y = points.T
        turned = float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) if closed else 1.0
        self.sense = (1.0 if turned > 0.0 else -1.0) * (-1.0 if outwards else 1.0)
        # the sides of a flat back are nearly parallel: an edge without opening
        opening = np.pi - abs(float(_turn(points[-1] - points[-2], points[1] - points[0])))
        self.fold = self._fold(layers) if closed and opening < SHARP else 0.0
        self.loop = closed and self.fold == 0.0
        if self.loop and gap:
            middle = 0.5 * (points[:1] + points[-1:])
            self.points, self.s = np.vstack([middle, points, middle]), np.concatenate([[0.0], self.s, [1.0]])
        sides = np.diff(self.points, axis=0)
        # the outline's beginning counts as a corner of a loop
        self.corners = self.s[1:-1][np.abs(_turn(sides[:-1], sides[1:])) > CORNER]
        normals = self.sense * np.column_stack([-sides[:, 1], sides[:, 0]]) / self.length
        self.integral = np.vstack([[0.0, 0.0], np.cumsum(normals, axis=0)])

    def at(self, s: Array) -> Array:
        """(n, 2) m."""
        return np.column_stack([np.interp(s, self.s, self.points[:, k]) for k in range(2)])

    def beside_corners(self, layers: Sequence[Layer]) -> list[Array]:
        """Places one and three thicknesses beside the corners of long sides, where warping changes."""
        corners = np.concatenate([self.s[:1], self.corners, self.s[-1:]])
        side = np.diff(corners)
        thickness = _thickness(layers, corners) / self.length
        if not self.loop:
            thickness[[0, -1]] = np.inf  # none beside the ends of a wall
        places = []
        for k in (1.0, 3.0):
            after, before = k * thickness[:-1], k * thickness[1:]
            places += [(corners[:-1] + after)[4 * after < side], (corners[1:] - before)[4 * before < side]]
        return places

    def mean_normals(self, s: Array, reach: Array) -> Array:
        """(n, 2) integrals of the normal over s - reach … s + reach, as far as the outline goes to both sides."""
        if self.loop:
            knots = np.concatenate([self.s[:-1] - 1.0, self.s, self.s[1:] + 1.0])
            sums = np.vstack(
                [self.integral[:-1] - self.integral[-1], self.integral, self.integral[1:] + self.integral[-1]]
            )
        else:
            knots, sums = self.s, self.integral
            reach = np.maximum(np.minimum(reach, np.minimum(s - knots[0], knots[-1] - s)), 1e-6)
        return np.column_stack(
            [np.interp(s + reach, knots, c) - np.interp(s - reach, knots, c) for c in sums.T]
        )

    def _fold(self, layers: Sequence[Layer]) -> float:
        d = np.linspace(self.s[0], 0.45, 901)
        sides = np.array([_thickness(layers, d), _thickness(layers, 1.0 - d)])
        thickness = sides.sum(axis=0)
        gap = np.linalg.norm(self.at(d) - self.at(1.0 - d), axis=1)
        thickness[0] = HOLLOW * 2.0 * sides[:, 0].max()
        free = np.flatnonzero(thickness < gap)
        if not len(free):
            raise InputError("laminate: the layers are thicker than the whole section")
        sharp = gap[0] < 1e-9 * self.length
        fold = float(d[free[0]]) if free[0] or sharp else 0.0
        # one element at least, or the flat end alone
        return (
            max(fold, 0.5 / COLUMNS) if sharp or fold > d[0] + 0.5 / COLUMNS else float(d[0]) * (fold > 0.0)
        )


def _thickness(layers: Sequence[Layer], s: Array) -> Array:
    """(n,) m, of all layers at places of the outline."""
    return np.sum([layer.thickness * ((layer.start <= s) & (s <= layer.end)) for layer in layers], axis=0)


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _turn(a: Array, b: Array) -> Any:
    """Angle from vectors a to b, rad."""
    return np.arctan2(_cross(a, b), np.sum(a * b, axis=-1))


def _foot_fractions(wall: _Outline, web: Web) -> tuple[Array, Array]:
    """Places on the outline of the edges of a web's layers at its start (ascending) and at its end (descending)."""
    ends = wall.at(np.array([web.start, web.end]))
    along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    edges = np.append(0.0, np.cumsum([layer.thickness for layer in web.layers]))
    edges -= edges[-1] / 2
    feet = []
    for place, sign in ((web.start, 1.0), (web.end, -1.0)):
        normal = wall.mean_normals(np.array([place]), np.array([edges[-1] / wall.length]))[0]
        slope = abs(float(normal @ along)) / np.linalg.norm(normal)
        if slope < 0.3:
            raise InputError(f"{web.name}: it meets the outline at {place:g} at too flat an angle")
        feet.append(place + sign * edges / (slope * wall.length))
    return feet[0], feet[1]


def _check_feet(webs: Sequence[Web], feet: list[tuple[Array, Array]], wall: _Outline) -> None:
    spans = sorted(
        (float(foot.min()), float(foot.max()), web.name)
        for web, pair in zip(webs, feet, strict=True)
        for foot in pair
    )
    for low, high, name in spans:
        start = max(float(wall.s[0]), wall.fold)
        if low <= start or high >= 1.0 - start:
            raise InputError(
                f"{name}: its foot from {low:.4g} to {high:.4g} of the outline does not lie between {start:.4g} and "
                f"{1 - start:.4g}, where the section is hollow"
            )
    for (_, end, first), (start, _, second) in zip(spans, spans[1:], strict=False):
        if start < end:
            raise InputError(f"{first} and {second} meet at {start:.4g} of the outline: move them apart")
    for web, other in permutations(webs, 2):
        if web.start < other.start < web.end < other.end:
            raise InputError(
                f"{web.name} and {other.name} cross: let both start and end on one side of the other"
            )


def _clear_of_feet(layer: Layer, feet: list[tuple[Array, Array]]) -> Layer:
    """The layer, ends of it beside an edge of a web's foot moved away from the foot, where the wall is even."""
    places = [layer.start, layer.end]
    for foot in (each for pair in feet for each in pair):
        near = BESIDE * float(np.ptp(foot))
        for edge, sign in ((float(foot.min()), -1.0), (float(foot.max()), 1.0)):
            places = [edge + sign * near if abs(place - edge) < near else place for place in places]
    return replace(layer, start=places[0], end=places[1]) if places[0] < places[1] else layer


def _columns(wall: _Outline, cuts: Array, feet: list[tuple[Array, Array]], step: float) -> Array:
    """Ascending places of the columns; feet are replaced by those of all their columns."""
    for k, (start, end) in enumerate(feet):
        # cuts inside a foot become columns of the web, at both of its ends; its own layers keep theirs, however thin
        inside = [(cuts[(cuts > f.min()) & (cuts < f.max())] - f[0]) / (f[-1] - f[0]) for f in (start, end)]
        across = _with((start - start[0]) / (start[-1] - start[0]), np.concatenate(inside), 0.02)
        width = float(max(np.ptp(start), np.ptp(end)))
        across = _subdivided(across, step / width)
        feet[k] = (start[0] + across * (start[-1] - start[0]), end[0] + across * (end[-1] - end[0]))
        cuts = cuts[
            ((cuts <= start.min()) | (cuts >= start.max())) & ((cuts <= end.min()) | (cuts >= end.max()))
        ]
    fixed = np.concatenate([np.zeros(0), *(foot for pair in feet for foot in pair)])
    if not wall.fold:
        fixed = np.unique(np.append(fixed, wall.s[[0, -1]]))
    else:
        d = np.concatenate([cuts, 1.0 - cuts])
        d = _with(np.unique([wall.s[0], wall.fold]), d[(d > wall.s[0]) & (d < wall.fold)], CLOSE * step)
        fixed = np.unique(np.concatenate([fixed, d, 1.0 - d]))
        cuts = cuts[(cuts > wall.fold) & (cuts < 1.0 - wall.fold)]
    close = min([CLOSE * step, *(0.5 * BESIDE * float(np.ptp(foot)) for pair in feet for foot in pair)])
    # ends of layers beside a corner give way to it
    fixed = _with(fixed, np.intersect1d(wall.corners, cuts), close)
    return _subdivided(_with(fixed, cuts[(cuts > wall.s[0]) & (cuts < wall.s[-1])], close), step)


def _with(kept: Array, others: Array, close: float) -> Array:
    """Ascending places: those kept, and of the others those that are not close to any."""
    others = np.unique(others)
    others = others[np.append(True, np.diff(others) > close)] if len(others) else others
    distance = np.abs(others[:, None] - kept).min(axis=1)
    return np.sort(np.concatenate([kept, others[distance > close]]))


def _subdivided(places: Array, step: float) -> Array:
    """Ascending places with equal parts of ``step`` at most between them."""
    counts = np.maximum(np.ceil(np.diff(places) / step - 1e-6), 1).astype(int)
    parts = [
        np.linspace(a, b, n, endpoint=False) for a, b, n in zip(places[:-1], places[1:], counts, strict=True)
    ]
    return np.append(np.concatenate(parts), places[-1])


class _Stack:
    """Layers on columns: r rows, c columns; ids (r + 1, c) of the nodes, points (n, 2)."""

    def __init__(self, wall: _Outline, s: Array, rows: Sequence[Layer]) -> None:
        self.wall, self.s, self.rows = wall, s, rows
        middle, h = 0.5 * (s[1:] + s[:-1]), np.diff(s)
        on = [(r.start < middle) & (middle < r.end) for r in rows]
        self.T = np.array([row.thickness for row in rows])[:, None] * np.array(on)
        self.bare = self.T.sum(axis=0) == 0.0
        weight = np.where(self.bare, 0.0, h)
        loop = wall.loop
        before, after = (
            np.append(weight[-1] if loop else 0.0, weight),
            np.append(weight, weight[0] if loop else 0.0),
        )
        padded = np.column_stack([self.T[:, -1], self.T, self.T[:, 0]])
        total = np.maximum(before + after, 1e-300)
        self.t = (padded[:, :-1] * before + padded[:, 1:] * after) / total
        self.base, self.loop = wall.at(s), loop
        self.directions = self._directions()
        depth = np.vstack([np.zeros(len(s)), np.cumsum(self.t, axis=0)])
        self.paired = np.flatnonzero(s <= wall.fold + 1e-12) if wall.fold else np.zeros(0, dtype=np.int64)
        self._meet(depth)
        self.x = self.base[None] + depth[:, :, None] * self.directions[None]
        self._number(depth)
        self._check_overlap(depth[-1])
        self._check_folds()

    def _directions(self) -> Array:
        wall, s = self.wall, self.s
        reach = np.minimum(REACH * self.t.sum(axis=0) / wall.length, 0.2)
        mean = wall.mean_normals(s, np.maximum(reach, 1e-6))
        mean /= np.linalg.norm(mean, axis=1)[:, None]
        chords = np.diff(self.base, axis=0)
        normals = wall.sense * np.column_stack([-chords[:, 1], chords[:, 0]])
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        ends = (normals[-1:], normals[:1]) if self.loop else (normals[:1], normals[-1:])
        before, after = np.vstack([ends[0], normals]), np.vstack([normals, ends[1]])
        along = np.sum(mean * 0.5 * (before + after), axis=1)
        return np.asarray(mean / np.maximum(along, 0.4)[:, None])

    def _meet(self, depth: Array) -> None:
        """Columns of the folded trailing edge end where they meet those of the other side."""
        for j in self.paired:
            k = len(self.s) - 1 - j
            total = depth[-1, j] + depth[-1, k]
            across = self.base[k] - self.base[j]
            distance = float(np.linalg.norm(across))
            if total == 0.0:
                continue
            depth[:, [j, k]] *= distance / total
            if distance > 0.0:
                self.directions[j], self.directions[k] = across / distance, -across / distance

    def _number(self, depth: Array) -> None:
        new = np.vstack([np.ones(len(self.s), dtype=bool), np.diff(depth, axis=0) > 1e-9 * self.wall.length])
        ids = (np.cumsum(new.T.ravel()) - 1).reshape(new.T.shape).T
        mirror = len(self.s) - 1 - self.paired
        thickness = self.t.sum(axis=0)
        filled = thickness[self.paired] + thickness[mirror] > 0.0
        ids[-1, mirror[filled]] = ids[-1, self.paired[filled]]
        # rows without thickness next to the shared node share it too
        for row in range(len(ids) - 2, -1, -1):
            flat = ~new[row + 1]
            ids[row, flat] = ids[row + 1, flat]
        if self.loop:
            ids[:, -1] = ids[:, 0]
        self.ids = ids

    def _check_overlap(self, depth: Array) -> None:
        """InputError where the inner surface of one wall lies inside another one."""
        free = np.ones(len(self.s), dtype=bool)
        free[self.paired] = free[len(self.s) - 1 - self.paired] = False
        tree = cKDTree(self.base)
        distance, nearest = tree.query(self.x[-1])
        unit = self.directions / np.linalg.norm(self.directions, axis=1)[:, None]
        opposite = np.sum(unit * unit[nearest], axis=1) < -0.3
        apart = np.abs(self.s - self.s[nearest])
        apart = (
            np.minimum(apart, 1.0 - apart) * self.wall.length > 6 * depth
        )  # walls that meet at a corner may touch
        wrong = np.flatnonzero(free & free[nearest] & opposite & apart & (distance < 0.9 * depth[nearest]))
        if len(wrong):
            j = wrong[0]
            raise InputError(
                f"laminate: the walls at {self.s[j]:.4g} and {self.s[nearest[j]]:.4g} of the outline are "
                f"{depth[j]:.4g} m and {depth[nearest[j]]:.4g} m thick and overlap: thicker than the section"
            )

    def _check_folds(self) -> None:
        """InputError where columns cross: the walls are thicker than the outline's radius of curvature."""
        corners = np.stack([self.x[:-1, :-1], self.x[:-1, 1:], self.x[1:, 1:], self.x[1:, :-1]], axis=2)
        sides = np.roll(corners, -1, axis=2) - corners
        areas = self.wall.sense * _cross(sides, np.roll(sides, -1, axis=2)).min(axis=2)
        wrong = np.argwhere(~self.bare & (areas < -1e-12 * self.wall.length**2))
        if len(wrong):
            row, j = wrong[0]
            raise InputError(
                f"{self.rows[row].name}: at {0.5 * (self.s[j] + self.s[j + 1]):.4g} of the outline it folds over: the "
                f"layers, {self.t[:, j].sum():.4g} m in all, are thicker than the section there"
            )

    def elements(self) -> tuple[Indices, Array, list[Any]]:
        """(m, 4) nodes, the last two equal in a triangle, (m, 2) angles and m materials."""
        ids, chords = self.ids, np.diff(self.base, axis=0)
        cells = np.stack([ids[:-1, :-1], ids[:-1, 1:], ids[1:, 1:], ids[1:, :-1]], axis=-1)
        plane = np.degrees(np.arctan2(chords[:, 1], chords[:, 0]))
        fibre = np.array([row.angle for row in self.rows])
        angles = np.stack(np.broadcast_arrays(fibre[:, None], plane[None]), axis=-1)
        used = np.broadcast_to(~self.bare, cells.shape[:2]).ravel()
        materials = [row.material for row in self.rows for _ in plane]
        chosen = np.flatnonzero(used)
        return cells.reshape(-1, 4)[chosen], angles.reshape(-1, 2)[chosen], [materials[k] for k in chosen]


def _web_elements(
    stack: _Stack, web: Web, foot: tuple[Array, Array], step: float
) -> tuple[Array, Array, list[Any], Array]:
    """Elements of a web, as of `_Stack.elements`, with its inner nodes (n, 2) numbered from -1 downwards."""
    start, end = (stack.ids[-1, np.abs(stack.s[:, None] - f).argmin(axis=0)] for f in foot)
    place = {number: k for k, number in enumerate(stack.ids.ravel())}
    x = stack.x.reshape(-1, 2)
    a, b = (x[[place[n] for n in nodes]] for nodes in (start, end))
    rows = max(int(np.ceil(np.linalg.norm(b - a, axis=1).mean() / step)), 1)
    part = np.linspace(0.0, 1.0, rows + 1)[1:-1, None, None]
    inner = (1 - part) * a + part * b
    numbers = -1 - np.arange((rows - 1) * len(start)).reshape(rows - 1, len(start))
    ids = np.vstack([start, numbers, end])
    cells = np.stack([ids[:-1, :-1], ids[1:, :-1], ids[1:, 1:], ids[:-1, 1:]], axis=-1).reshape(-1, 4)
    edges = np.append(0.0, np.cumsum([layer.thickness for layer in web.layers]))
    across = (foot[0] - foot[0][0]) / (foot[0][-1] - foot[0][0])
    layer = np.searchsorted(edges / edges[-1], 0.5 * (across[1:] + across[:-1])) - 1
    vector = b.mean(axis=0) - a.mean(axis=0)
    _check_path(stack, web, a.mean(axis=0), vector)
    angles = np.zeros((rows, len(layer), 2))
    angles[..., 0] = [web.layers[k].angle for k in layer]
    angles[..., 1] = np.degrees(np.arctan2(vector[1], vector[0]))
    materials = [web.layers[k].material for _ in range(rows) for k in layer]
    return cells[:, [0, 3, 2, 1]], angles.reshape(-1, 2), materials, inner.reshape(-1, 2)


def _check_path(stack: _Stack, web: Web, start: Array, vector: Array) -> None:
    """InputError where a web goes through a wall of an outline that bends inwards."""
    inner = stack.x[-1]
    sides = np.diff(inner, axis=0)
    # the web's ends lie on the walls
    ends = [_cross(sides, start + part * vector - inner[:-1]) for part in (0.1, 0.9)]
    beside = _cross(vector, inner - start)
    through = np.flatnonzero((ends[0] * ends[1] < 0.0) & (beside[:-1] * beside[1:] < 0.0))
    if len(through):
        raise InputError(f"{web.name}: it goes through the wall at {stack.s[through[0]]:.4g} of the outline")


def _assembled(stack: _Stack, pieces: list[Any], reverse: bool) -> SectionMesh:
    """The mesh of all pieces: nodes renumbered, triangles apart, all elements counter-clockwise."""
    first = int(stack.ids.max()) + 1
    points = np.zeros((first, 2))
    points[stack.ids.ravel()] = stack.x.reshape(-1, 2)
    cells, angles, materials = [pieces[0][0]], [pieces[0][1]], list(pieces[0][2])
    for numbers, web_angles, web_materials, inner in pieces[1:]:
        cells.append(np.where(numbers < 0, len(points) - 1 - numbers, numbers))
        points = np.vstack([points, inner])
        angles.append(web_angles)
        materials += web_materials
    quads, angle = np.concatenate(cells), np.concatenate(angles)
    quads = quads[:, ::-1] if reverse else quads
    same = quads == np.roll(quads, -1, axis=1)
    flat = same.sum(axis=1)
    order = [np.flatnonzero(flat == 0), np.flatnonzero(flat == 1)]
    triangles = quads[order[1]][~same[order[1]]].reshape(-1, 3)
    used, numbers = np.unique(
        np.concatenate([quads[order[0]].ravel(), triangles.ravel()]), return_inverse=True
    )
    split = 4 * len(order[0])
    kept = np.concatenate(order)
    blocks = [numbers[:split].reshape(-1, 4), numbers[split:].reshape(-1, 3)]
    return SectionMesh(points[used], [b for b in blocks if len(b)], [materials[k] for k in kept], angle[kept])
