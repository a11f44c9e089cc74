"""Common section shapes: areas, moments of inertia, torsion constants, shear factors; outlines for drawings.

Section axes 2 and 3 are principal axes through the centroid; `width` runs along axis 2, `height` along axis 3.
So `moment_2` = integral of y3^2 dA governs bending about axis 2, and `shear_area_2` is for a force along axis 2. All
quantities of a `ShapeProperties` are for the whole section and independent of the material, except the shear areas,
which depend weakly on Poisson's ratio.

Outlines (`outline_of`) are corner points (k, 2) in m, y2 and y3 in section axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite, positive
from fem_mbd.errors import InputError


@dataclass(frozen=True)
class Material:
    """A linear elastic material: `Material(71.7e9, 0.31, 2700.0)` or `Material(73e9, shear=27.4e9, density=2700.0)`.

    Parameters
    ----------
    young : Young's modulus, Pa
    poisson : Poisson's ratio
    density : kg/m^3
    shear : shear modulus, Pa, instead of Poisson's ratio. The other one follows from E = 2 G (1 + nu). With the shear
        modulus given, nu may leave the range -1 … 0.5 of isotropic bodies (wood, many laminates); it then only enters
        the shear factors of sections.

    Raises
    ------
    InputError
        For values that no material has, and when neither or both of ``poisson`` and ``shear`` are given.
    """

    young: float
    poisson: float = nan
    density: float = nan
    shear: float = nan

    def __post_init__(self) -> None:
        for name in ("young", "density"):
            what = f"Material {name}"
            if _missing(getattr(self, name)):
                raise InputError(f"{what} is missing")
            object.__setattr__(self, name, positive(getattr(self, name), what))
        for name in ("poisson", "shear"):
            if not _missing(getattr(self, name)):
                finite(getattr(self, name), f"Material {name}")
        if np.isnan(self.poisson) and np.isnan(self.shear):
            raise InputError("Material: give either poisson or shear")
        if not np.isnan(self.poisson):
            self._check_poisson()
            from_poisson = self.young / (2.0 * (1.0 + self.poisson))
            if not np.isnan(self.shear) and abs(self.shear - from_poisson) > 1e-9 * from_poisson:
                raise InputError(
                    f"Material: shear = {self.shear:g} Pa contradicts young and poisson, which give "
                    f"{from_poisson:g} Pa: give one of poisson and shear"
                )
            object.__setattr__(self, "shear", from_poisson)
        object.__setattr__(self, "shear", positive(self.shear, "Material shear"))
        if np.isnan(self.poisson):
            object.__setattr__(self, "poisson", self.young / (2.0 * self.shear) - 1.0)

    def _check_poisson(self) -> None:
        if not -1.0 < finite(self.poisson, "Material poisson") <= 0.5:
            raise InputError(f"Material poisson is {self.poisson:g}: it must lie above -1 and not above 0.5")


def _missing(value: object) -> bool:
    """Whether a parameter was left at its default, nan."""
    return isinstance(value, float) and bool(np.isnan(value))


FIVE_SIXTHS = 5.0 / 6.0
ZETA_5 = 1.0369277551433699  # Riemann zeta function at 5, as `scipy.special.zeta` gives it


@dataclass(frozen=True)
class ShapeProperties:
    """Areas in m^2, moments and torsion constant in m^4."""

    area: float
    moment_2: float
    moment_3: float
    torsion: float
    shear_area_2: float
    shear_area_3: float


def rectangle(width: float, height: float, poisson: float, cowper: bool = False) -> ShapeProperties:
    """Solid rectangle with Saint-Venant torsion.

    Shear factor 5/6 in both directions: the parabolic shear stress of a narrow rectangle, exact for nu = 0.
    With `cowper` it is 10 (1 + nu) / (12 + 11 nu) (Cowper 1966, table 1), derived for beam dynamics.
    """
    area = width * height
    factor = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson) if cowper else FIVE_SIXTHS
    return ShapeProperties(
        area=area,
        moment_2=width * height**3 / 12.0,
        moment_3=height * width**3 / 12.0,
        torsion=rectangle_torsion(width, height),
        shear_area_2=factor * area,
        shear_area_3=factor * area,
    )


def rectangle_torsion(width: float, height: float) -> float:
    """Saint-Venant torsion constant (m^4) of a rectangle, to round-off.

    J = a b^3 / 3 (1 - 192 / pi^5 (b / a) sum over odd n of tanh(n pi a / (2 b)) / n^5) with sides a >= b (Timoshenko &
    Goodier, Theory of Elasticity, art. 109). The sum with tanh = 1 is 31/32 zeta(5); the remainder decreases
    exponentially.
    """
    long, short = max(width, height), min(width, height)
    odd = np.arange(1, 40, 2)
    remainder = 2.0 / (np.exp(np.minimum(odd * np.pi * long / short, 700.0)) + 1.0)  # 1 - tanh
    series = 31.0 / 32.0 * ZETA_5 - float(np.sum(remainder / odd**5.0))
    return long * short**3 / 3.0 * (1.0 - 192.0 / float(np.pi) ** 5 * short / long * series)


def ring(outer_radius: float, inner_radius: float, poisson: float) -> ShapeProperties:
    """Circular ring of any thickness, or a full circle with `inner_radius` 0. Exact but for the shear factor.

    Shear factor of Cowper (1966, table 1): 6 (1 + nu)(1 + m^2)^2 / ((7 + 6 nu)(1 + m^2)^2 + (20 + 12 nu)
    m^2), m the ratio of inner to outer radius; 6 (1 + nu) / (7 + 6 nu) for the full circle.
    """
    area = np.pi * (outer_radius - inner_radius) * (outer_radius + inner_radius)
    moment = area * (outer_radius**2 + inner_radius**2) / 4.0
    squared = (inner_radius / outer_radius) ** 2
    spread = (1.0 + squared) ** 2
    factor = 6.0 * (1.0 + poisson) * spread
    factor /= (7.0 + 6.0 * poisson) * spread + (20.0 + 12.0 * poisson) * squared
    return ShapeProperties(area, moment, moment, 2.0 * moment, factor * area, factor * area)


def i_beam(width: float, height: float, flange: float, web: float) -> ShapeProperties:
    """Doubly symmetric I with sharp corners: web along axis 3, both flanges of `width` along axis 2.

    Area and moments are exact. Torsion is the thin-walled sum over the three plates, each as long as
    its centre line, without fillets; warping stiffness is not part of this beam theory. Shear areas are those
    that give the energy of the shear flow V S / I on the centre lines (both directions; the web carries
    nothing for a force along axis 2).
    """
    clear = height - 2.0 * flange
    depth = height - flange  # between the centre lines of the flanges
    moment_2 = (width * height**3 - (width - web) * clear**3) / 12.0
    moment_3 = (2.0 * flange * width**3 + clear * web**3) / 12.0
    return ShapeProperties(
        area=2.0 * width * flange + clear * web,
        moment_2=moment_2,
        moment_3=moment_3,
        torsion=(2.0 * width * flange**3 + depth * web**3) / 3.0,
        shear_area_2=FIVE_SIXTHS * 2.0 * width * flange,
        shear_area_3=_web_shear_area(width, depth, flange, web),
    )


def _web_shear_area(width: float, depth: float, flange: float, web: float) -> float:
    """I^2 / (integral of S^2 / t over the centre lines), S the static moment cut off; for a force along the
    web.

    Flange tip to web: S = t_f s d / 2, s in 0 … b / 2, four times. Web: S = S0 + t_w (d^2 / 4 - y^2) / 2 with
    S0 = b t_f d / 2.
    """
    moment = width * flange * depth**2 / 2.0 + web * depth**3 / 12.0
    flanges = 4.0 * flange * (depth / 2.0) ** 2 * (width / 2.0) ** 3 / 3.0
    at_flange = width * flange * depth / 2.0
    # Integrals over y in -d/2 … d/2 of (d^2/4 - y^2) and of its square: d^3 / 6 and d^5 / 30.
    in_web = at_flange**2 * depth + at_flange * web * depth**3 / 6.0 + web**2 * depth**5 / 120.0
    return moment**2 / (flanges + in_web / web)


CORNERS = 24  # of the polygon that approximates a circle or an ellipse
_ANGLES = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
_CIRCLE = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


class Sectional(Protocol):
    """Properties of `Section` from which an outline is derived."""

    @property
    def stiffness(self) -> Any: ...

    @property
    def mass_per_length(self) -> float: ...

    @property
    def inertia(self) -> Any: ...

    @property
    def mass_centre(self) -> Any: ...

    @property
    def outline(self) -> Any: ...


def check_outline(outline: ArrayLike | None) -> Array | None:
    """The given corners as an array; InputError unless they are three or more finite points."""
    if outline is None:
        return None
    corners = np.asarray(outline, dtype=float)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3 or not np.isfinite(corners).all():
        raise InputError(
            f"Section outline has shape {corners.shape}: give three corner points (y2, y3) or more, in m, all finite"
        )
    return corners


def ellipse_corners(half_2: float, half_3: float, centre: ArrayLike = (0.0, 0.0)) -> Array:
    """(24, 2) points of an ellipse by its half axes (m)."""
    return np.asarray(centre) + np.array([half_2, half_3]) * _CIRCLE


def rectangle_corners(width: float, height: float) -> Array:
    """(4, 2) corners, ``width`` along axis 2 and ``height`` along axis 3."""
    return 0.5 * np.array([[width, height], [-width, height], [-width, -height], [width, -height]])


def i_beam_corners(width: float, height: float, flange: float, web: float) -> Array:
    """(12, 2) corners of an I, sizes as for `Section.i_beam`."""
    w, h, t, f = 0.5 * width, 0.5 * height, 0.5 * web, 0.5 * height - flange
    left = [(-w, h), (-w, f), (-t, f), (-t, -f), (-w, -f), (-w, -h)]
    return np.array([*left, *((-x, -y) for x, y in left)])


def outline_of(section: Sectional) -> Array:
    """The outline given with the section, or the solid ellipse that has its radii of gyration.

    The radii follow from the rotary inertia, or where this is neglected from bending over axial stiffness. The half
    axes of a solid ellipse are twice its radii of gyration.
    """
    if section.outline is not None:
        return np.asarray(section.outline)
    squares = np.array([section.inertia[2, 2], section.inertia[1, 1]]) / section.mass_per_length
    if np.any(squares <= 0.0):
        squares = np.array([section.stiffness[5, 5], section.stiffness[4, 4]]) / section.stiffness[0, 0]
    half = 2.0 * np.sqrt(squares)
    return ellipse_corners(float(half[0]), float(half[1]), section.mass_centre)
