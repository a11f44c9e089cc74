"""Ranges of validity: a part's measures are kept, warned of, and stop runs and statics; the table of all ranges."""

import importlib
import pkgutil

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.model.ranges import SHORTEN, STOP, WARN, Range, RangeWarning, range_rows
from fem_mbd.core.scheme.constraints.loops import LoopRanges
from fem_mbd.core.scheme.nodes.angular_momentum import MomentumRanges
from fem_mbd.core.scheme.nodes.node_kernels import NodeRanges
from fem_mbd.elements import RigidBody
from fem_mbd.runs.running.runs import RunFailed
from tests.docs.pages import ROOT

PAGE = ROOT / "docs/reference/ranges.md"
OTHERS = NodeRanges, LoopRanges, MomentumRanges  # what has ranges and is not an element class
GRAVITY, HEIGHT = 8.0, 1.0  # a body falls by g t^2/2: 1 m after 0.5 s


class Gauge:
    """Measures how far a body has fallen, and the path in a step."""

    def __init__(self, node, beyond, limit=HEIGHT):
        self.node, self.beyond, self.limit, self.name = node, beyond, limit, "gauge"

    def build(self, model) -> None:
        kind = {WARN: Cautious, SHORTEN: Shortening, STOP: Stopping}[self.beyond]
        model.registry.add(kind, self)


class _GaugeKind(PartKind):
    """Two rows for each gauge: elements 1 (half the fall) and 2 (all of it)."""

    label = "gauge"

    def __init__(self, specs, work):
        self.specs, self.nodes = specs, np.array([[spec.node.index] for spec in specs])
        self.multipliers = np.zeros(len(specs), dtype=np.int64)
        self.measures = np.zeros((len(self.ranges), 2 * len(specs)))

    def measured_parts(self):
        return np.repeat(np.arange(len(self.specs)), 2)

    def range_limits(self):
        return np.repeat([[spec.limit for spec in self.specs]], 2, axis=1)

    def evaluate_measures(self, work) -> None:
        fallen = -work.q_f[self.nodes[:, 0], 0, 2]
        self.measures[0] = np.maximum(np.stack([0.5 * fallen, fallen], axis=1).ravel(), 0.0)


class Cautious(_GaugeKind):
    ranges = (Range("fall", "m", HEIGHT, "it has hit the floor", "raise it", "the floor", WARN),)


class Stopping(_GaugeKind):
    ranges = (Range("fall", "m", HEIGHT, "it has hit the floor", "raise it", "the floor", STOP),)


class Shortening(_GaugeKind):
    ranges = (Range("path in a step", "m", HEIGHT, "too coarse", "use shorter steps", "choice", SHORTEN),)

    def evaluate_measures(self, work) -> None:
        self.measures[0] = np.repeat(np.abs(work.x[self.nodes[:, 0], 2]), 2)


def falling(beyond, limit=HEIGHT, height=0.0):
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    body = model.add(RigidBody(1.0, (1.0, 1.0, 1.0), position=(0, 0, height), name="body"))
    model.add(Gauge(body.node, beyond, limit))
    return model


def fall(result):
    return next(one for one in result.summary["ranges"] if one["kind"] == "gauge")


def test_extremes_are_kept_and_warned_of_once() -> None:
    with pytest.warns(
        RangeWarning,
        match=r"'gauge', element 2: fall .* m at t = .* s, beyond 0.99 m since t = 0.5 s: it has hit",
    ) as seen:
        result = fm.simulate(falling(WARN, limit=0.99), 1.0, fm.StepControl.fixed(0.01))
    assert len(seen) == 1
    found = fall(result)
    assert (found["part"], found["element"], found["beyond"]) == ("gauge", 2, ["gauge"])
    assert found["value"] == pytest.approx(0.5 * GRAVITY, rel=1e-12) and found["time"] == 1.0
    text = str(fm.diagnose(result))
    assert "BEYOND gauge fall 4 (0.99) m at t = 1 s, 'gauge', element 2" in text
    assert "- 'gauge': fall beyond its limit: it has hit the floor; raise it" in text


def test_measures_within_their_limits_are_kept_quietly(recwarn) -> None:
    result = fm.simulate(falling(WARN, limit=5.0), 1.0, fm.StepControl.fixed(0.01))
    assert not [one for one in recwarn if one.category is RangeWarning]
    assert fall(result)["beyond"] == [] and fall(result)["value"] == pytest.approx(4.0)


def test_a_run_stops_at_the_last_good_step() -> None:
    with pytest.raises(
        RunFailed, match=r"'gauge', element 2: fall 1 m at t = 0.5 s, beyond 0.99 m"
    ) as stopped:
        fm.simulate(falling(STOP, limit=0.99), 1.0, fm.StepControl.fixed(0.01))
    result = stopped.value.result
    assert result.status == "failed" and result.time[-1] == pytest.approx(0.49)
    assert fall(result)["value"] == pytest.approx(0.5 * GRAVITY * 0.49**2)


def test_steps_are_shortened_where_that_helps() -> None:
    result = fm.simulate(falling(SHORTEN, limit=0.05), 1.0, fm.StepControl.fixed(0.02))
    path = -np.diff(result.of("body").position[:, 2], prepend=0.0)
    assert path.max() <= 0.05 < 0.02 * GRAVITY and "range" in result.step["rule"]
    assert result.of("body").position[-1, 2] == pytest.approx(-0.5 * GRAVITY)


def test_a_resumed_run_continues_with_its_extremes(tmp_path) -> None:
    file = tmp_path / "r.h5"

    def simulation(end):
        return fm.Simulation(falling(WARN, limit=5.0), end, fm.StepControl.fixed(0.01))

    fm.run(simulation(1.0), file=file, checkpoint_every=20, progress=False)
    resumed = simulation(1.1)
    result = fm.resume(file, resumed, progress=False)
    assert fall(result)["value"] == pytest.approx(0.5 * GRAVITY * 1.1**2)
    assert fall(result)["time"] == pytest.approx(1.1)


@pytest.mark.parametrize("beyond", [WARN, STOP])
def test_statics_and_modes_check_their_state(beyond) -> None:
    def model(height):
        built = falling(beyond, height=height)
        built.fix(built.nodes[1], translation=(True, True, False))
        built.add(fm.elements.SpringDamper(built.ground, built.nodes[1], 10.0))
        return built

    if beyond == WARN:
        # the spring is 0.8 m longer in equilibrium
        with pytest.warns(
            RangeWarning, match="'gauge', element 2: fall 2.8 m, beyond 1 m: it has hit"
        ) as seen:
            fm.modes(model(-2.0), 3)
        assert len(seen) == 1
    else:
        with pytest.raises(fm.SolverFailure, match="it has hit the floor"):
            fm.find_equilibrium(model(-1.2))


def test_the_page_lists_every_range() -> None:
    for package in ("elements", "joints", "core", "aerodynamics"):
        root = importlib.import_module(f"fem_mbd.{package}")
        for module in pkgutil.walk_packages(root.__path__, f"fem_mbd.{package}."):
            if "__main__" not in module.name and "petsc" not in module.name:
                importlib.import_module(module.name)
    rows = range_rows([*OTHERS, *_kinds(PartKind)])
    table = "\n".join("| " + " | ".join(row) + " |" for row in dict.fromkeys(rows))
    assert table in PAGE.read_text(encoding="utf-8"), f"the table of {PAGE.name} has to be\n{table}"


def _kinds(base):
    own = [kind for kind in base.__subclasses__() if kind.__module__.startswith("fem_mbd.")]
    return sorted(
        {*own, *(k for kind in own for k in _kinds(kind))}, key=lambda kind: (kind.label, kind.__name__)
    )
