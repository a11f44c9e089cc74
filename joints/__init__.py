"""Joints: ideal ones, and joints with clearance, contact and friction. One joint per file."""

from typing import TYPE_CHECKING

from fem_mbd.base.lazy import lazy_names

if TYPE_CHECKING:
    from fem_mbd.joints.clamp import Clamp, RigidOffset
    from fem_mbd.joints.contact.clearance import PlanarClearance, SphericalClearance
    from fem_mbd.joints.contact.contact_kind import ClearanceHandle
    from fem_mbd.joints.contact.disk_on_plane import DiskOnPlane
    from fem_mbd.joints.contact.face import FaceOnPlane, circle_of_points
    from fem_mbd.joints.contact.points_and_spheres import Contact, PointOnPlane, SphereOnPlane, SphereOnSphere
    from fem_mbd.joints.contact.revolute.journal_bearing import JournalBearing, JournalBearingHandle
    from fem_mbd.joints.contact.revolute.revolute_clearance import RevoluteClearance, RevoluteClearanceHandle
    from fem_mbd.joints.contact.spatial_clearance import SpatialClearance
    from fem_mbd.joints.friction.joint_friction import JointFriction
    from fem_mbd.joints.impact.rigid_contact import RigidContact, RigidContactHandle
    from fem_mbd.joints.lubricated.journal import LubricatedJournal, LubricatedJournalHandle
    from fem_mbd.joints.pair import Joint, JointHandle
    from fem_mbd.joints.planar import Planar
    from fem_mbd.joints.prismatic import Cylindrical, DrivenPrismatic, Prismatic
    from fem_mbd.joints.revolute import DrivenRevolute, Revolute
    from fem_mbd.joints.rolling.rolling import RollingBall, RollingDisk, RollingHandle
    from fem_mbd.joints.spherical import Spherical
    from fem_mbd.joints.universal import Universal
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Clamp",
    "ClearanceHandle",
    "Contact",
    "Cylindrical",
    "DiskOnPlane",
    "DrivenPrismatic",
    "DrivenRevolute",
    "FaceOnPlane",
    "Joint",
    "JointFriction",
    "JointHandle",
    "JournalBearing",
    "JournalBearingHandle",
    "LubricatedJournal",
    "LubricatedJournalHandle",
    "Planar",
    "PlanarClearance",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "RevoluteClearance",
    "RevoluteClearanceHandle",
    "RigidContact",
    "RigidContactHandle",
    "RigidOffset",
    "RollingBall",
    "RollingDisk",
    "RollingHandle",
    "SpatialClearance",
    "SphereOnPlane",
    "SphereOnSphere",
    "Spherical",
    "SphericalClearance",
    "Universal",
    "circle_of_points",
]
