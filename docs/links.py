"""Check of the links between the built pages: each has to point to an existing file and anchor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Links of a page, and its places that can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif value and (name, tag) in {
                ("href", "a"),
                ("src", "img"),
                ("src", "script"),
                ("href", "link"),
            }:
                self.links.append(value)


def broken_links(folder: Path) -> Iterator[str]:
    """One text for each link within the built pages that leads nowhere.

    Parameters
    ----------
    folder : of the pages
    """
    read = cache(_Page)
    for page in sorted(folder.rglob("*.html")):
        if (
            "animations" in page.parts
        ):  # they hold everything in themselves, which their own tests make sure of
            continue
        for link in read(page).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target = target / "index.html"
            if not target.is_file():
                yield f"{page.relative_to(folder)}: {link}: there is no such file"
            elif (
                parts.fragment
                and target.suffix == ".html"
                and unquote(parts.fragment) not in read(target).places
            ):
                yield f"{page.relative_to(folder)}: {link}: there is no such place in it"
