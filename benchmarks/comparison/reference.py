"""Converged reference solutions, computed once with small steps on the same mesh and cached in build/benchmarks."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
from collections.abc import Callable
from typing import Any

from benchmarks.comparison.outcome import Outcome
from benchmarks.peers.peer import ROOT

FOLDER = ROOT / "build" / "benchmarks"


def reference(
    problem: str, program: str, arguments: dict[str, Any], compute: Callable[[], Outcome]
) -> Outcome:
    """The cached outcome of `program` (name and version) with these arguments, or a new one.

    Any change of the problem's file requires a new one; after a change of the physics of the package itself, remove the
    folder (`make clean` does).
    """
    text = inspect.getsource(importlib.import_module(f"benchmarks.problems.{problem}"))
    key = json.dumps([program, arguments, text], sort_keys=True)
    path = FOLDER / f"{problem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
    if path.exists():
        return Outcome.from_plain(json.loads(path.read_text()))
    outcome = compute()
    FOLDER.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(outcome.to_plain()))
    return outcome
