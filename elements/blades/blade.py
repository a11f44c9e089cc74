"""Rotor blade from a file: axis, sections and damping; conversion to beams, and mass properties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import check_rotation
from fem_mbd.elements.beam.beam import Beam, BeamHandle, as_viscosity
from fem_mbd.elements.beam.modal_damping import ModalDamping
from fem_mbd.elements.beam.shape_damping import BendingShapes, ShapeDamping
from fem_mbd.elements.blades.axis import BladeAxis, PlacedAxis
from fem_mbd.elements.blades.stations import at_point, in_axes
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError

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
