"""The redesign of the DTU 10 MW turbine: its files are not part of the package, so what was found with them is kept.

`python -m tests.validation.decks.dtu10 FILE` computes the rows with hawc_files/htc_hawc2s/
IEC_Ya_Later_hawc2s_modal_structural.htc of github.com/francescorichard/Personal-redesign-DTU-10MW-RWT and writes
dtu10.csv. References: HAWCStab2, hawc_files/res_hawc2s/campbell_diagram_nat_freq_struct there. In rotation without
Omega D Sigma, see `tests.validation.test_iea_15mw_turbine`.
"""

import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.machines import MachineFamily, read_hawc2_machine
from tests.validation.decks.rows import Deck
from tests.validation.problem import DeckNumber

RECORD = Path(__file__).with_name("dtu10.csv")
SOURCE = "francescorichard/Personal-redesign-DTU-10MW-RWT"
# Hz and % of critical, ascending, without the rotation of the shaft; at standstill and at 10 rev/min
STATES = {
    "at standstill": (0.0, (0.249781, 0.254993, 0.533744, 0.579497, 0.621309, 0.895297, 0.908023, 1.34172),
                      (0.321214, 0.329160, 0.338179, 0.464735, 0.492461, 0.473313, 0.481624, 0.734804)),
    "at 10 rev/min": (1.0472, (0.247985, 0.255067, 0.433658, 0.662927, 0.739665, 0.761034, 1.07818, 1.30241),
                      (0.319452, 0.329214, 0.369971, 0.455048, 0.441943, 0.406294, 0.473082, 0.855642)),
}  # fmt: skip


def rows() -> list[DeckNumber]:
    """The rows as they were recorded."""
    found = []
    with RECORD.open(newline="") as file:
        for state, name, value, own in csv.reader(file):
            damping = name.startswith("damping")
            bound = 0.05 if damping else 0.01 if "tower" in name else 0.015 if "first" in name else 0.03
            deck = Deck(f"DTU 10 MW redesign, HAWC2, {state} (record)", SOURCE)
            unit = "%" if damping else "Hz"
            found.append(deck.row("HAWCStab2", name, unit, float(value), float(own), bound))
    return found


def main(path: str) -> None:
    """Compute the record."""
    machine = read_hawc2_machine(path, radii_at="elastic centre")
    family = MachineFamily(machine, {f"pitch{k}": 0.0 for k in (1, 2, 3)})
    with RECORD.open("w", newline="") as file:
        table = csv.writer(file)
        for state, (rate, frequencies, ratios) in STATES.items():
            linear = family.at(rate)
            fixed = linear.stiffness - rate * linear.damping @ family.blades.generator(linear)
            found = modes_of(replace(linear, stiffness=csr_matrix(fixed)), len(frequencies) + 1)
            order = np.argsort(found.frequencies_hz)[1:]
            names = [family.names(found)[k] for k in order]
            for name, value, k in zip(names, frequencies, order, strict=True):
                table.writerow((state, name, value, f"{found.frequencies_hz[k]:.6g}"))
            for name, value, k in zip(names, ratios, order, strict=True):
                table.writerow((state, f"damping of {name}", value, f"{100 * found.damping_ratios[k]:.5g}"))


if __name__ == "__main__":
    main(sys.argv[1])
