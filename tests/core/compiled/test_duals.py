"""Kernels with dual numbers: every law's derivatives against a complex step, memory of records, what is refused."""

from typing import Any

import numpy as np
import pytest

import fem_mbd.friction
from fem_mbd.core.compiled.calls import Call, Number
from fem_mbd.core.compiled.dual_calls import DualCall, Shadow
from fem_mbd.core.compiled.dual_numbers import DIRECTIONS
from fem_mbd.errors import FemMbdWarning, InputError
from fem_mbd.friction.normal.dispatch import normal_force
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW
from fem_mbd.friction.tangential import directed_force, state_count

pytestmark = pytest.mark.filterwarnings(f"ignore::{FemMbdWarning.__module__}.{FemMbdWarning.__name__}")
H = 1e-40


def _examples(dtype: Any) -> dict[str, Any]:
    """Records of the examples of all laws of the package with records of this type."""
    found = {}
    for name in dir(fem_mbd.friction):
        kind = getattr(fem_mbd.friction, name)
        for label, given in getattr(kind, "examples", {}).items():
            law = kind(**given)
            if hasattr(law, "record") and law.record().dtype == dtype:
                found[f"{name} {label}".strip()] = law.record()
    return found


FRICTION, NORMAL = _examples(FRICTION_LAW), _examples(NORMAL_LAW)


def test_the_package_has_laws() -> None:
    assert len(FRICTION) > 30
    assert len(NORMAL) > 10


@pytest.mark.parametrize("name", FRICTION)
@pytest.mark.parametrize("slip", [1e-9, 1e-6])
def test_friction_laws(name: str, slip: float) -> None:
    """By the slip (2), the state (3) and the normal force; a sliding and a sticking step."""
    law = FRICTION[name]
    rng, dt = np.random.default_rng(5), 1e-4
    count = max(state_count(law[()]), 1)
    values = [np.array([slip, -0.5 * slip, 0.0]), 0.3 * slip * rng.normal(size=(count, 3)), np.array([20.0])]
    values[1][:, 2] = 0.0
    directions = [np.zeros((*one.shape, DIRECTIONS)) for one in values]
    for component, (which, place) in enumerate([(0, (0,)), (0, (1,)), (1, (0, 0)), (1, (0, 1)), (2, (0,))]):
        directions[which][(*place, component)] = slip if which < 2 else 1.0
    along = np.array([1.0, 0.0, 0.0])
    found = _with_duals(law, along, values, directions, dt)
    for component in range(5):
        s, z, f = (
            one + 1j * H * change[..., component] for one, change in zip(values, directions, strict=True)
        )
        mu, z_f = np.zeros(3, complex), np.zeros((count, 3), complex)
        loss = directed_force(law[()], along + 0j, s, z, f[0], complex(values[2][0]), dt, mu, z_f)
        work = values[2][0] * slip * np.abs(mu.real).max()  # the loss is the difference of works of this size
        for dual, number, size in (
            (found[0], mu, 0.0),
            (found[1], z_f, 0.0),
            (found[2], np.array([loss]), work),
        ):
            assert dual[..., 0] == pytest.approx(number.real, rel=1e-13, abs=1e-13 * size)
            slope = number.imag / H
            allowed = 1e-9 * np.abs(slope).max() + 1e-13 * max(np.abs(number.real).max(), size)
            assert np.abs(dual[..., 1 + component] - slope).max() <= allowed


def _with_duals(law: Any, along: Any, values: Any, directions: Any, dt: float) -> tuple[Any, Any, Any]:
    """mu, z_f and the loss of a step with duals (…, WIDTH)."""
    shadow, before = Shadow(), float(values[2][0])
    s, z, f = (one.copy() for one in values)
    mu, z_f = np.zeros(3), np.zeros_like(z)
    call = DualCall(Call(directed_force, law[()], along, s, z, Number(f, 0), before, dt, mu, z_f), shadow)
    for one, change in zip((s, z, f), directions, strict=True):
        shadow.duals(one)[..., 1:] = change
    call()
    return shadow.duals(mu), shadow.duals(z_f), call.returned


@pytest.mark.parametrize("name", NORMAL)
@pytest.mark.parametrize("gaps", [(2e-6, -3e-6), (-3e-6, -2e-6), (-2e-6, 1e-6), (3e-6, 2e-6)])
def test_normal_laws(name: str, gaps: tuple[float, float]) -> None:
    """By both gaps, the speed at which the contact began, and the deepest approach."""
    law, dt = NORMAL[name], 1e-5
    numbers = np.array([*gaps, 0.2, 4e-6])
    shadow = Shadow()
    q_i, q_f, speed, deepest = (Number(numbers, k) for k in range(4))
    call = DualCall(Call(normal_force, law[()], q_i, q_f, dt, speed, deepest), shadow)
    shadow.duals(numbers)[:, 1:5] = np.diag(np.abs(numbers))
    call()
    for component in range(4):
        stepped = numbers + 1j * H * np.abs(numbers) * (np.arange(4) == component)
        expected = np.array(normal_force(law[()], stepped[0], stepped[1], dt, stepped[2], stepped[3]))
        assert call.returned[:, 0] == pytest.approx(expected.real, rel=1e-13, abs=1e-300)
        slope = expected.imag / H
        allowed = 1e-9 * np.abs(slope).max() + 1e-13 * np.abs(expected.real).max()
        assert np.abs(call.returned[:, 1 + component] - slope).max() <= allowed


def test_records_of_several_types_keep_their_places() -> None:
    dtype = np.dtype(
        [("nodes", "i8", (2,)), ("arm", "f8", (2, 3)), ("kind", "i8"), ("gap", "f8")], align=True
    )
    records = np.zeros(3, dtype)
    records["nodes"], records["kind"] = [[1, 2], [3, 4], [5, 6]], [7, 8, 9]
    records["arm"], records["gap"] = np.arange(18.0).reshape(3, 2, 3), [0.1, 0.2, 0.3]
    shadow = Shadow()
    block = shadow.block(records["arm"])
    assert block is shadow.block(records)
    assert (shadow.duals(records["arm"])[..., 0] == records["arm"]).all()
    assert (shadow.duals(records["gap"])[..., 0] == records["gap"]).all()
    assert (shadow.duals(records["arm"])[..., 1:] == 0.0).all()
    shadow.duals(records["gap"])[1, 1] = 5.0
    assert shadow.duals(records["gap"][1:2])[0, 1] == 5.0
    block.move(1, 0.5)
    assert records["gap"].tolist() == [0.1, 0.2 + 2.5, 0.3]
    block.move(0, 0.0)
    assert records["gap"].tolist() == [0.1, 0.2, 0.3]
    assert records["nodes"].tolist() == [[1, 2], [3, 4], [5, 6]]


def test_laws_of_ones_own_are_refused() -> None:
    law = FRICTION["Coulomb"].copy()
    law["entries"] = 1
    given = (np.zeros(3), np.zeros(3), np.zeros((1, 3)), 1.0, 1.0, 1e-4, np.zeros(3), np.zeros((1, 3)))
    with pytest.raises(InputError, match="law of your own"):
        DualCall(Call(directed_force, law[()], *given), Shadow())
