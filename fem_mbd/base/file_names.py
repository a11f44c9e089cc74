"""File names made from the names of parts and models."""

from __future__ import annotations

import re

# folder separators, control characters, characters that Windows does not allow
INVALID = re.compile(r"[^\w .,=+()\[\]-]")


def file_name(name: str) -> str:
    """`name` as a file name that is valid on every system: invalid characters become underscores.

    Parameters
    ----------
    name : of a part, a model or a machine, as its author wrote it
    """
    return INVALID.sub("_", name).strip(" ").lstrip(".") or "_"
