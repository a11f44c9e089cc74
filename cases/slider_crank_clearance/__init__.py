"""Case: planar slider-crank with clearance, impacts and LuGre friction in one revolute joint.

O. Muvengei, J. Kihiu and B. Ikua, "Computational implementation of LuGre friction law in a revolute joint with
clearance": a rigid slider-crank at 2500 rev/min, 0.5 mm of radial clearance at the crank-coupler or at the
slider-coupler joint, Hertz stiffness (eq. 19), damping of Lankarani and Nikravesh (eq. 23), LuGre friction per unit
normal force (eqs. 27 and 28). Figures 7 to 10.

Start: crank and coupler in line, journal centred, velocities of the ideal mechanism. In the plane a ball in a socket is
equivalent to a pin in a bearing, so the joint is a `SphericalClearance`: the other joints constrain the mechanism to
its plane.

**Assumed**: no gravity; steel of 7800 kg/m^3; v_s = 0.03 m/s (0.0175 m/s at the slider), the paper's 1 % of the largest
tangential velocity of the run (checked); tolerances of the modified Coulomb law, eq. 5: 0.1 and 1 mm/s.

**Bristle damping.** The paper lists sigma_1 = 400 s/m and takes the bristles at their steady deflection for each
velocity (eq. 32), where sigma_1 has no influence. In the equations as printed 400 s/m gives coefficients of friction of
several hundred whenever bristles come into contact at 2 m/s, and the joint sticks. So the default is 0, with which the
paper's figures come out; `--set sigma_1=400` uses the other interpretation (docs/studies/slider_crank_clearance.md).

Impacts of 1 to 3 m/s are faster than 1e-5 sqrt(E/rho) = 0.05 m/s, the limit that the paper itself quotes for its
contact law: a run warns of that.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.slider_crank_clearance.figures import plot
from fem_mbd.cases.slider_crank_clearance.model import Parameters, build
from fem_mbd.cases.slider_crank_clearance.results import checks

CASE = Case(
    name="slider_crank_clearance",
    summary="planar slider-crank at 2500 rev/min, clearance with impacts and friction in one joint",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
