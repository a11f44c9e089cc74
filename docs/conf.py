"""Configuration of Sphinx for `make docs`, which builds into build/docs; warnings are errors."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import fem_mbd
from fem_mbd.cases import case_names, load_case

sys.path.insert(0, str(Path(__file__).parent))
from links import broken_links
from moving_pages import write_page

project = "fem_mbd"
author = copyright = "the fem_mbd authors"
version = release = fem_mbd.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "numpydoc"]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
# notebooks are run anew at every build; an error in one is an error of the build
nb_execution_mode = "force"
nb_execution_timeout = 1800
nb_execution_raise_on_error = True
nb_execution_in_temp = True
html_theme = "furo"
html_title = "fem_mbd"

autosummary_generate = True
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
# members are listed on the page of their class, not on pages of their own
numpydoc_show_class_members = False

# pages of the repository that stand outside of this folder are linked to as files
suppress_warnings = ["myst.xref_missing"]

OTHER_CASES = "\n\n<!-- other cases: lines are added when the documentation is built -->"


ROW = re.compile(r"^\| \[?`(?P<case>\w+)`[^|]*\|", re.MULTILINE)


def add_cases(app: Any, page: str, source: list[str]) -> None:
    """Lines for cases that the gallery has no line for: what they are, without a picture; moving pages of all."""
    if page != "studies/gallery":
        return
    lines = [
        f"\n| `{name}` | {load_case(name).summary} | |"
        for name in case_names()
        if f"`{name}`" not in source[0]
    ]
    text = source[0].replace(OTHER_CASES, "".join(lines))
    source[0] = ROW.sub(r'\g<0> <a href="../animations/\g<case>.html">in motion</a>:', text)


def write_moving_pages(app: Any) -> None:
    """A page of the beginning of a run for each case, beside the built pages."""
    for name in case_names() if app.builder.name == "html" else ():
        write_page(name, Path(app.outdir) / "animations")


def check_links(app: Any, error: Exception | None) -> None:
    """Stops the build at links that lead nowhere."""
    broken = [] if error or app.builder.name != "html" else list(broken_links(Path(app.outdir)))
    if broken:
        from sphinx.errors import SphinxError  # the tests read this file where no Sphinx is installed

        raise SphinxError("\n".join(["links that lead nowhere:", *broken]))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", write_moving_pages)
    app.connect("source-read", add_cases)
    app.connect("build-finished", check_links)
