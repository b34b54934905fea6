"""The parts of Numba that pagecost uses and Numba does not promise, all in this file.

A new version of Numba may rename any of them. `tests/engine/test_numba_private.py` tries each and says in a sentence
which one is gone and what depended on it; `pyproject.toml` admits the versions that passed.
"""

import pickle
import warnings
from collections.abc import Callable

import llvmlite.binding as llvm
from numba import config, njit, types
from numba.core import caching, cgutils, compiler, event, serialize, sigutils
from numba.core.codegen import JITCPUCodegen
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys
from numba.cpython.unsafe import numbers
from numba.extending import intrinsic
from numba.extending import is_jitted as is_dispatcher

__all__ = [
    "CompileListener",
    "KeptKernels",
    "argument_types",
    "cgutils",
    "code_generator",
    "compile_events",
    "compiled_for",
    "definition_of",
    "get_ready_to_load",
    "intermediate_code",
    "intrinsic",
    "is_dispatcher",
    "is_intrinsic",
    "keep_in",
    "leading_zeros",
    "lean",
    "lean_part",
    "options_of",
    "pack",
    "part",
    "pin_processor",
    "pinned_processor",
    "rebuild",
    "trailing_zeros",
    "unpack",
]

_NO_WAY_IN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

KeptKernels = caching._Cache
"""What a dispatcher asks for machine code before it compiles: `load_overload`, `save_overload` and some more."""

CompileListener = event.Listener
"""Hears `on_start` and `on_end` of what it was registered for, see `compile_events`."""

leading_zeros = numbers.leading_zeros  # of a 64-bit word, one instruction
trailing_zeros = numbers.trailing_zeros


def lean(**options) -> Callable:
    """`njit` for functions that allocate nothing: without Numba's reference counts (option `_nrt`)."""
    return njit(_nrt=False, **options)


def part(*, general: bool = False, **options) -> Callable:
    """`njit` for what is compiled into others: they get it without the ways in from Python and C, whose code, where
    tuples of arrays are taken apart, takes longer to compile than the function.

    Whoever calls it from Python has it compiled once more, with a way in. general: it is compiled once for all
    constants that it is called with, and not for each.
    """

    def compiled(function):
        outside = njit(**options)(function)
        if not is_dispatcher(outside):  # with NUMBA_DISABLE_JIT=1 the function comes back as it is
            return outside
        inside = njit(**options, **_NO_WAY_IN)(function)
        inside._compiling_counter = outside._compiling_counter  # by which Numba knows a call of itself
        call_template = inside.get_call_template

        def of_any_value(args, kws):
            return call_template(tuple(map(types.unliteral, args)), {name: types.unliteral(kws[name]) for name in kws})

        outside.get_call_template = of_any_value if general else call_template
        outside.get_overload = inside.get_overload
        return outside

    return compiled


def lean_part(**options) -> Callable:
    """`part` for functions that allocate nothing."""
    return part(_nrt=False, **options)


def keep_in(dispatcher: Dispatcher, cache: KeptKernels) -> None:
    """Let the dispatcher look for its machine code in `cache`, as `njit(cache=True)` does with Numba's own."""
    dispatcher._cache = cache


def get_ready_to_load(dispatcher: Dispatcher, target_context) -> None:
    """Make known what the dispatcher's machine code may call, before it is loaded.

    That of a lean function calls what is known since Numba was imported, and the counting of references around it. For
    others all is made known that a compiler knows, which takes 0.15 s; a compiler sees to that itself.
    """
    if options_of(dispatcher).get("_nrt", True):
        target_context.refresh()
    else:
        rtsys.initialize(target_context)


def is_intrinsic(value) -> bool:
    """Whether `value` was made by `@intrinsic`."""
    return type(value) is type(numbers.leading_zeros)


def definition_of(value) -> Callable:
    """The Python function behind an intrinsic."""
    return value._defn


def options_of(dispatcher: Dispatcher) -> dict:
    """The options that the dispatcher was made with, those of `njit` and the private ones."""
    return dispatcher.targetoptions


def compiled_for(code_generator: JITCPUCodegen) -> tuple:
    """Machine, processor and its features that the code generator writes for."""
    return code_generator.magic_tuple()


def code_generator(result: compiler.CompileResult) -> JITCPUCodegen:
    """The code generator that wrote a compiled kernel."""
    return result.library.codegen


def argument_types(signature) -> tuple[types.Type, ...]:
    """The types of the arguments, from whatever form of a signature a dispatcher hands to its cache."""
    return tuple(sigutils.normalize_signature(signature)[0])


def pack(key: str, signature: tuple[types.Type, ...], result: compiler.CompileResult) -> bytes | None:
    """A compiled kernel as bytes, with its key; None where the machine code holds addresses of this process."""
    if result.library.has_dynamic_globals or any(not loop.can_cache for loop in result.lifted):
        warnings.warn(f"the machine code of {result.fndesc.qualname} holds addresses: it is not kept", stacklevel=2)
        return None
    return serialize.dumps((key, signature, result._reduce()))


def unpack(data: bytes) -> tuple[str, tuple[types.Type, ...], tuple]:
    """Key, signature and what `rebuild` wants, of bytes that `pack` made. Only for bytes that are trusted."""
    return pickle.loads(data)


def rebuild(target_context, reduced: tuple) -> compiler.CompileResult:
    """A kernel that can run, from what `pack` reduced it to.

    Its intermediate code, which only a kernel that calls it is compiled from, stays packed until then: unpacked it
    takes nearly twenty times the memory of the machine code.
    """
    result = compiler.CompileResult._rebuild(target_context, *reduced)
    library, (_, _, (_, packed)) = result.library, reduced[0]
    library._shared_module = None
    library._get_module_for_linking = lambda: llvm.parse_bitcode(packed)
    return result


def intermediate_code(dispatcher: Dispatcher, signature: tuple[types.Type, ...]) -> tuple[str, str]:
    """(name of the function, LLVM's intermediate code of all that it needs), compiled now and not kept."""
    plain = njit(**options_of(dispatcher) | _NO_WAY_IN)(dispatcher.py_func)
    plain.compile(signature)
    result = plain.overloads[signature]
    return result.fndesc.llvm_func_name, result.library.get_llvm_str()


def compile_events(listener: event.Listener) -> None:
    """Tell the listener of every compile of this process, its start and its end."""
    event.register("numba:compile", listener)


def pin_processor(name: str) -> None:
    """Compile for a published processor level from now on, whatever else this machine's processor can do."""
    config.CPU_NAME, config.CPU_FEATURES = name, ""


def pinned_processor() -> str | None:
    """The processor that is compiled for, where it is not this machine's own."""
    return config.CPU_NAME
