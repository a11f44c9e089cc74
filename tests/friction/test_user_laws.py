"""Laws of users: the same numbers as the package's laws, compiled or not; errors name the line."""

import json
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.core.compiled.libraries import CHECKOUT
from fem_mbd.errors import InputError
from fem_mbd.friction.records import (
    friction_kernel,
    friction_record,
    mean_force_kernel,
    own_normal_record,
    potential_kernel,
)
from tests.friction import user_laws


def test_compiled_laws_equal_those_of_the_package() -> None:
    assert user_laws.sliding(own=True) == pytest.approx(user_laws.sliding(own=False), rel=1e-12, abs=1e-13)


def test_without_numba_same_numbers_and_one_warning() -> None:
    code = (
        "import json, sys, warnings\nsys.modules['numba'] = None\nfrom tests.friction.user_laws import sliding\n"
        "with warnings.catch_warnings(record=True) as told:\n"
        "    warnings.simplefilter('always')\n    found = sliding(own=True)\n"
        "print(json.dumps([found, [str(one.message) for one in told]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=True, capture_output=True)
    found, (told,) = json.loads(done.stdout)
    assert found == pytest.approx(user_laws.sliding(own=True), rel=1e-12, abs=1e-13)
    assert re.search("own_.* run as Python, many times slower than compiled: pip install numba", told)


def refused(function: Any, words: str, states: int = 0) -> None:
    """The law is refused in these words, with its name, file and line."""
    line = function.__code__.co_firstlineno
    with pytest.raises(InputError, match=words) as raised:
        friction_record(friction_kernel(function), (0.3, 1e-2), states=states)
    assert str(raised.value).startswith(f"{function.__name__} ({__file__}, line {line})")


def unknown_name(p, s_m, z_i, f_n, dt, mu, z_f):
    mu[0] = no_such_name * s_m[0]  # type: ignore[name-defined]  # noqa: F821


def wrong_call(p, s_m, z_i, f_n, dt, mu, z_f):
    mu[0] = s_m.no_such_thing


def with_a_list(p, s_m, z_i, f_n, dt, mu, z_f):
    found = [s_m[k] for k in range(3)]
    found.append(f_n + 0.0 * s_m[0])
    for k in range(3):
        mu[k] = p[0] * found[k]


def with_a_result(p, s_m, z_i, f_n, dt, mu, z_f):
    return p[0]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (unknown_name, "cannot be compiled: .*no_such_name"),
        (wrong_call, "cannot be compiled: .*no_such_thing"),
        (with_a_list, "cannot be compiled: with_a_list calls NRT_.*leave out text, lists"),
        (with_a_result, "cannot be compiled: .*with_a_result returns float64, it declares void"),
    ],
)
def test_compile_errors_name_the_line(function: Any, words: str) -> None:
    refused(function, words)


def no_number(p, s_m, z_i, f_n, dt, mu, z_f):
    for k in range(3):
        mu[k] = p[2] / p[3] * s_m[k]


def one_component(p, s_m, z_i, f_n, dt, mu, z_f):
    mu[0] = p[0] * s_m[0] / dt


def no_states(p, s_m, z_i, f_n, dt, mu, z_f):
    for k in range(3):
        mu[k] = p[0] * s_m[k] / dt


def real_part(p, s_m, z_i, f_n, dt, mu, z_f):
    for k in range(3):
        mu[k] = p[0] * np.tanh(s_m[k].real / dt / p[1])


def absolute(p, s_m, z_i, f_n, dt, mu, z_f):
    speed = np.sqrt(np.abs(s_m[0]) ** 2 + np.abs(s_m[1]) ** 2 + p[1] * p[1] * dt * dt)
    for k in range(3):
        mu[k] = p[0] * s_m[k] / speed


def raising(p, s_m, z_i, f_n, dt, mu, z_f):
    if f_n.real > 0.0:
        raise ValueError("no force, please")


@pytest.mark.parametrize(
    ("function", "words", "states"),
    [
        (no_number, "mu is nan, infinite or not set at a slip of 0.00017 m/s under 130 N", 0),
        (one_component, "mu is nan, infinite or not set", 0),
        (no_states, "mu or z_f is nan, infinite or not set", 1),
        (real_part, "derivatives of mu .* by a complex step are .*no abs, no .real", 0),
        (absolute, "derivatives of mu .* by a complex step are", 0),
        (raising, "raises ValueError: no force, please", 0),
    ],
)
def test_nonsense_is_named_with_its_line(function: Any, words: str, states: int) -> None:
    refused(function, words, states)


def test_force_and_potential_that_do_not_fit_are_told() -> None:
    @mean_force_kernel
    def twice(p, q_i, q_f, out):
        out[0] = -p[0] * (q_i + q_f)

    @potential_kernel
    def nothing(p, q, out):
        pass

    with pytest.raises(
        InputError, match=r"^twice \(.*does work of .* J between gaps .*, own_potential \(.* says"
    ):
        own_normal_record(user_laws.own_potential, twice, (1e5,))
    with pytest.raises(InputError, match=r"^nothing \(.*line \d+\): out\[0\] is nan at a gap of"):
        own_normal_record(nothing, user_laws.own_mean_force, (1e5,))
    with pytest.raises(InputError, match=r"17 parameters: 16 at most"):
        own_normal_record(user_laws.own_potential, user_laws.own_mean_force, [1e5] * 17)


def test_laws_of_the_package_pass_the_checks() -> None:
    """Copies of them, written as user laws, are accepted."""
    assert user_laws.OwnCoulomb().record()["kind"] == user_laws.OwnLinear().record()["kind"] == 0


NARROW = (
    "import fem_mbd as fm\n"
    "from tests.friction.user_laws import Linear, Narrow, launched\n"
    "fm.run(launched(Linear(1e5), Narrow(), 40), progress=False)\n"
)


@pytest.mark.parametrize("compiled", [True, False])
def test_errors_of_a_law_in_a_run(compiled: bool) -> None:
    """In compiled steps and in those in Python; the state is that of the step before."""
    options = fm.NewtonOptions(compiled=compiled)
    sim = user_laws.launched(user_laws.OwnLinear(), user_laws.Narrow(), 40, options, height=2e-3)
    line = user_laws.narrow_friction.function.__code__.co_firstlineno + 4
    place = rf"narrow_friction \({re.escape(user_laws.__file__)}, line {line}\)"
    words = rf"{place} raises ValueError: slips too fast, at s_m = .* dt = 0\.0005"
    with pytest.raises(InputError, match=words) as found:
        fm.run(sim, progress=False)
    assert isinstance(found.value.__cause__, ValueError)
    assert sim.time == pytest.approx(8e-3, abs=2e-3) and np.isfinite(sim.state.to_flat()).all()
    # another run is not affected
    user_laws.sliding(own=True, steps=2)


def test_errors_of_a_law_without_numba() -> None:
    code = f"import sys\nsys.modules['numba'] = None\n{NARROW}"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=CHECKOUT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert re.search(r"InputError: narrow_friction .* raises ValueError: slips too fast", done.stderr)
