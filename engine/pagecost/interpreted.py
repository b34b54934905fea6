"""The source of compiled parts run as plain Python, so that somebody can listen: slow, and the same to the last number.

A compiled part is the Python function that it was made from, whose names are bound to the functions that *their* parts
were made from. Nothing is written twice, and nothing has to be compiled.
"""

import builtins
import threading
from collections.abc import Callable, Mapping
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from pagecost import _ahead, _jit

# what only a compiler understands, in the form that it has where nothing is compiled
PLAIN = {id(getattr(_jit, name)): getattr(_ahead, name) for name in ("leading_zeros", "trailing_zeros", "prefetch")}


def source_of(value) -> FunctionType | None:
    """The Python function that a compiled part was made from; None of anything else."""
    # Numba's parts keep it, those that were compiled ahead wrap it, and where nothing is compiled they are it
    source = getattr(value, "py_func", None) or getattr(value, "__wrapped__", value)
    is_part = isinstance(source, FunctionType) and source.__module__.endswith("_kernels")
    return source if is_part else None


class Interpreter:
    """Makes plain functions of compiled parts. told: part -> wrap(plain function) -> what is called in its place."""

    def __init__(self, told: Mapping[Callable, Callable[[Callable], Callable]]):
        self._told = {source_of(part): wrap for part, wrap in told.items()}
        self._made: dict[FunctionType, Callable] = {}

    def plain(self, value: Any) -> Any:
        """A part as a plain function, also in a tuple of hooks or a kernel file; anything else is what it is."""
        if id(value) in PLAIN:
            return PLAIN[id(value)]
        source = source_of(value)
        if source is not None:
            return self._function(source)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.plain(each) for each in value))
        if isinstance(value, ModuleType) and value.__name__.endswith("_kernels"):
            return _PlainFile(self, value)
        return value

    def entry(self, kernel: Any) -> Callable:
        """An entry point as a plain function in which numbers wrap round in silence, as those of a processor do."""
        plain = self.plain(kernel)

        def run(*arguments):
            with np.errstate(all="ignore"):
                return plain(*arguments)

        return run

    def _function(self, source: FunctionType) -> Callable:
        if source not in self._made:
            names: dict[str, Any] = {"__builtins__": builtins}
            closure = tuple(CellType(self.plain(cell.cell_contents)) for cell in source.__closure__ or ())
            made = FunctionType(source.__code__, names, source.__name__, source.__defaults__, closure)
            self._made[source] = self._told.get(source, _as_it_is)(made)
            # bound after it is kept: parts may name each other
            for name in source.__code__.co_names:
                if name in source.__globals__:
                    names[name] = self.plain(source.__globals__[name])
        return self._made[source]


class _PlainFile:
    """A kernel file whose parts are plain functions."""

    def __init__(self, interpreter: Interpreter, file: ModuleType):
        self._interpreter, self._file = interpreter, file

    def __getattr__(self, name: str) -> Any:
        return self._interpreter.plain(getattr(self._file, name))


def _as_it_is(made: Callable) -> Callable:
    return made


_NOBODY, _ONE_AT_A_TIME = Interpreter({}), threading.Lock()


def plain_entry(kernel: Any) -> Callable:
    """An entry point as a plain function to which nobody listens: for work that is done sooner than it is compiled."""
    with _ONE_AT_A_TIME:  # a part is known before all that it calls is bound
        return _NOBODY.entry(kernel)
