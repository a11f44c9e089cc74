"""All kernels of a library as one module of LLVM, optimised as a whole, and LLVM's text of their entries.

Entries (`entry_text`) are functions that take a kernel's arguments from a table of words (`signatures`). numba compiles
a kernel as a function ``status = kernel(result, exception, arguments …)``, an array being handed over in pieces, which
its text shows. An entry returns 0, or another number when the kernel raises.

The first two pieces of an array are its owner and its owner in Python, zero in the table: an entry hands over null, so
that LLVM drops all counts of references to arrays that the kernel has not made, up to a third of the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from fem_mbd.core.compiled.build.numba_kernels import dispatcher, numba_type, numba_types
from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.core.compiled.libraries import library_of
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
    arguments = ", ".join(f"{kind} {value}" for kind, value in zip(parameters, values, strict=True))
    return "\n".join(
        [
            f'define i32 @"{symbol}"(ptr %words) {{',
            "  %exception = alloca ptr",
            *lines,
            f"  %status = call i32 @{name}(ptr %words, ptr %exception{', ' if arguments else ''}{arguments})",
            f"  %none = icmp eq i32 %status, {RAISES_NONE}",
            "  %error = select i1 %none, i32 0, i32 %status",
            "  ret i32 %error",
            "}",
        ]
    )


def _definition(text: str) -> tuple[str, list[str]]:
    """Name of the kernel in a module's text, and LLVM's types of its arguments, without result and exception."""
    definitions = [line for line in text.splitlines() if DEFINITION.match(line)]
    if len(definitions) != 1:
        raise RuntimeError(f"numba has put {len(definitions)} functions in the place of a kernel")
    name, _, parameters = DEFINITION.sub("", definitions[0], count=1).partition("(")
    return name, [_type(parameter) for parameter in _parted(parameters)[2:]]


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


# mathematics in C's libraries, and memory: what machine code may call
C_FUNCTIONS = frozenset(
    "malloc free sqrt exp log pow sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot exp2 expm1 "
    "log1p log2 log10 fmod fma floor ceil cbrt memcpy memset memmove ldexp frexp copysign nextafter sincos".split()
)
STAND_INS = Path(__file__).with_name("stand_ins.ll")


def module_of(kernels: Sequence[Kernel]) -> Any:
    """LLVM's module with the entries of these kernels and all that they call, not yet optimised.

    Raises
    ------
    TypeError
        When a kernel returns another type than it declares.
    """
    whole = llvm.parse_assembly(STAND_INS.read_text())
    for kernel in kernels:
        for number, signature in enumerate(kernel.signatures):
            whole.link_in(llvm.parse_assembly(_text(kernel, number, signature)))
    return whole


def _text(kernel: Kernel, number: int, signature: Signature) -> str:
    compiled, types = dispatcher(kernel), numba_types(signature)
    compiled.compile(types)
    _check_result(kernel, signature, compiled)
    text = compiled.inspect_llvm(types)
    entry = entry_text(kernel.symbol(number), signature, text)
    return f"{text}\n{entry}\n"


def _check_result(kernel: Kernel, signature: Signature, compiled: Any) -> None:
    types = numba_types(signature)
    result = next(variant.return_type for variant in compiled.nopython_signatures if variant.args == types)
    members = tuple(result) if hasattr(result, "__iter__") else () if str(result) == "none" else (result,)
    flat = tuple(_flat(members))
    if flat != tuple(map(numba_type, signature.returns)):
        raise TypeError(f"{kernel.__module__}.{kernel.__name__} returns {result}, it declares {signature}")


def _flat(members: Iterable[Any]) -> Iterable[Any]:
    for member in members:
        if hasattr(member, "__iter__"):
            yield from _flat(member)
        else:
            yield member


def optimise(module: Any, target: Any, entries: Iterable[str]) -> None:
    """Drop what no entry needs, and optimise what is left for a processor.

    Parameters
    ----------
    module : from `module_of`
    target : machine of LLVM
    entries : symbols that stay visible
    """
    kept = set(entries)
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name not in kept:
            value.linkage = "internal"
    module.triple, module.data_layout = target.triple, str(target.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)


def target_machine(processor: str, features: str = "") -> Any:
    """LLVM's machine for a processor by LLVM's name, for libraries that may lie anywhere in memory."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    name = processor if processor.startswith("x86-64") else "generic"
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=3, reloc="pic"
    )


def undefined(module: Any) -> set[str]:
    """Names of what a module calls and does not define."""
    values = (*module.functions, *module.global_variables)
    return {value.name for value in values if value.is_declaration and not value.name.startswith("llvm.")}


def unknown_calls(module: Any) -> str:
    """What a module calls that no machine has, numba's own library or Python, and what to do; empty if nothing."""
    foreign = sorted(name for name in undefined(module) - C_FUNCTIONS if not library_of(name))
    if not foreign:
        return ""
    bodies = {function.name: str(function) for function in module.functions if not function.is_declaration}
    callers = sorted(
        name for name, body in bodies.items() if any(f"@{callee}(" in body for callee in foreign)
    )
    return f"{', '.join(foreign)} in {', '.join(callers)}: leave out text, lists and arrays of unknown shape"
