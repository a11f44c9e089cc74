"""Joints: ideal ones, and joints with clearance, contact and friction."""

from typing import TYPE_CHECKING

from fem_mbd.base.lazy import lazy_names

if TYPE_CHECKING:
    from fem_mbd.joints.contact.clearance import (
        PlanarClearance as PlanarClearance,
        SpatialClearance as SpatialClearance,
        SphericalClearance as SphericalClearance,
    )
    from fem_mbd.joints.contact.contact_kind import ClearanceHandle as ClearanceHandle
    from fem_mbd.joints.contact.points_and_spheres import (
        Contact as Contact,
        DiskOnPlane as DiskOnPlane,
        FaceOnPlane as FaceOnPlane,
        PointOnPlane as PointOnPlane,
        SphereOnPlane as SphereOnPlane,
        SphereOnSphere as SphereOnSphere,
        circle_of_points as circle_of_points,
    )
    from fem_mbd.joints.contact.revolute_clearance import (
        JournalBearing as JournalBearing,
        JournalBearingHandle as JournalBearingHandle,
        RevoluteClearance as RevoluteClearance,
        RevoluteClearanceHandle as RevoluteClearanceHandle,
    )
    from fem_mbd.joints.driveline.parts import (
        Belt as Belt,
        Clutch as Clutch,
        DriveHandle as DriveHandle,
        GearPair as GearPair,
        PlanetaryGear as PlanetaryGear,
        Rack as Rack,
        ShaftInertia as ShaftInertia,
        TorsionalPlay as TorsionalPlay,
    )
    from fem_mbd.joints.friction.joint_friction import JointFriction as JointFriction
    from fem_mbd.joints.ideal import (
        Clamp as Clamp,
        Cylindrical as Cylindrical,
        DrivenPrismatic as DrivenPrismatic,
        DrivenRevolute as DrivenRevolute,
        Planar as Planar,
        Prismatic as Prismatic,
        Revolute as Revolute,
        RigidOffset as RigidOffset,
        Spherical as Spherical,
        Universal as Universal,
    )
    from fem_mbd.joints.lubricated_journal import (
        LubricatedJournal as LubricatedJournal,
        LubricatedJournalHandle as LubricatedJournalHandle,
    )
    from fem_mbd.joints.pair import Joint as Joint, JointHandle as JointHandle
    from fem_mbd.joints.rigid_contact import (
        RigidContact as RigidContact,
        RigidContactHandle as RigidContactHandle,
    )
    from fem_mbd.joints.rolling import (
        RollingBall as RollingBall,
        RollingDisk as RollingDisk,
        RollingHandle as RollingHandle,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
