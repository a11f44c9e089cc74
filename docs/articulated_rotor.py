"""Articulated rotor: spin-up, coning under a given lift, fan plot; the program of how-to/machines/rotorcraft.md."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import fem_mbd as fm
from fem_mbd.elements import Blade, BladeAxis, LineLoad, Section, SectionTable
from fem_mbd.machines import Hinge, Hub, MachineFamily, Rotor, assemble, build_rotor

LENGTH, MASS, HINGES, SPEED, LIFT = (
    4.3,
    7.0,
    0.3,
    40.0,
    1500.0,
)  # m, kg/m, m from the axis, rad/s, N/m of a blade
section = Section(np.diag([5e7, 1e7, 1e7, 1e5, 4e6, 1e6]), MASS, MASS * np.diag([0.02, 0.019, 0.001]))
blade = Blade(BladeAxis([[0, 0, 0], [0, 0, LENGTH]], [0, 0]), SectionTable([0, 1], [section, section]))
hinges = (
    Hinge("flap", HINGES, damping=1500),
    Hinge("lag", HINGES + 0.02, 4e3, 600),
)  # N m/rad, N m s/rad: damper
rotor = Rotor(blade, Hub(HINGES + 0.04, 50.0, inertia=10.0), 4, hinges=hinges, elements=6)

made = assemble(build_rotor("rotor", rotor, speed=fm.time_functions.SmoothStep(0.0, 4.0, 0.0, SPEED)))
lift = fm.time_functions.SmoothStep(2.0, 4.0, 0.0, LIFT) * np.array([0, 0, 1])
for k in range(1, 5):
    made.model.add(LineLoad(made.beams[f"blade{k}"], lift))
result = fm.simulate(made.model, 7.0, fm.StepControl.fixed(4e-3))

inner, outer = 0.04, 0.04 + LENGTH  # m from the hinge: moments of a rigid blade about it
static, inertia = MASS * (outer**2 - inner**2) / 2, MASS * (outer**3 - inner**3) / 3
coning = LIFT / MASS * static / (SPEED**2 * (HINGES * static + inertia))  # rad, small angles
flap = np.sqrt(1 + HINGES * static / inertia)  # per revolution
fan = MachineFamily(build_rotor("rotor", rotor)).campbell(np.linspace(5, 50, 10), number=14, undamped=True)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
for name in ("flap1", "lag1"):
    left.plot(result.time, result.of(name).angle, label=f"{name[:-1]} angle of blade 1")
left.axhline(coning, linestyle="--", color="black", label="steady coning, rigid blade")
left.set(xlabel="time [s]", ylabel="angle [rad]")
for name, frequency in zip(fan.names, fan.frequencies_hz.T, strict=True):
    if np.nanmax(frequency) < 40:
        right.plot(fan.speeds, frequency, marker=".", label=name)
for n in range(1, 6):
    right.plot(fan.speeds, n * fan.speeds / (2 * np.pi), color="grey", linewidth=0.5)
right.set(xlabel="speed [rad/s]", ylabel="frequency [Hz]", ylim=(0, 40))
left.legend()
right.legend(fontsize=6, ncols=2)
figure.savefig(
    (Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures") / "articulated_rotor.png"
)
print(
    f"coning {result.of('flap1').angle[-1]:.5f} rad, rigid {coning:.5f}; flap of a rigid blade {flap:.4f}/rev"
)
