"""Normal contact laws and friction laws (imported as ``fem_mbd.friction``).

A law is a frozen dataclass of parameters with meaning, unit and bounds, plus compiled kernels, both in one file.
Compiled code calls laws only through ``tangential.py`` and ``normal/dispatch.py``. The gallery, fits, docs and tests
read their list of laws from this module's ``dir``.
"""

from typing import TYPE_CHECKING

from fem_mbd.base.lazy import lazy_names

if TYPE_CHECKING:
    from fem_mbd.friction.dynamic.bliman_sorine import BlimanSorine as BlimanSorine
    from fem_mbd.friction.dynamic.bristles import Bristles as Bristles
    from fem_mbd.friction.dynamic.classical import (
        ClassicalBlimanSorine as ClassicalBlimanSorine,
        ClassicalDahl as ClassicalDahl,
        ClassicalElastoPlastic as ClassicalElastoPlastic,
        ClassicalLuGre as ClassicalLuGre,
    )
    from fem_mbd.friction.dynamic.gonthier import Gonthier as Gonthier
    from fem_mbd.friction.dynamic.hardening import (
        Dahl as Dahl,
        ElastoPlastic as ElastoPlastic,
        Valanis as Valanis,
    )
    from fem_mbd.friction.dynamic.harnoy_friedland import HarnoyFriedland as HarnoyFriedland
    from fem_mbd.friction.dynamic.leuven import Leuven as Leuven
    from fem_mbd.friction.dynamic.lugre import LuGre as LuGre
    from fem_mbd.friction.dynamic.maxwell_slip import (
        GeneralisedMaxwellSlip as GeneralisedMaxwellSlip,
        Iwan as Iwan,
    )
    from fem_mbd.friction.law import Law as Law
    from fem_mbd.friction.normal.adhesion.dmt import DMT as DMT
    from fem_mbd.friction.normal.adhesion.hamaker import Hamaker as Hamaker
    from fem_mbd.friction.normal.adhesion.jkr import JKR as JKR
    from fem_mbd.friction.normal.adhesion.maugis import Maugis as Maugis
    from fem_mbd.friction.normal.damping.hunt_crossley import HuntCrossley as HuntCrossley
    from fem_mbd.friction.normal.damping.impact_laws import (
        ExactRestitution as ExactRestitution,
        Flores as Flores,
        GonthierImpact as GonthierImpact,
        HerbertMcWhannell as HerbertMcWhannell,
        HuntCrossleyImpact as HuntCrossleyImpact,
        LankaraniNikravesh as LankaraniNikravesh,
        LeeWang as LeeWang,
        RestitutionLaw as RestitutionLaw,
        ZhiyingQishao as ZhiyingQishao,
    )
    from fem_mbd.friction.normal.damping.permanent import PermanentIndentation as PermanentIndentation
    from fem_mbd.friction.normal.damping.power_damping import (
        KelvinVoigt as KelvinVoigt,
        PowerDamping as PowerDamping,
    )
    from fem_mbd.friction.normal.elastic.asperities import ElasticAsperities as ElasticAsperities
    from fem_mbd.friction.normal.elastic.cylinder import (
        CylinderLaw as CylinderLaw,
        DubowskyFreudenstein as DubowskyFreudenstein,
        Esdu78035 as Esdu78035,
        Goldsmith as Goldsmith,
        Johnson as Johnson,
        Radzimovsky as Radzimovsky,
    )
    from fem_mbd.friction.normal.elastic.hertz import Hertz as Hertz
    from fem_mbd.friction.normal.elastic.linear import Linear as Linear
    from fem_mbd.friction.parameters import Parameter as Parameter
    from fem_mbd.friction.records import (
        FRICTION_LAW as FRICTION_LAW,
        NORMAL_LAW as NORMAL_LAW,
        FrictionLaw as FrictionLaw,
        NormalLaw as NormalLaw,
        friction_record as friction_record,
        own_normal_record as own_normal_record,
    )
    from fem_mbd.friction.static.anisotropic import Anisotropic as Anisotropic
    from fem_mbd.friction.static.frictionless import Frictionless as Frictionless
    from fem_mbd.friction.static.regularised.coulomb import Coulomb as Coulomb
    from fem_mbd.friction.static.regularised.makkar import Makkar as Makkar
    from fem_mbd.friction.static.regularised.velocity_laws import (
        Ambrosio as Ambrosio,
        BengisuAkay as BengisuAkay,
        GeneralKinetic as GeneralKinetic,
        LinearRegularised as LinearRegularised,
        LinearStiction as LinearStiction,
        TanhRegularised as TanhRegularised,
        Threlfall as Threlfall,
    )
    from fem_mbd.friction.static.sticking.awrejcewicz import Awrejcewicz as Awrejcewicz
    from fem_mbd.friction.static.sticking.dry import (
        BoPavelescu as BoPavelescu,
        CoulombStiction as CoulombStiction,
        CoulombViscous as CoulombViscous,
        DryCoulomb as DryCoulomb,
        HessSoom as HessSoom,
    )
    from fem_mbd.friction.static.sticking.given_curve import GivenCurve as GivenCurve
    from fem_mbd.friction.static.sticking.karnopp import Karnopp as Karnopp, Switch as Switch
    from fem_mbd.friction.static.sticking.popp_stelter import PoppStelter as PoppStelter
    from fem_mbd.friction.static.sticking.reset_integrator import (
        Liang as Liang,
        ResetIntegrator as ResetIntegrator,
    )
    from fem_mbd.friction.static.sticking.seven_parameter import SevenParameter as SevenParameter
    from fem_mbd.friction.static.sticking.tustin import Tustin as Tustin
    from fem_mbd.friction.static.sticking.wojewoda import Wojewoda as Wojewoda
    from fem_mbd.friction.user_laws import (
        friction_kernel as friction_kernel,
        mean_force_kernel as mean_force_kernel,
        potential_kernel as potential_kernel,
    )
    from fem_mbd.friction.validity import (
        ActiveLawWarning as ActiveLawWarning,
        LawRangeWarning as LawRangeWarning,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
