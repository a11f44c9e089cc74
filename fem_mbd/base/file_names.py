"""Names of parts and models as names of files."""

from __future__ import annotations

import re

UNFIT = re.compile(
    r"[^\w .,=+()\[\]-]"
)  # separators of folders, control characters, what Windows does not take


def file_name(name: str) -> str:
    """`name` as the name of a file in any system: what cannot stand in one becomes an underscore.

    Parameters
    ----------
    name : of a part, a model or a machine, as its author wrote it
    """
    return UNFIT.sub("_", name).strip(" ").lstrip(".") or "_"
