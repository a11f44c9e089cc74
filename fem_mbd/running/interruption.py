"""Ctrl-C and SIGTERM as a request to stop after the running step, so that nothing half-done is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from fem_mbd.compiled.compiling.compilations import Watcher, watched_compilations
from fem_mbd.running.prompt import hear

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Within this context SIGINT and SIGTERM ask the run to stop.

    The first one sets `requested`; the run stops when its step is complete. A second one, or the first while kernels
    are compiled, which takes longer than anyone waits, raises KeyboardInterrupt where this does no harm: while the run
    has set `abandonable`. A second SIGTERM acts as it did before.

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
        self._compilations = 0
        self._before: dict[int, object] = {}

    @property
    def name(self) -> str:
        """The first signal's name."""
        return signal.Signals(self.number).name

    @contextmanager
    def within_compilations(self) -> Iterator[None]:
        """Within this context it is known whether a kernel is being compiled."""
        with watched_compilations(_Count(self)):
            yield

    def _count(self, change: int) -> None:
        if change > 0 and self.requested and self.abandonable:
            # Raised in a destructor, the exception was lost.
            raise KeyboardInterrupt
        self._compilations = max(self._compilations + change, 0)

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
        if self.abandonable and (again or self._compilations):
            raise KeyboardInterrupt
        if not again:
            self._say(f"{self.name}: the run stops after this step; once more stops it at once")

    def _restore(self, number: int) -> None:
        handler = self._before.pop(number)
        # A handler that was not installed from Python is reported as None and cannot be put back.
        signal.signal(number, signal.SIG_DFL if handler is None else handler)  # type: ignore[arg-type]


class _Count(Watcher):
    """Counts the compilations that have begun and not ended: a kernel compiles the ones that it calls."""

    def __init__(self, interruption: Interruption) -> None:
        self._interruption = interruption

    def begun(self) -> None:
        self._interruption._count(1)

    def ended(self) -> None:
        self._interruption._count(-1)
