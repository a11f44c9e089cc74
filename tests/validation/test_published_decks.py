"""Published machines: what this program makes of their files, beside the numbers that others have published.

None of the files was used while the readers were written. One row is one quantity: the machine with the form of its
file, the repository of the file, the program or report of the reference. "None found" stands where neither the
repository, the reports nor the issues have a number; a refused file stands with the line that is to be changed: for
IEA 3.4 MW the templates' tags and an inertia that no body has (its windIO file has layers, and no sections), for IEA
10 MW the inertia in one of three files. Each file is read or refused within 3 s.

WindPACT 1.5 MW: at standstill, shaft free, pitch 2.6 deg, with gravity, WP_Stationary_Linear.1.lin (2018). ElastoDyn
bends in the shapes of its files only: rows "in ElastoDyn's shapes" have the matrices projected on them, and its
gearbox. The drivetrain, 5.9 % lower without (3.454 Hz), and the damping of the second side-side motion of the tower,
which is coupled with it, are not compared. Masses by ElastoDyn's summary are sums over the middles of its elements,
which miss the heavy root of the WindPACT blade.

HAWC2: Kx and Ky of the IEA 10 MW turbine's damping_posdef differ; the blade of the IEA 22 MW turbine has the 0.5 % of
critical damping for which its file was tuned by damping_aniso_v2. The IEA 15 MW turbine turns at 7.1 rev/min, without
gravity; its damping and a second speed have a section of their own above. The files of the DTU 10 MW redesign are not
part of the package: its rows are a record, made with them by `python -m tests.validation.decks.dtu10 FILE`. Its
blade's frequencies are up to 1.1 % above HAWCStab2's: with 26 elements of constant sections, the means over each
element, as HAWC2 has them, those of the clamped blade are 0.9 (flap), 0.7 (edge) and 0.8 % (second flap) lower, and the
rows within 0.2 %. Stations stretched to the length of the half chord, as these rows had them before, against the
manual, would hide 0.2 % of it. windIO:
towers and monopiles are clamped, without water. BeamDyn's cantilever under its weight is 3.8 % off (9.06015, -8.52177
m); its reference are the equations of the rod, solved by shooting.

Floating: fairlead forces by MAP++ (r-test, ....MAP.sum), stiffness of the lines by eq. 5-3 and eq. 5-15 of the two
reports, ballast by table 3-3. OC4 DeepCwind: state matrix of 5MW_OC4Semi_Linear.1.lin (2024), heave by its
acceleration, surge by the block of surge, pitch and the first two fore-aft motions of the tower. Its pitch at
forums.nrel.gov/t/1730 (figure 3 of OMAE2014-24040) is within 1 % that of pitch alone about the still water line,
sqrt(K55/M55): K55 is the sum of the report's numbers, M55 that of a user of OpenFAST (issue 2903), and the deck's agree
with both. Coupled with surge, as it moves, the same body has 0.0396 Hz (0.0390 Hz with the elastic tower and the added
mass of slow motions). The same source has 0.0093 Hz in surge and 0.0088 Hz in sway, which are equal here. VolturnUS-S:
free decay by Flexcom, flexcom.fea.solutions/free-decay-tests.html, which drag and radiation slow down, here with the
added mass of slow motions.

Allowed: 1 % for towers, half the last digit where a report rounds, 1.5 % for first blade modes, 3 % for second ones,
5 % for damping, 1 % where a file is tuned to it, 0.1 % for statics, round-off for lines, 0.3 % for their stiffness, 4 %
for free decay.
"""

from itertools import pairwise

import numpy as np

from tests.validation.decks import dtu10, floating, hawc2, openfast, windio
from tests.validation.problem import DeckNumber, Picture, Problem, Solution, ours, reference


def solve() -> Solution:
    land = openfast.rows()
    floats = floating.rows()
    rows = [*windio.rows(), *hawc2.rows(), *dtu10.rows(), *land, *floats, *openfast.beamdyn()]
    return Solution(list(rows), [_damping(land), _frequencies(rows)])


def _damping(rows: list[DeckNumber]) -> Picture:
    """Damping over frequency of the WindPACT turbine."""
    pairs = [(f, z) for f, z in pairwise(rows) if z.what == f"damping of {f.what}"]
    order = np.argsort([f.ours for f, _ in pairs])
    x, y = (np.array([pair[k].ours for pair in pairs])[order] for k in (0, 1))
    there = [[pair[k].reference for pair in pairs] for k in (0, 1)]
    return Picture(
        "frequency of a mode of the WindPACT turbine [Hz]", "damping [% of critical]",
        [ours(x, y), reference(there[0], there[1], "OpenFAST's linearisation")],
    )  # fmt: skip


def _frequencies(rows: list[DeckNumber]) -> Picture:
    """All that have a reference."""
    compared = [row for row in rows if row.unit == "Hz" and row.has_reference]
    there = np.array([row.reference for row in compared])
    here = np.array([row.ours for row in compared])
    order = np.argsort(there)
    return Picture(
        "published frequency [Hz]", "frequency here [Hz]",
        [ours(there[order], here[order]), reference(there[order], there[order], "where both are the same")],
        log_x=True, log_y=True,
    )  # fmt: skip


PROBLEM = Problem(
    name="published_decks",
    title="Published machines",
    group="Machines",
    source="files of HAWC2, OpenFAST, BeamDyn and windIO",
    reference="OpenFAST, HAWCStab2, MAP++, Flexcom, BeamDyn, reports",
    solve=solve,
)
