"""A circular bend of 45 degrees, clamped, with a tip force normal to its plane: bending, shear and torsion at once.

K.-J. Bathe, S. Bolourchi, Large displacement analysis of three-dimensional beam structures, International Journal for
Numerical Methods in Engineering 14 (1979) 961-986. Radius 100, square section of side 1, E = 1e7, Poisson's ratio 0,
force 600. GJ = 5e6/6 is computed from the polar moment, as in the publication. The position of the tip to ten digits is
from a high-order solution of the boundary value problem, without beam code.
"""

import numpy as np
import pytest

from fem_mbd.base.arrays import Array
from fem_mbd.elements import Arc
from tests.core.scheme_tools import order
from tests.validation.cantilevers import bend, clamped, section, shape
from tests.validation.problem import Number, Picture, Problem, Solution, numbers, ours, reference

# x along the tangent at the clamp, y towards the centre, z normal to the plane
TIP = {300: (58.77912249, 22.24478095, 40.19189167), 600: (47.15043857, 15.68480053, 53.47485879)}
BEND = Arc((0, 0, 0), tangent=(1, 0, 0), normal=(0, 1, 0), radius=100.0, angle=np.pi / 4)


PUBLISHED = {"along x": -23.5, "along y": -13.4, "along z": 53.4}  # displacement of the paper at 600


def bent(force: float, elements: int, nodes: int = 4) -> Array:
    """Places (n, 3) of the nodes."""
    model, beam = clamped(section(1e7, 5e6, 5e6 / 6, 1e7 / 12), line=BEND, elements=elements, order=nodes)
    found, _ = bend(model, beam, (0, 0, force))
    assert found.path.failures == 0
    assert found.path.iterations <= 5 * len(found.path.load_factors)
    return shape(found, beam)


def solve() -> Solution:
    """Eight 4-node elements leave 1.7e-6 and 1.4e-5 m, 2e-7 of the bend's length.

    The paper's displacements are from eight straight elements: within 0.25, as all later authors find.
    """
    found: list[Number] = []
    unloaded = np.array([BEND.at(s)[0] for s in np.linspace(0, 1, 25)])
    curves = [ours(unloaded[:, 0], unloaded[:, 2], "no load")]
    for force, tip in TIP.items():
        line = bent(force, 8)
        places = dict(zip(("x", "y", "z"), tip, strict=True))
        found += numbers(f"place of the tip at {force}, ", "m", places, line[-1], 1.5e-5)
        curves.append(ours(line[:, 0], line[:, 2], f"{force}"))
    found += numbers("published displacement at 600, ", "m", PUBLISHED, line[-1] - unloaded[-1], 0.25)
    curves.append(reference([tip[0] for tip in TIP.values()], [tip[2] for tip in TIP.values()]))
    return Solution(found, [Picture("x [m]", "z [m]", curves, equal=True)])


PROBLEM = Problem(
    name="bend_45",
    title="45-degree bend",
    group="Statics",
    source="Bathe & Bolourchi 1979",
    reference="boundary value problem, ten digits; the paper's displacements",
    solve=solve,
)


@pytest.mark.parametrize(
    "nodes, counts, expected", [(2, (16, 32, 64), 2), (3, (8, 16, 32), 4), (4, (4, 8, 16), 6)]
)
def test_orders_in_space(nodes: int, counts: tuple[int, ...], expected: int) -> None:
    """h^2, h^4, h^6 with 2, 3, 4 nodes."""
    errors = [float(np.linalg.norm(bent(600, count, nodes)[-1] - TIP[600])) for count in counts]
    assert order(errors, [1 / n for n in counts]) == pytest.approx(expected, abs=0.2)
