"""Three turbine blades whose tie-bosses rub on each other.

L. Colantonio et al. 2022 (doi 10.1007/s11044-022-09820-5), section 5: three blades of two beams, a tie-boss and a tip
body each; the outer tie-bosses are pressed on the centre one by 5 N; the tip of the centre blade is shaken. Simulation
1: 30 Hz, force growing from 0 to 5 N between 0.2 s and 1.8 s. Simulation 2: 2 N, logarithmic sweep from 30 to 80 Hz.

Blades stand along i3, side by side along i2; they bend easily along i1, in which the force acts. Faces are normal to
i2.

Not given, and **assumed** (docs/turbine_blades.md; docs/studies/turbine_blades.py searches):

- the lengths of the beams: 109.3 mm and 54.0 mm match the paper's two tables of one blade's frequencies to 3.4 %;
- what holds the outer tie-bosses. Three parallel blades, linked, would keep the first frequency of one blade, 53 Hz,
  and swing together without slip; the paper's linked blades have 127 Hz. So the outer blades must be stiffer along i1:
  here they are turned about their axes by `turn`. 90 degrees, the default, keeps the normal forces at 5 N and lets slip
  begin at 2.5 N, as in the paper; 29.3 degrees gives 127 Hz, but then bending opens and closes the contacts;
- the contact law, that of the cube in section 3, by area; the sweep takes 8 s from the end of the preload at 1 s.

The mass-proportional part of Rayleigh's damping is lumped at tie-bosses and tips.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.turbine_blades.figures import plot
from fem_mbd.cases.turbine_blades.parameters import Parameters
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
