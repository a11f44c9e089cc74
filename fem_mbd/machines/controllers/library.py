"""Class `ControllerLibrary`: a Bladed-style controller library (DISCON), called in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import numpy as np

from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.machines.controllers import host, swap

MESSAGE_BYTES = 1025
FLAG_BYTES = 4  # size of aviFAIL
EXIT_TIMEOUT = 10.0  # s, for the process to end


class ControllerLibrary:
    """A library that is called with the array avrSWAP.

    Parameters
    ----------
    file : the shared library
    entry : name of its function
    infile : the controller's own input file, "" for none
    outname : root of the names of files that it writes

    Attributes
    ----------
    file : absolute path of the library
    swap : (SIZE,) float32, record n at index n - 1: input of the next call and output of the last one

    Raises
    ------
    InputError
        When there is no such file, it cannot be loaded, or it lacks the entry point.
    """

    def __init__(
        self, file: str | Path, entry: str = "DISCON", infile: str = "", outname: str = "controller"
    ):
        self.file = Path(file).absolute()
        if not self.file.is_file():
            raise InputError(f"controller {file}: there is no such file")
        if infile and not Path(infile).is_file():
            raise InputError(f"controller {file}: its input file {infile} does not exist")
        self.swap = np.zeros(swap.SIZE, dtype=np.float32)
        self.set(swap.MESSAGE_LENGTH, MESSAGE_BYTES)
        self.set(swap.INFILE_LENGTH, len(os.fsencode(infile)) + 1)
        self.set(swap.OUTNAME_LENGTH, len(os.fsencode(outname)) + 1)
        self.set(swap.OUTNAME_SIZE, host.OUTNAME_BYTES)
        self.set(swap.EXTENT, swap.SIZE)
        self._start([str(self.file), entry, infile, outname])

    def _start(self, arguments: list[str]) -> None:
        read, child_write = os.pipe()
        child_read, write = os.pipe()
        numbers = [str(n) for n in (swap.SIZE, MESSAGE_BYTES, child_read, child_write)]
        self._process = subprocess.Popen(
            [sys.executable, host.__file__, *arguments, *numbers],
            pass_fds=(child_read, child_write),
            start_new_session=True,  # Ctrl-C ends the run, which ends the library by its last call
        )
        os.close(child_read)
        os.close(child_write)
        self._read, self._write = os.fdopen(read, "rb"), os.fdopen(write, "wb", buffering=0)
        status_line = self._read.readline().decode(errors="replace").strip()
        if status_line != "ok":
            self.close()
            raise InputError(
                f"controller {self.file}: {status_line or 'the process that loads it ' + self._end()}"
            )

    def get(self, record: swap.Record) -> float:
        """A record of the array.

        Parameters
        ----------
        record : of `fem_mbd.machines.controllers.swap`
        """
        return float(self.swap[record.number - 1])

    def set(self, record: swap.Record, value: float) -> None:
        """Set a record of the array.

        Parameters
        ----------
        record : of `fem_mbd.machines.controllers.swap`
        value : in its unit
        """
        self.swap[record.number - 1] = value

    def call(self, time: float) -> tuple[int, str]:
        """Call the library with the present array.

        Parameters
        ----------
        time : s, for messages

        Returns
        -------
        tuple
            aviFAIL (negative: failed, positive: a warning, 0) and the library's message.

        Raises
        ------
        SolverFailure
            When the library's process ends, by a crash or an exit.
        """
        try:
            self._write.write(self.swap.tobytes())
            answer = self._read.read(FLAG_BYTES + self.swap.nbytes + MESSAGE_BYTES)
        except OSError:
            answer = b""
        if len(answer) < FLAG_BYTES + self.swap.nbytes + MESSAGE_BYTES:
            raise SolverFailure(f"controller {self.file} {self._end()} at t = {time:g} s")
        self.swap = np.frombuffer(answer, np.float32, swap.SIZE, FLAG_BYTES).copy()
        message = answer[FLAG_BYTES + self.swap.nbytes :].split(b"\0", 1)[0].decode(errors="replace").strip()
        return int(np.frombuffer(answer, np.int32, 1)[0]), message

    def close(self) -> None:
        """End the process."""
        self._write.close()
        self._read.close()
        try:
            self._process.wait(EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _end(self) -> str:
        """How the process has ended."""
        try:
            status = self._process.wait(EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            return "does not answer"
        return (
            f"crashed ({signal.Signals(-status).name})"
            if status < 0
            else f"ended its process (exit status {status})"
        )

    def __enter__(self) -> ControllerLibrary:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()
