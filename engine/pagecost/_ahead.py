"""Kernels out of machine code that was compiled ahead, without Numba or LLVM: what a packaged program runs on Linux.

A package carries one shared library per processor level and a table of what stands in it (`kernels.json`, written by
`app/packaging/compile_ahead.py`): for each kernel the types of arguments it was compiled for, the function's name in
the library and what it returns. `stand_in()` puts this module into the place of `pagecost._jit`, so that kernel files
import it without knowing; helpers (`part`, `template`, ...) are part of the machine code already and do nothing here.

A function of the library takes what Numba's own code takes (its calling convention): a place for the result, a place
for an error, then each argument as plain numbers and pointers; an array as (owner, owner's object, elements, bytes per
element, data, shape, strides), a tuple as its members.
"""

import ctypes
import functools
import importlib.machinery
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pagecost._plain import eight_bytes as eight_bytes
from pagecost._plain import leading_zeros as leading_zeros
from pagecost._plain import prefetch as prefetch
from pagecost._plain import trailing_zeros as trailing_zeros
from pagecost.errors import ModelError

PACKAGE = Path(__file__).parent
FOLDER = "kernels"  # in a packaged program
TABLE = "kernels.json"
HELPERS = {"NRT_": "_nrt_python", "numba_": "_helperlib"}  # libraries of Numba, by how their functions are called
LEVELS = {  # what Linux calls a processor's features, best level first
    "x86-64-v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "popcnt", "sse4_2", "ssse3", "xsave"},
    "x86-64-v2": {"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"},
}
BASIC = "generic"  # of any other machine
FINE = (0, -2)  # what a function of the library gives back: a result, or none
C_TYPES: dict[str, Any] = {
    "bool": ctypes.c_uint8,
    **{f"{sign}int{bits}": getattr(ctypes, f"c_{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{"float32": ctypes.c_float, "float64": ctypes.c_double},
}


class NotUnderstood(Exception):
    """Never raised here: see `pagecost._stamps`."""


class NotCompiled(Exception):
    """Never raised here: see `pagecost._jit`."""

    kernel: str


def stand_in() -> None:
    """From now on `pagecost._jit` and `pagecost._stamps` are this module."""
    import pagecost

    for name in ("_jit", "_stamps"):
        sys.modules[f"pagecost.{name}"] = sys.modules[__name__]
        setattr(pagecost, name, sys.modules[__name__])


# what kernel files ask for -------------------------------------------------------------------------------------------


def kernel(function):
    """The machine code of an entry point."""
    made = _Kernel(function)
    _KERNELS[made.name] = made
    return made


lean_kernel = kernel


def entry_of(module: str):
    """`kernel` for the entry that a family's factory makes for one of its members, which stands in `module`."""

    def compiled(function):
        function.__module__, function.__qualname__ = module, function.__name__
        return kernel(function)

    return compiled


def part(function):
    """What is compiled into whoever calls it stays as it is."""
    return function


lean_part = general_part = inline_part = template = lean_template = part


# what the app asks for -----------------------------------------------------------------------------------------------


def compilations() -> int:
    """Nothing is ever compiled."""
    return 0


def loaded() -> int:
    """Number of kernel signatures that were called in this process so far."""
    return len(_asked_for)


def asked_for() -> list[str]:
    """Names of the kernels that were called for the first time in this process, once for each signature, in order."""
    return list(_asked_for)


def announce_compiles(to: Callable[[str], None]) -> None:
    """Nothing is ever compiled."""


def ask_before_compiling(ask: Callable[[str], None] | None, kept: Callable[[str], None] | None = None) -> None:
    """Nothing is ever compiled."""


def compiling_now() -> None:
    """Nothing is ever compiled."""


def kernels() -> dict[str, "_Kernel"]:
    """The kernels that are imported, by name."""
    return dict(_KERNELS)


def user_cache() -> Path:
    """Where this system keeps the caches of a user's programs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "pagecost"


@functools.cache
def kernel_cache() -> Path:
    """The folder of the machine code for this machine's processor."""
    return _folder() / level()


@functools.cache
def level() -> str:
    """The best processor level of this machine that the package may carry machine code for."""
    if platform.machine().lower() in ("x86_64", "amd64"):
        info = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
        flags = {*next((line for line in info.splitlines() if line.startswith("flags")), "").split()}
        for name, needed in LEVELS.items():
            if needed <= flags:
                return name
    return BASIC


# calls ---------------------------------------------------------------------------------------------------------------


class _Compiled(NamedTuple):
    function: Any  # of the library
    result: Any  # the C type of the place for the result, or None
    is_tuple: bool


class _Kernel:
    """An entry point: called like the function that it was compiled from."""

    def __init__(self, function):
        self.name = kernel_name(function)
        self.__name__, self.__doc__, self.__wrapped__ = function.__name__, function.__doc__, function
        self._compiled: dict[tuple, _Compiled] = {}

    def __call__(self, *arguments):
        words: list = []
        given: list = []
        for argument in arguments:
            _take(argument, words, given)
        key = tuple(words)
        compiled = self._compiled.get(key) or self._load(key)
        error = ctypes.c_void_p()
        place: Any = (compiled.result or ctypes.c_void_p)()  # None is written too
        status = compiled.function(ctypes.byref(place), ctypes.byref(error), *given)
        if status not in FINE:
            raise RuntimeError(f"{self.name} ended with status {status}")
        if compiled.result is None:
            return None
        return tuple(getattr(place, name) for name, *_ in place._fields_) if compiled.is_tuple else place.value

    def _load(self, key: tuple) -> _Compiled:
        found = _table()["kernels"].get(self.name, {}).get(" ".join(key))
        if found is None:
            raise ModelError(
                f"this package has no machine code of {self.name} for {' '.join(key) or 'no arguments'}; "
                "pagecost as a Python package compiles it when it is needed"
            )
        function = getattr(_library(), found["symbol"])
        function.restype = ctypes.c_int32
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *(c for word in key for c in _c_types(word))]
        names = found["result"]
        is_tuple = isinstance(names, list)
        if is_tuple:
            fields = [(f"member{number}", C_TYPES[name]) for number, name in enumerate(names)]
            result: Any = type("Result", (ctypes.Structure,), {"_fields_": fields})
        else:
            result = C_TYPES[names] if names else None
        _asked_for.append(self.name)
        self._compiled[key] = _Compiled(function, result, is_tuple)
        return self._compiled[key]


def kernel_name(function) -> str:
    """How a kernel is called, from the function that it is compiled from."""
    module = function.__module__.removeprefix("pagecost.")
    return f"{module}.{function.__qualname__}".replace("<", "").replace(">", "")


def _take(value, words: list, given: list) -> None:
    """Write down the type of an argument as words, and the argument as numbers."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        words.append(_array_word(value.dtype, value.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable))
        given += (None, None, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
    elif isinstance(value, tuple):
        words.append(tuple_word(type(value), len(value)))
        for member in value:
            _take(member, words, given)
    elif isinstance(value, bool):
        words.append("bool")
        given.append(value)
    elif isinstance(value, int):
        words.append("int64" if -(2**63) <= value < 2**63 else "uint64")
        given.append(value)
    elif isinstance(value, float) and type(value) is float:
        words.append("float64")
        given.append(value)
    elif isinstance(value, np.generic):
        words.append(value.dtype.name)
        given.append(value.item())
    else:
        raise TypeError(f"a kernel takes no {type(value).__name__}")


@functools.cache
def _array_word(dtype, dimensions: int, by_rows: bool, by_columns: bool, writeable: bool) -> str:
    layout = "C" if by_rows else "F" if by_columns else "A"
    return array_word(dtype.name, dimensions, layout, writeable)


def array_word(element: str, dimensions: int, layout: str, writeable: bool) -> str:
    """The word for an array. layout: C (by rows, without gaps), F (by columns) or A (any)."""
    return f"{element}[{dimensions}]{layout}{'' if writeable else '!'}"


@functools.cache
def tuple_word(kind: type, members: int) -> str:
    """The word before the words of a tuple's members."""
    return f"{kind.__module__}.{kind.__qualname__}({members})"


@functools.cache
def _c_types(word: str) -> tuple:
    """The C types of the numbers that an argument of that word is handed over as."""
    if word.endswith(")"):
        return ()
    if "[" not in word:
        return (C_TYPES[word],)
    dimensions = int(word.partition("[")[2].partition("]")[0])
    return (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p) + (ctypes.c_int64,) * (
        2 * dimensions
    )


# the library ---------------------------------------------------------------------------------------------------------


def _folder() -> Path:
    return Path(os.environ.get("PAGECOST_KERNELS_AHEAD") or Path(getattr(sys, "_MEIPASS", PACKAGE)) / FOLDER)


@functools.cache
def _table() -> dict:
    return json.loads((_folder() / TABLE).read_text(encoding="utf-8"))


@functools.cache
def _library() -> ctypes.CDLL:
    """The library for this machine's processor, which has been told where Numba's helpers are."""
    library = ctypes.CDLL(str(kernel_cache() / "kernels.so"))
    addresses: dict[str, int] = {}
    for prefix, name in HELPERS.items():
        path = str(_folder() / f"{name}.so")
        loader = importlib.machinery.ExtensionFileLoader(name, path)
        module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec(name, loader, origin=path))
        addresses |= {(own if own.startswith("_") else prefix + own): at for own, at in module.c_helpers.items()}
    for helper in _table()["helpers"]:
        ctypes.c_void_p.in_dll(library, f"{helper}.at").value = addresses[helper]
    return library


_KERNELS: dict[str, _Kernel] = {}
_asked_for: list[str] = []


def __getattr__(name: str):
    if name == "VERSIONS":  # of what compiled and what computes, by name
        return {"numba": _table()["numba"], "numpy": np.__version__}
    raise AttributeError(name)
