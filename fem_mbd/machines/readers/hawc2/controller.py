"""Block `dll` of an htc file: the constants of the DTU controller, as those of the package's own controller.

The library itself is not loaded. Its constants by number (manual of the controller, DTU Wind Energy E-0028, appendix):
1 rated electrical power (kW), 2 and 3 least and rated speed (rad/s), 5 to 7 pitch (deg, deg, deg/s), 8 and 9 filter of
the speed (Hz, 1), 11 gain K, 12 and 13 gains of the torque, 15 constant power, 16 and 17 gains of the pitch, 19 and 20
those of the power, 21 and 22 schedule of gains (deg, deg^2), 23 relative speed of doubled gains, 34 pitch above which
the torque is the rated one (deg). The rated torque follows from the efficiency of the block `generator_servo`.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.elements.blades.hawc2_htc import Block, HtcFile
from fem_mbd.machines.description.control import PitchActuator, Ratings, VariableSpeed

CONTROLLER, GENERATOR = "dtu_we_controller", "generator_servo"
EFFICIENCY, FIRST_TABLE = (
    4,
    90.0,
)  # constant of the generator; deg, larger least pitch names a table over the wind
USAGE = "constant NUMBER VALUE"


def read_controller(htc: HtcFile) -> tuple[VariableSpeed | None, list[str]]:
    """The controller, None where there is no such block, and what is left out of it.

    Parameters
    ----------
    htc : the files

    Raises
    ------
    InputError
        Naming file and line: missing constants, numbers that do not fit.
    """
    block = htc.root.block("dll")
    own = None if block is None else _named(block, CONTROLLER)
    if own is None or block is None:
        return None, []
    c, generator = _constants(own), _named(block, GENERATOR)
    needed = (1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 20, 21, 22, 23)
    if missing := [k for k in needed if k not in c]:
        own.fail(f"constants {missing} of '{CONTROLLER}' are missing")
    efficiency = 1.0 if generator is None else _constants(generator).get(EFFICIENCY, 1.0)
    table = abs(c[5]) > FIRST_TABLE
    least = 0.0 if table else float(np.radians(c[5]))
    if not (c[3] > 0.0 and 0.0 < efficiency <= 1.0 and c[7] > 0.0 and c[1] > 0.0):
        own.fail("rated power, rated speed, pitch rate and efficiency have to be above zero")
    ratings = Ratings(c[11], c[2], c[3], 1e3 * c[1] / efficiency / c[3], least)
    # without a quadratic term the first one is the pitch at which the gains are halved
    second = float(np.radians(1.0) ** 2 * c[22]) if c[22] else np.inf
    found = VariableSpeed(
        ratings, torque_gains=(c[12], c[13]), pitch_gains=(c[16], c[17]), power_gains=(c[19], c[20]),
        schedule=(float(np.radians(c[21])) if c[21] else np.inf, second),
        double_gains=c[23] if c[23] > 1.0 else np.inf, constant_power=c[15],
        full_load_pitch=float(np.radians(max(c.get(34, 2.0), 0.1))),
        actuator=PitchActuator(least, float(np.radians(c[6])), float(np.radians(c[7]))), low_pass=(c[8], c[9]),
    )  # fmt: skip
    remarks = [f"'{CONTROLLER}': filters of the drive train, start and stop, safety systems"]
    if table:
        remarks.append(
            f"'{CONTROLLER}': table wpdata.{int(abs(c[5]))} of least pitch over the wind; it is 0 deg"
        )
    return found, remarks


def _named(block: Block, name: str) -> Block | None:
    """The DLL whose name or file has that name."""
    for dll in block.blocks:
        words = [
            " ".join(command.words).lower()
            for command in dll.commands
            if command.name in ("name", "filename")
        ]
        if any(name in text for text in words):
            return dll
    return None


def _constants(dll: Block) -> dict[int, float]:
    """Constants of its block `init`, by number."""
    init = dll.block("init")
    found = {}
    for command in [] if init is None else init.all("constant"):
        values = command.numbers(2, USAGE)
        found[int(values[0])] = float(values[1])
    return found
