"""The figure of a Campbell diagram shows the frequencies of every track, for a model's and for a machine's."""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import PointMass, SpringDamper
from fem_mbd.machines import MachineFamily
from tests.analysis.rotors.test_free_shaft import rotor


def of_a_mass() -> fm.Campbell:
    """In axes that turn with 0 to 5 rad/s: |w - Omega| and w + Omega, damped."""
    model = fm.Model()
    mass = model.add(PointMass(2.0, (0, 0, 0), name="mass"))
    model.fix(mass, translation=(True, False, False), rotation=True)
    for anchor in ((0, 1e3, 0), (0, 0, 1e3)):
        model.add(SpringDamper(model.ground.at(anchor), mass, 200.0, 0.8))
    return fm.campbell(model, [0.0, 2.5, 5.0], axis=(1, 0, 0), number=2)


def of_a_machine() -> fm.Campbell:
    return MachineFamily(rotor(1e6, 8)).campbell([0.0, 10.0, 20.0], number=5)


@pytest.mark.parametrize("make", [of_a_mass, of_a_machine])
def test_tracks_are_drawn_over_the_speeds(make: Any) -> None:
    diagram = make()
    axes = diagram.plot(title="title").axes
    assert axes[0].get_ylabel() == "frequency [Hz]"
    assert axes[-1].get_xlabel() == "speed [rad/s]"
    lines = [line.get_xydata() for line in axes[0].lines if len(line.get_xydata()) == len(diagram.speeds)]
    assert len(lines) == diagram.frequencies_hz.shape[1]
    for line, track in zip(lines, diagram.frequencies_hz.T, strict=True):
        np.testing.assert_array_equal(line, np.column_stack([diagram.speeds, track]))
    labels = {text.get_text() for text in axes[0].texts}
    assert {"1P"} | {name for name in diagram.names if name} <= labels
    damped = np.abs(diagram.damping_ratios).max() > 1e-9
    assert damped == any(ax.get_ylabel() == "damping ratio [%]" for ax in axes)


def test_the_picture_is_written(tmp_path: Any) -> None:
    file = tmp_path / "campbell.png"
    of_a_mass().plot().savefig(file)
    assert file.stat().st_size > 1000
