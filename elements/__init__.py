"""Structural elements and loads: beams, rigid bodies, springs, loads, cross-sections, blades, line meshes."""

from typing import TYPE_CHECKING

from fem_mbd.base.lazy import lazy_names

if TYPE_CHECKING:
    from fem_mbd.elements.beam.beam import Beam, BeamHandle
    from fem_mbd.elements.beam.damping.damping_fit import DampingFit, fit_damping
    from fem_mbd.elements.beam.damping.modal_damping import ModalDamping
    from fem_mbd.elements.beam.load_station import LoadStation
    from fem_mbd.elements.blades import (
        Blade,
        BladeAxis,
        read_beamdyn,
        read_hawc2,
        read_sonata_table,
        read_vabs_section,
    )
    from fem_mbd.elements.curve import Arc, Curve, ReferenceLine, Straight
    from fem_mbd.elements.line_mesh.line_mesh import LineMesh, LineMeshHandle
    from fem_mbd.elements.loads.distributed_load import BeamPoints, DistributedLoad
    from fem_mbd.elements.loads.generator import Generator
    from fem_mbd.elements.loads.load_table import LoadTable
    from fem_mbd.elements.loads.load_table_file import read_load_table
    from fem_mbd.elements.loads.loads import Force, JointTorque, LineLoad, Moment
    from fem_mbd.elements.loads.table_load import Spoke, TableLoad
    from fem_mbd.elements.loads.torque_laws import QuadraticTorque, TorqueLaw, TorqueTable
    from fem_mbd.elements.rigid_body import BodyHandle, PointMass, RigidBody
    from fem_mbd.elements.section.material import Material
    from fem_mbd.elements.section.section import Section
    from fem_mbd.elements.section.table import SectionTable
    from fem_mbd.elements.shapes import Box, Cylinder, Mesh, Shape, Sphere
    from fem_mbd.elements.springs.speed_controller import SpeedController
    from fem_mbd.elements.springs.springs import RotationalSpringDamper, SpringDamper, SpringHandle
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "Arc",
    "Beam",
    "BeamHandle",
    "BeamPoints",
    "Blade",
    "BladeAxis",
    "BodyHandle",
    "Box",
    "Curve",
    "Cylinder",
    "DampingFit",
    "DistributedLoad",
    "Force",
    "Generator",
    "JointTorque",
    "LineLoad",
    "LineMesh",
    "LineMeshHandle",
    "LoadStation",
    "LoadTable",
    "Material",
    "Mesh",
    "ModalDamping",
    "Moment",
    "PointMass",
    "QuadraticTorque",
    "ReferenceLine",
    "RigidBody",
    "RotationalSpringDamper",
    "Section",
    "SectionTable",
    "Shape",
    "SpeedController",
    "Sphere",
    "Spoke",
    "SpringDamper",
    "SpringHandle",
    "Straight",
    "TableLoad",
    "TorqueLaw",
    "TorqueTable",
    "fit_damping",
    "read_beamdyn",
    "read_hawc2",
    "read_load_table",
    "read_sonata_table",
    "read_vabs_section",
]
