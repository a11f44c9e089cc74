"""Warnings about data in a machine's files that a reader does not use, with the consequences."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Literal

from fem_mbd.errors import FemMbdWarning

Platform = Literal["as in the files", "held"]


class LeftOutWarning(FemMbdWarning):
    """Something of a machine's files is not read, or is missing there; the message says what follows."""


def without(block: str) -> str:
    """What a message says of a block of HAWC2 that is refused.

    Parameters
    ----------
    block : its name
    """
    return (
        f"to read the machine without it: leave_out=('{block}',) (command line: --leave-out {block}, or of other "
        f"commands than import --set leave_out={block})"
    )


def warn_left_out(source: str, remarks: Iterable[str]) -> None:
    """One warning for each remark.

    Parameters
    ----------
    source : the file
    remarks : what is left out and what follows
    """
    for remark in remarks:
        warnings.warn(f"{source}: {remark}", LeftOutWarning, stacklevel=3)
