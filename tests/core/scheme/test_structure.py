"""Tests of cached matrix structures, which systems with the same couplings share."""

import numpy as np
import pytest

from fem_mbd import Model
from fem_mbd.core.scheme import matrix_structure
from fem_mbd.core.scheme.system import System
from fem_mbd.elements import Beam, Section
from fem_mbd.joints import Revolute, Spherical

SECTION = Section(np.diag([1e5, 5e4, 5e4, 10.0, 10.0, 10.0]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))


def chain(length: float = 1.0, elements: int = 2, joint: type = Revolute, fixed: bool = False) -> System:
    """Two beams with a joint between them, hung up by another."""
    model = Model()
    first = model.add(Beam(SECTION, (0, 0, 0), (length, 0, 0), elements=elements))
    second = model.add(Beam(SECTION, (length, 0, 0), (2 * length, 0, 0), elements=elements))
    given = {"axis": (0, 0, 1)} if joint is Revolute else {}
    model.add(joint(first.end, second.start, **given))
    if fixed:
        model.fix(first.start)
    else:
        model.add(Spherical(model.ground, first.start))
    return System(model)


def test_other_numbers_have_the_same_structure() -> None:
    one, other = chain(), chain(length=2.0)
    assert other.pattern is one.pattern and other.equation is one.equation
    assert all(np.array_equal(a.slots, b.slots) for a, b in zip(one.kinds, other.kinds, strict=True))


@pytest.mark.parametrize("given", [{"elements": 3}, {"joint": Spherical}, {"fixed": True}])
def test_other_couplings_have_another(given: dict[str, object]) -> None:
    one, other = chain(), chain(**given)  # type: ignore[arg-type]
    assert other.pattern is not one.pattern and other.size != one.size


def test_a_kept_structure_is_the_one_found_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [chain(), chain(length=3.0)][1]
    monkeypatch.setattr(matrix_structure, "MAX_CACHED_EQUATIONS", 0)
    anew = chain(length=3.0)
    assert anew.pattern is not kept.pattern
    for name in ("equation", "constraint_equation", "unit", "indptr", "indices", "node_slots"):
        assert np.array_equal(getattr(anew, name), getattr(kept, name)), name
    for a, b in zip(anew.kinds, kept.kinds, strict=True):
        assert np.array_equal(a.slots, b.slots)


def test_what_one_system_does_to_its_places_is_not_seen_by_others() -> None:
    chain().kinds[0].slots[:] = -1
    assert (chain().kinds[0].slots >= 0).all()


def test_only_the_last_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_structure, "CACHED_STRUCTURES", 2)
    first = chain()
    for elements in (3, 4):
        chain(elements=elements)
    assert chain().pattern is not first.pattern
