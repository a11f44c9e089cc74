"""The figure of how-to/drivelines.md: a clutch closes, a pair of gears with backlash rattles behind it."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import fem_mbd as fm
from fem_mbd.friction import DryCoulomb, Linear
from fem_mbd.joints import Clutch, GearPair, ShaftInertia

Z = (0, 0, 1)


def main(folder: Path) -> None:
    """Run the driveline and draw speeds, force at the teeth and the energies lost."""
    drive = fm.Model()
    motor, pinion, wheel = (
        drive.add(ShaftInertia(j, Z, name=name))
        for j, name in ((2.0, "motor"), (0.1, "pinion"), (5.0, "wheel"))
    )
    press = fm.time_functions.Ramp(0.0, 0.1, 0.0, 400.0)
    drive.add(Clutch(motor, pinion, Z, press, radius=0.15, friction=DryCoulomb(0.4), name="clutch"))
    drive.add(GearPair(pinion, wheel, Z, 0.05, 0.15, backlash=1e-4, contact=Linear(2e7), name="gears"))
    drive.set_velocity(motor, omega=(0, 0, 100.0))
    result = fm.simulate(drive, 2.0, fm.StepControl.fixed(1e-4))
    figure, (speeds, teeth, energy) = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    for name, sign in (("motor", 1), ("pinion", 1), ("wheel", -3)):
        label = name if sign == 1 else "-3 wheel"
        speeds.plot(result.time, sign * result.of(name).angular_velocity[:, 2], label=label)
    speeds.set(xlabel="time [s]", ylabel="speed [rad/s]")
    early = result.time < 0.2
    teeth.plot(result.time[early], 1e-3 * result.of("gears").force[early], linewidth=0.8)
    teeth.set(xlabel="time [s]", ylabel="force at the teeth [kN]")
    for name in ("kinetic", "dissipation_friction"):
        values = result.energy[name]
        energy.plot(result.time, 1e-3 * (np.cumsum(values) if name != "kinetic" else values), label=name)
    energy.set(xlabel="time [s]", ylabel="energy [kJ]")
    for ax in (speeds, energy):
        ax.legend()
    figure.savefig(folder / "driveline.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures")
