# PYTHON_ARGCOMPLETE_OK: shells that complete every Python command look for this word
"""Start of the command `fem-mbd`: nothing is imported before Ctrl-C is answered in words instead of a traceback."""

from __future__ import annotations

import gc
import os
import signal
from types import FrameType

from fem_mbd.runs.running.signal_watch import acknowledge, exit_by_signal, watch_signals


def main() -> int:
    """Import the command and run it; returns the exit status."""
    # Otherwise it is ignored, as in a run that a script started in the background: that stays so.
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, _leave)
        watch_signals()
    # The matrices of a run are small: more threads would cost time, and memory that a process may not have, with which
    # OpenBLAS ends in an endless loop. It reads this when NumPy is imported, which is later.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # imports and models leave next to no garbage: to look for it as often as Python does takes a tenth of the start
    gc.set_threshold(50_000, 20, 20)
    from fem_mbd.applications.cli.main import main as command

    if interruptible:
        signal.signal(signal.SIGINT, _interrupt)
    return command()


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: an exception in the middle of an import could be taken for a missing library."""
    exit_by_signal(number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    acknowledge(number)
    raise KeyboardInterrupt


if __name__ == "__main__":
    raise SystemExit(main())
