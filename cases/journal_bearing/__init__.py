"""Case: run-down of an overhung rotor in a journal bearing with clearance.

The bearing is that of O. A. Bauchau and C. Ju, "Modeling friction phenomena in flexible multibody dynamics", figure 4:
two spatial clearance joints on one rigid body. The paper gives no example; the data are this case's own. A disk on the
end of a horizontal journal spins under gravity. The journal is tilted in its sleeve, one edge pressed down and the
other one up; friction moves both contacts round by the friction angle and brakes the spin to rest, after which the
journal sticks and rocks, rolling on its two edges.

Statics and rigid-body dynamics give the forces (lever rule), the position of the contact and the deceleration (friction
circle) and the frequency of the rocking in closed form; the run is checked against them. It starts in the steady
sliding position; the journal is massless.
"""

from __future__ import annotations

from fem_mbd.case import Case
from fem_mbd.cases.journal_bearing.figures import plot
from fem_mbd.cases.journal_bearing.model import Parameters, build
from fem_mbd.cases.journal_bearing.results import checks

CASE = Case(
    name="journal_bearing",
    summary="an overhung rotor runs down in a journal bearing with clearance and friction (Bauchau & Ju, figure 4)",
    parameters=Parameters,
    build=build,
    checks=checks,
    plot=plot,
)
