"""Mode shapes of towers and blades as the polynomials of OpenFAST's ElastoDyn.

A shape is phi(x) = c2 x^2 + … + c6 x^6 with phi(1) = 1, x from 0 at the clamped end to 1 at the free one. ElastoDyn
bends about the local axes of the sections, whose structural twist it has apart: the shapes are those of the blade with
its twist taken out, flapwise and edgewise (EI_flap and EI_edge: principal stiffnesses in pure bending), of the tower
fore-aft (downwind) and side-side, with all that stands on it as a rigid body at its top. Shear, stretch, torsion and
rotary inertia are left out, as there. J. Jonkman, M. Buhl, FAST User's Guide, NREL/EL-500-38230 (2005).

The coefficients are fitted by least squares over evenly spaced places. Whether six powers are enough is for
`ModeShape.error` to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fem_mbd.analysis.modal.modes import modes
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.rigid_body import RigidBody
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assemble import assemble
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.description.beams import plain_beam
from fem_mbd.machines.description.machine import Machine

POWERS = np.arange(2, 7)
PLACES = 201  # along the length, evenly
MODES = 8  # computed, among which the wanted ones are
OF_BLADE = {"BldFl1Sh": (0, 0), "BldFl2Sh": (0, 1), "BldEdgSh": (1, 0)}  # direction (x, y) and number
OF_TOWER = {"TwFAM1Sh": (0, 0), "TwFAM2Sh": (0, 1), "TwSSM1Sh": (1, 0), "TwSSM2Sh": (1, 1)}


@dataclass(frozen=True, eq=False)
class ModeShape:
    """A mode shape as a polynomial.

    Attributes
    ----------
    name : in ElastoDyn's files
    coefficients : (5,) of x^2 … x^6, their sum is 1
    frequency_hz : of the mode
    error : root mean square of what the polynomial misses, over the largest deflection along the length
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
        """The lines that stand for it in ElastoDyn's file."""
        listed = zip(self.coefficients, POWERS, strict=True)
        return "\n".join(f"{c:14.6E}   {self.name}({p}) - coefficient of x^{p}" for c, p in listed)


def fit_mode_shape(name: str, x: Array, deflection: Array, frequency_hz: float = float("nan")) -> ModeShape:
    """The polynomial next to a mode shape.

    Parameters
    ----------
    name : in ElastoDyn's files
    x : (n,) fractions of the length, from 0 to 1
    deflection : (n,) of any size; the last one, at x = 1, becomes 1
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
    # c6 is what the others leave of 1
    basis = x[:, None] ** POWERS[:-1] - x[:, None] ** POWERS[-1]
    others = np.linalg.lstsq(basis, shape - x ** POWERS[-1], rcond=None)[0]
    found = ModeShape(name, np.append(others, 1.0 - others.sum()), frequency_hz, 0.0)
    missed = np.sqrt(np.mean((found(x) - shape) ** 2)) / np.abs(shape).max()
    return replace(found, error=float(missed))


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
        When such modes are not among the lowest.
    """
    model = Model(name=f"{blade.name} without twist")
    handle = model.add(_plain(blade).beam(elements=np.asarray(blade.sections.s)))
    model.fix(handle.start)
    spin = Spin((0.0, 0.0, -radius), (1.0, 0.0, 0.0), speed) if speed else None
    return _shapes(model, handle.name, OF_BLADE, spin)


def tower_mode_shapes(machine: Machine, angles: Mapping[str, float] | None = None) -> dict[str, ModeShape]:
    """TwFAM1Sh, TwFAM2Sh, TwSSM1Sh and TwSSM2Sh of a machine's tower, the rest a rigid body on its top.

    Parameters
    ----------
    machine : whose member on the ground is the tower
    angles : rad, of bearings by name; the rotor is as it stands in the model

    Raises
    ------
    InputError
        When several members stand on the ground, or such modes are not among the lowest.
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
        whole - own
        for whole, own in zip(
            _about(assemble(machine, angles), top), _about(assemble(alone), top), strict=True
        )
    )
    slender = replace(tower, blade=_plain(tower.blade, straight=False))
    made = assemble(replace(alone, members=(slender,)))
    head = made.beams[tower.name].end
    about_centre = inertia - (centre @ centre * np.eye(3) - np.outer(centre, centre)) / mass
    made.model.add(
        RigidBody(float(mass), about_centre, node=head, centre=centre / mass, axes="global", name="head")
    )
    return _shapes(made.model, tower.name, OF_TOWER, None)


def _shapes(
    model: Model, beam: str, wanted: Mapping[str, tuple[int, int]], spin: Spin | None
) -> dict[str, ModeShape]:
    """The polynomials of the modes along x and y, global axes."""
    found = modes(model, MODES, spin=spin, undamped=True)
    x = np.linspace(0.0, 1.0, PLACES)
    moved = found.of(beam).position(at=x)
    along = np.argmax((np.abs(moved) ** 2).sum(axis=1), axis=1)
    shapes = {}
    for name, (direction, number) in wanted.items():
        of_direction = np.flatnonzero(along == direction)
        if len(of_direction) <= number:
            raise InputError(f"model '{model.name}': {name} is not among its {MODES} lowest modes")
        k = int(of_direction[number])
        deflection = (moved[k, :, direction] / moved[k, -1, direction]).real
        shapes[name] = fit_mode_shape(name, x, deflection, float(found.frequencies_hz[k]))
    return shapes


def _plain(blade: Blade, straight: bool = True) -> Blade:
    """The blade as ElastoDyn sees it: bending and mass; with ``straight`` its twist and its curvature taken out."""
    sections = blade.sections.sections
    s, mass = np.asarray(blade.sections.s), np.array([section.mass_per_length for section in sections])
    bending = np.array([_bending(np.asarray(section.stiffness)) for section in sections])
    axis = blade.axis
    if straight:
        axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, blade.length]], [0.0, 0.0])
    return plain_beam(blade.name, axis, s, mass, (bending[:, 0], bending[:, 1]), source=blade.source)


def _bending(stiffness: Array) -> tuple[float, float]:
    """Stiffness about the principal axes next to x' and y', N m^2, when moments alone act on the section."""
    values, axes = np.linalg.eigh(np.linalg.inv(np.linalg.inv(stiffness)[4:, 4:]))
    first = int(np.argmax(np.abs(axes[0])))
    return float(values[first]), float(values[1 - first])


def _about(made: Assembly, point: Array) -> tuple[Array, Array, Array]:
    """Mass, first moment (3,) and inertia (3, 3) about a point, global axes."""
    mass, first, inertia = np.zeros(()), np.zeros(3), np.zeros((3, 3))
    for node, lump in zip(made.model.nodes, made.model.inertia, strict=True):
        arm = node.position + node.rotation @ lump.centre - point
        mass = mass + lump.mass
        first += lump.mass * arm
        inertia += node.rotation @ lump.about_centre @ node.rotation.T
        inertia += lump.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, first, inertia
