"""The walks through the code name functions and lines that are there."""

from pathlib import Path

import pytest

from tools.line_references import REFERENCE, mended, pages


@pytest.mark.parametrize("page", list(pages()), ids=lambda page: page.stem)
def test_references_lead_to_definitions(page: Path) -> None:
    text = page.read_text()
    assert len(REFERENCE.findall(text)) >= 8
    assert mended(text) == text, "run: python -m tools.line_references"


def test_a_name_that_is_gone_is_an_error() -> None:
    with pytest.raises(KeyError, match="gone"):
        mended("`gone` (`core/scheme/tdg.py:1`)")


def test_a_line_that_moved_is_mended() -> None:
    text = "`Scheme` (`core/scheme/tdg.py:1`)"
    assert mended(text) != text and mended(mended(text)) == mended(text)
