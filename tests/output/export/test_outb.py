"""Tests of OpenFAST's binary output files: read by OpenFAST's own Python reader, and files packed by hand."""

import struct
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.output.export.outb import read_outb, write_outb
from tests.refusals import refused

TIMES = np.linspace(10.0, 20.0, 41)
CHANNELS = {
    "RootMyb1": 1e6 * np.sin(TIMES) + 3e6,
    "TwrBsFzt": np.full(41, -5.4e6),
    "AVeryLongNameOfAChannel": np.linspace(-1.0, 1.0, 41) ** 3,
}
UNITS = {"RootMyb1": "N m", "TwrBsFzt": "N", "AVeryLongNameOfAChannel": "-"}


@pytest.mark.parametrize("times", [TIMES, TIMES**1.5])
def test_openfast_s_reader_reads_what_is_written(tmp_path: Path, times: np.ndarray) -> None:
    reader = pytest.importorskip("openfast_io.FAST_output_reader")
    names = list(CHANNELS)[: 3 if times is TIMES else 2]  # names of ten characters where times are packed
    file = write_outb(tmp_path / "sub" / "run.outb", times, {n: CHANNELS[n] for n in names}, UNITS, "a run")
    data, info = reader.load_binary_output(str(file))[:2]
    assert list(info["attribute_names"]) == ["Time", *names]
    assert list(info["attribute_units"])[1] == "N-m"
    assert data[:, 0] == pytest.approx(times, abs=1e-6)
    for k, name in enumerate(names, start=1):
        span = max(float(np.ptp(CHANNELS[name])), 1e-5 * float(np.abs(CHANNELS[name]).max()))
        assert np.abs(data[:, k] - CHANNELS[name]).max() <= 2e-5 * span


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found = read_outb(write_outb(tmp_path / "run.outb", TIMES, CHANNELS, UNITS, "a run of ours"))
    assert found.time == pytest.approx(TIMES)
    assert found.description == "a run of ours"
    assert list(found.channels) == list(CHANNELS)
    assert found.channels["RootMyb1"] == pytest.approx(CHANNELS["RootMyb1"], abs=40.0)
    assert found.units["RootMyb1"] == "N-m"


def packed(kind: int, width: int = 10) -> bytes:
    """Two channels, the second twice under one name, at 1.0, 1.5, 2.0 s: 0, 1, 2 and 10, 20, 30."""
    names = b"".join(word.ljust(width) for word in (b"Time", b"One", b"Two", b"Two"))
    units = b"".join(word.ljust(width) for word in (b"(s)", b"(kN)", b"(m)", b"(m)"))
    head = struct.pack("<h", kind) + (struct.pack("<h", width) if kind == 4 else b"")
    head += struct.pack("<ii", 3, 3)
    head += struct.pack("<dd", 1000.0, -1000.0) if kind == 1 else struct.pack("<dd", 1.0, 0.5)
    scales = b"" if kind == 3 else struct.pack("<6f", 100.0, 10.0, 10.0, 5.0, 0.0, 0.0)
    text = b"by hand"
    body = head + scales + struct.pack("<i", len(text)) + text + names + units
    if kind == 1:
        body += struct.pack("<3i", 0, 500, 1000)
    rows = [(0.0, 10.0, 10.0), (1.0, 20.0, 20.0), (2.0, 30.0, 30.0)]
    if kind == 3:
        return body + b"".join(struct.pack("<3d", *row) for row in rows)
    return body + b"".join(struct.pack("<3h", int(100 * a + 5), int(10 * b), int(10 * c)) for a, b, c in rows)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_every_kind_of_file(tmp_path: Path, kind: int) -> None:
    (tmp_path / "run.outb").write_bytes(packed(kind, 14 if kind == 4 else 10))
    found = read_outb(tmp_path / "run.outb")
    assert found.time == pytest.approx([1.0, 1.5, 2.0])
    assert list(found.channels) == ["One", "Two", "Two_2"]
    assert found.channels["One"] == pytest.approx([0.0, 1.0, 2.0])
    assert found.channels["Two_2"] == pytest.approx([10.0, 20.0, 30.0])
    assert found.units["One"] == "kN"


def test_files_that_are_none_or_end_early(tmp_path: Path) -> None:
    file = tmp_path / "run.outb"
    whole = packed(2)
    for end in range(len(whole)):
        file.write_bytes(whole[:end])
        refused(r"the file ends, at byte \d+, within", read_outb, file)
    file.write_bytes(struct.pack("<h", 7) + whole)
    refused("its kind is 7", read_outb, file)
    refused("cannot be read", lambda: read_outb(tmp_path / "no.outb"))
    refused("finite numbers", lambda: write_outb(file, TIMES, {"a": np.full(41, np.nan)}, {"a": "N"}))
