"""Ctrl-C is answered within a second, also while machine code is being compiled.

Python calls its signal handlers between two of its own instructions, in the main thread. LLVM may work on one kernel
for seconds, in which none is called. But each signal writes a byte to a pipe at once (`signal.set_wakeup_fd`), on which
a second thread waits. A handler that is called empties the pipe; where none has done so for `PATIENCE` seconds the
thread answers in its place. It ends the process where nothing would be lost, and says what comes next where steps have
been made.

A handler that raises KeyboardInterrupt in a destructor, of which compiling has many, raises it in vain; Python reports
it as one that cannot be raised (`sys.unraisablehook`), and that is the moment to end too.

The command alone does this (`answer_promptly`): a library must not end the process of its user.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from select import select
from typing import Any

PATIENCE = 0.5  # s, in which a handler is called unless the main thread is busy outside Python
_POLL = 0.02  # s
_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}

at_stake = threading.Event()  # set while a run has made steps that are not all stored
_pipe: list[int] = []  # its end to read from, once signals are watched
_heard: list[int] = []  # numbers of the signals whose handlers were called


def answer_promptly() -> None:
    """Watch for signals from now on; called in the main thread of a command."""
    read, write = os.pipe()
    for end in (read, write):
        os.set_blocking(end, False)
    _pipe.append(read)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    sys.unraisablehook = _lost
    # a forked process has the pipe and not the thread: its signals are not this one's
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
    threading.Thread(target=_watch, args=(read,), daemon=True).start()


def hear(number: int) -> None:
    """Called by the handler of signal ``number``: the signals up to now need no other answer."""
    _heard.append(number)
    for read in _pipe:
        with suppress(BlockingIOError):
            os.read(read, 1024)


def leave(number: int) -> None:
    """End the process at once, with the status of a command that the signal has ended."""
    os.write(2, f"fem-mbd: {_WORDS[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)


def _lost(what: Any) -> None:
    """In place of `sys.unraisablehook`."""
    if what.exc_type is KeyboardInterrupt and _heard:
        if not at_stake.is_set():
            leave(_heard[-1])
    else:
        sys.__unraisablehook__(what)


def _watch(read: int) -> None:
    while True:
        select([read], [], [])
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and _waiting(read):
            time.sleep(_POLL)
        with suppress(BlockingIOError):
            _answer(os.read(read, 1024)[0])


def _waiting(read: int) -> bool:
    return bool(select([read], [], [], 0.0)[0])


def _answer(number: int) -> None:
    """In place of a handler, to the signal of that number."""
    if number not in _WORDS:
        return
    if not at_stake.is_set():
        leave(number)
    name = signal.Signals(number).name
    text = "a kernel is being compiled, which takes some seconds; the run stops behind it"
    os.write(2, f"\nfem-mbd: {name}: {text}\n".encode())
