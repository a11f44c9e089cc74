"""Which of its kind a mode is, also where the first pair of a blade's modes whirls and the second one stands."""

from __future__ import annotations

import pytest

from fem_mbd.rotors.rotor_modes import counted

WHIRL = ["flap backward", "flap collective", "flap forward"]
STAND = ["flap yaw", "flap collective", "flap tilt"]


@pytest.mark.parametrize("first", [WHIRL, STAND])
@pytest.mark.parametrize("second", [WHIRL, STAND])
def test_pairs_are_counted_together(first: list[str], second: list[str]) -> None:
    names = [f"first {kind}" for kind in first] + [f"second {kind}" for kind in second]
    assert counted([*first, *second]) == names


def test_whirls_of_different_pairs_may_cross() -> None:
    kinds = ["flap backward", "flap backward", "flap forward", "flap forward"]
    assert counted(kinds) == [
        "first flap backward", "second flap backward", "first flap forward", "second flap forward"
    ]  # fmt: skip


def test_the_first_collective_edge_mode_is_the_drivetrain() -> None:
    kinds = ["shaft rotation", "tower fore-aft", "edge collective", "edge collective", "tower fore-aft"]
    assert counted(kinds) == [
        "shaft rotation", "first tower fore-aft", "drivetrain", "second edge collective", "second tower fore-aft"
    ]  # fmt: skip
