"""Damaged decks of HAWC2: whatever is lost, doubled or mistyped in one, it is read and made into a model, or refused.

The decks of the tests, or those below any folder: `python -m tests.campaigns decks --n 200 --folder FOLDER`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from fem_mbd.errors import InputError
from fem_mbd.machines import assemble, read_hawc2_machine
from tests.campaigns.fuzz import damage_one
from tests.campaigns.readers import Reader
from tests.campaigns.tally import Found
from tests.machines.hawc2.decks import DECKS

LONGEST = 3.0  # s of the processor: reading and assembling
NAMED = re.compile(r"^\s*(?:filename|datafile|continue_in_file)\s+(\S+?)\s*;", re.IGNORECASE | re.MULTILINE)


def damage_decks(number: int, seed: int, folder: Path, source: Path = DECKS) -> Found:
    """Damage the files of each deck below ``source`` so many times in all, in copies below ``folder``."""
    found = Found()
    for k, main in enumerate(sorted(source.rglob("*.htc"))):
        copy = folder / f"deck{k}"
        shutil.copytree(_top(main, source), copy)
        copied = copy / main.relative_to(_top(main, source))
        targets = list(readers(copied))
        for j, reader in enumerate(targets):
            share = number // len(targets) + (j < number % len(targets))
            damage_one(reader, share, seed, found, LONGEST)
    return found


def readers(main: Path) -> Iterator[Reader]:
    """The main file of a deck, and those that it names in its structure."""
    made = {main}
    for name in NAMED.findall(main.read_text(errors="replace")):
        parts = name.replace("\\", "/").split("/")
        for folder in (main.parent, main.parent.parent, main.parent.parent.parent):
            if folder.joinpath(*parts).is_file():
                made.add(folder.joinpath(*parts).resolve())
                break
    for path in sorted(made):
        yield Reader(f"{main.stem}: {path.name}", path, lambda: _read(main))


def _read(main: Path) -> None:
    assemble(read_hawc2_machine(main, radii_at="elastic centre", leave_out=("dll", "ext_sys")))


def _top(main: Path, source: Path) -> Path:
    """The folder of a deck: the first one below ``source``."""
    parts = main.relative_to(source).parts
    if len(parts) < 2:
        raise InputError(f"'{main}' lies in '{source}' itself: give the folder around the decks")
    return source / parts[0]
