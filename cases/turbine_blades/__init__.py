"""Case: three turbine blades with friction between their tie-bosses.

L. Colantonio et al. 2022 (doi 10.1007/s11044-022-09820-5), section 5: three blades of two beams, a tie-boss and a tip
body each; the outer tie-bosses are pressed against the centre one by 5 N; a harmonic force acts on the tip of the
centre blade. Simulation 1: 30 Hz, force growing from 0 to 5 N between 0.2 s and 1.8 s. Simulation 2: 2 N, logarithmic
sweep from 30 to 80 Hz.

The blades extend along i3, next to each other along i2; they are flexible along i1, the direction of the force. Faces
are normal to i2.

Not given, and **assumed** (docs/studies/turbine_blades.md; docs/studies/turbine_blades.py searches):

- the lengths of the beams. `set=simulated`: 97.5 mm and 67.4 mm, from the frequencies of one blade of the paper's
  multibody model, its table 3, the one it simulates. `set=cad`: 115.4 mm and 46.7 mm, parallel blades, both neighbours
  set back by 9.7 mm, 45 mm apart, from tables 4 and 5, the solid model, which it does not simulate;
- the support of the outer tie-bosses of the simulated set. Parallel blades with opposite faces would have the first
  frequency of one blade and oscillate together without slip, so the outer blades must be stiffer along i1: they are
  rotated by 90 degrees about their axes, which leaves the normal forces at 5 N;
- the contact law, that of the cube in section 3, by area; the sweep takes 8 s from the end of the preload at 1 s.

Slip begins at 0.7 s instead of about 1 s, and the sweep dissipates more than twice the paper's energy: these checks
fail.

The mass-proportional part of Rayleigh's damping is lumped at tie-bosses and tips.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.turbine_blades.figures import plot
from fem_mbd.cases.turbine_blades.model import Parameters
from fem_mbd.cases.turbine_blades.results import checks
from fem_mbd.cases.turbine_blades.set_up import build

CASE = Case(
    name="turbine_blades",
    summary="three turbine blades with friction between their tie-bosses, shaken: stick to slip, swept sine",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
