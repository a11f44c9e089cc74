"""The README's first model: an elastic pendulum that hangs in a ball joint with clearance and friction."""

import fem_mbd as fm
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import Clamp, SphericalClearance

model = fm.Model(gravity=(0, 0, -9.81))
tube = Section.tube(
    mean_radius=0.01, thickness=0.001, material=Material(young=70e9, poisson=0.33, density=2700)
)
arm = model.add(Beam(tube, start=(0, 0, 0), end=(1, 0, 0), elements=2, damping=1e-4, name="arm"))
bob = model.add(RigidBody(mass=0.5, inertia=(1e-3, 1e-3, 1e-3), position=(1, 0, 0), name="bob"))
model.add(Clamp(arm.end, bob.node, name="weld"))
friction = LuGre(sigma_0=1e5, mu_s=0.2, mu_k=0.15, v_s=1e-3)
ball = SphericalClearance(
    model.ground, arm.start, 0.02, 0.0195, normal=Linear(1e6), friction=friction, name="pivot"
)
model.add(ball)
control = fm.StepControl(fm.Penetration(1e-5), fm.Stribeck(0.05), dt_initial=1e-5, dt_max=5e-3)
result = fm.simulate(model, end_time=4.0, control=control)
force = result.of("weld").reaction.force  # (steps, 3) N, on the bob
moment = result.of("arm").section_force(at=0.5)[:, 3:]  # (steps, 3) N m, torsion and bending in the middle
bristle = result.of("pivot").bristle  # (steps, 1, 3) m, how far the surfaces have stuck
