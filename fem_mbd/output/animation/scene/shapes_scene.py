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
MAX_ROTATION = 0.35  # rad, where nodes rotate without displacement


def scene_of_shapes(analysis: Modes | Buckling, amplitude: float) -> dict[str, Any]:
    """The scene; ``amplitude`` of the largest displacement, as a fraction of the model's size."""
    if isinstance(analysis, Modes):
        system, spin = analysis.linear.system, analysis.linear.spin
        rest = StaticForces(system, analysis.linear.state.time).outputs(analysis.linear.state)
        pairs = zip(analysis.frequencies_hz, analysis.damping_ratios, strict=True)
        titles = [_mode_title(k, *pair) for k, pair in enumerate(pairs, start=1)]
        subtitle = "modes in the rotating frame" if np.any(spin) else "modes"
    else:
        system, rest = analysis.about.forces.system, analysis.about.outputs
        titles = [f"{k}: load factor {factor:.4g}" for k, factor in enumerate(analysis.load_factors, start=1)]
        subtitle = "buckling shapes"
    model = system.describe()
    _, size = extent(rest["position"][1:] if len(rest["position"]) > 1 else rest["position"], model)
    motions = [_motion(rest, shape, amplitude * size) for shape in analysis.shapes]
    phase = np.linspace(0.0, 1.0, INSTANTS)
    states = [SelectedStates(phase, {"position": x, "quaternion": q}) for x, q in motions]
    takes = [
        {"title": title, "position": packed(x), "quaternion": packed(q)}
        for title, (x, q) in zip(titles, motions, strict=True)
    ]
    return picture(model, states[0], model["name"] or "model", subtitle) | {"takes": takes}


def _mode_title(k: int, frequency: float, damping: float) -> str:
    return f"{k}: {frequency:.4g} Hz" + (f", damping {100 * damping:.2g} %" if abs(damping) > 1e-9 else "")


def _motion(rest: dict[str, Array], shape: Complex, length: float) -> tuple[Array, Array]:
    """(k, nodes, 3) m and (k, nodes, 4), scalar first: positions and rotations over a period."""
    shift, angle = np.abs(shape[:, :3]).max(), np.abs(shape[:, 3:]).max()
    factor = length / shift if shift > 1e-6 * angle * length else MAX_ROTATION / max(angle, 1e-300)
    phase = np.exp(2j * np.pi * np.linspace(0.0, 1.0, INSTANTS))
    motion = np.real(phase[:, None, None] * (factor * shape))
    rotation = Rotation.from_rotvec(motion[..., 3:].reshape(-1, 3))
    equilibrium = np.broadcast_to(rest["quaternion"], (INSTANTS, len(shape), 4)).reshape(-1, 4)
    quaternions = (rotation * Rotation.from_quat(equilibrium[:, (1, 2, 3, 0)])).as_quat()[:, (3, 0, 1, 2)]
    return rest["position"] + motion[..., :3], quaternions.reshape(INSTANTS, len(shape), 4)
