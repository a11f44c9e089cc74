"""LLVM's text of entries: functions that take a kernel's arguments from a table of words (`signatures`).

numba compiles a kernel as a function ``status = kernel(result, exception, arguments …)``, an array being handed over in
pieces, which its text shows. An entry returns 0, or another number when the kernel raises.

The first two pieces of an array are its owner and its owner in Python, zero in the table: an entry hands over null, so
that LLVM drops all counts of references to arrays that the kernel has not made, up to a third of the code.
"""

from __future__ import annotations

import re

from fem_mbd.core.compiled.signatures import HEAD, Array, Signature

# The kernel itself is the one function that other modules see and that is not compiled for others too (linkonce_odr).
DEFINITION = re.compile(r"define (?!linkonce_odr |internal |private )[^@]*i32 @")
RAISES_NONE = -2  # numba's status of a kernel that returns None


def entry_text(symbol: str, signature: Signature, kernel_text: str) -> str:
    """Text of an entry.

    Parameters
    ----------
    symbol : of the entry
    signature : what the kernel takes and returns
    kernel_text : the module in which numba has compiled it
    """
    name, parameters = _definition(kernel_text)
    lines: list[str] = []
    values: list[str] = []
    word = HEAD
    for kind in signature.flat:
        if isinstance(kind, Array):
            places = range(word, word + 5 + 2 * kind.ndim)
            values += ["null", "null"]
            for place in places[2:]:
                lines += _word(place, parameters[len(values)])
                values.append(f"%w{place}")
            word += len(places)
        elif kind.is_record or kind.by_value:
            lines += _word(word, parameters[len(values)])
            values.append(f"%w{word}")
            word += 1
        else:
            lines += _word(word, "ptr")
            for part in range(2 if kind.dtype.kind == "c" else 1):
                lines += [
                    f"  %n{word}.{part}.p = getelementptr double, ptr %w{word}, i64 {part}",
                    f"  %n{word}.{part} = load double, ptr %n{word}.{part}.p",
                ]
                values.append(f"%n{word}.{part}")
            word += 1
    given = ", ".join(f"{kind} {value}" for kind, value in zip(parameters, values, strict=True))
    return "\n".join(
        [
            f'define i32 @"{symbol}"(ptr %words) {{',
            "  %exception = alloca ptr",
            *lines,
            f"  %status = call i32 @{name}(ptr %words, ptr %exception{', ' if given else ''}{given})",
            f"  %none = icmp eq i32 %status, {RAISES_NONE}",
            "  %found = select i1 %none, i32 0, i32 %status",
            "  ret i32 %found",
            "}",
        ]
    )


def _definition(text: str) -> tuple[str, list[str]]:
    """Name of the kernel in a module's text, and LLVM's types of its arguments, without result and exception."""
    found = [line for line in text.splitlines() if DEFINITION.match(line)]
    if len(found) != 1:
        raise RuntimeError(f"numba has put {len(found)} functions in the place of a kernel")
    name, _, behind = DEFINITION.sub("", found[0], count=1).partition("(")
    return name, [_type(one) for one in _parted(behind)[2:]]


def _parted(parameters: str) -> list[str]:
    """Parameters up to their closing bracket, which stand between commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(parameters):
        depth += (letter in "({[") - (letter in ")}]")
        if depth < 0 or (letter == "," and depth == 0):
            parts.append(parameters[begin:place].strip())
            begin = place + 1
        if depth < 0:
            break
    return parts


def _type(parameter: str) -> str:
    """LLVM's type of a parameter, without attributes and name."""
    return parameter.split(" ")[0]


def _word(place: int, kind: str) -> list[str]:
    """Lines that read a word as a value of a type."""
    lines = [f"  %w{place}.p = getelementptr i64, ptr %words, i64 {place}"]
    if kind in ("ptr", "i64"):
        return [*lines, f"  %w{place} = load {kind}, ptr %w{place}.p"]
    return [
        *lines,
        f"  %w{place}.i = load i64, ptr %w{place}.p",
        f"  %w{place} = trunc i64 %w{place}.i to {kind}",
    ]
