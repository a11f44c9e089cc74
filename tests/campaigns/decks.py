"""Damaged decks of HAWC2, OpenFAST and windIO: whatever is lost or mistyped, they become a model, or are refused.

The decks of the tests, or those below any folder: `python -m tests.campaigns decks --n 200 --folder FOLDER`.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fem_mbd.errors import InputError
from fem_mbd.machines import assemble, read_machine
from tests.campaigns.fuzz import damage_one
from tests.campaigns.readers import Reader
from tests.campaigns.tally import Found
from tests.machines.hawc2.decks import DECKS

LONGEST = 3.0  # s of the processor: reading and assembling
MAINS = ("*.htc", "*.fst", "*.yaml")
NAMED = {
    ".htc": re.compile(
        r"^\s*(?:filename|datafile|continue_in_file)\s+(\S+?)\s*;", re.IGNORECASE | re.MULTILINE
    ),
    "": re.compile(r'"([^"\n]+)"'),
}
ENDINGS = ("", ".1", ".hst")  # of WAMIT's files a HydroDyn file names the root


def damage_decks(number: int, seed: int, folder: Path, source: Path = DECKS) -> Found:
    """Damage the files of each deck below ``source`` so many times in all, in copies below ``folder``."""
    found = Found()
    mains = sorted(path for kind in MAINS for path in source.rglob(kind))
    for k, main in enumerate(mains):
        copy = folder / f"deck{k}"
        shutil.copytree(_top(main, source), copy)
        copied = copy / main.relative_to(_top(main, source))
        targets = list(readers(copied))
        for j, reader in enumerate(targets):
            share = number // len(targets) + (j < number % len(targets))
            damage_one(reader, share, seed, found, LONGEST)
    return found


def readers(main: Path) -> Iterator[Reader]:
    """The main file of a deck, and those that it and they name in its structure."""
    made: set[Path] = set()
    waiting = [main]
    while waiting:
        path = waiting.pop()
        if path not in made:
            made.add(path)
            if path.suffix != ".yaml":
                waiting += _named(path, main)
    for path in sorted(made):
        yield Reader(f"{main.stem}: {path.name}", path, lambda: _read(main))


def _named(path: Path, main: Path) -> Iterator[Path]:
    """Files of the deck that a file names."""
    pattern = NAMED.get(main.suffix, NAMED[""])
    for name in pattern.findall(path.read_text(errors="replace")):
        parts = name.replace("\\", "/").split("/")
        for ending in ENDINGS:
            last = parts[-1] + ending
            folders = (path.parent, main.parent, main.parent.parent, main.parent.parent.parent)
            places = [folder.joinpath(*parts[:-1], last) for folder in folders]
            found = next((place for place in [*places, main.parent / last] if place.is_file()), None)
            if found:
                yield found.resolve()


def _read(main: Path) -> None:
    hawc2: dict[str, Any] = {"radii_at": "elastic centre", "leave_out": ("dll", "ext_sys")}
    machine = read_machine(main, **hawc2 if main.suffix == ".htc" else {})
    assemble(machine, gravity=9.81)


def _top(main: Path, source: Path) -> Path:
    """The folder of a deck: the first one below ``source``."""
    parts = main.relative_to(source).parts
    if len(parts) < 2:
        raise InputError(f"'{main}' lies in '{source}' itself: give the folder around the decks")
    return source / parts[0]
