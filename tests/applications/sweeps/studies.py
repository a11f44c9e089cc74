"""Studies for sweeps in tests, each with a closed form."""

import fem_mbd as fm
from fem_mbd.elements import RigidBody

GRAVITY, END = 9.81, 0.5


def thrown(height: float = 0.0, speed: float = 0.0, dt: float = 0.05, slow: int = 1) -> fm.Simulation:
    """A body thrown upwards: height + speed t - g t^2 / 2. ``slow`` divides the steps."""
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    body = model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, height), name="ball"))
    model.set_velocity(body.node, (0, 0, speed))
    return fm.Simulation(model, END, fm.StepControl.fixed(dt / slow))


def deadly(number: int = 0) -> fm.Simulation:
    """Kills its process where the number is 2."""
    import os
    import signal

    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return thrown(float(number))


def refusing(number: int = 0) -> fm.Simulation:
    """Cannot be built where the number is odd."""
    if number % 2:
        raise fm.InputError("odd")
    return thrown(float(number))


def three(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> fm.Simulation:
    """Three parameters, for tables that are filled without a run."""
    return thrown(x, y, dt=0.05 + abs(z))
