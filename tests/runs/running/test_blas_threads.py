"""Tests of BLAS threads: one in a run, the previous number after it."""

import json
import os
import subprocess
import sys

import pytest

from fem_mbd.base.blas_threads import VARIABLE, one_blas_thread
from tests.runs.running.fake_runs import ROOT

CODE = """
import json
import numpy, scipy.linalg
from threadpoolctl import threadpool_info
import fem_mbd as fm
from fem_mbd.elements import Force, RigidBody

def threads():
    return {found["filepath"]: found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}

seen = []
def push(t):
    seen.append(threads())
    return (1.0, 0.0, 0.0)

model = fm.Model()
body = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), (0, 0, 0)))
model.add(Force(body.node, push))
before = threads()
seen.clear()
fm.simulate(model, 0.02, fm.StepControl.fixed(0.01), progress=False)
print(json.dumps([before, seen[-1], threads()]))
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="BLAS has one thread on one processor")
def test_a_run_has_one_blas_thread_and_leaves_the_others_as_they_were() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), VARIABLE: "2"}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    before, within, after = json.loads(done.stdout)
    assert max(before.values()) > 1 and set(within.values()) == {1}
    assert {file: after[file] for file in before} == before


def test_nothing_is_looked_for_where_one_thread_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with one_blas_thread():
        pass
