"""A lean kernel as a WebAssembly module: Numba's intermediate code, that of the machine code, for another machine.

Optimised code holds sizes of this machine's pointers; so the process that compiles must have been started with
`NUMBA_OPT=0` (`live_kernels` sees to it). What a kernel takes is told by `described`, for who calls it from JavaScript.
"""

import base64
import os
import re
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np

from pagecost import _numba_private as private
from pagecost.errors import require
from pagecost_app.book import wasm_file

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"  # in every browser since 2021
EXPORTED = "run"
PROVIDED = {"__linear_memory", "__stack_pointer", "__indirect_function_table"}
"""What whoever loads a module gives it; functions of a C library are not among it."""


def module(kernel, arguments: tuple) -> bytes:
    """The kernel for arguments of these types, as a module that exports it as `run`.

    Raises ModelError for a kernel that calls functions which a page does not have.
    """
    require(os.environ.get("NUMBA_OPT") == "0", "WebAssembly is made from code that is not optimised: set NUMBA_OPT=0")
    signature = tuple(map(numba.typeof, arguments))
    symbol, text = private.intermediate_code(kernel, signature)
    made, machine = _retargeted(text, symbol)
    object_file = machine.emit_object(made)
    foreign = sorted({each.name for each in wasm_file.imports(object_file)} - PROVIDED)
    require(not foreign, f"{kernel.py_func.__module__} calls {', '.join(foreign)}, which a page does not have")
    return wasm_file.exporting(object_file, symbol, EXPORTED)


def _retargeted(text: str, symbol: str) -> tuple[llvm.ModuleRef, llvm.TargetMachine]:
    """The intermediate code for WebAssembly's machine, optimised; nothing but the symbol can be seen from outside."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    text = re.sub(r"^target triple = .*$", f'target triple = "{TRIPLE}"', text, flags=re.MULTILINE)
    text = re.sub(r"^target datalayout = .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)
    made = llvm.parse_assembly(text)
    for each in (*made.functions, *made.global_variables):
        if not each.is_declaration:
            each.linkage = llvm.Linkage.external if each.name == symbol else llvm.Linkage.internal
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES, reloc="static")
    made.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False  # there are no vectors among the features
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(made, builder)
    made.verify()
    return made, machine


def described(arguments: tuple) -> list[dict[str, Any]]:
    """What a kernel takes, for JSON: arrays with kind, shape and contents, numbers, and parts of these.

    An array that stands in several places has its contents at the first; all of them bear its number.
    Contents are bytes in base64, for a number of JSON has 53 bits: of all elements, or of one that all are equal to.
    """
    return _described(tuple(arguments), {})["parts"]


def _described(value, numbers: dict[int, int]) -> dict[str, Any]:
    if isinstance(value, np.ndarray):
        what = {"kind": value.dtype.name, "shape": list(value.shape)}
        if id(value) in numbers:
            return what | {"array": numbers[id(value)]}
        numbers[id(value)] = len(numbers)
        return what | {"array": numbers[id(value)]} | _contents(value)
    if isinstance(value, tuple):
        parts = [_described(each, numbers) for each in value]
        return {"kind": "parts", "names": list(getattr(value, "_fields", ())), "parts": parts}
    return {"kind": "float64" if isinstance(value, float) else "int64", "value": value}


def _contents(array: np.ndarray) -> dict[str, str]:
    flat = array.ravel()
    if flat.size > 1 and (flat == flat[0]).all():
        return {"each": base64.b64encode(flat[:1].tobytes()).decode()}
    return {"bytes": base64.b64encode(flat.tobytes()).decode()}
