"""What all tests need of the process that they run in."""

import signal
from pathlib import Path

import pytest

# folders whose runs have to stay in the ranges in which formulas hold
IN_RANGE = ("validation", "cases", "docs", "machines", "analysis")

# A process started in the background ignores Ctrl-C, and runs respect that; tests of interruption need it answered.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Turn range warnings into errors in the tests of studies, machines, analyses and pages."""
    tests = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(tests) and item.path.relative_to(tests).parts[0] in IN_RANGE:
            mark = pytest.mark.filterwarnings("error::fem_mbd.core.model.ranges.RangeWarning")
            item.add_marker(mark, append=False)
