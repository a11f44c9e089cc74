# PYTHON_ARGCOMPLETE_OK: shells that complete every Python command look for this word
"""Start of the command `fem-mbd`: nothing is imported before Ctrl-C is answered in words instead of a traceback."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType

INTERRUPTED = 130
BACKSTOP_SECONDS = 2.0


def main() -> int:
    """Import the command and run it; returns the exit status."""
    # Otherwise it is ignored, as in a run that a script started in the background: that stays so.
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, _leave)
    from fem_mbd.cli.main import main as command

    if interruptible:
        signal.signal(signal.SIGINT, _interrupt)
    return command()


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: an exception in the middle of an import could be taken for a missing library."""
    os.write(2, b"fem-mbd: interrupted\n")
    os._exit(INTERRUPTED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; it is lost when this happens in a destructor, of which compiling kernels has many."""
    threading.Thread(target=_backstop, daemon=True).start()
    raise KeyboardInterrupt


def _backstop() -> None:
    time.sleep(BACKSTOP_SECONDS)
    _leave(signal.SIGINT, None)


if __name__ == "__main__":
    raise SystemExit(main())
