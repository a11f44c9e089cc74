"""All laws of the package: derivatives by the unknowns of a step and by the history of the contact.

Complex step, as a derivative of a whole run would take it, against differences of fourth order. Laws are taken from the
package's lists, so that a new one is tested automatically, and from the tests' own, with other parameters.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fem_mbd.friction.normal.dispatch import normal_force
from fem_mbd.friction.probes import gallery
from fem_mbd.friction.tangential import turned_states
from tests.friction.law_calls import NORMAL as OTHER_NORMAL
from tests.friction.library import LAWS, fresh, step, stored

# of the random part of Wojewoda's law, the gallery has an example without
FRICTION = {entry.name: entry.law for entry in gallery.ENTRIES} | {
    n: LAWS[n] for n in LAWS if n != "wojewoda"
}
NORMAL = {entry.name: entry.law for entry in gallery.CONTACT_ENTRIES} | OTHER_NORMAL
N, DT = 10.0, 1e-3  # N, s
BOUND = 1e-9
Function = Callable[[Any], Any]


def error(function: Function, at: Any, j: int, size: float) -> float:
    """Of the derivative of results of the order of one by argument j, in units of ``size``.

    The error for the best of three difference steps: large ones have truncation errors, small ones round-off.
    """
    along = np.eye(len(at))[j]
    exact = function(at + 1e-40j * size * along).imag / 1e-40
    found = []
    for h in (1e-2, 1e-3, 1e-4):
        f = {k: function(at + k * h * size * along) for k in (-2, -1, 1, 2)}
        found.append((8.0 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12.0 * h))
    return min(float(np.abs(d - exact).max()) for d in found) / max(1.0, float(np.abs(exact).max()))


def remembered(law: Any, slip: float, rng: np.random.Generator) -> Any:
    """State (nz, 3) after some steps to and fro along an almost straight line.

    Deflections are a tenth less: sliding ones are as large as they can be, and a derivative has one side there.
    """
    z, turned = fresh(law), int(turned_states(law.record()[()]))
    for share in (1.0, 0.4, -0.3, 0.8):
        z = step(law, slip * share * np.array([1.0, 0.01 * rng.normal(), 0.0]), z, N, DT).z_f
    z[:turned] *= 0.9
    return z


@pytest.mark.parametrize("slip", [2e-7, 3e-5])
@pytest.mark.parametrize("name", FRICTION)
def test_friction(name: str, slip: float) -> None:
    """Coefficient, state and loss by slip, state, both normal forces; stuck and sliding."""
    law, rng = FRICTION[name], np.random.default_rng(4)
    z = remembered(law, slip, rng)
    turned = int(turned_states(law.record()[()]))
    # counts and flags are whole: nothing is differentiated by them
    places = [
        (n, i) for n in range(len(z)) for i in range(2 if n < turned else 3) if z[n, i] != round(z[n, i])
    ]
    rows = tuple(np.array(places, dtype=int).reshape(-1, 2).T)

    at = np.array([slip * 0.9, -0.2 * slip, 1.1 * N, N, *z[rows]])
    sizes = np.abs(at)
    sizes[4:] = np.where(rows[0] < turned, np.linalg.norm(z[rows[0]], axis=1), sizes[4:])

    def results(x: Any) -> Any:
        past = z.astype(x.dtype)
        past[rows] = x[4:]
        answer = step(law, [x[0], x[1], 0.0], past, x[2], DT, x[3])
        return np.concatenate([answer.mu / most, (answer.z_f / longest).ravel(), [answer.loss / work]])

    most, longest, work = 1.0, np.ones((len(z), 1)), 1.0  # before they are known
    now = results(at)
    most = np.abs(now[:3]).max() or 1.0
    longest = np.maximum(np.abs(now[3:-1].reshape(z.shape)), np.abs(z)).max(axis=1, keepdims=True)
    longest[longest == 0.0] = 1.0
    work = 1.1 * N * most * slip + stored(law, z, N)
    for j, size in enumerate(sizes):
        assert error(results, at, j, size) < BOUND, f"argument {j}, rows {places}"


@pytest.mark.parametrize(
    "ends", [(-3e-6, -4e-6), (-3e-6, -1e-6), (1e-8, -2e-6), (-2e-6, 5e-8), (1.5e-7, 3e-8)]
)
@pytest.mark.parametrize("name", NORMAL)
def test_normal(name: str, ends: tuple[float, float]) -> None:
    """Force and its elastic part by the gaps, the speed at which the contact began, the largest approach."""
    record = NORMAL[name].record()[()]

    def forces(x: Any) -> Any:
        return np.array(normal_force(record, x[0], x[1], 1e-5, x[2], x[3])) / size

    for deepest in (3.5e-6, 5e-6):
        at, size = np.array([*ends, 0.3, deepest]), 1.0
        size = np.abs(forces(at)).max() or 1.0
        for j, value in enumerate(at):
            assert error(forces, at, j, abs(value)) < BOUND, f"argument {j}, deepest {deepest:g} m"
