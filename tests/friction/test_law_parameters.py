"""Every law of the package describes its parameters, and raises InputError for values outside of the description."""

import re
import typing
import warnings
from dataclasses import MISSING, fields, replace
from typing import Any

import pytest

from fem_mbd import InputError, friction
from fem_mbd.friction import LawRangeWarning
from fem_mbd.friction.dynamic.classical import ClassicalLaw
from tests.friction.law_calls import BEARING, FRICTION, NORMAL, RESTITUTION
from tests.friction.library import LIBRARY

LAWS: dict[str, Any] = {}
OTHERS = (
    friction.DMT(1e11, 0.02, 0.1, 1e-9),
    friction.Hamaker(1e11, 0.02, 1e-19),
    friction.JKR(1e6, 0.02, 0.1),
    friction.Maugis(1e9, 0.02, 0.1, 2e6),
    friction.ElasticAsperities(1e9, 1e-4, 0.9),
    friction.PermanentIndentation(friction.Hertz(1e9), 0.9),
)
for law in (*LIBRARY.values(), *FRICTION.values(), *NORMAL.values(), *OTHERS):
    LAWS.setdefault(type(law).__name__, law)
for name, family in RESTITUTION.items():
    LAWS[name] = family(friction.Hertz(1e9), 0.9, impact_speed=0.1)

NO_LAWS = {"Law", "CylinderLaw", "RestitutionLaw", "FrictionLaw", "NormalLaw"}  # bases and protocols
NO_NUMBERS = [float("nan"), float("inf"), -1.0, None, "0.1", True]
ROLE_UNITS = {
    "coefficient": "-", "shape": "-", "share": "-", "length": "m", "speed": "m/s", "stiffness": "1/m", "time": "s",
    "slope": "s/m", "damping": "s/m", "viscous": "s/m", "rate": "1/s", "acceleration": "m/s2",
    "quadratic": "s2/m2",
}  # fmt: skip
CLASSICAL_UNITS = {"stiffness": "N/m", "damping": "N s/m", "viscous": "N s/m"}


def refused(law: Any, parameter: str, value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LawRangeWarning)
        with pytest.raises(InputError, match=rf"^{type(law).__name__}\b.*\b{re.escape(parameter)}\b"):
            replace(law, **{parameter: value})


def test_every_law_of_the_package_is_here() -> None:
    exported = {
        name
        for name in dir(friction)
        if isinstance(getattr(friction, name), type) and hasattr(getattr(friction, name), "record")
    }
    assert exported - NO_LAWS == set(LAWS)


@pytest.mark.parametrize("name", LAWS)
def test_numbers(name: str) -> None:
    """No number, infinite, negative, and on the wrong side of every bound that the parameter is said to have."""
    law = LAWS[name]
    for own in law.parameters.values():
        present = getattr(law, own.name)
        if isinstance(present, float):
            for value in NO_NUMBERS:
                left_out = value is None and own.default is None
                if not (left_out or (value == float("inf") and own.info.unlimited)):
                    refused(law, own.name, value)
            for bound, beyond in ((own.info.above, 0.0), (own.info.below, 0.0), (own.info.at_most, 1e-12)):
                limit = getattr(law, bound) if isinstance(bound, str) else bound
                if limit is not None:
                    refused(law, own.name, limit + beyond)
            if isinstance(own.info.at_least, str):
                refused(law, own.name, 0.5 * getattr(law, own.info.at_least))
        elif own.name == "curve":
            refused(law, own.name, present[::-1] or ((1.0, 0.1), (0.0, 0.1)))
        elif isinstance(present, tuple) and present:
            refused(law, own.name, present[:-1])
            for value in (float("nan"), -1.0, 0.0) if own.info.unit else ():
                refused(law, own.name, (value, *present[1:]))
        elif isinstance(present, int) and not isinstance(present, bool):
            for value in (own.info.at_least - 1, own.info.at_most + 1, 2.5, float("nan"), True, None):
                refused(law, own.name, value)
        elif typing.get_origin(own.hint) is typing.Literal:
            refused(law, own.name, "tensor")
        elif own.name == "elastic":
            refused(law, own.name, 1e6)


@pytest.mark.parametrize("name", LAWS)
def test_parameters_are_described(name: str) -> None:
    """Every field has a description, whose text is in the docstring; its role agrees with its unit."""
    kind = type(LAWS[name])
    assert list(kind.parameters) == [field.name for field in fields(kind)]
    for field in fields(kind):
        own = kind.parameters[field.name]
        assert own.default == field.default or (own.default is MISSING and field.default is MISSING)
        assert own.info.meaning and not own.info.meaning.endswith(".")
        assert re.search(
            rf"(?m)^{own.name} : .*\n    .*{re.escape(own.info.meaning[1:])}", kind.__doc__ or ""
        )
        assert own.info.unit or not isinstance(getattr(LAWS[name], own.name), float)
        if own.info.role:
            units = ROLE_UNITS | (CLASSICAL_UNITS if isinstance(LAWS[name], ClassicalLaw) else {})
            assert own.info.unit.removesuffix("**delta_v").strip("()") == units[own.info.role]
    assert kind.source or name == "Frictionless"


def test_a_name_means_one_thing() -> None:
    """A parameter of several laws has one role and one unit in all of them; classical ones have newtons in it."""
    meant: dict[str, set[tuple[str, str]]] = {}
    for law in (*LIBRARY.values(), *FRICTION.values()):
        if isinstance(law, ClassicalLaw):
            continue
        for own in law.parameters.values():
            meant.setdefault(own.name, set()).add(
                (own.info.role, own.info.unit.replace("(s/m)**delta_v", "s/m"))
            )
    assert {name: found for name, found in meant.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", LAWS)
def test_a_wrong_name_gets_the_nearest(name: str) -> None:
    law = LAWS[name]
    for own in law.parameters:
        with pytest.raises(
            InputError, match=rf"^{name}: there is no parameter '{own}x'; did you mean '{own}'"
        ):
            type(law)(**{own + "x": 1.0})


@pytest.mark.parametrize("name", [n for n, law in LAWS.items() if isinstance(law, friction.CylinderLaw)])
def test_cylinders_of_unusable_material(name: str) -> None:
    class Bad:
        density = 7850.0

    for young, poisson in ((0.0, 0.3), (-1.0, 0.3), (float("nan"), 0.3), (2e11, 0.6), (2e11, -1.0)):
        bad: Any = Bad()
        bad.young, bad.poisson = young, poisson
        with pytest.raises(InputError, match="poisson" if young > 1.0 else "young"):
            type(LAWS[name])(*BEARING[:3], bad, BEARING[4])
