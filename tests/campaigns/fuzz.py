"""Damaged input files: every reader has to read them or to refuse them in words, within a second of its own time."""

import contextlib
import io
import random
import re
import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from fem_mbd.base.lazy import nearest
from fem_mbd.errors import FemMbdError, InputError
from tests.campaigns.readers import Reader, readers
from tests.campaigns.tally import Found

LONGEST = 1.0  # s of the processor for one file
HANGS = 10.0  # s after which it is broken off
VALUES = (
    b"nan",
    b"inf",
    b"-1",
    b"0",
    b"1e999",
    b"99999999999999999999",
    b"",
    b"abc",
    b"1,2",
    b"1e-320",
    b"'",
    b"<",
    b"&x;",
)
NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


class Hangs(BaseException):
    """A reader took far too long."""


def damage_inputs(number: int, seed: int, folder: Path, only: str | None = None) -> Found:
    """Damage each reader's file so many times; `only` one of them where it is named."""
    found, known = Found(), {reader.name: reader for reader in readers(folder)}
    if only is not None and only not in known:
        raise InputError(f"there is no reader {only!r}; {nearest(only, known)}")
    for name, reader in known.items():
        if only in (None, name):
            damage_one(reader, number, seed, found)
    return found


def damage_one(reader: Reader, number: int, seed: int, found: Found, longest: float = LONGEST) -> None:
    """Damage one reader's file so many times; ``longest`` is what reading may take, s of the processor."""
    whole = reader.damaged.read_bytes()
    worst = 0.0
    for k in range(number):
        reader.damaged.write_bytes(damaged(whole, random.Random(f"{reader.name} {seed + k}")))
        began = time.process_time()
        outcome, fault = _outcome(reader)
        seconds = time.process_time() - began
        worst = max(worst, seconds)
        found.counts[f"{reader.name}: {outcome}"] += 1
        if fault or seconds > longest:
            said = fault or f"{seconds:.1f} s"
            found.faults.append(f"{reader.name}, seed {seed + k}: {said}")
    reader.damaged.write_bytes(whole)
    found.counts[f"{reader.name}: longest/ms"] = round(1e3 * worst)


def _outcome(reader: Reader) -> tuple[str, str]:
    """What came of reading, and what is wrong with that."""
    with warnings.catch_warnings(), _broken_off(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            reader.read()
        except InputError as error:
            return "refused", "" if str(error).strip() else "refused without a word"
        except FemMbdError as error:
            return "refused", f"refused as {type(error).__name__}: {error}"
        except Hangs:
            return "fault", f"still at work after {HANGS:g} s"
        except Exception:
            return "fault", traceback.format_exc(limit=-3)
    return "read", ""


@contextlib.contextmanager
def _broken_off() -> Iterator[None]:
    """Hangs is raised after too long a time of the processor."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hangs

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A copy with one to three faults of the kinds that editors, transfers and slips of the hand make."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice((_number, _number, _lines, _bytes, _cut))(data, rng)
    return data


def _number(data: bytes, rng: random.Random) -> bytes:
    """Another value in the place of a number."""
    places = list(NUMBER.finditer(data))
    if not places:
        return _bytes(data, rng)
    place = rng.choice(places)
    return data[: place.start()] + rng.choice(VALUES) + data[place.end() :]


def _lines(data: bytes, rng: random.Random) -> bytes:
    """A line lost, doubled or in another place."""
    lines = data.split(b"\n")
    k = rng.randrange(len(lines))
    line = lines.pop(k)
    for _ in range(rng.choice((0, 1, 2))):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _bytes(data: bytes, rng: random.Random) -> bytes:
    """Some bytes changed."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 16)) if changed else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut(data: bytes, rng: random.Random) -> bytes:
    """The end, or a piece in the middle, is missing."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:a] if rng.random() < 0.5 else data[:a] + data[b:]
