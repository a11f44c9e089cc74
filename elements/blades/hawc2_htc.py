"""Reader of HAWC2 htc files: commands and blocks, files that they continue in, centre lines of main bodies.

A command is a line up to its `;`; `begin NAME` and `end NAME` enclose a block; `continue_in_file PATH` puts the
commands of another file in its place, up to its `exit`. Words are separated by blanks or commas; names of commands and
blocks do not depend on upper or lower case.

Paths are relative to the folder in which HAWC2 is started, which the files do not name: the folder of the main file is
tried, then the two above it, then the main file's folder for a file of that name, since models are often distributed
with all files in one folder. Files found in the last way are listed. Upper and lower case are equal, as in Windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import NoReturn

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import TextFile, as_number, in_any_case
from fem_mbd.errors import InputError

_MAX_NESTING = 20  # of continue_in_file


@dataclass(frozen=True)
class Command:
    """A line: its first word in lower case, the others, and its location."""

    name: str
    words: tuple[str, ...]
    path: Path
    line: int

    def fail(self, message: str) -> NoReturn:
        """InputError that names file and line."""
        raise InputError(f"{self.path}, line {self.line}: {message}")

    def numbers(self, count: int, usage: str, first: int = 0) -> Array:
        """(count,) numbers from the word ``first`` on; ``usage`` shows how the line should read."""
        values = [as_number(word) for word in self.words[first : first + count]]
        if len(values) < count or any(v is None or not np.isfinite(v) for v in values):
            self.fail(f"'{' '.join([self.name, *self.words])}' should read '{usage}'")
        return np.array(values, dtype=float)

    def whole(self, word: int, what: str) -> int:
        """A whole number from 1."""
        value = as_number(self.words[word]) if len(self.words) > word else None
        if value is None or not value.is_integer() or value < 1:
            self.fail(f"{what} should be a whole number from 1")
        return int(value)

    def text(self, usage: str) -> str:
        """The first word after the name."""
        if not self.words:
            self.fail(f"'{self.name}' should read '{usage}'")
        return self.words[0]


@dataclass
class Block:
    """Content between `begin NAME` and `end NAME`: commands and blocks, in their order."""

    name: str
    begin: Command
    commands: list[Command] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def fail(self, message: str) -> NoReturn:
        """InputError that names file and line of the block's begin."""
        self.begin.fail(message)

    def all(self, name: str) -> list[Command]:
        """The commands of a name."""
        return [command for command in self.commands if command.name == name]

    def one_of(self, *names: str) -> Command | None:
        """The last command of one of these names, None when there is none."""
        return next((c for c in reversed(self.commands) if c.name in names), None)

    def need(self, usage: str, *names: str) -> Command:
        """As `one_of`; InputError when there is none."""
        command = self.one_of(*names)
        if command is None:
            self.fail(f"block '{self.name}' has no '{usage}'")
        return command

    def block(self, name: str) -> Block | None:
        """The first block of a name, None when there is none."""
        return next((block for block in self.blocks if block.name == name), None)


@dataclass
class HtcFile:
    """A main file with all that it continues in.

    Attributes
    ----------
    root : its blocks and commands
    beside : files that were found beside the main file only, as given there
    """

    path: Path
    root: Block
    beside: list[str] = field(default_factory=list)

    def find(self, name: str, command: Command) -> Path:
        """The file that a command names; see the module's docstring.

        Raises
        ------
        InputError
            When it is nowhere.
        """
        relative = PureWindowsPath(name.strip("'\"")).parts
        main_folder = self.path.absolute().parent
        for folder in (main_folder, main_folder.parent, main_folder.parent.parent):
            file = in_any_case(folder, relative)
            if file is not None:
                return file
        file = in_any_case(main_folder, relative[-1:])
        if file is not None:
            if name not in self.beside:
                self.beside.append(name)
            return file
        command.fail(
            f"file '{name}' is neither in '{self.path.parent}' nor in one of the two folders above it, whatever its "
            "upper and lower case: put it there, or correct the path"
        )


def read_htc(path: str | Path) -> HtcFile:
    """The blocks of an htc file.

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, blocks that are not closed or closed by another name.
    """
    main = Path(path)
    begin = Command("htc", (), main, 1)
    htc = HtcFile(main, Block("", begin))
    open_blocks = [htc.root]
    for command in _commands(htc, main, 0):
        if command.name == "begin":
            name = command.text("begin NAME").lower()
            block = Block(name, command)
            open_blocks[-1].blocks.append(block)
            open_blocks.append(block)
        elif command.name == "end":
            name = command.text("end NAME").lower()
            # 'end bearing1' closes a bearing3, as in HAWC2
            if name != open_blocks[-1].name and _kind(name) != _kind(open_blocks[-1].name):
                inside = (
                    f"block '{open_blocks[-1].name}' is open" if open_blocks[-1].name else "no block is open"
                )
                command.fail(f"'end {name}' stands where {inside}")
            open_blocks.pop()
        else:
            open_blocks[-1].commands.append(command)
    if len(open_blocks) > 1:
        open_blocks[-1].fail(f"block '{open_blocks[-1].name}' has no 'end {open_blocks[-1].name}'")
    return htc


def _kind(name: str) -> str:
    return name.rstrip("0123456789")


def _commands(htc: HtcFile, path: Path, depth: int) -> Iterator[Command]:
    if depth > _MAX_NESTING:
        raise InputError(
            f"{htc.path}: more than {_MAX_NESTING} nested continue_in_file, the last is '{path}': is there a cycle?"
        )
    for number, line in enumerate(TextFile(path, "HAWC2 htc file").lines, start=1):
        words = line.split(";", 1)[0].replace(",", " ").split()
        if not words:
            continue
        command = Command(words[0].lower(), tuple(words[1:]), path, number)
        if command.name.startswith("["):
            command.fail(
                f"'{words[0]}' is a tag of a template, which another program fills in: read the file that it made"
            )
        if command.name == "exit":
            return
        if command.name == "continue_in_file":
            yield from _commands(htc, htc.find(command.text("continue_in_file PATH"), command), depth + 1)
        else:
            yield command


def read_centre_line(path: str | Path, body: str) -> Array:
    """(n, 4) `centre_line` of the main body of that name, in any block of a file; InputError too without it."""
    names: list[str] = []
    inside = [read_htc(path).root]
    for block in inside:  # the list grows meanwhile
        inside += block.blocks
        name = block.one_of("name") if block.name == "main_body" else None
        if name is not None:
            names.append(name.text("name NAME"))
            if names[-1].lower() == body.lower():
                return centre_line(block, body)
    raise InputError(f"{path}: there is no main_body '{body}'; there are {', '.join(names) or 'none'}")


def centre_line(block: Block, name: str) -> Array:
    """(n, 4) x, y, z (m, body axes) and angle about +z (degrees) of the sections of `c2_def` in a `main_body` block.

    Raises
    ------
    InputError
        When c2_def is missing, sections are not numbered from 1, do not match nsec or do not advance.
    """
    c2 = block.block("c2_def")
    if c2 is None:
        block.fail(f"main_body '{name}' has no block 'c2_def'")
    count = c2.need("nsec COUNT", "nsec").whole(0, "nsec")
    rows: list[Array] = []
    for command in c2.all("sec"):
        usage = f"sec {len(rows) + 1} x y z twist"
        values = command.numbers(5, usage)
        if values[0] != len(rows) + 1:
            command.fail(f"c2_def of '{name}': '{usage}' should stand here")
        rows.append(values[1:])
        if len(rows) > 2 and (rows[-1][2] - rows[-2][2]) * (rows[1][2] - rows[0][2]) <= 0.0:
            command.fail(
                f"c2_def of '{name}': section {len(rows)} at z = {rows[-1][2]:g} m does not lie beyond the one before "
                f"it at {rows[-2][2]:g} m"
            )
    if count != len(rows) or count < 2:
        c2.fail(
            f"c2_def of '{name}': nsec is {count}, there are {len(rows)} sections; two are needed at least"
        )
    if rows[0][2] == rows[1][2]:
        c2.fail(f"c2_def of '{name}': sections 1 and 2 have the same z")
    return np.array(rows)
