"""What the build of the documentation makes and checks besides what Sphinx does."""

import importlib
from pathlib import Path

import pytest

from fem_mbd.cases import case_names
from tests.docs.pages import ROOT


@pytest.fixture(autouse=True)
def docs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules beside the pages can be imported, as when they are built."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))


def test_links_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text('<h1 id="top">x</h1>')
    links = "other.html", "other.html#top", "#here", "https://elsewhere.org/x", "none.html", "other.html#none"
    text = "".join(f'<a href="{link}">x</a>' for link in links)
    (tmp_path / "index.html").write_text(f'<p id="here">{text}<img src="none.png">')
    assert list(importlib.import_module("links").broken_links(tmp_path)) == [
        "index.html: none.html: there is no such file",
        "index.html: other.html#none: there is no such place in it",
        "index.html: none.png: there is no such file",
    ]


def test_every_case_has_a_moving_page(tmp_path: Path) -> None:
    pages = importlib.import_module("moving_pages")
    assert set(pages.SHORT) == set(case_names())
    page = pages.write_page("pendulum_friction", tmp_path)
    assert "femMbd" in page.read_text() and page.stat().st_size < 2e6
    page.write_text("kept")
    assert pages.write_page("pendulum_friction", tmp_path).read_text() == "kept"
