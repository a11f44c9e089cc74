"""Invalid parameters of laws raise InputError naming law and parameter; records contain the given values."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from fem_mbd.errors import InputError
from fem_mbd.friction import FRICTION_LAW, NORMAL_LAW, Gonthier, Hertz, HuntCrossley, Linear, LuGre
from fem_mbd.friction.normal.dispatch import normal_force, normal_potential
from fem_mbd.friction.records import ALONG_SLIP, BOND
from fem_mbd.friction.tangential import friction_force
from tests.friction.law_calls import FRICTION, NORMAL, SIZES


@pytest.mark.parametrize(
    "build, message",
    [
        (
            lambda: HuntCrossley.from_restitution(Linear(1.0), 1.0, 2.0),
            "restitution is 1: it must be below 1",
        ),
        (lambda: HuntCrossley.from_restitution(Linear(1.0), 0.5, 0.0), "impact_speed is 0: it must be above"),
        (lambda: Linear("15e6"), "Linear stiffness is '15e6': give one number"),  # type: ignore[arg-type]
        (lambda: LuGre(**SIZES, form="tensor"), 'LuGre form is .tensor.: give "vector" or "scalar"'),  # type: ignore[arg-type]
    ],
)
def test_bad_parameters(build: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build()


def test_laws_are_immutable_values() -> None:
    law = Linear(15)
    with pytest.raises(FrozenInstanceError):
        law.stiffness = 2.0  # type: ignore[misc]
    assert law == Linear(15.0) and hash(law) == hash(Linear(15.0)) and isinstance(law.stiffness, float)


def test_records_stack_to_one_array_per_family() -> None:
    normal = np.stack([law.record() for law in NORMAL.values()])
    friction = np.stack([law.record() for law in FRICTION.values()])
    assert normal.dtype == NORMAL_LAW and friction.dtype == FRICTION_LAW
    for k, law in enumerate(NORMAL.values()):
        assert normal_force(normal[k], -1e-5, -3e-5, 1e-4) == normal_force(
            law.record()[()], -1e-5, -3e-5, 1e-4
        )
    damped = HuntCrossley(Hertz(2e9, 1.4), 0.3).record()
    assert (*damped["p"][:2], damped["damping"]) == (2e9, 1.4, 0.3)


def test_rounding_speed_follows_the_stribeck_speed_unless_given() -> None:
    assert LuGre(**SIZES).rounding_speed == pytest.approx(1e-9, rel=1e-6, abs=0.0)
    assert LuGre(**SIZES, form="scalar").rounding_speed == pytest.approx(1e-7)
    assert LuGre(**SIZES, v_eps=3e-8).rounding_speed == 3e-8


def test_a_record_that_nobody_filled_is_noticed() -> None:
    empty = np.zeros((), NORMAL_LAW)[()]
    with pytest.raises(ValueError, match="unknown kind"):
        normal_force(empty, -1.0, -2.0, 1e-4)
    with pytest.raises(ValueError, match="unknown kind"):
        normal_potential(empty, -1.0)
    with pytest.raises(ValueError, match="unknown kind"):
        friction_force(
            np.zeros((), FRICTION_LAW)[()],
            np.zeros(3),
            np.zeros((1, 3)),
            1.0,
            1.0,
            1e-4,
            np.zeros(3),
            np.zeros((1, 3)),
        )


@pytest.mark.parametrize("rows", [(1, 3), (2, 2)])
def test_a_dynamic_law_without_its_states_is_noticed(rows: tuple[int, int]) -> None:
    """Gonthier's law has two vectors of states."""
    law = Gonthier(1e5, 100.0, 0.1, 0.15, 0.1, 1e-3, 2.0).record()[()]
    for z_i, z_f in ((rows, (2, 3)), ((2, 3), rows)):
        with pytest.raises(ValueError, match="z_i and z_f need state_count"):
            friction_force(law, np.zeros(3), np.zeros(z_i), 1.0, 1.0, 1e-4, np.zeros(3), np.zeros(z_f))


@pytest.mark.parametrize("family", [ALONG_SLIP, BOND])
def test_a_record_of_a_family_without_its_law_is_noticed(family: int) -> None:
    record = np.zeros((), FRICTION_LAW)
    record["family"], record["kind"] = family, 1
    slip, z = np.array([1e-5, 0.0, 0.0]), np.zeros((1, 3))
    with pytest.raises(ValueError, match="unknown kind"):
        friction_force(record[()], slip, z, 1.0, 1.0, 1e-4, np.zeros(3), z.copy())
