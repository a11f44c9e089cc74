"""MBDyn beside the benchmarks: its files, and runs of a small program that stands in for it."""

import re
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.comparison.outcome import PeerStopped
from benchmarks.peers.mbdyn_system import read_mov, read_out, rows_at, solve_mbdyn
from benchmarks.peers.peer import peer_versions, run_peer
from benchmarks.problems import spin_up

# -- files ------------------------------------------------------------------------------------------------------

# label, place, angles (degrees), velocity, angular velocity; of node 2 with accelerations behind
MOV = """\
1 0.0 0.0 0.0 0.0 -0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
2 1.5 0.0 0.0 0.0 -0.0 90.0 0.0 3.0 0.0 0.0 0.0 2.0 0.0 0.0 0.0 0.0 0.0 0.0
1 0.0 0.0 0.0 0.0 -0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
2 1.4961e+00 1.0807e-01 -2e-17 0.0 -0.0 94.1253 -0.21 2.99 0.0 0.0 0.0 2.0 0.0 0.0 0.0 0.0 0.0 0.0
"""
OUT = """\
# Derivatives solution step at time 0 performed in 1 iterations with 1e-9 error
# Key for lines starting with "Step":
# Step Time TStep NIter ResErr SolErr SolConv Out
Step 0 0 0 1 1e-9 0 0 1
Step 1 0.036 0.036 3 2.1e-07 0 0 0
Step 2 0.072 0.036 4 3e-08 0 0 1
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_rows_of_one_node_are_read(tmp_path: Path) -> None:
    rows = read_mov(write(tmp_path, "run.mov", MOV), 2)
    assert rows.shape == (2, 13)
    assert rows[1, 1:4].tolist() == [1.4961, 0.10807, -2e-17]
    assert rows[1, 6] == 94.1253 and rows[0, 8] == 3.0 and rows[1, 12] == 2.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (MOV[: MOV.rindex("94.1253") + 3], "run.mov, line 4: 7 numbers instead of 13"),
        (MOV.replace("1.4961e+00", "1.49x"), r"run.mov, line 4: .*1\.49x"),
        ("", "run.mov has no row of node 2"),
    ],
)
def test_files_that_are_not_whole_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(PeerStopped, match=reason):
        read_mov(write(tmp_path, "run.mov", text), 2)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PeerStopped, match=r"wrote no run\.mov"):
        read_mov(tmp_path / "run.mov", 1)


@pytest.mark.parametrize("flags", [True, False])
def test_steps_and_what_was_written_are_read(flags: bool, tmp_path: Path) -> None:
    text = OUT if flags else re.sub(r" [01]$", "", OUT, flags=re.M)
    log = read_out(write(tmp_path, "run.out", text))
    assert log.iterations.tolist() == [0, 3, 4]
    assert log.written(2).tolist() == [0.0, 0.072]
    assert rows_at(np.array([0.072]), log.written(2), 2).tolist() == [1]


def test_rows_at_other_times_are_refused() -> None:
    with pytest.raises(PeerStopped, match=r"no row at 0\.2 s"):
        rows_at(np.array([0.1, 0.2]), np.array([0.0, 0.1, 0.19]), 3)
    with pytest.raises(PeerStopped, match=r"2 rows of the node, by run\.out there are 3"):
        rows_at(np.array([0.1, 0.2]), np.array([0.0, 0.1, 0.2]), 2)


# -- runs -------------------------------------------------------------------------------------------------------


def test_a_run_passes_the_deck_and_reads_what_it_gave(stand_in) -> None:
    """It takes 0.5 s to start and 0.25 s to solve: what it takes to start is no part of the solve."""
    stand_in(before="while time.process_time() < 0.5: pass")
    deck, tip = spin_up.mbdyn_model()
    times = spin_up.sample_times(2.0)
    seen = solve_mbdyn(deck, tip, times, 200, keep=2)
    turns = np.array([spin_up.plain_angle(t) for t in times])
    exact = 10.0 * np.column_stack([np.cos(turns), np.sin(turns), 0.0 * turns])
    exact[:, :2] += 1e-4 * np.column_stack([-np.sin(turns), np.cos(turns)])
    assert seen.samples == pytest.approx(exact, abs=1e-12)
    assert (seen.steps, seen.newton_iterations, seen.factorisations) == (200, 400, 200)
    assert seen.complete and seen.reached == pytest.approx(2.0)
    assert 0.2 < seen.cpu_seconds < 0.25 + seen.facts["start_cpu_seconds"], (
        "the start is not part of the solve"
    )


def test_a_peer_process_runs_it_too(stand_in) -> None:
    """Rigid rotation has no transverse displacement but the error put in."""
    stand_in()
    run = run_peer("spin_up", program="mbdyn", steps=400, end=2.0)
    assert run.samples == pytest.approx(np.full((20, 1), 0.005**2), abs=1e-12)
    assert peer_versions()["mbdyn"] == "9.9-stand-in"


def test_a_failing_run_says_why(stand_in) -> None:
    stand_in("""
        print("Max iterations number 50 has been reached during Step=6, Time=0.06", file=sys.stderr)
        print("An error occurred during the execution of MBDyn; aborting...", file=sys.stderr)
        sys.exit(1)
        """)
    reason = "MBDyn ended with status 1: Max iterations number 50 has been reached during Step=6, Time=0.06"
    with pytest.raises(PeerStopped) as stopped:
        run_peer("spin_up", program="mbdyn", steps=200, end=2.0)
    assert str(stopped.value) == reason


def test_a_run_that_stops_early_is_no_result(stand_in) -> None:
    path = stand_in()
    path.write_text(path.read_text().replace("Time >= final", "Time >= 0.5 * final"))
    with pytest.raises(PeerStopped, match=r"stopped at 1 of 2 s"):
        run_peer("spin_up", program="mbdyn", steps=200, end=2.0)


def test_a_time_limit_ends_the_program_and_what_it_started(stand_in, tmp_path: Path) -> None:
    sign = tmp_path / "alive"
    stand_in(f"""
        import subprocess
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(4); open({str(sign)!r}, 'w')"])
        time.sleep(60)
        """)
    deck, tip = spin_up.mbdyn_model()
    start = time.monotonic()
    with pytest.raises(PeerStopped, match=r"did not finish within 1\.5 s"):
        solve_mbdyn(deck, tip, spin_up.sample_times(2.0), 200, limit=1.5)
    assert time.monotonic() - start < 3.5
    time.sleep(4.5)
    assert not sign.exists()


def test_steps_have_to_end_at_the_samples() -> None:
    deck, tip = spin_up.mbdyn_model()
    with pytest.raises(ValueError, match="multiple of 20"):
        solve_mbdyn(deck, tip, spin_up.sample_times(2.0), 210)
