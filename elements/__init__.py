"""Structural elements and loads: beams, rigid bodies, springs, loads, cross-sections, blades, line meshes."""

from typing import TYPE_CHECKING

from fem_mbd.base.lazy import lazy_names

if TYPE_CHECKING:
    from fem_mbd.elements.beam.beam import Beam as Beam, BeamHandle as BeamHandle
    from fem_mbd.elements.beam.load_station import LoadStation as LoadStation
    from fem_mbd.elements.beam.modal_damping import ModalDamping as ModalDamping
    from fem_mbd.elements.beam.shape_damping import DampingFit as DampingFit, fit_damping as fit_damping
    from fem_mbd.elements.blades import (
        Blade as Blade,
        BladeAxis as BladeAxis,
        read_beamdyn as read_beamdyn,
        read_hawc2 as read_hawc2,
        read_sonata_table as read_sonata_table,
        read_vabs_section as read_vabs_section,
    )
    from fem_mbd.elements.cable import Cable as Cable, CableHandle as CableHandle
    from fem_mbd.elements.curve import (
        Arc as Arc,
        Curve as Curve,
        ReferenceLine as ReferenceLine,
        Straight as Straight,
    )
    from fem_mbd.elements.line_mesh import LineMesh as LineMesh, LineMeshHandle as LineMeshHandle
    from fem_mbd.elements.loads.distributed_load import (
        BeamPoints as BeamPoints,
        DistributedLoad as DistributedLoad,
    )
    from fem_mbd.elements.loads.generator import (
        Generator as Generator,
        QuadraticTorque as QuadraticTorque,
        TorqueLaw as TorqueLaw,
        TorqueTable as TorqueTable,
    )
    from fem_mbd.elements.loads.load_table import (
        LoadTable as LoadTable,
        Spoke as Spoke,
        TableLoad as TableLoad,
        read_load_table as read_load_table,
    )
    from fem_mbd.elements.loads.loads import (
        Force as Force,
        JointTorque as JointTorque,
        LineLoad as LineLoad,
        Moment as Moment,
    )
    from fem_mbd.elements.rigid_body import (
        BodyHandle as BodyHandle,
        Box as Box,
        Cylinder as Cylinder,
        Mesh as Mesh,
        PointMass as PointMass,
        RigidBody as RigidBody,
        Shape as Shape,
        Sphere as Sphere,
    )
    from fem_mbd.elements.section.mesh.laminate import Layer as Layer, Web as Web
    from fem_mbd.elements.section.mesh.mesh import (
        Anisotropic as Anisotropic,
        Orthotropic as Orthotropic,
        Strength as Strength,
    )
    from fem_mbd.elements.section.mesh.solution import SectionDerivatives as SectionDerivatives
    from fem_mbd.elements.section.mesh.stress import (
        SectionStress as SectionStress,
        section_stress as section_stress,
    )
    from fem_mbd.elements.section.section import Section as Section
    from fem_mbd.elements.section.shapes import Material as Material
    from fem_mbd.elements.section.table import SectionTable as SectionTable
    from fem_mbd.elements.springs.bushing import (
        Bushing as Bushing,
        CirculatoryWarning as CirculatoryWarning,
        LinearBearing as LinearBearing,
    )
    from fem_mbd.elements.springs.maxwell import MaxwellChain as MaxwellChain
    from fem_mbd.elements.springs.parallel import (
        FreePlay as FreePlay,
        FrictionDamper as FrictionDamper,
        OrificeDamper as OrificeDamper,
    )
    from fem_mbd.elements.springs.springs import (
        RotationalSpringDamper as RotationalSpringDamper,
        SpeedController as SpeedController,
        SpringDamper as SpringDamper,
        SpringHandle as SpringHandle,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
