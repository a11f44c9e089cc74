"""Case: friction in the translational joint of a spatial slider-crank, computed from the joint's own reactions.

The mechanism of `constraint_methods`; an inner cube of 0.01 m slides in its guide without friction or by Coulomb's,
Stribeck's (Bo and Pavelescu), Dahl's or the LuGre law. Each component of the reaction is the normal force of one pair
of faces, where friction acts; the reactions are those of the same step (the source uses their signs of the previous
step, eq. 4.5). Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), section 4.1.

**Assumed**: the damping of LuGre's bristles decreases with speed (v_d = 0.02 m/s, the source's eq. 3.49, which its
table 4.1 does not use). A constant damping causes, at speeds of 0.1 m/s, forces of 30 N from a normal force that passes
through zero, which jam the mechanism: docs/studies/translational_joint_friction.md. Moments of the reaction contribute
no normal force.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.translational_joint_friction.figures import plot
from fem_mbd.cases.translational_joint_friction.model import Parameters, build
from fem_mbd.cases.translational_joint_friction.results import checks

CASE = Case(
    "translational_joint_friction",
    "a spatial slider-crank with friction in its guide, by five laws",
    Parameters,
    build,
    checks,
    plot,
)
