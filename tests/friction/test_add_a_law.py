"""The law of docs/add-a-law.md works as the page says, and the lines that it quotes are those of the package."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import friction
from fem_mbd.errors import InputError
from fem_mbd.friction.records import FRICTION_LAW

PAGE = (Path(__file__).parents[2] / "docs" / "add-a-law.md").read_text(encoding="utf-8")
LAW = PAGE.split("```python\n")[1].split("```")[0]
PACKAGE = Path(friction.__file__).parent


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page's file as a module."""
    file = tmp_path_factory.mktemp("law") / "law_of_the_page.py"
    file.write_text(LAW, "utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[file.stem]


def test_it_is_short() -> None:
    assert len(LAW.splitlines()) <= 80


def test_the_class(page: Any) -> None:
    law = page.SquareRootRegularised(0.1, 1e-4)
    assert law.record().dtype == FRICTION_LAW and law.record()["p"][:2].tolist() == [0.1, 1e-4]
    assert "v_0 : float\n    Speed up to which friction rises from zero [m/s]; above 0." in law.__doc__
    for numbers, said in (
        ({"mu_k": -0.1, "v_0": 1e-4}, "SquareRootRegularised mu_k is -0.1: it must be zero or above"),
        ({"mu_k": 0.1, "v_0": 0.0}, "SquareRootRegularised v_0 is 0: it must be above zero"),
        ({"mu": 0.1, "v_0": 1e-4}, "SquareRootRegularised: there is no parameter 'mu'; did you mean 'mu_k'"),
    ):
        with pytest.raises(InputError, match=said):
            page.SquareRootRegularised(**numbers)


def test_the_kernel(page: Any) -> None:
    """The formula along any direction, and its derivative by complex step."""
    p, dt = page.SquareRootRegularised(0.1, 1e-4).record()["p"], 1e-3
    e = np.array([0.6, -0.8, 0.0])
    for v in (1e-9, 1e-4, 3e-2):
        mu = np.zeros(3, complex)
        page.square_root_friction(p, (v * dt + 1e-40j) * e, dt, mu)
        assert mu.real @ e == pytest.approx(0.1 * v / sqrt(v * v + 1e-8), rel=1e-12)
        assert mu.imag @ e * 1e40 * dt == pytest.approx(0.1 * 1e-8 / (1e-8 + v * v) ** 1.5, rel=1e-12)


def test_numbers_of_kinds_differ_and_the_one_of_the_page_is_free(page: Any) -> None:
    kinds: dict[str, list[str]] = {"normal": [], "friction": []}
    for file in PACKAGE.glob("*/*.py"):
        own = [line for line in file.read_text("utf-8").splitlines() if line.startswith("KIND = ")]
        kinds["normal" if file.parent.name == "normal" else "friction"] += own
    assert len(kinds["normal"]) == 9 and len(kinds["friction"]) == 17
    assert all(len(set(found)) == len(found) for found in kinds.values())
    assert f"KIND = {page.KIND}" not in kinds["friction"]


def test_the_lines_quoted_stand_in_the_dispatch() -> None:
    starts = ("elif kind ==", "dry.dry_friction")
    quoted = [line.strip() for line in PAGE.splitlines() if line.strip().startswith(starts)]
    present = [line.strip() for line in (PACKAGE / "tangential.py").read_text("utf-8").splitlines()]
    assert len(quoted) == 2 and present[present.index(quoted[0]) + 1] == quoted[1]
