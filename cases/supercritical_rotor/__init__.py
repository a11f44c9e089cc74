"""Case: supercritical rotor supported by a joint with clearance, contact and friction.

O. A. Bauchau and C. Ju, "Modeling friction phenomena in flexible multibody dynamics", section 6.2, figures 11 to
15. A 6 m shaft with a 5 kg disk at mid-span and its mass centre 1 mm off its axis is hinged to the ground at R, about
its own axis, and runs in a spatial clearance joint at T. A torque at R accelerates it through its first critical
speeds, 44.069 and 44.453 rad/s, to about 50 rad/s, where it is self-centring.

The text omits several numbers. **Assumed**, all of them parameters: shear stiffness 2.0 MN in both directions, a fit
(with it the natural frequencies are the paper's critical speeds to all digits), and axial stiffness 50 MN; the paper's
own tube has E = 14.4 GPa and G = 5.6 GPa by its bending and torsional stiffness, hence 4.4 MN and 22.6 MN and critical
speeds 0.33 % higher: `section=tube`; rotary inertia of the tube m (R^2 + t^2/4), polar, half of it about a diameter
(with 8 % more the shaft does not pass the critical speeds); the mass centre's offset along section axis 3: of the two
axes the one that gives the times and impacts stated in the paper; the end of the run at 3 s (a third opening would
follow at 3.1 s, which the paper does not mention); the mid-span disk centred and thin; the joint's disk without mass
and centred in the cylinder at the start; mu = 0.3 and the other contact and friction data as in the paper's section
6.1; no gravity; Kelvin-Voigt damping of 8e-4 s, 1.8 % of critical at 44 rad/s; steps up to 2 ms; six elements with
three nodes each.

Structural damping decides the outcome. Without it friction drives the end T into a backward whirl round the clearance
after 0.9 s, the forces grow to a thousand newtons and the speed collapses: a property of the model (exact energy
balance, the same with smaller steps), shown by the figure undamped_whirl. supercritical_rotor.md shows the effect of
each assumption.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.supercritical_rotor.figures import plot
from fem_mbd.cases.supercritical_rotor.model import Parameters, build, held_shaft
from fem_mbd.cases.supercritical_rotor.results import checks

CASE = Case(
    name="supercritical_rotor",
    summary="flexible rotor crosses its critical speeds in a spatial clearance joint (Bauchau & Ju, 6.2)",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
    model=held_shaft,
    speeds=(0.0, 60.0),
)
