"""Tests of case parameters from texts, TOML and stored data, and of error messages."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, strategies as st

from fem_mbd import InputError, case_parameters as cp
from tests.refusals import refused


@dataclass(frozen=True)
class Swing:
    """One field of every type that parameters may have."""

    case: Literal[1, 2] = field(default=1, metadata={"help": "which of the two"})
    dt: float = field(default=1e-3, metadata={"unit": "s", "help": "time step"})
    elements: int = 4
    friction: bool = False
    law: Literal["linear", "hertz"] = "linear"
    label: str = ""
    heights: tuple[float, ...] = (1.0, 2.0)
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    dt_max: float | None = None
    steps: int | None = 3

    def __post_init__(self) -> None:
        if self.dt <= 0:
            raise InputError(f"dt is {self.dt}: give a positive number of seconds")
        if self.elements > 1000:
            raise ValueError("elements: at most 1000")


TEXTS: list[tuple[str, str, Any]] = [
    ("case", "2", 2), ("dt", "1e-4", 1e-4), ("dt", "2", 2.0), ("elements", "12", 12),
    ("friction", "yes", True), ("friction", "False", False), ("friction", "1", True), ("law", "hertz", "hertz"),
    ("label", "a = b", "a = b"), ("label", "12", "12"), ("heights", "1,2.5,3", (1.0, 2.5, 3.0)),
    ("heights", "4", (4.0,)), ("heights", "", ()), ("heights", "[1, 2]", (1.0, 2.0)), ("heights", "(1,)", (1.0,)),
    ("axis", "1,0,0", (1.0, 0.0, 0.0)), ("dt_max", "none", None), ("dt_max", "0.5", 0.5), ("steps", "None", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "value"), TEXTS)
def test_texts_are_read(name: str, text: str, value: Any) -> None:
    read = getattr(cp.fill(Swing, assignments=[f"{name}={text}"]), name)
    assert read == value and type(read) is type(value)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("dt=fast", "assignments: parameter 'dt' is 'fast', expected number"),
        ("dt=nan", "expected number"),
        ("elements=2.5", "'elements' is '2.5', expected whole number"),
        ("elements=1e3", "expected whole number"),
        ("elements=99999999999999999999", "expected whole number of at most 15 digits"),
        ("dt=inf", "'dt' is 'inf', expected number that is finite"),
        ("friction=maybe", "expected true or false"),
        ("case=3", "expected one of 1, 2"),
        ("law=Hertz", "expected one of linear, hertz"),
        ("axis=1,0", "expected 3 numbers separated by commas"),
        ("axis=1,x,0", "expected 3 numbers"),
        ("heights=1,,2", "expected numbers separated by commas"),
        ("dt_max=never", "expected number or none"),
        ("dtmax=0.1", "no parameter 'dtmax'; did you mean 'dt_max'"),
        ("DT=1", "did you mean 'dt'"),
        ("zzzzzz=1", "no parameter 'zzzzzz'; known names: axis, case"),
        ("dt", "assignments dt: write it as name=value"),
        ("dt=-1", "dt is -1.0: give a positive number of seconds"),
        ("elements=2000", "elements: at most 1000"),
    ],
)
def test_wrong_texts_say_what_is_expected(assignment: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        cp.fill(Swing, assignments=[assignment])
    assert message in str(caught.value)


def test_toml_and_the_command_line_overrules_it(tmp_path: Path) -> None:
    file = tmp_path / "swing.toml"
    file.write_text('case = 2\ndt = 1\nfriction = true\naxis = [1, 0.0, 0]\nlabel = "x"\nheights = []\n')
    filled = cp.fill(Swing, file, ["dt=2e-3", "dt=3e-3"])
    assert filled == Swing(case=2, dt=3e-3, friction=True, axis=(1.0, 0.0, 0.0), label="x", heights=())
    assert isinstance(filled.axis[0], float)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("dt = ", "not valid TOML"),
        ('dt = "1e-3"', "parameter 'dt' is '1e-3', expected number"),
        ("elements = 2.0", "expected whole number"),
        ("elements = true", "expected whole number"),
        ("friction = 1", "expected true or false"),
        ("dt = true", "expected number"),
        ('case = "1"', "expected one of 1, 2"),
        ("axis = 1.0", "expected 3 numbers"),
        ("label = 1", "expected text"),
        ("[swing]\ndt = 1e-3", "no parameter 'swing'"),
        ("heigths = [1.0]", "did you mean 'heights'"),
    ],
)
def test_wrong_toml_names_the_file(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "swing.toml"
    file.write_text(content)
    with pytest.raises(InputError) as caught:
        cp.fill(Swing, file)
    assert message in str(caught.value) and "swing.toml" in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    refused(r"none\.toml: it cannot be read", lambda: cp.fill(Swing, tmp_path / "none.toml"))
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    refused("not valid TOML", cp.fill, Swing, binary)


swings = st.builds(
    Swing,
    case=st.sampled_from([1, 2]),
    dt=st.floats(min_value=0, exclude_min=True, allow_infinity=False),
    elements=st.integers(-1000, 1000),
    friction=st.booleans(),
    law=st.sampled_from(["linear", "hertz"]),
    label=st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])).map(str.strip),
    heights=st.lists(st.floats(allow_nan=False, allow_infinity=False)).map(tuple),
    axis=st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 3),
    dt_max=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    steps=st.none() | st.integers(-cp.LARGEST_WHOLE, cp.LARGEST_WHOLE),
)


def as_text(value: Any) -> str:
    return ",".join(map(repr, value)) if isinstance(value, tuple) else str(value)


@given(swings)
def test_any_parameters_survive_being_written_as_texts(swing: Swing) -> None:
    texts = [f"{name}={as_text(value)}" for name, value in vars(swing).items()]
    assert cp.fill(Swing, assignments=texts) == swing


@given(swings)
def test_any_parameters_survive_being_stored(swing: Swing) -> None:
    assert cp.from_plain(Swing, cp.to_plain(swing)) == swing


@given(st.sampled_from(list(Swing.__dataclass_fields__)), st.text())
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    try:
        filled = cp.fill(Swing, assignments=[f"{name}={text}"])
    except InputError:
        return
    assert isinstance(filled, Swing)


def test_description_for_people_and_programs() -> None:
    described = {entry["name"]: entry for entry in cp.describe(Swing)}
    assert described["dt"] == {
        "name": "dt", "type": "number", "default": 1e-3, "unit": "s", "help": "time step",
    }  # fmt: skip
    assert described["axis"]["type"] == "3 numbers separated by commas"
    assert described["axis"]["default"] == [0.0, 0.0, 1.0]
    assert cp.changed(Swing(dt=1e-3, case=2, heights=(3.0,))) == {"case": 2, "heights": [3.0]}


@dataclass(frozen=True)
class Needy:
    """Without a default."""

    length: float


def test_parameter_without_default_has_to_be_given() -> None:
    refused(r"length.*give it a value", cp.fill, Needy)
    assert cp.fill(Needy, assignments=["length=2"]).length == 2.0


def test_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "swing.toml"
    file.write_bytes(b"\xef\xbb\xbfelements = 7\n")
    assert cp.fill(Swing, file).elements == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("elements = " + "[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("elements = " + "1" * 5000, "a number that cannot be read"),
        ("elements = 0x" + "1" * 5000, "elements' is a number of thousands of digits, expected"),
    ],
    ids=["nested", "decimal", "hexadecimal"],
)
def test_files_that_python_cannot_hold_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "swing.toml"
    file.write_text(text)
    refused(message, cp.fill, Swing, file)


def test_long_values_are_shortened_in_messages() -> None:
    with pytest.raises(InputError, match=r"is '1{79}\.\.\. \(5002 characters\), expected") as caught:
        cp.fill(Swing, assignments=["elements=" + "1" * 5000])
    assert len(str(caught.value)) < 300
