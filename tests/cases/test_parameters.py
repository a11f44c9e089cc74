"""Tests of invalid parameters of cases: InputError before anything runs, with name and value."""

import re
from typing import Any

import pytest

from fem_mbd.cases import load_case
from fem_mbd.errors import InputError

REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "articulated_rotor": [
        ({"flap_offset": 0.5}, "flap_offset, root and radius have to be positive and ascend"),
        ({"speed": 0.0}, "speed is 0"),
        ({"steps": 5}, "steps is 5"),
    ],
    "belt_block": [
        ({"law": "lugr"}, "no law 'lugr'"),
        ({"law": "lugr"}, "lugre"),
        ({"mass": 0.0}, "mass is 0.0"),
        ({"dt": -1.0}, "dt is -1.0"),
        ({"v_0": 0.0}, "v_0 is 0.0"),
        ({"mu_s": 0.05}, "mu_s is 0.05"),
    ],
    "cantilever": [({"elements": 0}, "elements is 0")],
    "constraint_methods": [
        ({"dt": 0.0}, "dt is 0.0: it must be above zero"),
        ({"dt": 30.0}, "dt is 30.0 s: it must be less than the end time, 20.0 s"),
        ({"penalty_factor": -1.0}, "penalty_factor is -1.0"),
        ({"relative_tolerance": 0.0}, "relative_tolerance is 0.0"),
    ],
    "crank_mechanism": [
        ({"offset": 1.3}, "out of the link's reach"),
        ({"dt": 0.0}, "dt is 0.0: it must be above zero"),
        ({"elements": 0}, "elements is 0"),
        ({"case": 2, "radius_ball": 0.06}, "does not fit"),
        ({"damping": -1.0}, "damping"),
    ],
    "cube_on_plane": [({"directions": ()}, "directions is empty"), ({"mass": 0.0}, "mass is 0")],
    "ground_resonance": [
        ({"number": 2}, "give at least three blades"),
        ({"lag_offset": 0.5}, "have to be positive and ascend"),
        ({"damping": -1.0}, "must not be negative"),
        ({"stiffness_x": 0.0}, "must be above zero"),
        ({"steps": 5}, "give at least 20 per revolution"),
    ],
    "iea15mw_blade": [({"hub_radius": -1.0}, "blade: hub_radius is -1")],
    "iea15mw_turbine": [
        ({"dt": 0.0}, "dt is 0"),
        ({"refine": 0}, "refine is 0"),
        ({"end_time": float("nan")}, "end_time is nan"),
    ],
    "journal_bearing": [
        ({"mass": 0.0}, "mass is 0.0"),
        ({"radius_journal": 0.03}, "does not fit"),
        ({"overhang": -1.0}, "overhang"),
    ],
    "lattice": [
        ({"cells": 3}, "lattice: cells is 3: give a whole number from 4"),
        ({"order": 5}, "lattice: order is 5: give a whole number from 2 to 4"),
        ({"spacing": 0.0}, "lattice: spacing (m) is 0: it must be above zero"),
    ],
    "nrel5mw_blade": [({"dt": 0.0}, "blade: dt is 0")],
    "pendulum": [
        ({"angle": 0.0}, "angle is 0.0"),
        ({"length": -1.0}, "length is -1.0"),
        ({"end_time": 0.0}, "end_time is 0.0"),
    ],
    "pendulum_friction": [
        ({"inputs": "12"}, "inputs is '12'"),
        ({"pin_radius": 0.0}, "pin_radius is 0"),
        ({"source": "xml", "mass": 2.0}, "mass cannot be set with source=xml"),
    ],
    "revolute_clearance_3d": [
        ({"starts": 2}, "starts is 2: give a whole number from 3 to 11"),
        ({"end_time": 0.0}, "end_time is 0.0: it must be above zero"),
        ({"crown": -1e-6}, "crown is -1e-06"),
        ({"restitution": 1.5}, "restitution is 1.5"),
        ({"friction": "coulomb", "mu_k": -0.1}, "mu_k"),
    ],
    "rotor_rub": [
        ({"gap": 0.0}, "gap is 0.0"),
        ({"friction": -0.1}, "friction"),
        ({"steps": 5}, "give at least 20 per revolution"),
    ],
    "slider_crank_clearance": [
        ({"clearance": 0.0}, "clearance is 0.0"),
        ({"clearance": 0.01}, "clearance is 0.01"),
        ({"stribeck_velocity": -0.03}, "stribeck_velocity is -0.03: it must not be negative"),
        ({"friction": "ambrosio", "ambrosio_v1": 1e-4}, "Ambrosio"),
        ({"crank_speed": -1.0}, "crank_speed is -1.0: it must be above zero"),
        ({"mu_s": 0.05}, "mu_s is 0.05"),
        ({"restitution": 1.5}, "restitution is 1.5"),
    ],
    "supercritical_rotor": [
        ({"elements": 5}, "elements is 5"),
        ({"end_time": 0.0}, "end_time is 0.0"),
        ({"radius_disk": 0.09}, "does not fit"),
        ({"damping": -1.0}, "damping"),
        ({"whirl_time": -1.0}, "whirl_time"),
    ],
    "translational_joint_friction": [
        ({"side": 0.0}, "side is 0.0: it must be above zero"),
        ({"v_d": -1.0}, "v_d is -1.0: give 0"),
        ({"dt": 6.0}, "dt is 6.0 s: it must be less than the end time"),
        ({"mu_s": 0.05, "friction": "stribeck"}, "mu_s is 0.05"),
    ],
    "turbine_blades": [
        ({"lower_length": 0.0}, "lower_length is 0.0"),
        ({"preload": -1.0}, "preload is -1.0: it must be above zero"),
        ({"force": -1.0}, "force is -1.0"),
        ({"mu_s": 0.1}, "mu_s is 0.1"),
    ],
}


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, rows in REFUSED.items() for n in range(len(rows))]
)
def test_refused(name: str, number: int) -> None:
    changes, message = REFUSED[name][number]
    case = load_case(name)
    with pytest.raises(InputError, match=re.escape(message)):
        case.build(case.parameters(**changes))
