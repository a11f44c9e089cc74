"""Input files for MBDyn against the data of the problems, by a small parser. MBDyn is in no package index: not run."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import cos, pi

import numpy as np
import pytest

from benchmarks.peers.mbdyn_deck import SPARSE, Deck, Integration
from benchmarks.problems import chain, flying_beam, right_angle, spin_up

INTEGRATION = Integration(200, 2.0, 10)


@dataclass
class Parsed:
    """A deck, taken apart: block -> statements, each of them a list of words between colons and commas."""

    blocks: dict[str, list[list[str]]]

    def all(self, block: str, kind: str) -> list[list[str]]:
        return [words[1:] for words in self.blocks[block] if words[0] == kind]

    def value(self, block: str, kind: str) -> str:
        (words,) = self.all(block, kind)
        return words[0]


def parsed(text: str) -> Parsed:
    """Blocks have to be closed by their own names, one after the other."""
    assert text.count('"') % 2 == 0
    statements = re.findall(r'(?:"[^"]*"|[^;"])+;', text)
    assert "".join(statements).strip() == text.strip()
    blocks: dict[str, list[list[str]]] = {}
    within = ""
    for statement in statements:
        pieces = re.findall(r'(?:"[^"]*"|[^,:"])+', statement.strip().rstrip(";"))
        words = [piece.strip().strip('"') for piece in pieces]
        if words[0] == "begin":
            assert not within and words[1] not in blocks
            within = words[1]
            blocks[within] = []
        elif words[0] == "end":
            assert words[1] == within
            within = ""
        else:
            blocks[within].append(words)
    assert not within
    return Parsed(blocks)


def numbers(words: list[str]) -> np.ndarray:
    assert all("." in word or "e" in word for word in words), "MBDyn would read an integer"
    return np.array([float(word) for word in words])


def places(deck: Parsed) -> dict[int, np.ndarray]:
    return {int(words[0]): numbers(words[4:7]) for words in deck.all("nodes", "structural")}


def lumps(deck: Parsed) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses (k,), centres (k, 3) and tensors of inertia (k, 3, 3) about these, of nodes with the global axes."""
    at = places(deck)
    masses, centres, tensors = [], [], []
    for words in deck.all("elements", "body"):
        assert words[3:5] == ["reference", "node"] and words[8] == "sym"
        xx, xy, xz, yy, yz, zz = numbers(words[9:])
        masses.append(float(words[2]))
        centres.append(at[int(words[1])] + numbers(words[5:8]))
        tensors.append([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.array(masses), np.array(centres), np.array(tensors)


def about_origin(masses: np.ndarray, centres: np.ndarray, tensors: np.ndarray) -> np.ndarray:
    """Inertia (3, 3) of all about the origin, by Steiner's rule."""
    squares = np.einsum("ki,ki->k", centres, centres)
    apart = np.einsum("k,kij->ij", masses * squares, np.tile(np.eye(3), (len(masses), 1, 1)))
    return apart - np.einsum("k,ki,kj->ij", masses, centres, centres) + tensors.sum(axis=0)


def rod(start: np.ndarray, end: np.ndarray, mass: float, inertia: tuple[float, ...]) -> np.ndarray:
    """Inertia of a uniform rod about the origin, by its integral along the length."""
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    across = np.cross([0.0, 0.0, 1.0], along)
    axes = np.column_stack([along, across, [0.0, 0.0, 1.0]])
    total = length * axes @ np.diag(inertia) @ axes.T
    for s, weight in zip(
        (0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12)), (0.5, 0.5), strict=True
    ):  # exact: squares
        p = start + s * (end - start)
        total = total + weight * mass * length * (p @ p * np.eye(3) - np.outer(p, p))
    return total


@dataclass(frozen=True)
class Case:
    """A problem's model, the number of elements of a beam, its beams, and how many of everything there is."""

    model: tuple[Deck, int]
    beams: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
    elements: int
    stiffness: tuple[float, ...]
    mass: float
    inertia: tuple[float, ...]
    joints: int
    forces: int


CASES = {
    "spin_up": Case(
        spin_up.mbdyn_model(), (((0, 0, 0), (10, 0, 0)),), 5, spin_up.STIFFNESS, 1.2, spin_up.INERTIA, 1, 0
    ),
    "right_angle": Case(
        right_angle.mbdyn_model(3), (((0, 0, 0), (10, 0, 0)), ((10, 0, 0), (10, 10, 0))), 3,
        right_angle.STIFFNESS, 1.0, right_angle.INERTIA, 1, 1,
    ),
    "flying_beam": Case(
        flying_beam.mbdyn_model(4), (((6, 0, 0), (0, 8, 0)),), 4, flying_beam.STIFFNESS, 1.0, flying_beam.INERTIA, 0, 2
    ),
    "chain": Case(chain.mbdyn_model(300), (((0, 0, 0), (10, 0, 0)),), 150, chain.STIFFNESS, 1.0, chain.INERTIA, 1, 0),
}  # fmt: skip


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Case, Parsed]:
    chosen = CASES[request.param]
    deck, watched = chosen.model
    return chosen, parsed(deck.text(INTEGRATION, watched))


def test_counters_are_the_numbers_of_parts(case: tuple[Case, Parsed]) -> None:
    """MBDyn refuses a deck whose control data count otherwise."""
    chosen, deck = case
    parts = Counter(words[0] for words in deck.blocks["nodes"] + deck.blocks["elements"])
    loads = parts["force"] + parts["couple"]
    for counter, count in (
        ("structural nodes", parts["structural"]), ("rigid bodies", parts["body"]), ("beams", parts["beam3"]),
        ("joints", parts["joint"]), ("forces", loads),
    ):  # fmt: skip
        told = deck.all("control data", counter)
        assert told == ([[str(count)]] if count else []), counter
    assert bool(deck.all("control data", "gravity")) == bool(parts["gravity"])
    count = chosen.elements * len(chosen.beams)
    assert (parts["beam3"], parts["structural"]) == (count, 2 * count + 1)
    assert (parts["joint"], loads) == (chosen.joints, chosen.forces)
    for kind in ("body", "beam3", "joint"):
        labels = [words[0] for words in deck.all("elements", kind)]
        assert len(set(labels)) == len(labels)


def test_lumped_inertia_is_that_of_the_beams(case: tuple[Case, Parsed]) -> None:
    chosen, deck = case
    masses, centres, tensors = lumps(deck)
    ends = [(np.array(a, dtype=float), np.array(b, dtype=float)) for a, b in chosen.beams]
    lengths = [float(np.linalg.norm(b - a)) for a, b in ends]
    assert masses.sum() == pytest.approx(chosen.mass * sum(lengths), rel=1e-12)
    moment = sum(chosen.mass * n * (a + b) / 2 for n, (a, b) in zip(lengths, ends, strict=True))
    assert masses @ centres == pytest.approx(moment, rel=1e-12, abs=1e-12)
    exact = sum(rod(a, b, chosen.mass, chosen.inertia) for a, b in ends)
    assert about_origin(masses, centres, tensors) == pytest.approx(exact, rel=1e-12, abs=1e-10)


def test_beam_elements_have_the_stiffness_the_length_and_the_axes(case: tuple[Case, Parsed]) -> None:
    chosen, deck = case
    at = places(deck)
    elements = deck.all("elements", "beam3")
    for k, words in enumerate(elements):
        a, b = (np.array(end, dtype=float) for end in chosen.beams[k // chosen.elements])
        one, two, three = (at[int(words[1 + 4 * i])] for i in range(3))
        assert all(words[2 + 4 * i : 5 + 4 * i] == ["reference", "node", "null"] for i in range(3))
        fraction = k % chosen.elements / chosen.elements
        assert one == pytest.approx(a + fraction * (b - a), abs=1e-12)
        assert three - one == pytest.approx((b - a) / chosen.elements, abs=1e-12)
        assert two == pytest.approx((one + three) / 2, abs=1e-12)
        axes = words[13:23]
        assert axes[:3] == ["reference", "global", "1"] and axes[6] == "3"
        assert numbers(axes[3:6]) == pytest.approx((b - a) / np.linalg.norm(b - a), abs=1e-14)
        assert words[23:25] == ["linear elastic generic", "diag"]
        assert tuple(numbers(words[25:31])) == chosen.stiffness
        assert words[31:] == ["same", "same"]


def test_only_the_watched_node_is_written(case: tuple[Case, Parsed]) -> None:
    chosen, deck = case
    written = [words for words in deck.all("nodes", "structural") if words[-2:] == ["output", "yes"]]
    (words,) = written
    assert numbers(words[4:7]) == pytest.approx(np.array(chosen.beams[-1][1]), abs=1e-12)
    assert deck.value("control data", "default output") == "none"


def test_steps_end_where_they_should() -> None:
    deck, tip = CASES["spin_up"].model
    text = parsed(deck.text(Integration(200, 2.0, 10, keep=7), tip))
    assert float(text.value("initial value", "time step")) == 0.01
    assert 1.99 < float(text.value("initial value", "final time")) < 2.0
    assert text.all("control data", "output meter") == [["meter", "0.0", "forever", "steps", "10"]]
    assert text.all("initial value", "nonlinear solver") == [["newton raphson", "modified", "7"]]
    assert text.all("initial value", "method") == [["ms", "0.6"]]
    assert text.value("initial value", "threads") == "disable"
    assert not text.all("initial value", "abort after")
    assert (
        parsed(deck.text(INTEGRATION, tip, stop=True)).value("initial value", "abort after") == "derivatives"
    )


def test_many_nodes_are_solved_in_sparse_matrices() -> None:
    (long, tip), (short, end) = CASES["chain"].model, CASES["spin_up"].model
    assert f"linear solver: {SPARSE};" in long.text(INTEGRATION, tip)
    assert f"linear solver: {SPARSE};" not in short.text(INTEGRATION, end)


def drive(words: Iterator[str]) -> Callable[[float], float]:
    """A drive caller's function of its argument, as MBDyn's input manual defines the kinds used here."""
    kind = next(words)
    if kind == "array":
        parts = [drive(words) for _ in range(int(next(words)))]
        return lambda t: sum(part(t) for part in parts)
    if kind == "drive":
        outer, inner = drive(words), drive(words)
        return lambda t: outer(inner(t))
    if kind == "parabolic":
        a, b, c = (float(next(words)) for _ in range(3))
        return lambda t: a + b * t + c * t**2
    if kind == "ramp":
        slope, start = float(next(words)), float(next(words))
        stop = np.inf if (word := next(words)) == "forever" else float(word)
        first = float(next(words))
        return lambda t: first + slope * (min(max(t, start), stop) - start)
    assert kind == "cosine"
    start, rate, size = (float(next(words)) for _ in range(3))
    assert next(words) == "one" and next(words) == "0.0"
    return lambda t: size * (1.0 - cos(rate * (t - start))) if start < t < start + 2 * pi / rate else 0.0


def test_root_turns_as_in_the_other_programs() -> None:
    model, tip = CASES["spin_up"].model
    (joint,) = parsed(model.text(INTEGRATION, tip)).all("elements", "joint")
    start = joint.index("single")
    assert joint[start - 4 : start + 4] == [
        "orientation constraint", "active", "active", "active", "single", "0.0", "0.0", "1.0",
    ]  # fmt: skip
    words = iter(joint[start + 4 :])
    angle = drive(words)
    assert not list(words)
    for t in (0.0, 0.3, 7.5, 14.999, 15.0, 15.001, 20.0):
        assert angle(t) == pytest.approx(spin_up.plain_angle(t), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "kind", "node", "direction", "rise", "fall", "peak"),
    [
        ("right_angle", "force", (10, 0, 0), (0, 0, 1), 1.0, 2.0, 50.0),
        ("flying_beam", "force", (6, 0, 0), (0.1, 0, 0), 2.5, 5.0, 200.0),
        ("flying_beam", "couple", (6, 0, 0), (0, -0.5, -1.0), 2.5, 5.0, 200.0),
    ],
)
def test_loads_are_triangles_in_time(
    name: str, kind: str, node: tuple, direction: tuple, rise: float, fall: float, peak: float
) -> None:
    model, watched = CASES[name].model
    deck = parsed(model.text(INTEGRATION, watched))
    (words,) = deck.all("elements", kind)
    assert places(deck)[int(words[2])] == pytest.approx(np.array(node), abs=1e-12)
    assert words[1] == "absolute"
    start = words.index("single")
    assert words[start + 1 : start + 3] == ["reference", "global"]
    assert numbers(words[start + 3 : start + 6]) == pytest.approx(np.array(direction), abs=1e-15)
    assert words[start + 6] == "piecewise linear"
    points = numbers(words[start + 8 :]).reshape(int(words[start + 7]), 2)
    for t in (0.0, 0.3 * rise, rise, 0.9 * fall, fall, 1.5 * fall, 60.0):
        exact = peak * max(min(t / rise, (fall - t) / (fall - rise)), 0.0)
        assert np.interp(t, *points.T) == pytest.approx(exact, abs=1e-12)
    assert points[-2:, 1] == pytest.approx(0.0), "whether MBDyn holds or continues the last line"


def test_chain_hangs_in_a_pin_and_has_weight() -> None:
    model, tip = CASES["chain"].model
    deck = parsed(model.text(INTEGRATION, tip))
    (joint,) = deck.all("elements", "joint")
    assert joint[1] == "total pin joint"
    assert joint[-10:] == [
        "position constraint", "active", "active", "active", "null",
        "orientation constraint", "inactive", "inactive", "inactive", "null",
    ]  # fmt: skip
    assert deck.all("elements", "gravity") == [["uniform", "0.0", "-1.0", "0.0", "const", "9.81"]]
