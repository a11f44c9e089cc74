"""What all tests need of the process that they run in."""

import signal
from pathlib import Path

import pytest

# tests that fail, one a line with "| reason": they are reported as expected failures until they are mended
KNOWN_FAILURES = Path(__file__).with_name("known_failures.txt")

# A process started in the background ignores Ctrl-C, and runs respect that; tests of interruption need it answered.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _known_failures() -> dict[str, str]:
    """Reasons by the test's name."""
    lines = KNOWN_FAILURES.read_text(encoding="utf-8").splitlines()
    pairs = (line.rsplit(" | ", 1) for line in lines if line and not line.startswith("#"))
    return {name.strip(): reason for name, reason in pairs}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests that are out of a range on purpose ignore its warning; mark known failures."""
    known = _known_failures()
    for item in items:
        if item.nodeid in known:
            item.add_marker(pytest.mark.xfail(reason=known[item.nodeid], strict=False))
        for marker in item.iter_markers("out_of_range"):
            for measure in marker.args:
                ignored = f"ignore:.*{measure}:fem_mbd.core.model.ranges.RangeWarning"
                item.add_marker(pytest.mark.filterwarnings(ignored))
