"""Tests of the warning for an error estimate without contact rules in a model with contacts."""

import warnings

import pytest

from fem_mbd import ErrorEstimate, Model, NewtonEffort, Penetration, Simulation, StepControl
from fem_mbd.core.stepping.step_control import BlindRulesWarning
from fem_mbd.elements import RigidBody
from fem_mbd.friction import Linear
from fem_mbd.joints import PointOnPlane


def model(contact: bool) -> Model:
    """A body above the ground, with or without a contact."""
    made = Model()
    body = made.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0.1))).node
    if contact:
        made.add(PointOnPlane(made.ground, body, Linear(1e5)))
    return made


def test_an_error_estimate_alone_warns() -> None:
    control = StepControl(ErrorEstimate(1e-4), NewtonEffort(5), dt_initial=1e-3)
    with pytest.warns(BlindRulesWarning, match="add Penetration and Stribeck") as seen:
        Simulation(model(True), 1.0, control)
    assert seen[0].filename == __file__


def test_no_warning_for_other_rules_or_without_contacts() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation(model(False), 1.0, StepControl(ErrorEstimate(1e-4), dt_initial=1e-3))
        Simulation(model(True), 1.0, StepControl(ErrorEstimate(1e-4), Penetration(1e-5), dt_initial=1e-3))
        Simulation(model(True), 1.0, StepControl.fixed(1e-3))
        Simulation(model(True), 1.0, None)
