"""All kernels of a library as one module of LLVM, optimised as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from fem_mbd.core.compiled.build.entry_text import entry_text
from fem_mbd.core.compiled.build.numba_kernels import dispatcher, numba_type, numba_types
from fem_mbd.core.compiled.kernels import Kernel
from fem_mbd.core.compiled.libraries import library_of
from fem_mbd.core.compiled.signatures import Signature

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
    own = entry_text(kernel.symbol(number), signature, text)
    return f"{text}\n{own}\n"


def _check_result(kernel: Kernel, signature: Signature, compiled: Any) -> None:
    types = numba_types(signature)
    found = next(one.return_type for one in compiled.nopython_signatures if one.args == types)
    members = tuple(found) if hasattr(found, "__iter__") else () if str(found) == "none" else (found,)
    flat = tuple(_flat(members))
    if flat != tuple(map(numba_type, signature.returns)):
        raise TypeError(f"{kernel.__module__}.{kernel.__name__} returns {found}, it declares {signature}")


def _flat(members: Iterable[Any]) -> Iterable[Any]:
    for one in members:
        if hasattr(one, "__iter__"):
            yield from _flat(one)
        else:
            yield one


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
    return {one.name for one in values if one.is_declaration and not one.name.startswith("llvm.")}


def unknown_calls(module: Any) -> str:
    """What a module calls that no machine has, numba's own library or Python, and what to do; empty if nothing."""
    foreign = sorted(one for one in undefined(module) - C_FUNCTIONS if not library_of(one))
    if not foreign:
        return ""
    bodies = {one.name: str(one) for one in module.functions if not one.is_declaration}
    callers = sorted(name for name, body in bodies.items() if any(f"@{one}(" in body for one in foreign))
    return f"{', '.join(foreign)} in {', '.join(callers)}: leave out text, lists and arrays of unknown shape"
