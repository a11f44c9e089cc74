"""Contact and friction laws for random mechanisms, in a fixed order: a seed always gives the same mechanism.

A law that the package gains enters by a list of its own, for seeds from a number on that nobody has run.
"""

from typing import Any

from fem_mbd.friction.probes import gallery

FRICTION: tuple[str, ...] = (
    "Coulomb", "DryCoulomb", "CoulombStiction", "CoulombViscous", "HessSoom", "BoPavelescu", "Karnopp", "Switch",
    "Awrejcewicz", "ResetIntegrator", "Liang", "SevenParameter", "LinearRegularised", "TanhRegularised", "Threlfall",
    "LinearStiction", "BengisuAkay", "Ambrosio", "GeneralKinetic", "Wojewoda", "BlimanSorine 1", "BlimanSorine 2",
    "Bristles", "Gonthier", "Dahl", "Valanis", "ElastoPlastic", "Leuven", "Leuven original", "HarnoyFriedland",
    "LuGre", "LuGre scalar", "Iwan", "GeneralisedMaxwellSlip",
)  # fmt: skip
NORMAL: tuple[str, ...] = (
    "Johnson", "Radzimovsky", "DubowskyFreudenstein", "Goldsmith", "Esdu78035", "Hertz", "HuntCrossley",
    "HuntCrossleyImpact", "HerbertMcWhannell", "LeeWang", "LankaraniNikravesh", "GonthierImpact", "ZhiyingQishao",
    "Flores", "ExactRestitution", "Linear", "PowerDamping", "KelvinVoigt",
)  # fmt: skip
# First seed that draws these too, laws of friction, normal laws.
LATER: tuple[tuple[int, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        6000,
        (
            "Anisotropic", "GivenCurve", "Makkar", "PoppStelter", "SevenParameter delay", "Tustin", "ClassicalLuGre",
            "ClassicalDahl", "ClassicalElastoPlastic", "ClassicalBlimanSorine 1", "ClassicalBlimanSorine 2",
        ),
        ("DMT", "JKR", "PermanentIndentation"),
    ),
    (16000, (), ("Maugis", "ElasticAsperities")),
    (26000, (), ("Hamaker",)),
)  # fmt: skip


def choices(seed: int) -> tuple[list[Any], list[Any]]:
    """Friction laws and normal laws of the mechanism of a seed."""
    friction, normal = names(seed)
    return _laws(gallery.ENTRIES, friction), _laws(gallery.CONTACT_ENTRIES, normal)


def names(seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same by name."""
    friction, normal = FRICTION, NORMAL
    for first, more_friction, more_normal in LATER:
        if seed >= first:
            friction, normal = friction + more_friction, normal + more_normal
    return friction, normal


def _laws(entries: Any, chosen: tuple[str, ...]) -> list[Any]:
    by_name = {entry.name: entry.law for entry in entries}
    return [by_name[name] for name in chosen]
