"""Dynamic stall of a pitching airfoil: loops of lift by the models of Hansen, Gaunaa and Madsen, and of Oye.

Reference: unsteadyaero_driver of OpenFAST 5.0.0 (UA_Mod 4 and 6) with polar 55 of the IEA 22 MW turbine (Apache-2.0),
chord 2 m, 60 m/s, the last of six cycles. Allowed: 1 % of the largest lift at its extremes, 2 % rms over the loop.
"""

import numpy as np

from tests.aerodynamics.test_stall import DATA, LOOPS, MODELS, pitching, polar
from tests.validation.problem import Curve, Number, Picture, Problem, Solution, ours, reference

MODEL_NAMES = {"ua4": "Hansen, Gaunaa & Madsen", "ua6": "Oye"}
STEPS = 180  # a cycle


def solve() -> Solution:
    """Four loops, two of them in deep stall."""
    found: list[Number] = []
    pictures = []
    for model, title in MODEL_NAMES.items():
        curves: list[Curve] = []
        for name, (largest, smallest) in LOOPS.items():
            kind, mean, amplitude, frequency = name.split("_")
            if kind != model:
                continue
            table = np.loadtxt(DATA / f"{name}.csv", delimiter=",", skiprows=1)
            numbers = float(mean[1:]), float(amplitude[1:]), float(frequency[1:])
            loop = pitching(polar(), MODELS[kind], *numbers, STEPS)
            rms = float(np.sqrt(np.mean((np.interp(table[:, 0], *loop.T) - table[:, 2]) ** 2)))
            at = f"{title}, {numbers[0]:g} ± {numbers[1]:g} deg: "
            found += [
                Number(at + "largest lift", "", largest, float(loop[:, 1].max()), 0.01 * largest),
                Number(at + "smallest lift", "", smallest, float(loop[:, 1].min()), 0.01 * largest),
                Number(at + "rms over the loop", "", 0.0, rms, 0.02 * largest),
            ]
            label = f"{numbers[0]:g} ± {numbers[1]:g} deg"
            thinned = table[:: len(table) // 40]
            curves += [
                ours(loop[:, 0], loop[:, 1], label),
                reference(thinned[:, 0], thinned[:, 2], "" if curves else title),
            ]
        pictures.append(Picture("time [s]", "lift coefficient", curves))
    return Solution(found, pictures)


PROBLEM = Problem(
    name="dynamic_stall",
    title="Dynamic stall of a pitching airfoil",
    group="Machines",
    source="OpenFAST 5.0.0, unsteadyaero_driver",
    reference="OpenFAST",
    solve=solve,
)
