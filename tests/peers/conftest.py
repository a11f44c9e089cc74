"""A program that stands in for MBDyn."""

import sys
import textwrap
from pathlib import Path

import pytest

# Turns the watched node rigidly with the root of the spin-up, which is at rest to begin with and reaches 6 rad/s after
# 15 s, plus dt^2 across: an error in time. Refuses other decks.
STAND_IN = """\
import re, sys, time
from math import cos, pi, sin
if sys.argv[1] == "-v":
    print("\\nMBDyn - MultiBody Dynamics 9.9-stand-in\\nconfigured on Jan  1 2026")
    sys.exit(0)
assert sys.argv[1::2] == ["-f", "-o"]
deck = open(sys.argv[2]).read()
find = lambda pattern: re.search(pattern, deck)
dt, final = (float(find(name + r": (\\S+);")[1]) for name in ("time step", "final time"))
every, ramp = int(find(r"steps, (\\d+);")[1]), float(find(r"ramp, 1.0, 0.0, (\\S+), 0.0")[1])
BEFORE
label, radius = find(r"structural: (\\d+), dynamic, reference, global, (\\S+),.*output, yes").groups()
mov, out = open(sys.argv[4] + ".mov", "w"), open(sys.argv[4] + ".out", "w")
step = 0
while True:
    Time = step * dt
    rate = 2 * pi / ramp
    turn, r, e = 6 / ramp * (0.5 * Time**2 + (cos(rate * Time) - 1) / rate**2), float(radius), dt**2
    place = r * cos(turn) - e * sin(turn), r * sin(turn) + e * cos(turn)
    print("Step", step, Time, dt, 2, 1e-9, 0, 0, int(step % every == 0), file=out)
    if step % every == 0:
        print(label, *place, *[0.0] * 10, file=mov)
    if Time >= final or "abort after: derivatives;" in deck:
        break
    step += 1
until = time.process_time() + 0.25
while "abort after" not in deck and time.process_time() < until:
    pass
EXTRA
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes a program called mbdyn with further lines at its end, and names it in MBDYN."""

    def make(extra: str = "", before: str = "") -> Path:
        path = tmp_path / "bin" / "mbdyn"
        path.parent.mkdir(exist_ok=True)
        body = STAND_IN.replace("EXTRA", textwrap.dedent(extra)).replace("BEFORE", before)
        path.write_text(f"#!{sys.executable}\n{body}")
        path.chmod(0o755)
        monkeypatch.setenv("MBDYN", str(path))
        return path

    return make


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No MBDyn anywhere."""
    monkeypatch.delenv("MBDYN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
