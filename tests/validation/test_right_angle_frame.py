"""A right-angle frame of thin strips that buckles out of its plane.

J. H. Argyris, O. Hilpert, G. A. Malejannakis, D. W. Scharpf, On the geometrical stiffness of a beam in space - a
consistent v.w. approach, Computer Methods in Applied Mechanics and Engineering 20 (1979) 105-131; J. C. Simo and L.
Vu-Quoc, ibid. 58 (1986) 79-116. Legs of 240 mm, 0.6 x 30 mm on edge, E = 71.24 GPa, Poisson's ratio 0.31, torsion
constant b t^3/3; clamped at the end of one leg, a force in the plane on the end of the other, at right angles to it.
The published critical load is 1.088 N, for a force directed away from the clamp.

The digits of the linear problem are from its differential equations, integrated below: with m_0 the moment in the plane
of the straight legs, t their direction, w the displacement out of the plane and phi the rotation of a section,
C phi' = P (w_tip - w) e_y + m_0 x phi, w' = (phi x t)_z.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from fem_mbd import Model, buckling, critical_load
from fem_mbd.elements import Beam, BeamHandle, Force, Section, Straight
from fem_mbd.joints import Clamp
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

LEG, THICKNESS, HEIGHT = 0.24, 0.6e-3, 30e-3
YOUNG, SHEAR = 71.24e9, 71.24e9 / 2 / 1.31
EI, GJ = YOUNG * HEIGHT * THICKNESS**3 / 12, SHEAR * HEIGHT * THICKNESS**3 / 3
PUBLISHED = 1.088


def frame(elements: int = 4) -> tuple[Model, list[BeamHandle]]:
    """One leg along x from the clamp, one along -y from its end; 1 N along x. Axis 2 of the sections in the plane."""
    area = THICKNESS * HEIGHT
    stiff = [
        YOUNG * area,
        SHEAR * area * 5 / 6,
        SHEAR * area * 5 / 6,
        GJ,
        EI,
        YOUNG * THICKNESS * HEIGHT**3 / 12,
    ]
    part = Section(np.diag(stiff), 0.05, 1e-6 * np.diag([4.0, 0.1, 3.9]))
    model = Model()
    corner, end = (LEG, 0, 0), (LEG, -LEG, 0)
    legs = [
        model.add(Beam(part, line=Straight(a, b, up=(0, 0, 1)), elements=elements, name=name))
        for name, a, b in (("first", (0, 0, 0), corner), ("second", corner, end))
    ]
    model.fix(legs[0].start)
    model.add(Clamp(legs[0].end, legs[1].start, name="corner"))
    model.add(Force(legs[1].end, (1.0, 0, 0)))
    return model, legs


def _out_of_plane(load: float) -> np.ndarray:
    """w (2, 41) along both legs for a tip that is 1 out of the plane; in equilibrium when the last one is 1 too."""

    def first(_: float, y: np.ndarray) -> list[float]:
        m = load * LEG
        return [-m * y[1] / GJ, (load * (1 - y[2]) + m * y[0]) / EI, -y[1]]

    def second(s: float, y: np.ndarray) -> list[float]:
        m = load * (LEG - s)
        return [-m * y[1] / EI, (load * (1 - y[2]) + m * y[0]) / GJ, -y[0]]

    places, y, rows = np.linspace(0, LEG, 41), np.zeros(3), []
    for leg in (first, second):
        found = solve_ivp(leg, (0, LEG), y, t_eval=places, method="DOP853", rtol=1e-11, atol=1e-13)
        rows.append(found.y[2])
        y = found.y[:, -1]
    return np.array(rows)


def solve() -> Solution:
    """Four elements per leg."""
    pull, push = (
        brentq(lambda p: _out_of_plane(p)[1, -1] - 1, *between, xtol=1e-12)
        for between in ((0.9, 1.2), (-0.9, -0.5))
    )
    model, legs = frame()
    linear = buckling(model, 2)
    loads = dict(zip(("pulling", "pushing"), (pull, push), strict=True))
    found = numbers("linear, ", "N", loads, sorted(linear.load_factors, reverse=True), 1e-5)
    deformed = critical_load(model).critical
    found += numbers("", "N", {"as deformed by then, published to four digits": PUBLISHED}, [deformed], 1e-3)
    shape = linear.shapes[int(np.argmax(linear.load_factors))]
    places = [np.array([node.index for node in leg.nodes]) for leg in legs]
    along = [LEG * n + np.linspace(0, LEG, 41) for n in range(2)]
    s = np.concatenate([_stations(leg) + LEG * n for n, leg in enumerate(legs)])
    w = np.concatenate([shape[p, 2] for p in places]) / shape[legs[1].end.index, 2]
    expected = _out_of_plane(pull)
    curves = [ours(1e3 * s, w), reference(1e3 * np.concatenate(along)[::4], expected.ravel()[::4])]
    return Solution(found, [Picture("along the frame [mm]", "w over that of the tip", curves)])


def _stations(leg: BeamHandle) -> np.ndarray:
    """(n,) distance of a leg's nodes from its start."""
    return np.linalg.norm([node.position - leg.start.position for node in leg.nodes], axis=1)


PROBLEM = Problem(
    name="right_angle_frame",
    title="Right-angle frame, buckling out of its plane",
    group="Stability",
    source="Argyris et al. 1979; Simo & Vu-Quoc 1986",
    reference="differential equations of the linear problem; published load",
    solve=solve,
)
