"""How pagecost compiles: the compile options in one place, and a kernel cache that cannot lie.

Numba's own ``cache=True`` looks only at the file of the cached function, so a change in a helper of another file
silently runs old machine code. Here the cache folder is named by a digest of every ``*_kernels.py`` file of the
package, so an edit to any kernel compiles the kernels anew, once. The processor level is pinned to a published one
(x86-64-v3 or v2) instead of the build machine's own features: the same machine code, bit for bit the same results,
and a cache that a packaged app can carry.
"""

import contextlib
import functools
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding
import numba
from llvmlite import ir
from numba import njit, types
from numba.core import caching, cgutils, event
from numba.cpython.unsafe import numbers
from numba.extending import intrinsic

PACKAGE = Path(__file__).parent
SHIPPED_CACHE = "kernel_cache"  # folder of a packaged app that carries machine code, a subfolder per processor level
KEPT_CACHES = 4  # older digests than this many are deleted when a new one is made
ANNOUNCE_AFTER_S = 1.0  # a compile longer than this is announced (DESIGN, budgets)

LEVEL_3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "ssse3", "xsave")
LEVEL_2 = ("cx16", "popcnt", "sse4.1", "sse4.2", "ssse3")


def kernel(function):
    """Compile an entry point (a ``*_kernels.py`` function that fills what it is given) and keep its machine code."""
    return _kept(njit(nogil=True, error_model="numpy")(function))


def lean_kernel(function):
    """`kernel` for a function that allocates nothing: no reference counts (3 to 30 x, where tuples of arrays go round).

    It refuses to compile what does allocate.
    """
    return _kept(njit(nogil=True, error_model="numpy", _nrt=False)(function))


def _kept(compiled):
    if hasattr(compiled, "py_func"):  # with NUMBA_DISABLE_JIT=1 the function comes back as it is
        compiled._cache = _KernelCache(compiled.py_func)
        _KERNELS.append(compiled)
    return compiled


part = njit(error_model="numpy")  # a helper, compiled into whoever calls it
lean_part = njit(error_model="numpy", _nrt=False)  # the same for lean kernels
# a lean part without a call: 1.6 x in a loop that hands 17 arrays to each of several parts per event, longer to compile
inline_part = njit(error_model="numpy", _nrt=False, forceinline=True)
template = njit(error_model="numpy", inline="always")  # a loop that is specialised into each entry point
lean_template = njit(error_model="numpy", inline="always", _nrt=False)  # the same for lean kernels: pays for parts too


if numba.config.DISABLE_JIT:  # the compiler's intrinsics have no plain-Python form

    def leading_zeros(word):
        return 64 - int(word).bit_length()

    def trailing_zeros(word):
        return (int(word) & -int(word)).bit_length() - 1

    def prefetch(array, row):
        pass

else:
    leading_zeros = numbers.leading_zeros  # of a 64-bit word, one instruction
    trailing_zeros = numbers.trailing_zeros

    @intrinsic
    def prefetch(typing_context, array, row):
        """Ask the memory for a row of the array that is needed some events later; nothing waits for it."""

        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0])
            row_number = context.cast(builder, arguments[1], signature.args[1], types.intp)
            byte, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
            offset = builder.mul(row_number, builder.extract_value(data.strides, 0))
            address = builder.gep(builder.bitcast(data.data, byte), [offset])
            function = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
            called = cgutils.get_or_insert_function(builder.module, function, "llvm.prefetch.p0")
            to_read, keep_close, data_cache = (ir.Constant(whole, value) for value in (0, 3, 1))
            builder.call(called, [address, to_read, keep_close, data_cache])
            return context.get_dummy_value()

        return types.void(array, row), generate


def compilations() -> int:
    """Number of kernels that had to be compiled (not loaded from the cache) in this process so far."""
    return _announcer.compilations


def loaded() -> int:
    """Number of kernel signatures that came from the cache in this process so far."""
    return sum(sum(kernel.stats.cache_hits.values()) for kernel in _KERNELS)


def announce_compiles(to: Callable[[str], None]) -> None:
    """Send the message of a compile that takes over a second to `to` instead of standard error."""
    _announcer.say = to


class NotCompiled(Exception):
    """A kernel that the cache does not hold was called where nothing is compiled. `kernel` is its name."""

    def __init__(self, kernel: str):
        super().__init__(f"{kernel} is not compiled")
        self.kernel = kernel


def ask_before_compiling(ask: Callable[[str], None] | None, kept: Callable[[str], None] | None = None) -> None:
    """From now on call `ask(kernel)` before a kernel is compiled; what it raises reaches whoever called the kernel.

    None: compile without asking. A kernel that another one calls while that is compiled is never asked for.
    `kept(kernel)` is called when its machine code is in the cache.
    """
    _announcer.ask, _announcer.kept = ask, kept


def compiling_now() -> tuple[str, float] | None:
    """(kernel, since when on the monotonic clock) of the compile that is going on in this process, or None."""
    return _announcer.current


@functools.cache
def kernel_digest() -> str:
    """Digest (16 hexadecimal digits) of all kernel files and of these compile options."""
    digest = hashlib.sha256()
    for path in [Path(__file__), *sorted(PACKAGE.rglob("*_kernels.py"))]:
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]


def _cache_name() -> str:
    """One folder per processor level: several levels can be compiled side by side, and each is copied alone."""
    return f"{kernel_digest()}-{numba.config.CPU_NAME or 'host'}"


@functools.cache
def kernel_cache() -> Path:
    """The folder that holds the machine code of this state of the kernels; made when it does not exist."""
    if "PAGECOST_KERNEL_CACHE" in os.environ:
        folder = Path(os.environ["PAGECOST_KERNEL_CACHE"]) / _cache_name()
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    try:
        return _make_cache(user_cache() / "kernels")
    except OSError:  # a home that cannot be written: compile into a folder of this session
        return Path(tempfile.mkdtemp(prefix="pagecost-kernels-"))


def user_cache() -> Path:
    """Where this system keeps the caches of a user's programs."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "pagecost"


def _make_cache(caches: Path) -> Path:
    folder = caches / _cache_name()
    if folder.is_dir():
        if not os.access(folder, os.W_OK):
            raise PermissionError(folder)
        return folder
    caches.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=caches))
    shipped = Path(getattr(sys, "_MEIPASS", PACKAGE)) / SHIPPED_CACHE / _cache_name()
    if shipped.is_dir():
        shutil.copytree(shipped, fresh, dirs_exist_ok=True, copy_function=shutil.copyfile)
    try:
        fresh.rename(folder)  # atomic: a second program that starts at the same time just loses the race
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
    for old in sorted(caches.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)[KEPT_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


class _Locator(caching._CacheLocator):
    """Places every kernel in `kernel_cache()`; the folder's name is the source stamp."""

    def __init__(self, function):
        self._line = function.__code__.co_firstlineno
        self._py_file = function.__code__.co_filename

    def get_cache_path(self):
        return str(kernel_cache())

    def get_source_stamp(self):
        return kernel_digest()

    def get_disambiguator(self):
        return str(self._line)

    @classmethod
    def from_function(cls, py_func, py_file):
        return cls(py_func)


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _KernelCache(caching.FunctionCache):
    _impl_class = _KernelCacheImpl

    def load_overload(self, sig, target_context):
        found = self._load(sig, target_context)
        if found is None:
            _announcer.before(name_of(self._py_func))
        return found

    def _load(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged cache file is a miss, not a crash: start its index anew
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig, data):
        with contextlib.suppress(OSError):  # disk full: the kernel still runs
            super().save_overload(sig, data)
        if _announcer.kept:
            _announcer.kept(name_of(self._py_func))


ANNOUNCEMENT = "pagecost compiles its kernels for this machine, once; this takes some seconds ..."


def name_of(function) -> str:
    """What people are told a kernel is called: the file that it stands in, and the entry point."""
    return f"{function.__module__.rpartition('.')[2].removesuffix('_kernels')}: {function.__name__}".replace("_", " ")


class _Announcer(event.Listener):
    """Counts the compiles of kernels, says so when one takes long, and asks before each when it shall."""

    def __init__(self):
        self.compilations = 0
        self.say = functools.cache(lambda message: print(message, file=sys.stderr))  # to a terminal once is enough
        self.ask: Callable[[str], None] | None = None
        self.kept: Callable[[str], None] | None = None
        self.current: tuple[str, float] | None = None
        self._timer = None
        self._depth = 0

    def before(self, kernel: str) -> None:
        if self.ask and self._depth == 0:  # within a compile Numba would take what is raised for an error of types
            self.ask(kernel)

    def on_start(self, event):
        self._depth += 1
        if self._depth > 1:
            return
        self.compilations += 1
        self.current = name_of(event.data["dispatcher"].py_func), time.monotonic()
        self._timer = threading.Timer(ANNOUNCE_AFTER_S, self._announce)
        self._timer.daemon = True
        self._timer.start()

    def on_end(self, event):
        self._depth -= 1
        if self._depth == 0:
            self.current = None
            self._timer.cancel()

    def _announce(self):
        with contextlib.suppress(Exception):  # whoever wanted to hear of it may be gone; the compile goes on
            self.say(ANNOUNCEMENT)


def _pin_processor_level() -> None:
    if platform.machine().lower() not in ("x86_64", "amd64") or "NUMBA_CPU_NAME" in os.environ:
        return
    has = llvmlite.binding.get_host_cpu_features()
    for name, features in (("x86-64-v3", LEVEL_3), ("x86-64-v2", LEVEL_2)):
        if all(has.get(feature) for feature in features):
            numba.config.CPU_NAME, numba.config.CPU_FEATURES = name, ""
            return


_KERNELS: list = []
_pin_processor_level()
_announcer = _Announcer()
event.register("numba:compile", _announcer)
