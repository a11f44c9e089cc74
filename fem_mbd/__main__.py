# PYTHON_ARGCOMPLETE_OK: shells that complete every Python command look for this word
"""Entry point of `fem-mbd`, `python -m fem_mbd`: signal handlers before all other imports, for a message at Ctrl-C."""

from __future__ import annotations

import gc
import os
import signal
from types import FrameType

from fem_mbd.runs.running.interruption import acknowledge, exit_by_signal, watch_signals


def main() -> int:
    """Import the command and run it; returns the exit status."""
    # Otherwise SIGINT is ignored, as in a run started in the background by a script, and remains so.
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, _exit)
        watch_signals()
    # The matrices of a run are small: more threads would cost time and memory; where memory is limited, OpenBLAS loops
    # for ever. It reads this variable when NumPy is imported, which is later.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # imports and models leave hardly any garbage: with Python's default thresholds collection takes a tenth of the
    # start
    gc.set_threshold(50_000, 20, 20)
    from fem_mbd.applications.cli.main import main as command

    if interruptible:
        signal.signal(signal.SIGINT, _interrupt)
    return command()


def _exit(number: int, frame: FrameType | None) -> None:
    """End at once: an exception during an import could be mistaken for a missing library."""
    exit_by_signal(number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    acknowledge(number)
    raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
