"""Tests of signals while the main thread is busy outside Python: they end the process or print a message."""

import os
import signal
import subprocess
import sys

import pytest

from tests.runs.running.fake_runs import ROOT

BUSY = """
import hashlib, os, signal, sys, threading, time
from fem_mbd.runs.running import interruption

def handle(number, frame):
    interruption.acknowledge(number)
    raise KeyboardInterrupt

def strike(number):
    threading.Timer(0.1, os.kill, (os.getpid(), number)).start()

for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, handle)
interruption.watch_signals()
"""
MINUTES = (
    "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"  # in machine code, during which Python calls no handler
)


def python(code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", BUSY + code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(("name", "word"), [("SIGINT", "interrupted"), ("SIGTERM", "terminated")])
def test_process_ends_at_once_while_no_step_is_unstored(name: str, word: str) -> None:
    done = python(f"strike(signal.{name})\n{MINUTES}")
    assert (done.returncode, done.stderr) == (128 + getattr(signal, name), f"fem-mbd: {word}\n")


def test_where_steps_would_be_lost_it_says_what_comes_next() -> None:
    """The computation ends by itself here, so that the handler is called in the end."""
    seconds = MINUTES.replace("10**9", "10**7")
    done = python(
        "interruption.unstored_steps.set(); strike(signal.SIGINT)\n"
        f"try:\n    {seconds}\n    time.sleep(60)\nexcept KeyboardInterrupt: sys.exit(7)"
    )
    assert done.returncode == 7
    assert "fem-mbd: SIGINT: a kernel is being compiled" in done.stderr


def test_an_interrupt_that_a_destructor_loses_ends_the_process() -> None:
    done = python(
        f"class Holder:\n    def __del__(self): signal.raise_signal(signal.SIGINT)\nHolder()\n{MINUTES}"
    )
    assert (done.returncode, done.stderr) == (130, "fem-mbd: interrupted\n")


def test_signals_that_are_heard_need_no_other_answer() -> None:
    """Two signals at once cause one call of the handler: the second must not count as unanswered."""
    done = python(
        "for _ in range(2):\n"
        "    try:\n        os.kill(os.getpid(), signal.SIGINT); os.kill(os.getpid(), signal.SIGINT); time.sleep(1)\n"
        "    except KeyboardInterrupt: pass\n"
        "time.sleep(2 * interruption.HANDLER_TIMEOUT); sys.exit(7)"
    )
    assert (done.returncode, done.stderr) == (7, "")
