"""Every kind of part on the frame, near an equilibrium."""

from typing import Any

import numpy as np

import fem_mbd as fm
from fem_mbd import elements, joints
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.friction import ElastoPlastic, Linear
from tests.analysis.family.frame import Kind

AT = np.array([0.05, -0.03, 0.04])  # m, of joints
AXIS = np.array([0.48, -0.6, 0.64])
ACROSS = np.array([0.8, 0.0, -0.6])  # normal to AXIS
SIDE = np.cross(AXIS, ACROSS)
STEEL = Linear(2e4)
# elastic until it breaks away: the bristles of other laws creep as soon as they are loaded, in one direction
BRISTLES = ElastoPlastic(200.0, 2.0, 0.0, mu_s=0.5, mu_k=0.4, v_s=1e-2)
DOWN = 2e-3  # m, of contacts into one another
BUSHING = np.diag([300.0, 400.0, 500.0, 3.0, 4.0, 5.0]) + 0.5 * (
    np.eye(6, k=1) + np.eye(6, k=-2)
)  # not symmetric
TABLE = elements.TorqueTable((-1.0, 1.0), (0.1, 0.3))


def _beam(model: fm.Model, body: Any, **more: Any) -> Any:
    """A soft beam from the ground to the body."""
    section = elements.Section.from_rigidities(1e4, 2e3, 2e3, 2.0, 3.0, 2.0, 0.3, np.diag([4e-4, 2e-4, 2e-4]))
    beam = model.add(
        elements.Beam(
            section, (-0.5, 0, 0), (0, 0, 0), up=(0, 0, 1), elements=2, order=3, name="beam", **more
        )
    )
    model.fix(beam.start)
    model.add(joints.Clamp(beam.end, body, name="weld"))
    return beam


def _on_beam(make: Any, **more: Any) -> Kind:
    def add(model: fm.Model, body: Any) -> None:
        model.add(make(_beam(model, body)))

    return Kind(add, steps=400, **more)


def _wheel(model: fm.Model, body: Any) -> Any:
    """A wheel on the body, held by a torsion spring with a damper."""
    wheel = model.add(elements.RigidBody(0.5, (2e-3, 3e-3, 4e-3), AT, name="wheel"))
    model.add(joints.Revolute(body, wheel, at=AT, axis=AXIS, name="bearing"))
    model.add(elements.RotationalSpringDamper(body, wheel, AXIS, 2.0, 0.01))
    return wheel


def _on_wheel(make: Any) -> Kind:
    def add(model: fm.Model, body: Any) -> None:
        model.add(make(body, _wheel(model, body)))

    return Kind(add)


def _two_wheels(make: Any, **more: Any) -> Kind:
    def add(model: fm.Model, body: Any) -> None:
        model.add(make(body, _wheel(model, body), _wheel(model, body)))

    return Kind(add, **more)


def _borne(model: fm.Model, body: Any) -> None:
    """A force that bears the body's weight."""
    model.add(elements.Force(body.node.at((0.02, 0.01, -0.01)), (0, 0, 2 * 9.81)))


def _contact(make: Any, steps: int = 200) -> Kind:
    """A contact that the springs press together; without the weight its bristles are far from breaking away."""

    def add(model: fm.Model, body: Any) -> None:
        _borne(model, body)
        model.add(make(model, body))

    return Kind(add, steps=steps, friction=True)


def _alone(make: Any, **more: Any) -> Kind:
    def add(model: fm.Model, body: Any) -> None:
        model.add(make(model, body))

    return Kind(add, **more)


def _ball(model: fm.Model, body: Any, height: float) -> Any:
    """A point of the body above the plane z = height of the ground, in it by `DOWN`."""
    return body.node.at((0.03, 0.02, height - DOWN))


def _film(model: fm.Model, body: Any) -> None:
    """A centred oil film: a force bears the body's weight. Off the centre half films have no derivative at rest, as the
    half with pressure is that ahead of the velocity."""
    _borne(model, body)
    at = np.array([0.03, 0.02, 0.1])
    model.add(
        joints.LubricatedJournal(model.ground.at(at), body.node.at(at), 0.05, 0.03, 4e-3, 0.3, axis=(1, 0, 0))
    )


PARTS: dict[str, Kind] = {
    "Beam": Kind(lambda model, body: _beam(model, body, damping=1e-3), steps=400),
    "Bushing": _alone(
        lambda model, body: elements.Bushing(
            model.ground.at((0.05, 0, 0.1)), body.node.at((0.05, 0, 0.1)), BUSHING, 2e-3 * BUSHING,
            axes=triad_with_third(AXIS), preload=(1.0, -2.0, 0.5, 0.1, 0.2, -0.1),
            curves={0: ((-1e-2, -2e-3, 3e-3, 1e-2), (-3.0, -1.0, 1.0, 2.0))},
        )
    ),
    "LinearBearing": _alone(
        lambda model, body: elements.LinearBearing(
            model.ground.at((0.05, 0, 0.1)), body.node.at((0.05, 0, 0.1)), AXIS, ((200.0, 90.0), (-60.0, 300.0)),
            ((2.0, 0.5), (-0.3, 1.0)),
        )
    ),
    "DistributedLoad": _on_beam(
        lambda beam: elements.DistributedLoad(beam, lambda p: -0.8 * p.velocity + (0, 0.5, 1.0), derivatives=True),
        gradients=False,
    ),
    "Generator": _on_wheel(lambda body, wheel: elements.Generator(body, wheel, AXIS, TABLE)),
    "LineLoad": _on_beam(lambda beam: elements.LineLoad(beam, (1.0, 2.0, -3.0), follower=True)),
    "ModalDamping": _on_beam(lambda beam: elements.ModalDamping(beam, (0.02, 0.03))),
    "PointMass": _alone(lambda model, body: elements.PointMass(0.7, node=body.node)),
    "RigidBody": Kind(lambda model, body: None),
    "RotationalSpringDamper": _alone(
        lambda model, body: elements.RotationalSpringDamper(model.ground, body, AXIS, 20.0, 0.1, angle=0.1)
    ),
    "SpeedController": _on_wheel(lambda body, wheel: elements.SpeedController(body, wheel, AXIS, 0.0, 0.02, 1.0)),
    "SpringDamper": _alone(
        lambda model, body: elements.SpringDamper(
            model.ground.at((0.3, 0.4, 0.5)), body.node.at((0.05, 0, 0.1)), 400.0, 3.0, length=0.52
        )
    ),
    "Cable": _alone(
        lambda model, body: elements.Cable(
            4e3, 0.3, model.ground.at((0.3, 0.4, 0.5)), body.node.at((0.05, 0, 0.1)),
            elements=3, tension=20.0, damping=5e-3,
        )
    ),
    "TableLoad": _on_beam(
        lambda beam: elements.TableLoad(beam, elements.LoadTable((0.0, 0.5), [(0, 1.0, 2.0), (0, 2.0, -1.0)])),
        gradients=False,
    ),
    "Clamp": Kind(
        lambda model, body: model.add(
            joints.Clamp(body, model.add(elements.RigidBody(0.4, (1e-3,) * 3, AT, name="more")), at=AT, name="part")
        )
    ),
    "RigidOffset": Kind(
        lambda model, body: model.add(
            joints.RigidOffset(body, model.add(elements.RigidBody(0.4, (1e-3,) * 3, AT, name="more")), name="part")
        )
    ),
    "DrivenRevolute": Kind(
        lambda model, body: model.add(
            joints.DrivenRevolute(
                body, model.add(elements.RigidBody(0.4, (1e-3,) * 3, AT, name="more")), at=AT, axis=AXIS, angle=0.0,
                name="part",
            )
        )
    ),
    "DrivenPrismatic": Kind(
        lambda model, body: model.add(
            joints.DrivenPrismatic(
                body, model.add(elements.RigidBody(0.4, (1e-3,) * 3, AT, name="more")), at=AT, axis=AXIS,
                displacement=0.0, name="part",
            )
        )
    ),
    "PointOnPlane": _contact(
        lambda model, body: joints.PointOnPlane(
            model.ground.at((0, 0, -0.2)), _ball(model, body, -0.2), STEEL, BRISTLES, direction=(0, 0, 1)
        )
    ),
    "SphereOnPlane": _contact(
        lambda model, body: joints.SphereOnPlane(
            model.ground.at((0, 0, -0.2)), _ball(model, body, -0.16), 0.04, STEEL, BRISTLES, direction=(0, 0, 1)
        )
    ),
    "SphereOnSphere": _contact(
        lambda model, body: joints.SphereOnSphere(
            model.ground.at((0.03, 0.02, -0.2)), _ball(model, body, -0.12), 0.03, 0.05, STEEL, BRISTLES
        )
    ),
    "DiskOnPlane": _contact(
        lambda model, body: joints.DiskOnPlane(
            model.ground.at((0, 0, -0.2)), _ball(model, body, -0.2 + 0.04 * 0.8), 0.04, STEEL, BRISTLES,
            direction=(0, 0, 1), axis=(0.8, 0, 0.6),
        )
    ),
    "FaceOnPlane": _contact(
        lambda model, body: joints.FaceOnPlane(
            model.ground.at((0, 0, -0.2)),
            [body.node.at((0.1 * x, 0.1 * y, -0.2 - DOWN)) for x, y in ((0, 1), (1, -1), (-1, -1))],
            STEEL, BRISTLES, direction=(0, 0, 1),
        ),
        steps=400,
    ),
    "SphericalClearance": _contact(
        lambda model, body: joints.SphericalClearance(
            model.ground.at((0.03, 0.02, 0.1)), body.node.at((0.03, 0.02, 0.1 - 1e-3 - DOWN)), 0.05, 0.049, STEEL,
            BRISTLES,
        )
    ),
    "PlanarClearance": _contact(
        lambda model, body: joints.PlanarClearance(
            model.ground.at((0.03, 0.02, 0.1)), body.node.at((0.03, 0.02, 0.1 - 1e-3 - DOWN)), 0.05, 0.049, STEEL,
            BRISTLES, axis=(1, 0, 0),
        )
    ),
    "SpatialClearance": _contact(
        lambda model, body: joints.SpatialClearance(
            model.ground.at((0.03, 0.02, 0.1)), body.node.at((0.03, 0.02, 0.1 - 1e-3 - DOWN)), 0.05, 0.049, STEEL,
            BRISTLES, axis=(1, 0, 0),
        )
    ),
    "JournalBearing": _contact(
        lambda model, body: joints.JournalBearing(
            model.ground.at((0.03, 0.02, 0.1)), body.node.at((0.03, 0.02, 0.1 - 1e-3 - DOWN)), 0.05, 0.049, 0.06, STEEL,
            BRISTLES, axis=(1, 0, 0),
        )
    ),
    "RevoluteClearance": _contact(
        lambda model, body: joints.RevoluteClearance(
            model.ground.at((0.03, 0.02, 0.1)), body.node.at((0.03, 0.02, 0.1 - 1e-3 - DOWN)), 0.05, 0.049, 0.06, 0.05,
            STEEL, BRISTLES, axis=(1, 0, 0), crown=5e-4,
        )
    ),
    "LubricatedJournal": Kind(_film),
    "Belt": _two_wheels(
        lambda body, k, l: joints.Belt(k, l, AXIS, 0.1, 0.2, 40.0, 0.5, housing=body, creep=False, damping=0.2)
    ),
    "Clutch": _two_wheels(lambda body, k, l: joints.Clutch(k, l, AXIS, 5.0, 0.1, BRISTLES), steps=400, friction=True),
    "GearPair": _two_wheels(
        lambda body, k, l: joints.GearPair(k, l, AXIS, 0.1, 0.2, housing=body, stiffness=400.0, damping=0.5)
    ),
    "PlanetaryGear": _two_wheels(lambda body, k, l: joints.PlanetaryGear(k, l, body, AXIS, 0.1, 0.2)),
    "ShaftInertia": _alone(
        lambda model, body: joints.GearPair(
            model.add(joints.ShaftInertia(0.01, AXIS)), body, AXIS, 0.1, 0.2, stiffness=100.0
        )
    ),
    "TorsionalPlay": _on_wheel(
        lambda body, wheel: joints.TorsionalPlay(
            body, wheel, AXIS, 1.0, STEEL, radius=0.1, stiffness=2e3, damping=10.0
        )
    ),
    "RollingBall": _alone(
        lambda model, body: joints.RollingBall(
            model.ground.at((0, 0, -0.2)), body.node.at((0, 0, -0.1)), 0.1, direction=(0, 0, 1)
        ),
        gradients=False,
    ),
    "RollingDisk": _alone(
        lambda model, body: joints.RollingDisk(
            model.ground.at((0, 0, -0.2)), body.node.at((0, 0, -0.1)), 0.1, direction=(0, 0, 1), axis=(0, 1, 0)
        ),
        gradients=False,
    ),
}  # fmt: skip
ELSEWHERE = {
    "Contact": "the base of contacts",
    "Joint": "the base of joints",
    "LineMesh": "beams on the lines of a mesh: `Beam`",
    "Rack": "a GearPair with a wheel that slides: tests/joints/driveline",
    "LoadStation": "an output, without forces",
    "RigidContact": "impacts: it is open or a constraint, and has no small motions across",
}
