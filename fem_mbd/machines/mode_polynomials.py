"""Mode shapes of towers and blades as the polynomials of OpenFAST's ElastoDyn.

A shape is phi(x) = c2 x^2 + … + c6 x^6 with phi(1) = 1, x from 0 at the clamped end to 1 at the free one. ElastoDyn
treats the structural twist of blades separately: blade shapes are those of the untwisted blade, flapwise and edgewise
(EI_flap and EI_edge: principal stiffnesses in pure bending). Tower shapes are fore-aft (downwind) and side-side, with
the rest of the machine as a rigid body at the top. Shear, stretch, torsion and rotary inertia are neglected.
J. Jonkman, M. Buhl, FAST User's Guide, NREL/EL-500-38230 (2005).

The coefficients are fitted by least squares at evenly spaced points. `ModeShape.error` measures the fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fem_mbd.analysis.modal.modes import modes
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.rigid_body import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.description.beams import plain_beam
from fem_mbd.machines.description.machine import Machine

POWERS = np.arange(2, 7)
POINTS = 201  # along the length, evenly spaced
MODES = 8  # number of computed modes, from which shapes are selected
BLADE_SHAPES = {"BldFl1Sh": (0, 0), "BldFl2Sh": (0, 1), "BldEdgSh": (1, 0)}  # direction (x, y) and number
TOWER_SHAPES = {"TwFAM1Sh": (0, 0), "TwFAM2Sh": (0, 1), "TwSSM1Sh": (1, 0), "TwSSM2Sh": (1, 1)}


@dataclass(frozen=True, eq=False)
class ModeShape:
    """A mode shape as a polynomial.

    Attributes
    ----------
    name : in ElastoDyn's files
    coefficients : (5,) of x^2 … x^6, their sum is 1
    frequency_hz : of the mode
    error : root mean square error of the polynomial, over the largest deflection along the length
    """

    name: str
    coefficients: Array
    frequency_hz: float
    error: float

    def __call__(self, x: Array) -> Array:
        """phi at fractions x of the length.

        Parameters
        ----------
        x : any shape
        """
        return np.asarray((self.coefficients * np.asarray(x)[..., None] ** POWERS).sum(axis=-1))

    @property
    def lines(self) -> str:
        """The shape's lines of ElastoDyn's file."""
        terms = zip(self.coefficients, POWERS, strict=True)
        return "\n".join(f"{c:14.6E}   {self.name}({p}) - coefficient of x^{p}" for c, p in terms)


def fit_mode_shape(name: str, x: Array, deflection: Array, frequency_hz: float = float("nan")) -> ModeShape:
    """The polynomial that fits a mode shape best.

    Parameters
    ----------
    name : in ElastoDyn's files
    x : (n,) fractions of the length, from 0 to 1
    deflection : (n,) scaled here so that the last one, at x = 1, is 1
    frequency_hz : of the mode

    Raises
    ------
    InputError
        When the free end does not move: such a shape cannot be scaled.
    """
    largest = float(np.abs(deflection).max())
    if not abs(deflection[-1]) > 1e-6 * largest:
        raise InputError(f"mode shape '{name}': its free end does not move, so that no polynomial is 1 there")
    shape = deflection / deflection[-1]
    # c6 = 1 - c2 - … - c5
    basis = x[:, None] ** POWERS[:-1] - x[:, None] ** POWERS[-1]
    others = np.linalg.lstsq(basis, shape - x ** POWERS[-1], rcond=None)[0]
    fit = ModeShape(name, np.append(others, 1.0 - others.sum()), frequency_hz, 0.0)
    error = np.sqrt(np.mean((fit(x) - shape) ** 2)) / np.abs(shape).max()
    return replace(fit, error=float(error))


def blade_mode_shapes(blade: Blade, radius: float = 0.0, speed: float = 0.0) -> dict[str, ModeShape]:
    """BldFl1Sh, BldFl2Sh and BldEdgSh of a blade.

    Parameters
    ----------
    blade : clamped at its root
    radius : m, of the root from the axis of rotation
    speed : rad/s, of the rotor; 0 for the shapes at standstill

    Raises
    ------
    InputError
        When these modes are not among the lowest.
    """
    model = Model(name=f"{blade.name} without twist")
    handle = model.add(_bending_beam(blade).beam(elements=np.asarray(blade.sections.s)))
    model.fix(handle.start)
    spin = Spin((0.0, 0.0, -radius), (1.0, 0.0, 0.0), speed) if speed else None
    return _shapes(model, handle.name, BLADE_SHAPES, spin)


def tower_mode_shapes(machine: Machine, angles: Mapping[str, float] | None = None) -> dict[str, ModeShape]:
    """TwFAM1Sh, TwFAM2Sh, TwSSM1Sh and TwSSM2Sh of a machine's tower, the rest as a rigid body at its top.

    Parameters
    ----------
    machine : whose member on the ground is the tower
    angles : rad, of bearings by name

    Raises
    ------
    InputError
        When several members are on the ground, or these modes are not among the lowest.
    """
    feet = [p for p in machine.placements if p.parent is None]
    if len(feet) != 1:
        names = ", ".join(f"'{p.member}'" for p in feet)
        raise InputError(
            f"machine '{machine.name}': {names} are clamped to the ground: it has no single tower"
        )
    tower = machine.member(feet[0].member)
    alone = replace(
        machine,
        members=(tower,),
        placements=(feet[0],),
        links=tuple(link for link in machine.links if link.first is None and link.second[0] == tower.name),
    )
    top = assemble(machine, angles).beams[tower.name].end.position
    mass, centre, inertia = (
        total - tower_only
        for total, tower_only in zip(
            _mass_properties(assemble(machine, angles), top),
            _mass_properties(assemble(alone), top),
            strict=True,
        )
    )
    slender = replace(tower, blade=_bending_beam(tower.blade, straight=False))
    assembly = assemble(replace(alone, members=(slender,)))
    head = assembly.beams[tower.name].end
    about_centre = inertia - (centre @ centre * np.eye(3) - np.outer(centre, centre)) / mass
    assembly.model.add(
        RigidBody(float(mass), about_centre, node=head, centre=centre / mass, axes="global", name="head")
    )
    return _shapes(assembly.model, tower.name, TOWER_SHAPES, None)


def _shapes(
    model: Model, beam: str, selection: Mapping[str, tuple[int, int]], spin: Spin | None
) -> dict[str, ModeShape]:
    """The polynomials of the modes along x and y, global axes."""
    result = modes(model, MODES, spin=spin, undamped=True)
    x = np.linspace(0.0, 1.0, POINTS)
    displacement = result.of(beam).position(at=x)
    along = np.argmax((np.abs(displacement) ** 2).sum(axis=1), axis=1)
    shapes = {}
    for name, (direction, number) in selection.items():
        of_direction = np.flatnonzero(along == direction)
        if len(of_direction) <= number:
            raise InputError(f"model '{model.name}': {name} is not among its {MODES} lowest modes")
        k = int(of_direction[number])
        deflection = (displacement[k, :, direction] / displacement[k, -1, direction]).real
        shapes[name] = fit_mode_shape(name, x, deflection, float(result.frequencies_hz[k]))
    return shapes


def _bending_beam(blade: Blade, straight: bool = True) -> Blade:
    """The blade as modelled by ElastoDyn: bending and mass; with ``straight`` without twist and curvature."""
    sections = blade.sections.sections
    s, mass = np.asarray(blade.sections.s), np.array([section.mass_per_length for section in sections])
    bending = np.array([_bending_stiffness(np.asarray(section.stiffness)) for section in sections])
    axis = blade.axis
    if straight:
        axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, blade.length]], [0.0, 0.0])
    return plain_beam(blade.name, axis, s, mass, (bending[:, 0], bending[:, 1]), source=blade.source)


def _bending_stiffness(stiffness: Array) -> tuple[float, float]:
    """Principal stiffness about the axes closest to x' and y', N m^2, in pure bending."""
    values, axes = np.linalg.eigh(np.linalg.inv(np.linalg.inv(stiffness)[4:, 4:]))
    first = int(np.argmax(np.abs(axes[0])))
    return float(values[first]), float(values[1 - first])


def _mass_properties(assembly: Assembly, point: Array) -> tuple[Array, Array, Array]:
    """Mass, first moment (3,) and inertia (3, 3) about a point, global axes."""
    mass, first, inertia = np.zeros(()), np.zeros(3), np.zeros((3, 3))
    for node, lump in zip(assembly.model.nodes, assembly.model.inertia, strict=True):
        arm = node.position + node.rotation @ lump.centre - point
        mass = mass + lump.mass
        first += lump.mass * arm
        inertia += node.rotation @ lump.about_centre @ node.rotation.T
        inertia += lump.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, first, inertia
