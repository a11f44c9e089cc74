"""The WindPACT 1.5 MW turbine of OpenFAST's r-test, and its linearisation there."""

from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.machines import MachineFamily, read_openfast_machine
from tests.machines.hawc2.decks import DECKS

FOLDER = DECKS / "windpact15"
WINDPACT = FOLDER / "WP_Stationary_Linear" / "WP_Stationary_Linear.fst"
TOWER, BLADE = (FOLDER / "WP_Baseline" / f"Baseline_{part}.dat" for part in ("Tower", "Blade"))
GENERATOR, GEAR = 53.036 * 87.965**2, 87.965  # kg m^2 at the rotor's speed
# eigenvalues of the state matrix of WP_Stationary_Linear.1.lin (OpenFAST r-test, 2018): at standstill, shaft free,
# pitch 2.6 deg, with gravity; Hz, % of critical. Second side-side motions of the tower are coupled with the drivetrain,
# whose damping is not compared: a beam bends edgewise as it likes where ElastoDyn has one shape.
LINEARISED: dict[str, tuple[float, float | None]] = {
    "first tower fore-aft": (0.40459, 1.304), "first tower side-side": (0.40751, 1.312),
    "first flap tilt": (1.21540, 3.767), "first flap yaw": (1.23111, 3.846), "first flap collective": (1.26448, 3.966),
    "first edge vertical": (1.85941, 5.768), "first edge horizontal": (1.87992, 5.856),
    "second tower fore-aft": (2.86322, 3.235), "second tower side-side": (2.87608, None),
    "second flap yaw": (3.75396, 4.012), "second flap tilt": (3.79460, 4.071),
    "second flap collective": (3.87851, 4.190),
}  # fmt: skip


def windpact_family() -> MachineFamily:
    """As OpenFAST linearises it."""
    machine = read_openfast_machine(WINDPACT)
    return MachineFamily(machine, machine.start, gravity=9.80665)


def modes_by_name(family: MachineFamily, number: int) -> dict[str, tuple[float, float]]:
    """Hz and % of critical at standstill."""
    found = modes_of(family.at(0.0), number)
    pairs = zip(found.frequencies_hz, 100 * found.damping_ratios, strict=True)
    return dict(zip(family.names(found), pairs, strict=True))


def allowed(name: str) -> float:
    """Relative, of a frequency: towers, first modes of blades, second ones."""
    return 0.01 if "first tower" in name else 0.015 if "first" in name else 0.03
