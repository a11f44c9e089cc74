"""Ctrl-C and SIGTERM as a wish to stop after the running step, so that nothing half-done is kept."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Within this context the first SIGINT or SIGTERM sets `requested`; a second one acts as it did before.

    Outside the main thread Python allows no signal handlers; there the context does nothing.
    """

    def __init__(self) -> None:
        self.requested = False
        self.name = ""
        self._before: dict[int, object] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._restore()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self.name = signal.Signals(number).name
        self._restore()

    def _restore(self) -> None:
        while self._before:
            number, handler = self._before.popitem()
            # A handler that was not installed from Python is reported as None and cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # type: ignore[arg-type]
