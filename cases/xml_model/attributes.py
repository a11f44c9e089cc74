"""Attributes permitted for the elements of a model file: those that are read, and those without effect here.

An attribute in neither list is an error: a misspelt one would silently have its default.
"""

from __future__ import annotations

from fem_mbd.base.suggestions import nearest
from fem_mbd.cases.xml_model.document import Element
from fem_mbd.errors import InputError

XYZ = ("x", "y", "z")
READ = {
    "Param_Unit": ("force_unit", "mass_unit", "length_unit", "time_unit"),
    "Param_Transient": ("h_max",),
    "Simulate": ("analysis_type", "end_time", "num_step"),
    "Reference_Marker": (
        "id", "label", "body_id", *(f"pos_{c}" for c in XYZ), "a00", "a10", "a20", "a02", "a12", "a22",
    ),
    "Body_Rigid": (
        "id", "label", "IsGround", "cg_id", "im_id", "lprf_id", "mass",
        *(f"inertia_{pair}" for pair in ("xx", "yy", "zz", "xy", "xz", "yz")),
    ),
    "Constraint_Joint": ("id", "label", "type", "i_marker_id", "j_marker_id"),
    "Force_Gravity": tuple(f"grav_{c}" for c in XYZ),
    "Force_JointFriction": (
        "id", "label", "joint_id", "mu_static", "mu_dynamic", "bristle_stiffness", "damping_effects",
        "viscous_effects", "stiction_trans_vel", "inactive", "effect", "inputs", "torque_preload", "force_preload",
        "friction_arm", "bending_reaction_arm", "reaction_arm", "pin_radius", "ball_radius", "initial_overlap",
        "overlap_delta", "yoke_choice", "max_stiction_deform",
    ),
    "Post_Request": ("id", "type", "comment", *(f"expr{n}" for n in range(1, 9))),
}  # fmt: skip
# Of the other program's integrator and files.
WITHOUT_EFFECT = {
    "MultiBodySystem": ("hw_version", "xmlns:xs", "xs:noNamespaceSchemaLocation"),
    "Command": ("time_out",),
    "Param_Transient": (
        "integrator_type", "integr_tol", "h0_max", "h_min", "max_order", "vel_tol_factor", "rel_abs_tol_ratio",
        "central_difference", "dae_constr_tol", "dae_corrector_maxit", "dae_corrector_minit", "dae_index",
        "dae_vel_ctrl", "dae_jacob_init", "hht_alpha", "newmark_beta", "newmark_gamma",
    ),
    "Reference_Marker": ("body_type",),
}  # fmt: skip


def check_attributes(element: Element) -> None:
    """Raise InputError for an unknown attribute; the message suggests the nearest known one."""
    known = (*READ.get(element.name, ()), *WITHOUT_EFFECT.get(element.name, ()))
    for name in element.attributes:
        if name not in known:
            raise InputError(
                f"{element.what}: it has no attribute {name}, without which the model might be different; "
                f"{nearest(name, known)}"
            )
