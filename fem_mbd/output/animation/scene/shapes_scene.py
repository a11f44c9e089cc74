"""Scene of modes and buckling shapes: one period of each; the page shows the selected one.

With the shape s of displacements u and rotations theta, nodes move to x + Re(a u exp(i phi)) and rotate by the rotation
vector Re(a theta exp(i phi)) from their equilibrium, phi from 0 to 2 pi; a makes the largest displacement a fraction
of the model's size. Shapes are linear: large amplitudes stretch parts that rotate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.statics.buckling import Buckling
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.output.animation.scene.run_scene import picture
from fem_mbd.output.animation.scene.selected_states import SelectedStates
from fem_mbd.output.animation.scene.solids import extent, packed

INSTANTS = 49  # of a period, the first and the last are the same
LARGEST_TURN = 0.35  # rad, where nodes rotate without displacement


def scene_of_shapes(found: Modes | Buckling, amplitude: float) -> dict[str, Any]:
    """The scene; ``amplitude`` of the largest displacement, as a fraction of the model's size."""
    if isinstance(found, Modes):
        system, spin = found.linear.system, found.linear.spin
        rest = StaticForces(system, found.linear.state.time).outputs(found.linear.state)
        titles = [
            _mode(*each) for each in enumerate(zip(found.frequencies_hz, found.damping_ratios, strict=True))
        ]
        subtitle = "modes in the rotating frame" if np.any(spin) else "modes"
    else:
        system, rest = found.about.forces.system, found.about.outputs
        titles = [f"{k}: load factor {factor:.4g}" for k, factor in enumerate(found.load_factors, start=1)]
        subtitle = "buckling shapes"
    model = system.describe()
    _, size = extent(rest["position"][1:] if len(rest["position"]) > 1 else rest["position"], model)
    motions = [_motion(rest, shape, amplitude * size) for shape in found.shapes]
    phase = np.linspace(0.0, 1.0, INSTANTS)
    states = [SelectedStates(phase, {"position": x, "quaternion": q}) for x, q in motions]
    takes = [
        {"title": title, "position": packed(x), "quaternion": packed(q)}
        for title, (x, q) in zip(titles, motions, strict=True)
    ]
    return picture(model, states[0], model["name"] or "model", subtitle) | {"takes": takes}


def _mode(k: int, about: tuple[float, float]) -> str:
    frequency, damping = about
    return f"{k + 1}: {frequency:.4g} Hz" + (
        f", damping {100 * damping:.2g} %" if abs(damping) > 1e-9 else ""
    )


def _motion(rest: dict[str, Array], shape: Complex, length: float) -> tuple[Array, Array]:
    """(k, nodes, 3) m and (k, nodes, 4), scalar first: positions and rotations over a period."""
    largest, turn = np.abs(shape[:, :3]).max(), np.abs(shape[:, 3:]).max()
    factor = length / largest if largest > 1e-6 * turn * length else LARGEST_TURN / max(turn, 1e-300)
    phase = np.exp(2j * np.pi * np.linspace(0.0, 1.0, INSTANTS))
    moved = np.real(phase[:, None, None] * (factor * shape))
    turned = Rotation.from_rotvec(moved[..., 3:].reshape(-1, 3))
    own = np.broadcast_to(rest["quaternion"], (INSTANTS, len(shape), 4)).reshape(-1, 4)
    quaternions = (turned * Rotation.from_quat(own[:, (1, 2, 3, 0)])).as_quat()[:, (3, 0, 1, 2)]
    return rest["position"] + moved[..., :3], quaternions.reshape(INSTANTS, len(shape), 4)
