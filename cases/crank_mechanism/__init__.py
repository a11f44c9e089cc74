"""Case: spatial crank mechanism, its spherical joint ideal (case 1) or with clearance and friction (case 2).

O. A. Bauchau and C. Ju, "Modeling friction phenomena in flexible multibody dynamics", section 6.1, figures 5 to 10. A
crank SP turns about i1 at S with 20 rad/s and drives a flexible link PQ through a universal joint; a spherical joint at
Q connects the link to a 5 kg slider, which moves along i1 on the tip of a beam cantilevered at O.

The text does not give axial and shear stiffness, rotary inertia, the length of the beam, the relative position of S and
O, nor any damping. **Assumed**, all of them parameters: the beam's axis is i1 through the origin, its tip at (1, 0, 0)
and O at (1.6, 0, 0); S at 0.4 m from i1, in the direction of 200 degrees from +i2 towards +i3 (the direction fixes the
origin of the crank angle; at 200 the ball nearly sticks around 196 degrees, the middle of the paper's range); the crank
along +i2 at the start; aluminium tubes (E 73 GPa, G 27.4 GPa, 2700 kg/m^3) for properties not determined by bending
stiffness and mass; a crank-fixed universal axis i3; slider inertia 5e-3 kg m^2; Kelvin-Voigt damping of 1e-3 s on all
beams. One element for the crank, two for link and beam, three nodes each. docs/studies/crank_mechanism_scan.md shows
the effect of each assumption.

Structural damping decides the outcome of case 2. Without it, friction drives a backward whirl of the ball in its
clearance: the universal joint transmits the crank's rotation, so the link spins about its own axis relative to the
slider, and the contact at its pole is unstable for mu = 0.3. That is a property of the model, the same at small steps.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.crank_mechanism.figures import plot
from fem_mbd.cases.crank_mechanism.model import Parameters, build
from fem_mbd.cases.crank_mechanism.results import checks

CASE = Case(
    name="crank_mechanism",
    summary="spatial crank mechanism, spherical joint ideal or with clearance and friction (Bauchau & Ju, 6.1)",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
