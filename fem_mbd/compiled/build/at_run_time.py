"""Kernels of no library, those of users' own laws and of tests: compiled in memory when they are called first."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from llvmlite import binding as llvm

from fem_mbd.compiled import libraries
from fem_mbd.compiled.build.found import known
from fem_mbd.compiled.build.module import module_of, optimise, undefined
from fem_mbd.compiled.build.numba_kernels import introduce
from fem_mbd.compiled.kernels import Kernel
from fem_mbd.compiled.unrolled import Unrolled


@cache
def address_of(kernel: Kernel, number: int) -> int:
    """Address of a kernel's entry for one of its signatures, compiled now.

    Raises
    ------
    numba.NumbaError
        For what numba does not compile.
    """
    introduce({*known(Kernel), kernel}, known(Unrolled), "")
    module = module_of([kernel])
    entries = [kernel.symbol(k) for k in range(len(kernel.signatures))]
    optimise(module, _host(), entries)
    for symbol in undefined(module):
        if libraries.library_of(symbol):
            llvm.add_symbol(symbol, libraries.address_of(symbol))
    _engine().add_module(module)
    _engine().finalize_object()
    return int(_engine().get_function_address(kernel.symbol(number)))


@cache
def _host() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True
    )


@cache
def _engine() -> Any:
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), _host())
