"""How the documentation is built: `make docs`, into build/docs. Warnings are errors there."""

from __future__ import annotations

from typing import Any

import fem_mbd
from fem_mbd.cases import case_names, load_case

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


def add_cases(app: Any, page: str, source: list[str]) -> None:
    """Lines for cases that the gallery has no line for: what they are, without a picture."""
    if page == "gallery":
        lines = [
            f"\n| `{name}` | {load_case(name).summary} | |"
            for name in case_names()
            if f"`{name}`" not in source[0]
        ]
        source[0] = source[0].replace(OTHER_CASES, "".join(lines))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", add_cases)
