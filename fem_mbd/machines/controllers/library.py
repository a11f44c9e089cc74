"""Class `ControllerLibrary`: a Bladed-style controller library (DISCON), called in a process of its own.

`Record` has the records of the array avrSWAP, the interface between a simulation and such a controller, with units.
Source: Bladed User Manual, version 3.81, appendix A, as OpenFAST's ServoDyn passes them (module BladedInterface.f90).
Records are counted from 1; numbers are single precision, SI units, angles in rad.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import numpy as np

from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.machines.controllers import host

SIZE = 3300  # numbers in the array, as OpenFAST has it
FIRST, NORMAL, LAST = 0.0, 1.0, -1.0  # status


class Record(NamedTuple):
    """A record: its number, unit, and meaning."""

    number: int
    unit: str
    meaning: str


# from the simulation to the controller
STATUS = Record(1, "1", "0 at the first call, 1 at all others, -1 at the last")
TIME = Record(2, "s", "time")
INTERVAL = Record(3, "s", "communication interval")
PITCH = (
    Record(4, "rad", "pitch angle of blade 1, positive to feather"),
    Record(33, "rad", "pitch angle of blade 2"),
    Record(34, "rad", "pitch angle of blade 3"),
)
LEAST_PITCH = Record(6, "rad", "smallest pitch angle")
LARGEST_PITCH = Record(7, "rad", "largest pitch angle")
LEAST_PITCH_RATE = Record(8, "rad/s", "smallest pitch rate, negative")
LARGEST_PITCH_RATE = Record(9, "rad/s", "largest pitch rate")
PITCH_ACTUATOR = Record(10, "1", "0: pitch angles are demanded, 1: pitch rates")
PITCH_BEFORE = Record(11, "rad", "pitch angle that was demanded last, blade 1")
SHAFT_POWER = Record(14, "W", "power of the rotor at the shaft")
ELECTRICAL_POWER = Record(15, "W", "generator torque times generator speed, without losses")
GENERATOR_SPEED = Record(20, "rad/s", "speed of the generator, gearbox ratio times the rotor's")
ROTOR_SPEED = Record(21, "rad/s", "speed of the rotor")
TORQUE_BEFORE = Record(23, "N m", "generator torque, on the generator's side")
WIND_SPEED = Record(27, "m/s", "wind speed at the hub")
PITCH_CONTROL = Record(28, "1", "0: one demand for all blades, 1: one for each")
OUT_OF_PLANE = tuple(
    Record(30 + k, "N m", f"out-of-plane bending moment at the root of blade {k + 1}") for k in range(3)
)
IN_PLANE = tuple(
    Record(69 + k, "N m", f"in-plane bending moment at the root of blade {k + 1}") for k in range(3)
)
NACELLE_ANGLE = Record(37, "rad", "yaw angle of the nacelle")
MESSAGE_LENGTH = Record(49, "1", "most characters of the message, the closing zero included")
INFILE_LENGTH = Record(50, "1", "characters of the input file's name, the closing zero included")
OUTNAME_LENGTH = Record(51, "1", "characters of the output name, the closing zero included")
FORE_AFT = Record(53, "m/s^2", "acceleration of the tower's top, downwind")
SIDE_SIDE = Record(54, "m/s^2", "acceleration of the tower's top, to the left when looking downwind")
AZIMUTH = Record(60, "rad", "azimuth of blade 1, 0 upwards, in the sense of rotation")
BLADES = Record(61, "1", "number of blades")
OUTNAME_SIZE = Record(64, "1", "most characters that may be returned in the output name")
EXTENT = Record(129, "1", "size of this array")
# in both directions
CONTACTOR = Record(35, "1", "generator: 0 off, 1 on")
BRAKE = Record(36, "1", "must be 0: the shaft brake is not supported")
# from the controller to the simulation
EACH_PITCH = (
    Record(42, "rad", "demanded pitch angle of blade 1"),
    Record(43, "rad", "demanded pitch angle of blade 2"),
    Record(44, "rad", "demanded pitch angle of blade 3"),
)
ALL_PITCH = Record(45, "rad", "demanded pitch angle of all blades")
TORQUE = Record(47, "N m", "demanded generator torque, on the generator's side")
YAW_RATE = Record(48, "rad/s", "demanded yaw rate: not followed here")
PITCH_OVERRIDE = Record(55, "1", "must be 0: pitch control by the simulation is not supported")
TORQUE_OVERRIDE = Record(56, "1", "must be 0: torque control by the simulation is not supported")


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
        self.swap = np.zeros(SIZE, dtype=np.float32)
        self.set(MESSAGE_LENGTH, MESSAGE_BYTES)
        self.set(INFILE_LENGTH, len(os.fsencode(infile)) + 1)
        self.set(OUTNAME_LENGTH, len(os.fsencode(outname)) + 1)
        self.set(OUTNAME_SIZE, host.OUTNAME_BYTES)
        self.set(EXTENT, SIZE)
        self._start([str(self.file), entry, infile, outname])

    def _start(self, arguments: list[str]) -> None:
        read, child_write = os.pipe()
        child_read, write = os.pipe()
        numbers = [str(n) for n in (SIZE, MESSAGE_BYTES, child_read, child_write)]
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

    def get(self, record: Record) -> float:
        """A record of the array.

        Parameters
        ----------
        record : of `fem_mbd.machines.controllers.library`
        """
        return float(self.swap[record.number - 1])

    def set(self, record: Record, value: float) -> None:
        """Set a record of the array.

        Parameters
        ----------
        record : of `fem_mbd.machines.controllers.library`
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
        self.swap = np.frombuffer(answer, np.float32, SIZE, FLAG_BYTES).copy()
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
