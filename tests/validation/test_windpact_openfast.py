"""Modes of the WindPACT 1.5 MW turbine at standstill, pitch 2.6 deg, with gravity, beside OpenFAST's linearisation.

Eigenvalues of the state matrix of OpenFAST's regression test WP_Stationary_Linear (r-test 2018, `.lin`), ElastoDyn's
blades and tower. Allowed: towers 1 %, first blade modes 1.5 %, second ones 3 %, damping 5 %. The drivetrain, 5.9 %
lower here, is compared in ElastoDyn's own shapes and with its gearbox, where second modes agree to 0.3 % too: a beam
bends edgewise as it likes where ElastoDyn has one shape.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.machines import MachineFamily, read_openfast_machine
from fem_mbd.modal.modes import modes_of
from tests.machines.elastodyn_shapes import ritz_frequencies
from tests.machines.test_elastodyn_shapes import DECK, GEAR, GENERATOR
from tests.machines.test_openfast_options import WINDPACT, WINDPACT_LIN
from tests.validation.checking import check
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

IN_SHAPES = {
    "second tower fore-aft": (8, 2.86322, 0.003),
    "second tower side-side": (9, 2.87608, 0.003),
    "drivetrain": (10, 3.67013, 0.01),
    "second flap yaw": (11, 3.75396, 0.003),
    "second flap tilt": (12, 3.79460, 0.003),
    "second flap collective": (13, 3.87851, 0.003),
}


def solve() -> Solution:
    """Frequencies, damping of the first modes, and frequencies in ElastoDyn's shapes."""
    machine = read_openfast_machine(WINDPACT)
    family = MachineFamily(machine, machine.start, gravity=9.80665)
    modes = modes_of(family.at(0.0), 14)
    place = {name: k for k, name in enumerate(family.names(modes))}
    found = []
    for name, (frequency, ratio) in WINDPACT_LIN.items():
        k = place[name]
        allowed = 0.03 if name.startswith("second") else 0.01 if "tower" in name else 0.015
        here = [float(modes.frequencies_hz[k])]
        found += numbers("", "Hz", {name: frequency}, here, allowed * frequency)
        if ratio is not None:
            damping = [float(modes.damping_ratios[k])]
            found += numbers("", "1", {f"{name}, damping ratio": ratio}, damping, 0.05 * ratio)
    shapes = ritz_frequencies(
        family, DECK / "Baseline_Tower.dat", DECK / "Baseline_Blade.dat", GENERATOR, GEAR
    )
    for name, (k, frequency, allowed) in IN_SHAPES.items():
        label = f"{name}, in ElastoDyn's shapes"
        found += numbers("", "Hz", {label: frequency}, [float(shapes[k])], allowed * frequency)
    count = np.arange(1.0, len(WINDPACT_LIN) + 1)
    frequencies = np.array([modes.frequencies_hz[place[name]] for name in WINDPACT_LIN])
    pictured = [
        ours(count, frequencies, "here"),
        reference(count, np.array([pair[0] for pair in WINDPACT_LIN.values()]), "OpenFAST"),
    ]
    return Solution(found, [Picture("mode", "frequency [Hz]", pictured)])


PROBLEM = Problem(
    name="windpact_openfast",
    title="The WindPACT 1.5 MW turbine from OpenFAST's files",
    group="Blades",
    source="OpenFAST r-test (2018), WP_Stationary_Linear",
    reference="eigenvalues of OpenFAST's linearisation",
    solve=solve,
)


def test_frequencies_and_damping() -> None:
    check(PROBLEM)
