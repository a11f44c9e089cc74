"""Every Python snippet and every command of README.md and docs/ runs: each page in its order, in an empty folder."""

import re
import runpy
import shlex
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.applications.cli.reports import CHECK_FAILED
from fem_mbd.cases import case_names
from fem_mbd.runs.running.runs import NumericalDissipationWarning
from tests.docs.pages import PAGES, ROOT, blocks

pytestmark = pytest.mark.slow

PLACEHOLDER = re.compile(r"\b[A-Z][A-Z]+\b|…|\.\.\.")
WITH_CODE = [page for page in PAGES if any(b.kind != "other" for b in blocks(page))]


def name(page: Path) -> str:
    """What a page is called in a list of tests."""
    return str(page.relative_to(ROOT))


@pytest.fixture
def snippets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[types.ModuleType]:
    """The module that a page's snippets make up; the working folder is an empty one."""
    monkeypatch.chdir(tmp_path)
    module = types.ModuleType("snippets")
    module.approx = pytest.approx  # type: ignore[attr-defined]  # for checks of numbers
    monkeypatch.setitem(sys.modules, "snippets", module)
    yield module


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_page_runs(page: Path, snippets: types.ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(page):
        if block.kind == "python":
            # lines are counted as in the page, so that a traceback shows the place
            with warnings.catch_warnings():
                if (
                    block.shortened
                ):  # the beginning of a run may be a transient that its whole does not care for
                    warnings.simplefilter("ignore", NumericalDissipationWarning)
                exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), snippets.__dict__)
        elif block.kind == "commands":
            for command in block.commands:
                status = main(shlex.split(command, comments=True)[1:])
                assert status in ((0, CHECK_FAILED) if block.shortened else (0,)), (
                    f"{name(page)}: {command}: {capsys.readouterr().err}"
                )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_within_sentences_are_understood(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in re.findall(r"`fem-mbd ([^`\n]+)`", page.read_text("utf-8")):
        words = shlex.split(text)
        if not PLACEHOLDER.search(text):
            words.append("--help")
        with pytest.raises(SystemExit) as left:
            main([*(word for word in words[:1] if word.islower()), "--help"])
        said = capsys.readouterr().out
        assert left.value.code == 0, f"{name(page)}: {text}"
        options = [word for word in words if word.startswith("--")]
        assert all(option in said for option in options), f"{name(page)}: {text}"


def test_make_commands_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    asked = {
        target
        for page in [*PAGES, ROOT / "CONTRIBUTING.md"]
        for target in re.findall(r"(?:^|`)make ([a-z]+)", page.read_text("utf-8"), re.MULTILINE)
    }
    assert len(asked) >= 8
    assert asked <= targets


def test_gallery_shows_every_case() -> None:
    """Those with a line of their own, and the others when the documentation is built."""
    conf = runpy.run_path(str(ROOT / "docs/conf.py"))
    source = [(ROOT / "docs/studies/gallery.md").read_text("utf-8")]
    written = set(re.findall(r"^\| \[?`(\w+)`", source[0], re.MULTILINE))
    assert written <= set(case_names())
    conf["add_cases"](None, "studies/gallery", source)
    assert sorted(re.findall(r"^\| \[?`(\w+)`", source[0], re.MULTILINE)) == sorted(case_names())
    assert "<!--" not in source[0]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files that links and pictures of a page name, and headings of pages (as GitHub and MyST name them)."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        there = page if not file else (page.parent / file).resolve()
        assert there.exists(), f"{name(page)}: {target}"
        if heading:
            assert heading in anchors(there.read_text("utf-8")), f"{name(page)}: {target}"


def anchors(text: str) -> set[str]:
    """What links can name within a page: its headings, and places that are named by hand."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}
    by_hand = re.findall(r"^\(.+\)=$|<a id=\".+?\"", text, re.MULTILINE)
    return slugs | {re.sub(r"^\(|\)=$|<a id=|\"", "", place) for place in by_hand}
