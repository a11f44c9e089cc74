"""Signal handlers: Ctrl-C and SIGTERM ask a run to stop after the current step, or end a command in compiled code.

`watch_signals` answers Ctrl-C and SIGTERM within a second, even while the main thread is busy in compiled code. Python
calls its signal handlers between two bytecode instructions in the main thread. A factorisation of a large model, or
LLVM when a kernel is compiled, may take seconds, during which no handler is called. But each signal writes a byte to a
pipe at once (`signal.set_wakeup_fd`), on which a second thread waits. A handler that is called empties the pipe. If
none has done so for `HANDLER_TIMEOUT` seconds, the thread reacts instead: it ends the process if nothing would be lost,
or prints a message if a run has made steps.

A KeyboardInterrupt raised by a handler inside a destructor, of which compiling has many, has no effect. Python reports
it as unraisable (`sys.unraisablehook`); this hook ends the process as well.

Only the command line does this: a library must not end the process of its user.

`Interruption` lets a run stop after its step; `Interrupted` is the error of stopped analyses.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from select import select
from types import FrameType, TracebackType
from typing import Any

# s, the time in which a handler is called unless the main thread is busy outside Python
HANDLER_TIMEOUT = 0.5
_POLL = 0.02  # s
_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}

unstored_steps = threading.Event()  # set while a run has made steps that are not all stored
_pipe: list[int] = []  # the read end of the pipe, once signals are watched
_acknowledged: list[int] = []  # numbers of the signals whose handlers were called


def watch_signals() -> None:
    """Start watching signals; called in the main thread of a command."""
    read, write = os.pipe()
    for end in (read, write):
        os.set_blocking(end, False)
    _pipe.append(read)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    sys.unraisablehook = _on_unraisable
    # a forked process inherits the pipe but not the thread: the signals in it are not its own
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
    threading.Thread(target=_watch, args=(read,), daemon=True).start()


def acknowledge(number: int) -> None:
    """Called by the handler of signal ``number``: the signals so far need no other reaction."""
    _acknowledged.append(number)
    for read in _pipe:
        with suppress(BlockingIOError):
            os.read(read, 1024)


def exit_by_signal(number: int) -> None:
    """End the process at once, with the exit status of a command that was ended by this signal."""
    os.write(2, f"fem-mbd: {_WORDS[signal.Signals(number)]}\n".encode())
    os._exit(128 + number)


def _on_unraisable(unraisable: Any) -> None:
    """Replacement for `sys.unraisablehook`."""
    if unraisable.exc_type is KeyboardInterrupt and _acknowledged:
        if not unstored_steps.is_set():
            exit_by_signal(_acknowledged[-1])
    else:
        sys.__unraisablehook__(unraisable)


def _watch(read: int) -> None:
    while True:
        select([read], [], [])
        deadline = time.monotonic() + HANDLER_TIMEOUT
        while time.monotonic() < deadline and select([read], [], [], 0.0)[0]:
            time.sleep(_POLL)
        with suppress(BlockingIOError):
            _react(os.read(read, 1024)[0])


def _react(number: int) -> None:
    """React to the signal of that number instead of its handler."""
    if number not in _WORDS:
        return
    if not unstored_steps.is_set():
        exit_by_signal(number)
    name = signal.Signals(number).name
    text = "a kernel is being compiled, which takes some seconds; the run stops after it"
    os.write(2, f"\nfem-mbd: {name}: {text}\n".encode())


SIGNALS = (signal.SIGINT, signal.SIGTERM)
RESTORED = object()  # stands for the handler of a signal whose handler has been put back


class Interrupted(KeyboardInterrupt):
    """An analysis of many runs was stopped by Ctrl-C; the message says what is kept and how to go on.

    Attributes
    ----------
    kept : what was found so far: a `Branch`, a `RunTable`, the parameters of a calibration; None for nothing
    """

    def __init__(self, reason: str, kept: Any = None) -> None:
        super().__init__(reason)
        self.kept = kept


class Interruption:
    """Context in which SIGINT and SIGTERM ask the run to stop.

    The first signal sets `requested`; the run stops when its step is complete. A second one raises KeyboardInterrupt
    where this does no harm: while the run has set `abandonable`. A second SIGTERM has the effect it had before this
    context.

    A signal that the process ignores (a run started in the background by a script) stays ignored. Outside the main
    thread Python allows no signal handlers; there the context does nothing.

    Attributes
    ----------
    requested : whether the run has to stop
    number : number of the first signal, 0 before
    abandonable : set by the run; True while its current work may be aborted anywhere
    """

    def __init__(self, show_message: Callable[[str], None]) -> None:
        self.requested = False
        self.number = 0
        self.abandonable = False
        self._show_message = show_message
        self._before: dict[int, object] = {}

    @property
    def name(self) -> str:
        """Name of the first signal."""
        return signal.Signals(self.number).name

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for number in list(self._before):
            self._restore(number)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        acknowledge(number)
        second, self.requested = self.requested, True
        self.number = self.number or number
        if number == signal.SIGTERM:
            self._restore(number)
        if self.abandonable and second:
            raise KeyboardInterrupt
        if not second:
            self._show_message(f"{self.name}: the run stops after this step; send it again to stop at once")

    def _restore(self, number: int) -> None:
        handler = self._before.pop(number, RESTORED)
        if handler is RESTORED:  # a signal came while the context ended
            return
        # A handler that was not installed from Python is reported as None and cannot be put back.
        signal.signal(number, signal.SIG_DFL if handler is None else handler)  # type: ignore[arg-type]
