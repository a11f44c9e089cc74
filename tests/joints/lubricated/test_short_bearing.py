"""The film of the short bearing against its integrals and closed forms of the literature."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from fem_mbd.base.arrays import Array
from fem_mbd.joints.oil_film import half_film

RATIOS = (0.05, 0.3, 0.6, 0.9, 0.99)


def force(place: Array, velocity: Array, speed: float) -> Array:
    """On a journal that rotates with ``speed`` in a bearing at rest, over mu R L**3/c**2; position (2,) over c."""
    v = velocity - 0.5 * speed * np.array([-place[1], place[0]])
    size = np.sqrt(v @ v)
    turned = np.array([-v[1], v[0]])
    along, across = half_film(place @ v / size, place @ turned / size)
    return -(along * v + across * turned)


@pytest.mark.parametrize("ratio", [0.0, *RATIOS, 0.999])
def test_integrals(ratio: float) -> None:
    for direction in np.linspace(0.0, 2.0 * np.pi, 9):
        x, y = ratio * np.cos(direction), ratio * np.sin(direction)

        def film(t: float, x: float = x, y: float = y) -> float:
            return float(np.cos(t) / (1.0 - x * np.cos(t) - y * np.sin(t)) ** 3)

        thinnest = [t for t in (float(np.arctan2(y, x)),) if abs(t) < 0.5 * np.pi] or None
        ends = (-0.5 * np.pi, 0.5 * np.pi)
        found = half_film(x, y)
        along = quad(lambda t: film(t) * np.cos(t), *ends, points=thinnest, limit=400, epsrel=1e-12)[0]
        across = quad(lambda t: film(t) * np.sin(t), *ends, points=thinnest, limit=400, epsrel=1e-12)[0]
        assert found[0] == pytest.approx(along, rel=1e-10)
        assert found[1] == pytest.approx(across, rel=1e-10, abs=1e-10 * along)


@pytest.mark.parametrize("ratio", RATIOS)
def test_steady_load_and_attitude_of_ocvirk(ratio: float) -> None:
    """W = mu omega R L**3/(4 c**2) eps/(1 - eps**2)**2 sqrt(16 eps**2 + pi**2 (1 - eps**2)).

    The attitude is tan phi = pi sqrt(1 - eps**2)/(4 eps). DuBois and Ocvirk, NACA report 1157 (1953).
    """
    place = np.array([0.0, -ratio])
    f = force(place, np.zeros(2), 1.0)
    left = 1.0 - ratio**2
    load = 0.25 * ratio / left**2 * np.sqrt(16.0 * ratio**2 + np.pi**2 * left)
    assert np.hypot(*f) == pytest.approx(load, rel=1e-12)
    assert abs(f[0] / f[1]) == pytest.approx(np.pi * np.sqrt(left) / (4.0 * ratio), rel=1e-12)
    # towards the centre, and in the direction of rotation of the journal
    assert f[1] > 0.0 and f[0] * -place[1] > 0.0


def test_pure_squeeze() -> None:
    """Of a film pressed together, (1 + 2 eps**2) acos(-eps)/(1 - eps**2)**2.5 + 3 eps/(1 - eps**2)**2 (Booker 1965)."""
    for ratio in RATIOS:
        left = 1.0 - ratio**2
        expected = (1.0 + 2.0 * ratio**2) * np.arccos(-ratio) / left**2.5 + 3.0 * ratio / left**2
        f = force(np.array([ratio, 0.0]), np.array([1.0, 0.0]), 0.0)
        assert f[0] == pytest.approx(-expected, rel=1e-12) and f[1] == 0.0


def coefficients(ratio: float) -> tuple[Array, Array]:
    """Stiffness c K/W and damping c omega C/W of the short bearing, x across the load and y along it, by their authors.

    Friswell, Penny, Garvey and Lees, Dynamics of Rotating Machines (Cambridge 2010), section 5.5.
    """
    e2, left, p2 = ratio**2, 1.0 - ratio**2, np.pi**2
    h, root = (p2 * left + 16.0 * e2) ** -1.5, ratio * np.sqrt(left)
    k = np.array(
        [
            [4.0 * (p2 * (2.0 - e2) + 16.0 * e2), np.pi * (p2 * left**2 - 16.0 * e2**2) / root],
            [
                -np.pi * (p2 * left * (1.0 + 2.0 * e2) + 32.0 * e2 * (1.0 + e2)) / root,
                4.0 * (p2 * (1.0 + 2.0 * e2) + 32.0 * e2 * (1.0 + e2) / left),
            ],
        ]
    )
    cross = -8.0 * (p2 * (1.0 + 2.0 * e2) - 16.0 * e2)
    c = np.array(
        [
            [2.0 * np.pi * np.sqrt(left) * (p2 * (1.0 + 2.0 * e2) - 16.0 * e2) / ratio, cross],
            [cross, 2.0 * np.pi * (p2 * left**2 + 48.0 * e2) / root],
        ]
    )
    return h * k, h * c


def linearised(ratio: float) -> tuple[Array, Array]:
    """The same by complex steps of the film's force about its steady position, load along -y."""
    f = force(np.array([0.0, -ratio]), np.zeros(2), 1.0)
    load = np.hypot(*f)
    # rotate the axes so that the film force is along +y
    s, c = f[0] / load, f[1] / load
    turn = np.array([[c, -s], [s, c]])
    place = turn @ np.array([0.0, -ratio])
    stiffness, damping = np.empty((2, 2)), np.empty((2, 2))
    for j, e in enumerate(np.eye(2) * 1e-40j):
        stiffness[:, j] = -force(place + e, np.zeros(2), 1.0).imag / 1e-40 / load
        damping[:, j] = -force(place, e, 1.0).imag / 1e-40 / load
    return stiffness, damping


@pytest.mark.parametrize("ratio", RATIOS[:4])
def test_linear_coefficients(ratio: float) -> None:
    for found, printed in zip(linearised(ratio), coefficients(ratio), strict=True):
        assert np.abs(found - printed).max() < 1e-9 * np.abs(printed).max()


def threshold(ratio: float) -> tuple[float, float]:
    """Squares of whirl ratio and of the speed m c omega**2/W at which a rigid rotor starts to whirl (Routh)."""
    (kxx, kxy), (kyx, kyy) = linearised(ratio)[0]
    (cxx, cxy), (cyx, cyy) = linearised(ratio)[1]
    k = (kxx * cyy + kyy * cxx - kxy * cyx - kyx * cxy) / (cxx + cyy)
    whirl = ((kxx - k) * (kyy - k) - kxy * kyx) / (cxx * cyy - cxy * cyx)
    return whirl, k / whirl


def test_whirl_of_a_rigid_rotor() -> None:
    """Half-frequency whirl of a light journal; none above an eccentricity of 0.75 (Szeri 1980; San Andres' notes 5).

    The threshold of a light journal, m c omega**2/W, is 24/pi: Routh's with the printed coefficients for eps to zero.
    """
    whirl, speed = threshold(1e-3)
    assert np.sqrt(whirl) == pytest.approx(0.5, abs=1e-4)
    assert speed == pytest.approx(24.0 / np.pi, rel=1e-4)
    assert brentq(lambda r: threshold(r)[0], 0.6, 0.9) == pytest.approx(0.75, abs=0.01)


def test_film_never_generates_energy() -> None:
    rng = np.random.default_rng(1)
    for _ in range(500):
        angle, ratio = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, 0.999)
        place = ratio * np.array([np.cos(angle), np.sin(angle)])
        velocity = rng.normal(size=2)
        assert force(place, velocity, 0.0) @ velocity < 0.0
