"""Warnings about data in a machine's files that a reader does not use, with the consequences."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Literal

from fem_mbd.errors import FemMbdWarning

Platform = Literal["as in the files", "held"]


class LeftOutWarning(FemMbdWarning):
    """Data of a machine's files are not used, or missing; the message states the consequence."""


def leave_out_advice(block: str) -> str:
    """End of a message about a HAWC2 block that is not supported: how to read the machine without it.

    Parameters
    ----------
    block : its name
    """
    return (
        f"to read the machine without it: leave_out=('{block}',) (command line: --leave-out {block}, or of other "
        f"commands than import --set leave_out={block})"
    )


def warn_left_out(source: str, remarks: Iterable[str]) -> None:
    """Issue one warning per remark.

    Parameters
    ----------
    source : the file
    remarks : unused data with their consequences
    """
    for remark in remarks:
        warnings.warn(f"{source}: {remark}", LeftOutWarning, stacklevel=3)
