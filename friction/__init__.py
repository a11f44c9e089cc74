"""Normal contact laws and friction laws (imported as ``fem_mbd.friction``).

A law is a frozen dataclass of parameters with meaning, unit and bounds, plus compiled kernels, both in one file.
Compiled code calls laws only through ``tangential.py`` and ``normal/dispatch.py``. The gallery, fits, docs and tests
read their list of laws from ``__all__`` of this module.
"""

from typing import TYPE_CHECKING

from fem_mbd.base.lazy import lazy_names

if TYPE_CHECKING:
    from fem_mbd.friction.dynamic.bliman_sorine import BlimanSorine
    from fem_mbd.friction.dynamic.bristles import Bristles
    from fem_mbd.friction.dynamic.classical import (
        ClassicalBlimanSorine,
        ClassicalDahl,
        ClassicalElastoPlastic,
        ClassicalLuGre,
    )
    from fem_mbd.friction.dynamic.gonthier import Gonthier
    from fem_mbd.friction.dynamic.hardening import Dahl, ElastoPlastic, Valanis
    from fem_mbd.friction.dynamic.harnoy_friedland import HarnoyFriedland
    from fem_mbd.friction.dynamic.leuven import Leuven
    from fem_mbd.friction.dynamic.lugre import LuGre
    from fem_mbd.friction.dynamic.maxwell_slip import GeneralisedMaxwellSlip, Iwan
    from fem_mbd.friction.law import Law
    from fem_mbd.friction.normal.adhesion.dmt import DMT
    from fem_mbd.friction.normal.adhesion.hamaker import Hamaker
    from fem_mbd.friction.normal.adhesion.jkr import JKR
    from fem_mbd.friction.normal.adhesion.maugis import Maugis
    from fem_mbd.friction.normal.damping.hunt_crossley import HuntCrossley
    from fem_mbd.friction.normal.damping.impact_laws import (
        ExactRestitution,
        Flores,
        GonthierImpact,
        HerbertMcWhannell,
        HuntCrossleyImpact,
        LankaraniNikravesh,
        LeeWang,
        RestitutionLaw,
        ZhiyingQishao,
    )
    from fem_mbd.friction.normal.damping.permanent import PermanentIndentation
    from fem_mbd.friction.normal.damping.power_damping import KelvinVoigt, PowerDamping
    from fem_mbd.friction.normal.elastic.asperities import ElasticAsperities
    from fem_mbd.friction.normal.elastic.cylinder import (
        CylinderLaw,
        DubowskyFreudenstein,
        Esdu78035,
        Goldsmith,
        Johnson,
        Radzimovsky,
    )
    from fem_mbd.friction.normal.elastic.hertz import Hertz
    from fem_mbd.friction.normal.elastic.linear import Linear
    from fem_mbd.friction.parameters import Parameter
    from fem_mbd.friction.passivity import ActiveLawWarning
    from fem_mbd.friction.records import (
        FRICTION_LAW,
        NORMAL_LAW,
        FrictionLaw,
        NormalLaw,
        friction_record,
        own_normal_record,
    )
    from fem_mbd.friction.static.anisotropic import Anisotropic
    from fem_mbd.friction.static.frictionless import Frictionless
    from fem_mbd.friction.static.regularised.coulomb import Coulomb
    from fem_mbd.friction.static.regularised.makkar import Makkar
    from fem_mbd.friction.static.regularised.velocity_laws import (
        Ambrosio,
        BengisuAkay,
        GeneralKinetic,
        LinearRegularised,
        LinearStiction,
        TanhRegularised,
        Threlfall,
    )
    from fem_mbd.friction.static.sticking.awrejcewicz import Awrejcewicz
    from fem_mbd.friction.static.sticking.dry import (
        BoPavelescu,
        CoulombStiction,
        CoulombViscous,
        DryCoulomb,
        HessSoom,
    )
    from fem_mbd.friction.static.sticking.given_curve import GivenCurve
    from fem_mbd.friction.static.sticking.karnopp import Karnopp, Switch
    from fem_mbd.friction.static.sticking.popp_stelter import PoppStelter
    from fem_mbd.friction.static.sticking.reset_integrator import (
        Liang,
        ResetIntegrator,
    )
    from fem_mbd.friction.static.sticking.seven_parameter import SevenParameter
    from fem_mbd.friction.static.sticking.tustin import Tustin
    from fem_mbd.friction.static.sticking.wojewoda import Wojewoda
    from fem_mbd.friction.user_laws import friction_kernel, mean_force_kernel, potential_kernel
    from fem_mbd.friction.validity import LawRangeWarning
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "DMT",
    "FRICTION_LAW",
    "JKR",
    "NORMAL_LAW",
    "ActiveLawWarning",
    "Ambrosio",
    "Anisotropic",
    "Awrejcewicz",
    "BengisuAkay",
    "BlimanSorine",
    "BoPavelescu",
    "Bristles",
    "ClassicalBlimanSorine",
    "ClassicalDahl",
    "ClassicalElastoPlastic",
    "ClassicalLuGre",
    "Coulomb",
    "CoulombStiction",
    "CoulombViscous",
    "CylinderLaw",
    "Dahl",
    "DryCoulomb",
    "DubowskyFreudenstein",
    "ElasticAsperities",
    "ElastoPlastic",
    "Esdu78035",
    "ExactRestitution",
    "Flores",
    "FrictionLaw",
    "Frictionless",
    "GeneralKinetic",
    "GeneralisedMaxwellSlip",
    "GivenCurve",
    "Goldsmith",
    "Gonthier",
    "GonthierImpact",
    "Hamaker",
    "HarnoyFriedland",
    "HerbertMcWhannell",
    "Hertz",
    "HessSoom",
    "HuntCrossley",
    "HuntCrossleyImpact",
    "Iwan",
    "Johnson",
    "Karnopp",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "Law",
    "LawRangeWarning",
    "LeeWang",
    "Leuven",
    "Liang",
    "Linear",
    "LinearRegularised",
    "LinearStiction",
    "LuGre",
    "Makkar",
    "Maugis",
    "NormalLaw",
    "Parameter",
    "PermanentIndentation",
    "PoppStelter",
    "PowerDamping",
    "Radzimovsky",
    "ResetIntegrator",
    "RestitutionLaw",
    "SevenParameter",
    "Switch",
    "TanhRegularised",
    "Threlfall",
    "Tustin",
    "Valanis",
    "Wojewoda",
    "ZhiyingQishao",
    "friction_kernel",
    "friction_record",
    "mean_force_kernel",
    "own_normal_record",
    "potential_kernel",
]
