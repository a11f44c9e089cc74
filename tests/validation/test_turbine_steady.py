"""Steady states of two turbines in uniform wind, blades deflected: HAWCStab2 (IEA 10 MW) and HAWC2 (IEA 22 MW).

IEAWindSystems/IEA-10.0-198-RWT, hawc2/hawcstab2/steady_states (iea10mw_hs2.pwr); IEAWindSystems/IEA-22-280-RWT,
outputs/01_steady_states/HAWC2: no tilt, no weight; pitch and speed as there. The structure of the IEA 10 MW is that of
the HAWC2 deck. The tolerances are what two codes with the same theory differ by: 1.5 % of the thrust, 2 % of the power,
2.5 % of the deflection, 6 % of the twist.
"""

import numpy as np

from tests.machines.test_steady import IEA10, IEA22, RPM, machine
from tests.validation.problem import Number, Picture, Problem, Solution, ours, reference


def solve() -> Solution:
    found: list[Number] = []
    curves = []
    for name, title, rows in (("iea10", "IEA 10 MW", IEA10), ("iea22", "IEA 22 MW", IEA22)):
        table = np.array(rows).T
        winds, pitch, speed, thrust, power = table[:5]
        states = machine(name).steady(winds, pitch=np.radians(pitch), speed=speed * RPM).states
        for k, state in enumerate(states):
            at = f"{title}, {winds[k]:g} m/s"
            found.append(Number(f"thrust, {at}", "kN", thrust[k], state.thrust / 1e3, 0.015 * thrust[k]))
            found.append(Number(f"power, {at}", "kW", power[k], state.power / 1e3, 0.02 * power[k]))
            if name == "iea22":
                tip, twist = table[5, k], table[6, k]
                found.append(
                    Number(f"tip deflection, {at}", "m", tip, float(state.tip_deflection[0]), 0.025 * tip)
                )
                turned = float(np.degrees(state.tip_twist))
                found.append(Number(f"tip twist, {at}", "deg", twist, turned, 0.06 * abs(twist)))
        curves.append(ours(winds, [s.thrust / 1e3 for s in states], title))
        curves.append(reference(winds, thrust))
    return Solution(found, [Picture("wind [m/s]", "thrust [kN]", curves)])


PROBLEM = Problem(
    name="turbine-steady",
    title="Turbines in steady wind",
    group="Machines",
    source="IEA 10 MW and 22 MW reference wind turbines",
    reference="HAWCStab2; HAWC2",
    solve=solve,
)
