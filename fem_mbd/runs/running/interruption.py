"""Signal handlers: Ctrl-C and SIGTERM ask a run to stop after the current step; the error of stopped analyses."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from fem_mbd.runs.running.signal_watch import acknowledge

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
