"""Ctrl-C and SIGTERM as a request to stop after the running step, so that nothing half-done is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

from fem_mbd.runs.running.prompt import hear

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Within this context SIGINT and SIGTERM ask the run to stop.

    The first one sets `requested`; the run stops when its step is complete. A second one raises KeyboardInterrupt where
    this does no harm: while the run has set `abandonable`. A second SIGTERM acts as it did before.

    A signal that the process ignores (a run started in the background by a script) stays ignored. Outside the main
    thread Python allows no signal handlers; there the context does nothing.

    Attributes
    ----------
    requested : whether the run is to stop
    number : the first signal's number, 0 before
    abandonable : set by the run, True while what it does may be broken off anywhere
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.requested = False
        self.number = 0
        self.abandonable = False
        self._say = say
        self._before: dict[int, object] = {}

    @property
    def name(self) -> str:
        """The first signal's name."""
        return signal.Signals(self.number).name

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for number in list(self._before):
            self._restore(number)

    def _note(self, number: int, frame: FrameType | None) -> None:
        hear(number)
        again, self.requested = self.requested, True
        self.number = self.number or number
        if number == signal.SIGTERM:
            self._restore(number)
        if self.abandonable and again:
            raise KeyboardInterrupt
        if not again:
            self._say(f"{self.name}: the run stops after this step; once more stops it at once")

    def _restore(self, number: int) -> None:
        handler = self._before.pop(number)
        # A handler that was not installed from Python is reported as None and cannot be put back.
        signal.signal(number, signal.SIG_DFL if handler is None else handler)  # type: ignore[arg-type]
