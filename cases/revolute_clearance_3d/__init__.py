"""Case: spatial slider-crank with radial and axial clearance in the crank's bearing, and four friction laws.

F. Marques, Frictional contacts in multibody dynamics, thesis, University of Minho 2015, sections 4.2 and 4.3: the
mechanism of tables 2.1 and 2.2, journal on the ground and bearing in the crank (tables 4.2 and 4.3), friction laws of
table 4.4. Figures 4.10 to 4.25.

Table 4.4 gives the bristles of Dahl's and LuGre's laws in N/m and N s/m. With these units LuGre loses least of all
laws; taken per newton of the normal force the same numbers give the results described in the source, which agrees with
its eq. 4.4, where friction is proportional to the normal force. ``bristles=in_newtons`` uses them as printed.

A run without friction is compared with the other two clearances, one with friction with the frictionless run and the
other laws, each from several starts that differ in digits beyond those of table 2.2; these additional runs are made in
memory (``compare=false`` leaves them out).

**Assumed**, where the source gives no data: the assumptions of `fem_mbd.cases._spatial_slider_crank` on the mechanism;
the journal centred at the start; sticking of Coulomb's and Stribeck's laws by a bond (see `fem_mbd.friction`); crowned
end faces, see `fem_mbd.joints.RevoluteClearance`.

The motion is chaotic: after some impacts runs from neighbouring starts are uncorrelated. So statements about energies
and peaks are about groups of runs (docs/studies/revolute_clearance_3d.md).
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.revolute_clearance_3d.figures import plot
from fem_mbd.cases.revolute_clearance_3d.model import Parameters, build
from fem_mbd.cases.revolute_clearance_3d.statements import checks

CASE = Case(
    name="revolute_clearance_3d",
    summary="spatial slider-crank, its crank's bearing with radial and axial clearance and friction",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
