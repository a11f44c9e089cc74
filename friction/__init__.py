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
    from fem_mbd.friction.law import Law as Law, Parameter as Parameter
    from fem_mbd.friction.normal.adhesion import DMT as DMT, JKR as JKR, Hamaker as Hamaker
    from fem_mbd.friction.normal.cylinder import (
        CylinderLaw as CylinderLaw,
        DubowskyFreudenstein as DubowskyFreudenstein,
        Esdu78035 as Esdu78035,
        Goldsmith as Goldsmith,
        Johnson as Johnson,
        Radzimovsky as Radzimovsky,
    )
    from fem_mbd.friction.normal.damping import (
        ExactRestitution as ExactRestitution,
        Flores as Flores,
        GonthierImpact as GonthierImpact,
        HerbertMcWhannell as HerbertMcWhannell,
        HuntCrossley as HuntCrossley,
        HuntCrossleyImpact as HuntCrossleyImpact,
        KelvinVoigt as KelvinVoigt,
        LankaraniNikravesh as LankaraniNikravesh,
        LeeWang as LeeWang,
        PermanentIndentation as PermanentIndentation,
        PowerDamping as PowerDamping,
        RestitutionLaw as RestitutionLaw,
        ZhiyingQishao as ZhiyingQishao,
    )
    from fem_mbd.friction.normal.elastic import (
        ElasticAsperities as ElasticAsperities,
        Hertz as Hertz,
        Linear as Linear,
    )
    from fem_mbd.friction.normal.maugis import Maugis as Maugis
    from fem_mbd.friction.records import (
        FRICTION_LAW as FRICTION_LAW,
        NORMAL_LAW as NORMAL_LAW,
        FrictionLaw as FrictionLaw,
        NormalLaw as NormalLaw,
        friction_kernel as friction_kernel,
        friction_record as friction_record,
        mean_force_kernel as mean_force_kernel,
        own_normal_record as own_normal_record,
        potential_kernel as potential_kernel,
    )
    from fem_mbd.friction.static.anisotropic import Anisotropic as Anisotropic, Frictionless as Frictionless
    from fem_mbd.friction.static.dry import (
        BoPavelescu as BoPavelescu,
        CoulombStiction as CoulombStiction,
        CoulombViscous as CoulombViscous,
        DryCoulomb as DryCoulomb,
        HessSoom as HessSoom,
    )
    from fem_mbd.friction.static.regularised import (
        Ambrosio as Ambrosio,
        BengisuAkay as BengisuAkay,
        Coulomb as Coulomb,
        GeneralKinetic as GeneralKinetic,
        LinearRegularised as LinearRegularised,
        LinearStiction as LinearStiction,
        Makkar as Makkar,
        TanhRegularised as TanhRegularised,
        Threlfall as Threlfall,
    )
    from fem_mbd.friction.static.sticking_curves import (
        Awrejcewicz as Awrejcewicz,
        GivenCurve as GivenCurve,
        Karnopp as Karnopp,
        PoppStelter as PoppStelter,
        Switch as Switch,
        Tustin as Tustin,
    )
    from fem_mbd.friction.static.sticking_histories import (
        Liang as Liang,
        ResetIntegrator as ResetIntegrator,
        SevenParameter as SevenParameter,
        Wojewoda as Wojewoda,
    )
    from fem_mbd.friction.validity import (
        ActiveLawWarning as ActiveLawWarning,
        LawRangeWarning as LawRangeWarning,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
