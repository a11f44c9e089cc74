"""Rotor blade from a file: axis, sections and damping; conversion to beams, and mass properties.

Reference axis of a blade: a cubic spline through key points, with the twist of the sections along it.

Blade axes: z from root to tip, x to the suction side, y to the trailing edge. The orientation of the sections follows
one of two rules, which agree for a straight blade: with t the unit tangent,

- "beamdyn": x' is the direction across t without component along y (x' = (t_z, 0, -t_x) / sqrt(t_x^2 + t_z^2)),
  y' = t x x'; both are then rotated by the angle about t;
- "hawc2": seen along z, y' makes the angle with y: y' is along (-s, c, (s t_x - c t_y)/t_z), x' = y' x t. (HAWC2's
  local x axis is -y'.)

Angles are positive about +z, so twist about -z changes its sign. Spline: natural, over the chord length, for each
coordinate and the angle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import check_rotation
from fem_mbd.elements.beam.beam import Beam, BeamHandle, as_viscosity
from fem_mbd.elements.beam.modal_damping import ModalDamping
from fem_mbd.elements.beam.shape_damping import BendingShapes, ShapeDamping
from fem_mbd.elements.blades.stations import at_point, in_axes
from fem_mbd.elements.curve import Frame
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError

Rule = Literal["beamdyn", "hawc2"]
KEPT = 512  # frames at so many lists of places
_GAUSS = np.polynomial.legendre.leggauss(8)  # arc length of a spline piece, to round-off for slight curvature


@dataclass(frozen=True, eq=False)
class BladeAxis:
    """Reference axis of a blade, a `ReferenceLine` of beams.

    Section axes: 1 along the tangent, 2 = x', 3 = y'.

    Parameters
    ----------
    points : (n, 3) m, key points in blade axes, n at least 2; z ascends, or with rule "hawc2" descends, as of towers
    angles : (n,) rad, of the sections about +z
    rule : "beamdyn" or "hawc2", definition of the angles on a curved axis

    Raises
    ------
    InputError
        For fewer than two key points, points that do not advance along z, or another number of angles.
    """

    points: Any
    angles: Any
    rule: Rule = "beamdyn"
    length: float = field(init=False)
    bounds: Array = field(init=False)
    _spline: Any = field(init=False, repr=False)
    _chords: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = array(self.points, np.shape(self.points), "BladeAxis points")
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2:
            raise InputError(
                f"BladeAxis points have shape {points.shape}: give two key points (x, y, z) at least"
            )
        angles = array(self.angles, (len(points),), "BladeAxis angles")
        sense = -1.0 if self.rule == "hawc2" and points[-1, 2] < points[0, 2] else 1.0
        reversed_at = np.flatnonzero(sense * np.diff(points[:, 2]) <= 0.0)
        if len(reversed_at):
            k = int(reversed_at[0])
            raise InputError(
                f"BladeAxis: key point {k + 2} at z = {points[k + 1, 2]:g} m does not lie beyond key point {k + 1} "
                f"at z = {points[k, 2]:g} m"
            )
        if self.rule not in ("beamdyn", "hawc2"):
            raise InputError(f"BladeAxis rule is {self.rule!r}: give 'beamdyn' or 'hawc2'")
        chords = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        if not np.all(np.diff(chords) > 0.0):
            raise InputError(
                "BladeAxis: the distances of key points differ so much that some coincide numerically: check their unit"
            )
        spline = scipy.interpolate.CubicSpline(chords, np.column_stack([points, angles]), bc_type="natural")
        x, w = _GAUSS
        half = 0.5 * np.diff(chords)
        positions = 0.5 * (chords[1:] + chords[:-1])[:, None] + half[:, None] * x
        pieces = half * (np.linalg.norm(spline(positions, 1)[..., :3], axis=2) @ w)
        arc = np.concatenate([[0.0], np.cumsum(pieces)])
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "angles", angles)
        object.__setattr__(self, "length", float(arc[-1]))
        object.__setattr__(self, "bounds", arc / arc[-1])
        object.__setattr__(self, "_spline", spline)
        object.__setattr__(self, "_chords", chords)

    def at(self, s: float) -> Frame:
        """Position (3,) m and rotation (3, 3), columns the section axes, blade axes.

        Parameters
        ----------
        s : fraction of the length, from 0 to 1
        """
        positions, rotations = self.frames(np.array([float(s)]))
        return positions[0], rotations[0]

    def frames(self, s: Array) -> tuple[Array, Array]:
        """Positions (k, 3), m, and rotations (k, 3, 3), as `at`.

        Parameters
        ----------
        s : (k,) fractions of the length
        """
        positions, rotations = _frames(self, np.asarray(s, dtype=float).tobytes())
        return positions.copy(), rotations.copy()

    def _frames_at(self, s: Array) -> tuple[Array, Array]:
        p = self._parameters(np.clip(s, 0.0, 1.0))
        x, slopes = self._spline(p), self._spline(p, 1)[:, :3]
        tangents = slopes / np.linalg.norm(slopes, axis=1)[:, None]
        return x[:, :3].copy(), self._rotations(tangents, x[:, 3])

    def _parameters(self, s: Array) -> Array:
        """Chord lengths (k,) of fractions of the arc length: Newton iterations inside the spline's pieces."""
        k = np.clip(np.searchsorted(self.bounds, s, side="right") - 1, 0, len(self.bounds) - 2)
        target = (s - self.bounds[k]) * self.length
        start, end = self._chords[k], self._chords[k + 1]
        p = start + (end - start) * (s - self.bounds[k]) / (self.bounds[k + 1] - self.bounds[k])
        x, w = _GAUSS
        for _ in range(4):
            half = 0.5 * (p - start)
            inside = start[:, None] + half[:, None] * (1 + x)
            covered = half * (np.linalg.norm(self._spline(inside, 1)[..., :3], axis=2) @ w)
            p = p - (covered - target) / np.linalg.norm(self._spline(p, 1)[:, :3], axis=1)
        return np.asarray(p)

    def _rotations(self, t: Array, angle: Array) -> Array:
        """(k, 3, 3) from unit tangents (k, 3) and angles (k,), rad."""
        c, s, zero = np.cos(angle), np.sin(angle), np.zeros(len(angle))
        if self.rule == "beamdyn":
            x = np.stack([t[:, 2], zero, -t[:, 0]], axis=1) / np.hypot(t[:, 0], t[:, 2])[:, None]
            x = c[:, None] * x + s[:, None] * np.cross(t, x)
        else:
            y = np.stack([-s, c, (s * t[:, 0] - c * t[:, 1]) / t[:, 2]], axis=1)
            x = np.cross(y / np.linalg.norm(y, axis=1)[:, None], t)
        return np.stack([t, x, np.cross(t, x)], axis=2)


@lru_cache(maxsize=KEPT)
def _frames(axis: BladeAxis, places: bytes) -> tuple[Array, Array]:
    """Frames of an axis at fractions of its length: a trim, a sweep of models have the same again and again."""
    return axis._frames_at(np.frombuffer(places))


@dataclass(frozen=True, eq=False)
class PlacedAxis:
    """A blade's axis with its root at `position` (3,) and blade axes along the columns of `rotation` (3, 3)."""

    axis: BladeAxis
    position: Array
    rotation: Array

    @property
    def length(self) -> float:
        return self.axis.length

    def at(self, s: float) -> Frame:
        position, rotation = self.axis.at(s)
        return self.position + self.rotation @ position, self.rotation @ rotation

    def frames(self, s: Array) -> tuple[Array, Array]:
        """As `BladeAxis.frames`, global axes."""
        positions, rotations = self.axis.frames(s)
        return self.position + positions @ self.rotation.T, self.rotation @ rotations


_FEWEST = 12  # default minimum number of elements over the length: six modes to about 1e-3
_POINTS = np.polynomial.legendre.leggauss(4)


@dataclass(frozen=True, eq=False)
class Blade:
    """A blade as described by its files; immutable, checked when constructed.

    Attributes
    ----------
    axis : the reference axis in blade axes (x to the suction side, y to the trailing edge, z to the tip)
    sections : stiffness and mass at the stations, about the reference axis, in section axes (1 along the axis, 2 = x',
        3 = y'); stations are fractions of the arc length
    damping : Kelvin-Voigt times, s, a number or six in the order stretch, shear 2, shear 3, twist, bend 2, bend 3
    modal_ratios : damping ratios of the lowest modes, where the file has these instead; () otherwise
    name : used for the beam and in messages
    source : the files
    damped_shapes : bending shapes with additional damping in the file, see `ShapeDamping`
    half_chord : of HAWC2's bodies, the line `c2_def` with the sections' axes: nodes, masses and aerodynamic data
        refer to it. Its key points belong to those of the axis; None for other files
    """

    axis: BladeAxis
    sections: SectionTable
    damping: Any = 0.0
    modal_ratios: tuple[float, ...] = ()
    name: str = "blade"
    source: str = ""
    damped_shapes: tuple[BendingShapes, ...] = ()
    half_chord: BladeAxis | None = None

    def __post_init__(self) -> None:
        as_viscosity(self.damping, f"blade '{self.name}': damping")
        ratios = array(self.modal_ratios, np.shape(self.modal_ratios), f"blade '{self.name}': modal_ratios")
        if ratios.ndim != 1 or np.any(ratios < 0.0):
            raise InputError(f"blade '{self.name}': modal_ratios are {ratios.tolist()}: none may be negative")

    # -- into a model -----------------------------------------------------------------------------------------

    def beam(
        self,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        elements: Any = None,
        order: int = 4,
        damping: Any = None,
        start: Node | None = None,
        name: str | None = None,
    ) -> Beam:
        """The blade as a beam: `handle = model.add(blade.beam(…))`.

        Parameters
        ----------
        position : (3,) of the blade's origin, global, m
        rotation : (3, 3), columns the blade axes in global axes
        elements : number of elements of equal length, or the fractions where they meet; by default the stations, with
            additional points between stations farther apart than a twelfth of the length
        order : nodes per element
        damping : replaces that of the file (see the class); 0 for none
        start : existing node to share at the root; it must be where the axis begins
        name : of the beam; by default that of the blade
        """
        origin = array(position, (3,), f"blade '{self.name}': position")
        axes = np.eye(3) if rotation is None else check_rotation(rotation, f"blade '{self.name}': rotation")
        return Beam(
            self.sections,
            line=PlacedAxis(self.axis, origin, axes),
            start=start,
            elements=self._stations_and_between() if elements is None else elements,
            order=order,
            damping=self.damping if damping is None else damping,
            name=self.name if name is None else name,
        )

    def _stations_and_between(self) -> Array:
        parts = [
            np.linspace(start, end, max(int(np.ceil((end - start) * _FEWEST - 1e-9)), 1), endpoint=False)
            for start, end in zip(self.sections.s[:-1], self.sections.s[1:], strict=True)
        ]
        return np.append(np.concatenate(parts), 1.0)

    def add_to(self, model: Model, **options: Any) -> BeamHandle:
        """Add the blade with the damping of its file (also modal) to a model; fix its root unless it shares a node.

        Parameters
        ----------
        model : model to which the blade is added
        options : arguments of `Blade.beam`; no modal damping when ``damping`` is given
        """
        handle = model.add(self.beam(**options))
        if options.get("start") is None:
            model.fix(handle.start)
        if self.modal_ratios and options.get("damping") is None:
            model.add(ModalDamping(handle, self.modal_ratios, name=f"{handle.name} modal damping"))
        if options.get("damping") is None:
            self.damp_shapes(model, handle)
        return handle

    def damp_shapes(self, model: Model, handle: BeamHandle) -> None:
        """Add the damping of `damped_shapes` to the blade's beam.

        Parameters
        ----------
        model : model of the beam
        handle : of the beam
        """
        for shapes in self.damped_shapes:
            model.add(ShapeDamping(handle, shapes, name=f"{handle.name} {shapes.about} damping"))

    # -- mass properties --------------------------------------------------------------------------------------

    @property
    def length(self) -> float:
        """Arc length of the axis, m."""
        return self.axis.length

    @property
    def mass(self) -> float:
        """kg."""
        per_length = self.sections.mass[:, 0, 0]
        return float(0.5 * self.length * (per_length[1:] + per_length[:-1]) @ np.diff(self.sections.s))

    @property
    def centre_of_mass(self) -> Array:
        """(3,) m, blade axes."""
        total = self._integral
        coupling = total[3:, :3] / total[0, 0]
        return np.array([coupling[2, 1], coupling[0, 2], coupling[1, 0]])

    @property
    def inertia(self) -> Array:
        """(3, 3) kg m^2 about the origin of blade axes, the root, in blade axes."""
        return np.asarray(self._integral[3:, 3:])

    @cached_property
    def _integral(self) -> Array:
        """(6, 6) mass matrix of the rigid blade at the origin of blade axes."""
        edges = np.unique(np.concatenate([self.axis.bounds, self.sections.s]))
        points, weights = _POINTS
        half = 0.5 * np.diff(edges)[:, None]
        s = (0.5 * (edges[1:] + edges[:-1])[:, None] + half * points).ravel()
        total = np.zeros((6, 6))
        for at, w, mass in zip(s, (half * weights).ravel(), self.sections.mass_at(s), strict=True):
            position, rotation = self.axis.at(at)
            total += self.length * w * at_point(in_axes(mass, rotation), -position)
        return total
