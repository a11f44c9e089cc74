"""Records of the array avrSWAP, the interface between a simulation and a Bladed-style controller, with units.

Source: Bladed User Manual, version 3.81, appendix A, as OpenFAST's ServoDyn passes them (module BladedInterface.f90).
Records are counted from 1; numbers are single precision, SI units, angles in rad.
"""

from __future__ import annotations

from typing import NamedTuple

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
