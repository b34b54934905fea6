"""The stamp of a kernel: a digest of what is compiled, so that old machine code never answers for new source.

From the kernel's own code it follows every name to the parts, templates, hooks, named tuples and constants that are
compiled into it, wherever they stand. It reads the code that Python holds, not the text of the files: a comment, a
docstring, a contract or a word beside a kernel changes no stamp, and an edit of a helper changes those of the kernels
that use it only. What it does not understand has no stamp, and is not kept.
"""

import dis
import functools
import hashlib
import platform
import sys
import types as python
from collections.abc import Iterable

import llvmlite
import numba
import numpy as np
from numba import types

from pagecost._numba_private import definition_of, is_dispatcher, is_intrinsic, options_of

FORMAT = 1  # of the stamps and of the files that bear them
FLAGS = 0x3F  # of a code object: those that say how it runs, not whether it has a docstring
OUTSIDE = {*sys.stdlib_module_names, "llvmlite", "numba", "numpy"}  # packages whose version stands in every stamp
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), range)
SCALARS = (types.Number, types.Boolean, types.NoneType, types.UnicodeType, types.UnicodeCharSeq, types.Bytes)
SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")  # of Numba, by environment


VERSIONS = {"numba": numba.__version__, "numpy": np.__version__}
"""Of what compiles and computes, by name."""


class NotUnderstood(Exception):
    """Something is compiled into a kernel of which the stamp cannot tell when it changes."""


def stamp(kernel) -> str:
    """Digest (64 hexadecimal digits) of all that is compiled into a kernel. Raises NotUnderstood."""
    walk = _Walk()
    walk.follow(kernel)
    return walk.digest()


def signature_stamp(arguments: Iterable[types.Type]) -> str:
    """Digest of the types of arguments, with the fields of named tuples in their order. Raises NotUnderstood."""
    walk = _Walk()
    for argument in arguments:
        walk.follow_type(argument)
    return walk.digest()


@functools.cache
def _environment() -> str:
    versions = (platform.python_implementation(), *sys.version_info[:2], numba.__version__, llvmlite.__version__)
    settings = tuple(str(getattr(numba.config, name, None)) for name in SETTINGS)
    return repr((FORMAT, versions, np.__version__, settings))


class _Walk:
    """Writes down what is compiled, each function once, in the order in which the code names it."""

    def __init__(self):
        self._words = [_environment()]
        self._seen: dict[int, int] = {}

    def digest(self) -> str:
        return hashlib.sha256("\0".join(self._words).encode("utf8", "surrogatepass")).hexdigest()

    def follow(self, value) -> None:
        """Write down a value that compiled code can reach."""
        if isinstance(value, PLAIN):
            self._words.append(f"{type(value).__name__} {value!r}")
        elif isinstance(value, np.generic | np.ndarray):
            self._follow_array(np.asarray(value))
        elif isinstance(value, tuple):
            self._follow_class(type(value))
            self._words.append(f"tuple of {len(value)}")
            for element in value:
                self.follow(element)
        elif isinstance(value, frozenset):
            self._words.append(f"frozenset {sorted(map(repr, value))}")
        elif is_dispatcher(value):
            self._words.append(f"compiled {sorted(map(repr, options_of(value).items()))}")
            self._follow_function(value.py_func)
        elif is_intrinsic(value):
            self._words.append("intrinsic")
            self._follow_function(definition_of(value))
        elif isinstance(value, python.FunctionType):
            self._follow_function(value)
        elif isinstance(value, type):
            self._follow_class(value)
        elif isinstance(value, np.dtype):
            self._words.append(f"dtype {value.descr if value.names else value.str}")
        elif isinstance(value, types.Type):
            self.follow_type(value)
        elif isinstance(value, python.BuiltinFunctionType | np.ufunc):
            self._words.append(f"builtin {getattr(value, '__module__', '')} {value.__name__}")
        elif _is_outside(getattr(value, "__module__", None)):
            self._words.append(f"outside {value.__module__} {_name_of(value)}")
        else:
            raise NotUnderstood(f"a {type(value).__name__}")

    def follow_type(self, kind: types.Type) -> None:
        """Write down a type of Numba."""
        if isinstance(kind, types.BaseTuple):
            self._words.append(f"{type(kind).__name__} of {len(kind)}")
            if isinstance(kind, types.BaseNamedTuple):
                self._follow_class(kind.instance_class)
            for element in kind:
                self.follow_type(element)
        elif isinstance(kind, types.Dispatcher):
            self.follow(kind.dispatcher)
        elif isinstance(kind, types.Omitted | types.Literal):
            self._words.append(type(kind).__name__)
            self.follow(kind.value if isinstance(kind, types.Omitted) else kind.literal_value)
        elif isinstance(kind, types.Array):
            self._words.append(f"array {kind.ndim} {kind.layout} {kind.mutable} {kind.aligned}")
            self.follow_type(kind.dtype)
        elif isinstance(kind, (*SCALARS, types.Record)):
            self._words.append(f"{type(kind).__name__} {kind}")
        else:
            raise NotUnderstood(f"an argument of type {kind}")

    def _follow_array(self, array: np.ndarray) -> None:
        if array.dtype.hasobject:
            raise NotUnderstood("an array of objects")
        content = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        self._words.append(f"array {array.dtype.descr} {array.shape} {content}")

    def _follow_class(self, kind: type) -> None:
        self._words.append(f"class {kind.__module__}.{kind.__qualname__}")
        fields = getattr(kind, "_fields", None)
        if issubclass(kind, tuple) and fields is not None:
            self._words.append(repr(fields))
            for default in kind._field_defaults.values():
                self.follow(default)
        elif not _is_outside(kind.__module__):
            raise NotUnderstood(f"the class {kind.__qualname__}")

    def _follow_function(self, function: python.FunctionType) -> None:
        if _is_outside(function.__module__):
            self._words.append(f"outside {function.__module__}.{function.__qualname__}")
            return
        if id(function.__code__) in self._seen and not function.__closure__:
            self._words.append(f"again {self._seen[id(function.__code__)]}")
            return
        self._seen[id(function.__code__)] = len(self._seen)
        written, names = _written(function.__code__)
        self._words.append(written)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.follow(default)
        for cell in function.__closure__ or ():
            self.follow(cell.cell_contents)
        for name in names:
            if name in function.__globals__:
                self._words.append(f"name {name}")
                self._follow_global(function.__globals__[name], names)

    def _follow_global(self, value, names: tuple[str, ...]) -> None:
        if not isinstance(value, python.ModuleType):
            self.follow(value)
        elif not _is_outside(value.__name__):  # any of its members that the code could mean
            for name in names:
                if hasattr(value, name):
                    self._words.append(f"member {value.__name__}.{name}")
                    self._follow_global(getattr(value, name), tuple(other for other in names if other != name))


def _is_outside(module: str | None) -> bool:
    return module is not None and module.split(".")[0] in OUTSIDE


def _name_of(value) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if name is None:
        raise NotUnderstood(f"a {type(value).__name__} without a name")
    return name


_WRITTEN: dict[int, tuple[python.CodeType, str, tuple[str, ...]]] = {}


def _written(code: python.CodeType) -> tuple[str, tuple[str, ...]]:
    """The code without its place and its docstring, and the names that it and the code inside it may look up."""
    if id(code) not in _WRITTEN:  # the entry holds the code, so that no other one gets its id
        words, names = _write(code)
        _WRITTEN[id(code)] = code, words, names
    return _WRITTEN[id(code)][1:]


def _write(code: python.CodeType) -> tuple[str, tuple[str, ...]]:
    names = dict.fromkeys(code.co_names)
    words = [
        repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & FLAGS)),
        repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)),
        code.co_exceptiontable.hex(),
    ]
    argument = 0
    instructions = code.co_code
    for operation, low in zip(instructions[::2], instructions[1::2], strict=True):
        argument |= low
        if operation == dis.EXTENDED_ARG:
            argument <<= 8
            continue
        if operation in dis.hasconst:  # by value: a docstring moves the places of the constants
            constant = code.co_consts[argument]
            if isinstance(constant, python.CodeType):
                inner, further = _write(constant)
                words.append(f"({operation} {inner})")
                names.update(dict.fromkeys(further))
            else:
                words.append(f"{operation} {_constant(constant)}")
        else:
            words.append(f"{operation} {argument}")
        argument = 0
    return " ".join(words), tuple(names)


def _constant(value) -> str:
    if isinstance(value, frozenset):
        return f"frozenset {sorted(map(_constant, value))}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    return f"{type(value).__name__} {value!r}"
