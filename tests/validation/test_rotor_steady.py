"""Steady states of the IEA 10 MW and IEA 22 MW rotors in wind along the shaft, without weight.

IEAWindSystems/IEA-10.0-198-RWT, hawc2/hawcstab2/steady_states/iea10mw_hs2.pwr: HAWCStab2's thrust, power and place of
the tip along the shaft, with its own deflections. IEAWindSystems/IEA-22-280-RWT, outputs/01_steady_states: HAWC2's
thrust, power, deflection of the tip to the suction side and twist of the tip, in axes of the pitched root; pitch and
speed are those of its cases (no tilt, no gravity). Inputs: the HAWC2 files of both machines (Apache-2.0).

Allowed: 1.5 % of thrust and power for the IEA 22 MW, 1.5 and 2 % for the IEA 10 MW, tip deflections 2.5 and 3 % (of the
largest for the IEA 10 MW), twist 6 %. At 5 m/s the thrust of the IEA 22 MW misses: it is 2 % below HAWC2's, for a
reason that is not known.
"""

from functools import cache
from pathlib import Path

import numpy as np

from fem_mbd.machines import Machine, SteadyState, read_machine, with_elements
from fem_mbd.machines.assembly.assembled import blade_root
from fem_mbd.machines.description.machine import blades_of
from fem_mbd.machines.steady import pitched
from tests.validation.problem import Number, Picture, Problem, Solution, ours, reference

DECKS = Path(__file__).parents[1] / "machines" / "decks"
RPM, ELEMENTS = np.pi / 30.0, 18
HUB_RADIUS = 2.8  # m, IEA 10 MW
# wind m/s, pitch deg, speed rpm, thrust kN, power kW, tip from the rotor's centre downwind along the shaft m
IEA10 = (
    (6.0, 0.0, 6.121430, 612.446, 1973.429, -5.165624),
    (8.0, 0.0, 8.161907, 1062.529, 4723.686, -0.597343),
    (10.0, 0.0, 8.681179, 1428.398, 9057.796, 2.166779),
    (12.0, 5.806409, 8.681179, 1144.982, 10638.300, -1.958065),
    (16.0, 13.218095, 8.681179, 809.229, 10638.300, -7.232250),
    (20.0, 18.509184, 8.681179, 662.998, 10638.300, -10.229228),
)
# wind m/s, pitch deg, speed rpm, thrust kN, power kW, tip m, twist deg
IEA22 = (
    (5.0, 0.0091495, 3.0777017, 804.6845, 2429.408, 7.1368, -1.3969),
    (8.0, -0.9799586, 4.9243227, 2024.3184, 9890.314, 16.4323, -3.8750),
    (12.0, 5.0947061, 7.0610996, 2476.4545, 23122.101, 17.2366, -5.6245),
)
LOW_WIND, KNOWN = 5.0, 0.022  # m/s; share of the thrust up to which its miss there is known


@cache
def machine(name: str) -> Machine:
    return read_machine(DECKS / name / f"{name}_wind.htc", radii_at="elastic centre")


def downwind(state: SteadyState) -> float:
    """Place of the deflected tip of blade 1 along the shaft, m, from where its pitch axis meets the shaft."""
    assembly = pitched(with_elements(machine("iea10"), ELEMENTS), state.pitch)
    axis, pitch_axis = assembly.rotor.axis, blade_root(assembly, blades_of(assembly.machine)[0])[1]
    apex = assembly.frames["blade1"].origin - HUB_RADIUS * pitch_axis
    tip = state.equilibrium.of(assembly.beams["blade1"].end).position
    return float(np.sign(axis[0]) * axis @ (tip - apex))


def solve() -> Solution:
    """Both rotors; power and thrust over the wind."""
    found: list[Number] = []
    curves = []
    winds, pitch, speed, thrust, power, tip = np.array(IEA10).T
    states = (
        machine("iea10").steady(winds, pitch=np.radians(pitch), speed=speed * RPM, elements=ELEMENTS).states
    )
    largest = max(state.tip_deflection[0] for state in states)
    for k, s in enumerate(states):
        at = f"IEA 10 MW, {winds[k]:g} m/s: "
        found += [
            Number(at + "thrust", "kN", thrust[k], s.thrust / 1e3, 0.015 * thrust[k]),
            Number(at + "power", "kW", power[k], s.power / 1e3, 0.02 * power[k]),
            Number(at + "tip along the shaft", "m", tip[k], downwind(s), 0.03 * largest),
        ]
    curves += [ours(winds, [s.thrust / 1e3 for s in states], "IEA 10 MW"), reference(winds, thrust)]
    winds, pitch, speed, thrust, power, tip, twist = np.array(IEA22).T
    states = (
        machine("iea22").steady(winds, pitch=np.radians(pitch), speed=speed * RPM, elements=ELEMENTS).states
    )
    for k, s in enumerate(states):
        at, known = f"IEA 22 MW, {winds[k]:g} m/s: ", KNOWN if winds[k] == LOW_WIND else 0.0
        found += [
            Number(
                at + "thrust", "kN", thrust[k], s.thrust / 1e3, 0.015 * thrust[k], known=known * thrust[k]
            ),
            Number(at + "power", "kW", power[k], s.power / 1e3, 0.015 * power[k]),
            Number(at + "tip deflection", "m", tip[k], s.tip_deflection[0], 0.025 * tip[k]),
            Number(at + "tip twist", "deg", twist[k], np.degrees(s.tip_twist), 0.06 * abs(twist[k])),
        ]
    curves += [ours(winds, [s.thrust / 1e3 for s in states], "IEA 22 MW"), reference(winds, thrust, "")]
    return Solution(found, [Picture("wind [m/s]", "thrust [kN]", curves)])


PROBLEM = Problem(
    name="rotor_steady",
    title="Steady states of two rotors in wind",
    group="Machines",
    source="IEA 10 MW and IEA 22 MW repositories",
    reference="HAWCStab2, HAWC2",
    solve=solve,
)
