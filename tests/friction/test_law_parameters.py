"""Every law of the package refuses every parameter that is no number, infinite or of the wrong sign, by name."""

from __future__ import annotations

import re
import warnings
from dataclasses import fields, replace
from typing import Any

import pytest

from fem_mbd import friction
from fem_mbd.errors import InputError
from fem_mbd.friction import LawRangeWarning
from tests.friction.law_calls import BEARING, FRICTION, NORMAL, RESTITUTION
from tests.friction.library import LIBRARY

LAWS: dict[str, Any] = {}
for law in (*LIBRARY.values(), *FRICTION.values(), *NORMAL.values()):
    LAWS.setdefault(type(law).__name__, law)
for name, family in RESTITUTION.items():
    LAWS[name] = family(friction.Hertz(1e9), 0.9, impact_speed=0.1)

NO_LAWS = {"CylinderLaw", "RestitutionLaw", "FrictionLaw", "NormalLaw"}  # bases and protocols
# what may be infinite: no limit
UNLIMITED = {("Hertz", "speed_limit"), ("Wojewoda", "a_S")}
# not numbers: forms, flags, materials, laws, whole numbers with their own tests below
PARAMETERS = [
    (name, field.name)
    for name, law in LAWS.items()
    for field in fields(law)
    if isinstance(getattr(law, field.name), float)
]
SEQUENCES = [
    (name, field.name)
    for name, law in LAWS.items()
    for field in fields(law)
    if isinstance(getattr(law, field.name), tuple) and getattr(law, field.name)
]


def refused(law: Any, parameter: str, value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LawRangeWarning)
        with pytest.raises(InputError, match=rf"^{type(law).__name__}\b.*\b{re.escape(parameter)}\b"):
            replace(law, **{parameter: value})


def test_every_law_of_the_package_is_here() -> None:
    exported = {
        name
        for name in friction.__all__
        if isinstance(getattr(friction, name), type) and hasattr(getattr(friction, name), "record")
    }
    assert exported - NO_LAWS == set(LAWS)


@pytest.mark.parametrize("name, parameter", PARAMETERS)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, None, "0.1", True], ids=str)
def test_parameters(name: str, parameter: str, value: Any) -> None:
    if value == float("inf") and (name, parameter) in UNLIMITED:
        return
    if value is None and getattr(type(LAWS[name]), parameter, 0.0) is None:
        return  # left out by default
    refused(LAWS[name], parameter, value)


@pytest.mark.parametrize("name, parameter", SEQUENCES)
@pytest.mark.parametrize("value", [float("nan"), -1.0, 0.0])
def test_parameters_of_elements(name: str, parameter: str, value: float) -> None:
    numbers = getattr(LAWS[name], parameter)
    refused(LAWS[name], parameter, (value, *numbers[1:]))
    refused(LAWS[name], parameter, numbers[:-1])


@pytest.mark.parametrize(
    "name", [n for n, law in LAWS.items() if hasattr(law, "mu_s") and hasattr(law, "mu_k")]
)
def test_static_friction_below_kinetic_friction(name: str) -> None:
    refused(LAWS[name], "mu_s", 0.5 * LAWS[name].mu_k)


@pytest.mark.parametrize(
    "name",
    [n for n, law in LAWS.items() if any(hasattr(law, s) for s in ("v_s", "v_0", "D_v", "v_d"))],
)
def test_reference_speed_of_zero(name: str) -> None:
    for parameter in ("v_s", "v_0", "D_v", "v_d"):
        if hasattr(LAWS[name], parameter):
            refused(LAWS[name], parameter, 0.0)


@pytest.mark.parametrize("name", RESTITUTION)
@pytest.mark.parametrize("value", [0.0, 1.0 + 1e-12, 2.0])
def test_restitution_outside_its_range(name: str, value: float) -> None:
    refused(LAWS[name], "restitution", value)


@pytest.mark.parametrize("name", [n for n, law in LAWS.items() if hasattr(law, "elastic")])
def test_elastic_part_that_is_no_law(name: str) -> None:
    refused(LAWS[name], "elastic", 1e6)


@pytest.mark.parametrize("name", [n for n, law in LAWS.items() if hasattr(law, "form")])
def test_unknown_form(name: str) -> None:
    refused(LAWS[name], "form", "tensor")


@pytest.mark.parametrize(
    "name, parameter", [("Iwan", "n"), ("Bristles", "n"), ("Bristles", "seed"), ("Wojewoda", "seed")]
)
@pytest.mark.parametrize("value", [-1, 2.5, float("nan"), True])
def test_whole_numbers(name: str, parameter: str, value: Any) -> None:
    refused(LAWS[name], parameter, value)


@pytest.mark.parametrize("name", [n for n, law in LAWS.items() if isinstance(law, friction.CylinderLaw)])
@pytest.mark.parametrize(
    "young, poisson", [(0.0, 0.3), (-1.0, 0.3), (float("nan"), 0.3), (2e11, 0.6), (2e11, -1.0)]
)
def test_cylinders_of_unusable_material(name: str, young: float, poisson: float) -> None:
    class Bad:
        density = 7850.0

    bad: Any = Bad()
    bad.young, bad.poisson = young, poisson
    parameter = "poisson" if young > 1.0 else "young"
    with pytest.raises(InputError, match=parameter):
        type(LAWS[name])(*BEARING[:3], bad, BEARING[4])
