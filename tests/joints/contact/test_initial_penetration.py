"""Initial penetration: InputError with the depth, unless it may be a static equilibrium."""

from typing import Any

import pytest

from fem_mbd import InputError, Model
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import RigidBody
from fem_mbd.friction import Linear
from fem_mbd.joints import PointOnPlane, SpatialClearance, SphereOnPlane, SphereOnSphere, SphericalClearance

STIFF, SOFT = Linear(1e6), Linear(981.0)


def model_with(part: Any, place: tuple[float, float, float]) -> Model:
    """A body of 1 kg at the position ``place`` and a contact of the ground (K) with it (L)."""
    model = Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(1.0, (1e-2, 2e-2, 2.5e-2), place)).node
    model.add(part(model.ground, body))
    return model


@pytest.mark.parametrize(
    ("part", "place", "depth"),
    [
        (lambda k, l: PointOnPlane(k, l, STIFF), (0, 0, -0.5), "indentation of 0.5 m"),
        (lambda k, l: SphereOnPlane(k, l, normal=STIFF, radius=0.1), (0, 0, 0.06), "indentation of 0.04 m"),
        (
            lambda k, l: SphereOnSphere(k, l, normal=STIFF, radius_k=0.1, radius_l=0.2),
            (0.25, 0, 0),
            "indentation of 0.05 m",
        ),
        (lambda k, l: SphericalClearance(k, l, 0.1, 0.09, STIFF), (0.06, 0, 0), "indentation of 0.05 m"),
        (
            lambda k, l: SpatialClearance(k, l, 0.1, 0.09, STIFF, axis=(0, 0, 1)),
            (0.06, 0, 0.3),
            "indentation of 0.05 m",
        ),
    ],
    ids=["point", "ball on plane", "balls", "socket", "cylinder"],
)
def test_a_deep_start_is_refused(part: Any, place: tuple[float, float, float], depth: str) -> None:
    with pytest.raises(InputError, match=f"starts with an {depth}"):
        System(model_with(part, place))


def test_the_depth_of_a_static_equilibrium_is_accepted() -> None:
    """A kilogram on a spring of 981 N/m rests 1 cm deep, a tenth of the ball's radius and more."""
    System(model_with(lambda k, l: SphereOnPlane(k, l, normal=SOFT, radius=0.05), (0, 0, 0.04)))
    System(model_with(lambda k, l: PointOnPlane(k, l, SOFT), (0, 0, -0.01)))
    System(model_with(lambda k, l: PointOnPlane(k, l, Linear(1e8)), (0, 0, -1e-6)))
