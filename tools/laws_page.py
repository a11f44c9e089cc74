"""Generator of the tables in docs/reference/laws.md from the laws and their properties on probes: `make laws`.

The page is written by hand but for what stands between lines `<!-- made: NAME -->` and `<!-- end of NAME -->`.
"""

import itertools
import re
from pathlib import Path

from PIL import Image

from fem_mbd.friction.probes import feature_probes, gallery, gallery_text

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "reference" / "laws.md"
FIGURES = DOCS / "figures" / "laws"


def definitions() -> str:
    """The list of features in the docstring of the probes."""
    items = re.findall(r"^(\w+) {2,}(.+(?:\n {3,}.+)*)", feature_probes.__doc__ or "", re.MULTILINE)
    return "\n".join(f"- **{name}**: {' '.join(text.split())}" for name, text in items)


def features() -> str:
    """The table of friction laws."""
    head = (
        "| law | "
        + " | ".join(gallery_text.HEADINGS.values())
        + " |\n|---"
        + "|:-:" * len(gallery_text.HEADINGS)
        + "|"
    )
    rows = []
    for entry in gallery.ENTRIES:
        found = feature_probes.features(entry.law)
        marks = " | ".join("●" if found[name] else "" for name in gallery_text.HEADINGS)
        rows.append(f"| [{entry.name}](#{anchor(entry.name)}) | {marks} |")
    return "\n".join([head, *rows])


def contact() -> str:
    """The table of contact laws, and their sources."""
    head = (
        "| law | "
        + " | ".join(gallery_text.CONTACT_HEADINGS)
        + " |\n|---"
        + "|---" * len(gallery_text.CONTACT_HEADINGS)
        + "|"
    )
    rows = [
        f"| `{entry.name}` | " + " | ".join(gallery_text.cells(gallery.rebound(entry.law))) + " |"
        for entry in gallery.CONTACT_ENTRIES
    ]
    sources = [f"- `{entry.name}`: {entry.source}." for entry in gallery.CONTACT_ENTRIES]
    return "\n".join([head, *rows, "", *sources])


def laws() -> str:
    """The friction laws file by file."""
    parts = []
    for module, entries in itertools.groupby(gallery.ENTRIES, key=lambda entry: type(entry.law).__module__):
        group = list(entries)
        path = "/".join(module.split(".")[1:]) + ".py"
        parts.append(f"### `{path}`\n\n```text\n{gallery_text.equations(group[0].law)}\n```")
        parts += [section(entry) for entry in group]
    return "\n\n".join(parts)


def section(entry: gallery.Entry) -> str:
    """A law: source, figure, findings, parameters."""
    rows = [
        f"| `{name}` | {info.letter(name)} | {info.meaning} | {info.range()} | "
        f"{gallery_text.number(value)} | {info.unit} |"
        for name, value, info in gallery.parameters(entry.law)
    ]
    lines = [f"#### {entry.name}", "", f"{entry.source}.", ""]
    lines += [f"![{entry.name}](../figures/laws/{gallery_text.file_name(entry)})", ""]
    lines += [f"- Form: {entry.form}.", f"- Shows: {gallery_text.findings(entry)}."]
    lines += [f"- Caution: {text}." for text in gallery_text.cautions(entry)]
    lines += ["", "```text", gallery_text.parameter_text(entry.law), "```"]
    return "\n".join(
        [*lines, "| parameter | symbol | meaning | range | here | unit |", "|---|---|---|---|---|---|", *rows]
    )


def anchor(heading: str) -> str:
    """What a link to ``heading`` is called."""
    return heading.lower().replace(" ", "-")


def filled(page: str) -> str:
    """``page`` with its made parts made anew; ValueError when one of them has no place in it."""
    for part in (definitions, features, laws, contact):
        start, end = f"<!-- made: {part.__name__} -->", f"<!-- end of {part.__name__} -->"
        if page.count(start) != 1 or page.count(end) != 1:
            raise ValueError(f"{PAGE}: the lines {start} and {end} must each stand in it once")
        before, rest = page.split(start)
        page = f"{before}{start}\n{part()}\n{end}{rest.split(end)[1]}"
    return page


if __name__ == "__main__":
    page = filled(PAGE.read_text(encoding="utf-8"))
    for old in FIGURES.glob("*.png"):
        old.unlink()
    gallery_text.draw_comparisons(FIGURES)
    gallery_text.draw_contact_comparison(FIGURES)
    for figure in gallery_text.draw(FIGURES):
        # these have few colours, and a quarter of the size without the others
        Image.open(figure).convert("RGB").quantize(48).save(figure, optimize=True)
    PAGE.write_text(page, encoding="utf-8")
