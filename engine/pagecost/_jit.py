"""How pagecost compiles: the compile options in one place, and a kernel cache that cannot lie.

Numba's own ``cache=True`` looks only at the file of the cached function, so a change in a helper of another file
silently runs old machine code. Here each kernel's machine code is a file named by the kernel's stamp (see `_stamps`): a
digest of all that is compiled into it, and of nothing else. The processor level is pinned to a published one
(x86-64-v3 or v2) instead of the build machine's own features: the same machine code, bit for bit the same results,
and a cache that a packaged app can carry.

Machine code is loaded only from where no other user of the machine can write.
"""

import atexit
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
from typing import NamedTuple

import llvmlite.binding
import numba
from llvmlite import ir
from numba import njit, types

from pagecost import _numba_private as private
from pagecost import _private_files as private_files
from pagecost._interrupts import Heard
from pagecost._stamps import NotUnderstood, signature_stamp, stamp

PACKAGE = Path(__file__).parent
SHIPPED_CACHE = "kernel_cache"  # folder of a packaged app that carries machine code, a subfolder per processor level
KEPT_CACHES = 4  # older folders than this many are deleted when a new one is made
KEPT_STAMPS = 8  # of one kernel: what older states of its source left is deleted when a new state is kept
FORGOTTEN_AFTER_S = 90 * 86400.0  # machine code that nobody has used for so long is deleted
UNFINISHED_AFTER_S = 3600.0  # a file that is being written for so long was interrupted
ENDING = ".kernel"
MAGIC = b"pagecost kernel 1\n"  # begins a file of machine code, then the digest of the rest
ANNOUNCE_AFTER_S = 1.0  # a compile longer than this is announced

LEVEL_3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "ssse3", "xsave")
LEVEL_2 = ("cx16", "popcnt", "sse4.1", "sse4.2", "ssse3")


def kernel(function):
    """Compile an entry point (a ``*_kernels.py`` function that fills what it is given) and keep its machine code."""
    return _kept(njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function))


def lean_kernel(function):
    """`kernel` for a function that allocates nothing: no reference counts (3 to 30 x, where tuples of arrays go round).

    It refuses to compile what does allocate.
    """
    return _kept(private.lean(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function))


def entry_of(module: str):
    """`lean_kernel` for the entry that a family's factory makes for one of its members, which stands in `module`."""

    def compiled(function):
        function.__module__, function.__qualname__ = module, function.__name__
        return lean_kernel(function)

    return compiled


def _kept(compiled):
    if hasattr(compiled, "py_func"):  # with NUMBA_DISABLE_JIT=1 the function comes back as it is
        private.keep_in(compiled, _KernelCache(compiled))
        _KERNELS.append(compiled)
    return compiled


part = private.part(error_model="numpy")  # a helper, compiled into whoever calls it
lean_part = private.lean_part(error_model="numpy")  # the same for lean kernels
# a lean part that is compiled once, whatever constants it is called with: for what is called with many, but seldom
general_part = private.lean_part(error_model="numpy", general=True)
# a lean part without a call: 1.6 x in a loop that hands 17 arrays to each of several parts per event, longer to compile
inline_part = private.lean_part(error_model="numpy", forceinline=True)
template = njit(error_model="numpy", inline="always")  # a loop that is specialised into each entry point
lean_template = private.lean(error_model="numpy", inline="always")  # the same for lean kernels: pays for parts too


if numba.config.DISABLE_JIT:  # the compiler's intrinsics have no plain-Python form
    from pagecost._plain import eight_bytes, leading_zeros, prefetch, trailing_zeros
else:
    leading_zeros = private.leading_zeros
    trailing_zeros = private.trailing_zeros

    @private.intrinsic
    def prefetch(typing_context, array, row):
        """Ask the memory for a row of the array that is needed some events later; nothing waits for it."""

        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0])
            row_number = context.cast(builder, arguments[1], signature.args[1], types.intp)
            byte, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
            offset = builder.mul(row_number, builder.extract_value(data.strides, 0))
            address = builder.gep(builder.bitcast(data.data, byte), [offset])
            function = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
            called = private.cgutils.get_or_insert_function(builder.module, function, "llvm.prefetch.p0")
            to_read, keep_close, data_cache = (ir.Constant(whole, value) for value in (0, 3, 1))
            builder.call(called, [address, to_read, keep_close, data_cache])
            return context.get_dummy_value()

        return types.void(array, row), generate

    @private.intrinsic
    def eight_bytes(typing_context, data, at):
        """data[at] .. data[at + 7] of bytes in a row as one word, the first byte lowest; nothing checks the bounds."""

        def generate(context, builder, signature, arguments):
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            place = context.cast(builder, arguments[1], signature.args[1], types.intp)
            address = builder.gep(array.data, [place])
            word = builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()))
            word.align = 1
            return word

        return types.uint64(data, at), generate


def compilations() -> int:
    """Number of kernels that had to be compiled (not loaded from the cache) in this process so far."""
    return _announcer.compilations


def loaded() -> int:
    """Number of kernel signatures that came from the cache in this process so far."""
    return sum(sum(kernel.stats.cache_hits.values()) for kernel in _KERNELS)


def asked_for() -> list[str]:
    """Names of the kernels that were called for the first time in this process, once for each signature, in order."""
    return list(_announcer.asked_for)


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


def kernels() -> dict[str, "_KernelCache"]:
    """Where each kernel that is imported keeps its machine code, by the kernel's name."""
    return {kernel._cache.name: kernel._cache for kernel in _KERNELS}


# where machine code lies ---------------------------------------------------------------------------------------------


def level() -> str:
    """The processor level that is compiled for, which names its folder: each is kept, carried and copied alone."""
    return private.pinned_processor() or "host"


@functools.cache
def kernel_cache() -> Path:
    """The folder that holds the machine code of this user's kernels; made when it does not exist.

    Where it cannot be written, or another user could write to it, it is a private folder of this session, and a
    sentence says so. Raises OSError where not even that can be made.
    """
    named = os.environ.get("PAGECOST_KERNEL_CACHE")
    caches = Path(named).absolute() if named else user_cache() / "kernels"
    folder = caches / level()
    try:
        fresh = not folder.exists()
        private_files.make_private(folder)
        if not named:
            private_files.close_to_others(caches.parent)
            private_files.close_to_others(caches)
        private_files.close_to_others(folder)
        reason = private_files.why_unsafe(folder)
        if reason is None and not os.access(folder, os.W_OK | os.X_OK):
            reason = "it cannot be written"
        if reason is None:
            if fresh:
                _clear_old_folders(caches)
            return folder
    except OSError as error:
        reason = error.strerror or type(error).__name__
    session = tempfile.mkdtemp(prefix="pagecost-kernels-")  # for this user only
    atexit.register(shutil.rmtree, session, ignore_errors=True)
    _announcer.say(
        f"pagecost does not use the kernel cache {folder}: {reason}; this session compiles into a private folder"
    )
    return Path(session)


def user_cache() -> Path:
    """Where this system keeps the caches of a user's programs."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "pagecost"


def _clear_old_folders(caches: Path) -> None:
    for old in sorted(caches.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)[KEPT_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)


def _shipped() -> tuple[Path, set[int]]:
    """The folder of machine code that a package carries, and who may own it: whoever owns the program itself."""
    folder = Path(getattr(sys, "_MEIPASS", PACKAGE)) / SHIPPED_CACHE / level()
    program = Path(sys.executable) if getattr(sys, "frozen", False) else Path(__file__)
    return folder, {0, os.getuid(), program.stat().st_uid} if hasattr(os, "getuid") else set()


def folders() -> tuple[Path, Path]:
    """Where machine code is looked for: in the user's cache, and in what a package carries."""
    return kernel_cache(), _shipped()[0]


class Kept(NamedTuple):
    """What a file of the kernel cache holds."""

    key: str  # of the kernel's stamp, the signature and the processor
    signature: tuple  # types of the arguments
    machine_code: tuple  # for `_numba_private.rebuild`


class _KernelCache(private.KeptKernels):
    """The machine code of one kernel: a file per stamp and signature, written whole or not at all."""

    def __init__(self, kernel):
        module = kernel.py_func.__module__.removeprefix("pagecost.")
        self.name = f"{module}.{kernel.py_func.__qualname__}".replace("<", "").replace(">", "")
        self.kernel = kernel
        self._enabled = True

    @property
    def cache_path(self):
        return str(kernel_cache())

    def enable(self):
        self._enabled = True

    def disable(self):
        self._enabled = False

    def flush(self):
        """Forget what this state of the kernel left."""
        for path in kernel_cache().glob(f"{self.stem()}-*{ENDING}"):
            path.unlink(missing_ok=True)

    def stem(self) -> str:
        """How the names of this kernel's files begin, in its present state. Raises NotUnderstood."""
        return f"{self.name}-{stamp(self.kernel)[:16]}"

    def load_overload(self, sig, target_context):
        """The kernel for a signature out of the cache; None means that it has to be compiled now."""
        _announcer.note(self.name)
        found = self._found(sig, target_context)
        if found is None and _announcer.before(self.name):
            found = self._found(sig, target_context)  # whoever was asked may have waited for another process
        return found

    def _found(self, sig, target_context):
        if not self._enabled:
            return None
        try:  # whatever is wrong with the cache is a miss, not a crash
            private.get_ready_to_load(self.kernel, target_context)
            with Heard():
                return self._load(private.argument_types(sig), target_context)
        except Exception:
            return None

    def save_overload(self, sig, data):
        """Keep a kernel that was compiled; where that cannot be (a full disk), it still runs."""
        if not self._enabled:
            return
        with contextlib.suppress(OSError, NotUnderstood):
            signature = private.argument_types(sig)
            name, key = self._named(signature, private.code_generator(data))
            packed = private.pack(key, signature, data)
            if packed is not None:
                private_files.write(kernel_cache() / name, sealed(packed))
                _clear_old_files(kernel_cache(), self.name)
        if _announcer.kept:
            _announcer.kept(self.name)

    def _named(self, signature, code_generator) -> tuple[str, str]:
        """File name and key of a signature's machine code."""
        words = (stamp(self.kernel), signature_stamp(signature), *private.compiled_for(code_generator))
        key = hashlib.sha256("\0".join(map(str, words)).encode()).hexdigest()
        return f"{self.name}-{words[0][:16]}-{key[:16]}{ENDING}", key

    def _load(self, signature, target_context):
        name, key = self._named(signature, target_context.codegen())
        for folder, owners in ((kernel_cache(), None), _shipped()):
            kept = read_kept(folder / name, owners)
            if kept is not None and kept.key == key:
                _used(folder / name)
                return private.rebuild(target_context, kept.machine_code)
        return None


def sealed(packed: bytes) -> bytes:
    """What a file of machine code holds, for what `_numba_private.pack` gave."""
    return MAGIC + hashlib.sha256(packed).digest() + packed


def read_kept(path: Path, owners: set[int] | None = None) -> "Kept | None":
    """What a file of machine code holds; None where it is damaged, or others could have written it."""
    content = private_files.read(path, owners)
    head = len(MAGIC) + hashlib.sha256().digest_size
    if content is None or len(content) < head or not content.startswith(MAGIC):
        return None
    if hashlib.sha256(content[head:]).digest() != content[len(MAGIC) : head]:
        return None
    return Kept(*private.unpack(content[head:]))


def _used(path: Path) -> None:
    with contextlib.suppress(OSError):  # a package's own folder may be read-only
        if time.time() - path.stat().st_mtime > 86400.0:
            os.utime(path)


def _clear_old_files(folder: Path, name: str) -> None:
    """Delete what older states of a kernel left, what nobody uses, and what was interrupted."""
    ages = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # another process clears too
                ages[entry.name] = time.time() - entry.stat(follow_symlinks=False).st_mtime
    states: dict[str, list[str]] = {}
    for file in sorted(ages, key=ages.get):  # the newest first
        kernel_name, _, rest = file.rpartition(ENDING)[0].rpartition("-")[0].rpartition("-")
        if kernel_name == name:
            states.setdefault(rest, []).append(file)
    old = [file for files in list(states.values())[KEPT_STAMPS:] for file in files]
    old += [file for file, age in ages.items() if age > FORGOTTEN_AFTER_S]
    old += [
        file for file, age in ages.items() if file.startswith(private_files.UNFINISHED) and age > UNFINISHED_AFTER_S
    ]
    for file in old:
        with contextlib.suppress(OSError):
            (folder / file).unlink()


# what is said while compiling ----------------------------------------------------------------------------------------

ANNOUNCEMENT = "pagecost compiles its kernels for this machine, once; this takes some seconds ..."


class _Announcer(private.CompileListener):
    """Counts the compiles of kernels says so when one takes long, and asks before each where it shall."""

    def __init__(self):
        self.compilations = 0
        self.asked_for: list[str] = []
        self.say = functools.cache(lambda message: print(message, file=sys.stderr))  # to a terminal once is enough
        self.ask: Callable[[str], None] | None = None
        self.kept: Callable[[str], None] | None = None
        self.current: tuple[str, float] | None = None
        self._timer = None
        self._depth = 0
        self._heard = Heard()

    def note(self, kernel: str) -> None:
        if self._depth == 0:  # one that another kernel calls becomes part of it
            self.asked_for.append(kernel)

    def before(self, kernel: str) -> bool:
        """Whether somebody was asked."""
        if self.ask is None or self._depth:  # within a compile Numba would take what is raised for an error of types
            return False
        self.ask(kernel)
        return True

    def on_start(self, event):
        self._depth += 1
        if self._depth > 1:
            return
        self.compilations += 1
        self._heard.listen()
        function = event.data["dispatcher"].py_func
        self.current = f"{function.__module__}.{function.__qualname__}", time.monotonic()
        self._timer = threading.Timer(ANNOUNCE_AFTER_S, self._announce)
        self._timer.daemon = True
        self._timer.start()

    def on_end(self, event):
        self._depth -= 1
        if self._depth == 0:
            self.current = None
            self._timer.cancel()
            self._heard.stop()

    def _announce(self):
        with contextlib.suppress(Exception):  # whoever wanted to hear of it may be gone; the compile goes on
            self.say(ANNOUNCEMENT)


def _pin_processor_level() -> None:
    if platform.machine().lower() not in ("x86_64", "amd64") or "NUMBA_CPU_NAME" in os.environ:
        return
    has = llvmlite.binding.get_host_cpu_features()
    for name, features in (("x86-64-v3", LEVEL_3), ("x86-64-v2", LEVEL_2)):
        if all(has.get(feature) for feature in features):
            private.pin_processor(name)
            return


_KERNELS: list = []
_pin_processor_level()
_announcer = _Announcer()
private.compile_events(_announcer)
