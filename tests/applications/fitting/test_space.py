"""Tests of search spaces: ranges found from the laws, and no coordinate leads to an invalid law."""

import dataclasses
import typing
from math import inf

import numpy as np
import pytest

from fem_mbd.applications.fitting.forms import Free, LawForm, law_form, law_kind, role, unit
from fem_mbd.applications.fitting.space import limits, space_of
from fem_mbd.friction import ElastoPlastic, LuGre, Valanis
from fem_mbd.friction.probes.gallery import ENTRIES, Entry
from tests.friction.library import LIBRARY

BY_LAW = {type(law).__name__: law for law in LIBRARY.values()}


def everything_free(law: object) -> tuple[LawForm, dict[str, float]]:
    """Form of a law with all its numbers free, and the numbers; values that are not finite remain fixed."""
    free: dict[str, Free | float | None] = {}
    held: dict[str, object] = {}
    at: dict[str, float] = {}
    for field in dataclasses.fields(law):  # type: ignore[arg-type]
        value = getattr(law, field.name)
        if isinstance(value, tuple) and field.name not in ("curve", "axis"):
            at |= {f"{field.name}.{k}": entry for k, entry in enumerate(value, 1)}
        elif isinstance(value, float) and np.isfinite(value):
            at[field.name] = value
        elif value != ():
            held[field.name] = value
    free |= at
    return law_form(type(law), free, held), at


@pytest.mark.parametrize("name", BY_LAW)
def test_every_place_is_accepted(name: str) -> None:
    """The start is reproduced; random points within the bounds of the coordinates are valid laws."""
    form, at = everything_free(BY_LAW[name])
    space = space_of(form, at)
    back = space.values(space.coordinates_of(at))
    assert list(back) == list(form.free) and back == pytest.approx(at, rel=1e-9)
    numbers = BY_LAW[name].record()["p"]
    assert form.build(back).record()["p"] == pytest.approx(numbers, rel=1e-9, abs=1e-12 * abs(numbers).max())
    low, high = space.bounds()
    rng = np.random.default_rng(3)
    refusals = 0
    for _ in range(100):
        u = np.clip(space.coordinates_of(at) + rng.normal(size=len(low)), low, high)
        try:
            form.build(space.values(u))
        except ValueError:
            refusals += 1
    # other relations between two parameters than an order appear as rejections in the search
    assert refusals == 0 or name in ("Wojewoda", "HarnoyFriedland")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_number_has_a_role(entry: Entry) -> None:
    """Each number of each law of the gallery has a role, and so a start can be guessed for it."""
    kind = type(entry.law)
    for name, field in kind.parameters.items():
        if field.hint is float or typing.get_args(field.hint)[:1] == (float,):
            assert role(kind, name) == field.info.role != ""
            assert unit(kind, name) == field.info.unit != ""
    assert law_kind(kind.__name__.upper()) is kind


def test_limits_found() -> None:
    form, at = everything_free(ElastoPlastic(1e5, 10.0, 0.1, 0.15, 0.1, 1e-3))
    found = limits(form, at)
    assert found["mu_k"].below == "mu_s" and found["mu_s"].below == "" and found["mu_s"].high == inf
    assert found["ratio"].high == pytest.approx(1.0) and found["ratio"].high < 1.0 and found["ratio"].positive
    assert (
        found["sigma_1"] == found["sigma_2"] and found["sigma_1"].low == 0.0 and not found["sigma_1"].positive
    )
    held = law_form(LuGre, {"mu_k": 0.1}, {"mu_s": 0.15, "sigma_0": 1e5, "v_s": 1e-3})
    assert limits(held, {"mu_k": 0.1})["mu_k"].high == pytest.approx(0.15)
    assert limits(law_form(Valanis, {"kappa": 0.3}), {"mu_k": 0.1, "sigma_0": 1e5, "kappa": 0.3})[
        "kappa"
    ].high == pytest.approx(1.0)


def test_order_and_bounds_together() -> None:
    """mu_s remains above mu_k and below its own bound in the whole search space."""
    form = law_form(LuGre, {"mu_s": Free(0.15, 0.12, 0.2), "mu_k": 0.1}, {"sigma_0": 1e5, "v_s": 1e-3})
    space = space_of(form, {"mu_s": 0.15, "mu_k": 0.1})
    rng = np.random.default_rng(1)
    low, high = (np.clip(bound, -6.0, 6.0) for bound in space.bounds())
    for _ in range(200):
        at = space.values(rng.uniform(low, high))
        assert 0.12 <= at["mu_s"] <= 0.2 and at["mu_k"] <= at["mu_s"]
