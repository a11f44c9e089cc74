"""Inverted pendulum on a cart with friction: the state-space model of a textbook, and the nonlinear motion.

Control Tutorials for Matlab and Simulink (University of Michigan and others), "Inverted Pendulum: System Modeling": M =
0.5 kg, m = 0.2 kg, b = 0.1 N s/m, I = 0.006 kg m^2, l = 0.3 m, g = 9.8 m/s^2; states are position and tilt with their
rates, the input is the force on the cart. The matrices are given to four decimals.
"""

import numpy as np
from scipy.signal import lsim

import fem_mbd as fm
from fem_mbd.elements import Force, RigidBody, SpringDamper
from fem_mbd.joints import Prismatic, Revolute
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

A = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 2.6727, -0.1818, 0], [0, 31.1818, -0.4545, 0]])
B = np.array([0, 0, 1.8182, 4.5455])
C = np.eye(2, 4)
PUSH, END = 1e-4, 1.0  # N, s


def _model(push: float = 0.0) -> fm.Model:
    """The tilt counts about -y: a push along x tilts the pendulum backwards, as the source has it."""
    model = fm.Model(gravity=(0, 0, -9.8), name="inverted pendulum")
    cart = model.add(RigidBody(0.5, (1, 1, 1), position=(0, 0, 0), name="cart"))
    rod = model.add(RigidBody(0.2, (0.006,) * 3, position=(0, 0, 0.3), name="rod"))
    model.add(Prismatic(model.ground, cart, at=(0, 0, 0), axis=(1, 0, 0), name="rail"))
    model.add(Revolute(cart, rod, at=(0, 0, 0), axis=(0, -1, 0), name="pin"))
    wall = model.ground.at((-1, 0, 0))
    model.add(SpringDamper(wall, cart, stiffness=0.0, damping=0.1, length=1.0, name="friction"))
    if push:
        model.add(Force(cart, (push, 0, 0)))
    return model


def solve() -> Solution:
    """Matrices of `fem_mbd.state_space`; a run of the nonlinear model beside the printed matrices."""
    space = fm.state_space(_model(), ["cart.force[x]"], ["cart.displacement[x]", "pin.angle"])
    own = space.with_states(["cart.displacement[x]", "pin.angle"])
    found = []
    for row, name in ((2, "x''"), (3, "phi''")):
        printed = {f"{name} by {state}": A[row, k] for k, state in ((1, "phi"), (2, "x'"))}
        found += numbers("", "SI", printed, own.A[row, 1:3], 5e-5 + 1e-6)
        found += numbers("", "SI", {f"{name} by the force": B[row]}, own.B[row], 5e-5 + 1e-6)
    result = fm.simulate(_model(PUSH), END, fm.StepControl.fixed(0.01))
    tilt = result.of("pin").angle
    times = np.linspace(0.0, END, 21)
    printed_tilt = lsim((A, B[:, None], C, np.zeros((2, 1))), np.full(21, PUSH), times)[1][:, 1]
    last = {"tilt after 1 s of a push, linear": float(printed_tilt[-1])}
    found += numbers("", "rad", last, [float(tilt[-1])], 1e-3 * abs(float(printed_tilt[-1])))
    curves = [
        ours(result.of("pin").time, 1e3 * tilt, "fem_mbd, nonlinear"),
        reference(times, 1e3 * printed_tilt, "printed matrices"),
    ]
    return Solution(found, [Picture("time [s]", "tilt [mrad]", curves)])


PROBLEM = Problem(
    name="cart_pendulum",
    title="State space of a pendulum on a cart",
    group="Frequencies",
    source="Control Tutorials for Matlab and Simulink, Inverted Pendulum",
    reference="printed matrices",
    solve=solve,
)
