"""Each private part of Numba that pagecost uses, tried alone: a new Numba that breaks one is told by a sentence."""

import contextlib
import importlib

import numba
import numpy as np
import pytest

PARTS = [  # module, name, what depends on it
    ("numba.core.caching", "_Cache", "the kernel cache"),
    ("numba.core.compiler", "CompileResult._reduce", "writing machine code to the kernel cache"),
    ("numba.core.compiler", "CompileResult._rebuild", "loading machine code from the kernel cache"),
    ("numba.core.serialize", "dumps", "writing machine code to the kernel cache"),
    ("numba.core.sigutils", "normalize_signature", "the key of a kernel's signature"),
    ("numba.core.codegen", "JITCPUCodegen.magic_tuple", "the key of the processor that is compiled for"),
    ("numba.core.event", "register", "counting and announcing compiles"),
    ("numba.core.cgutils", "get_or_insert_function", "the intrinsic `prefetch`"),
    ("numba.cpython.unsafe.numbers", "leading_zeros", "the intrinsic `leading_zeros`"),
    ("numba.cpython.unsafe.numbers", "trailing_zeros", "the intrinsic `trailing_zeros`"),
    ("numba.core.dispatcher", "Dispatcher", "every kernel"),
    ("numba.core.codegen", "CPUCodeLibrary.get_llvm_str", "WebAssembly in the pages of the book"),
    ("numba.core.runtime", "rtsys.initialize", "loading the machine code of lean kernels"),
]


def sentence(what: str, dependent: str) -> str:
    return f"Numba {numba.__version__} broke {what}, on which {dependent} rests: mend engine/pagecost/_numba_private.py"


@contextlib.contextmanager
def depends(what: str, dependent: str):
    """Whatever goes wrong inside is told as a sentence."""
    try:
        yield
    except Exception as error:
        pytest.fail(f"{sentence(what, dependent)} ({type(error).__name__}: {error})")


@pytest.fixture
def private():
    with depends("one of its imports", "every kernel"):
        return importlib.import_module("pagecost._numba_private")


def double(x):
    return 2 * x


def sum_to(n):
    return n + sum_to(n - 1) if n > 0 else 0


@pytest.mark.parametrize(("module", "name", "dependent"), PARTS, ids=lambda text: text if "." in text else None)
def test_the_name_is_still_there(module, name, dependent):
    with depends(f"{module}.{name}", dependent):
        found = importlib.import_module(module)
        for attribute in name.split("."):
            found = getattr(found, attribute)


def test_a_broken_part_is_told_by_a_sentence():
    with (
        pytest.raises(pytest.fail.Exception, match=r"Numba .* broke gone\.name, on which a test rests: mend"),
        depends("gone.name", "a test"),
    ):
        raise AttributeError


@pytest.fixture
def cache(private):
    """A cache that holds the machine code of one kernel, as bytes."""

    class Kept(private.KeptKernels):
        cache_path, asked, data = "", 0, None

        def load_overload(self, sig, target_context):
            self.asked += 1
            if self.data is not None:
                key, signature, reduced = private.unpack(self.data)
                assert (key, signature) == ("key", private.argument_types(sig))
                return private.rebuild(target_context, reduced)
            return None

        def save_overload(self, sig, data):
            assert private.compiled_for(private.code_generator(data))
            self.data = private.pack("key", private.argument_types(sig), data)

        enable = disable = flush = lambda self: None

    return Kept()


@pytest.fixture
def loaded(cache, private):
    """A kernel whose machine code came out of the cache, which another had put there."""
    for _ in range(2):
        with depends("Dispatcher._cache, CompileResult._reduce or ._rebuild", "the kernel cache"):
            kernel = numba.njit(double)
            private.keep_in(kernel, cache)
            assert kernel(21) == 42
    return kernel


def test_a_dispatcher_asks_the_cache_it_was_given_and_machine_code_survives_bytes(cache, loaded):
    assert cache.asked == 2
    assert not loaded.stats.cache_misses
    assert sum(loaded.stats.cache_hits.values()) == 1


def test_a_kernel_that_was_loaded_holds_no_intermediate_code_and_can_still_be_compiled_into_another(loaded):
    """Of all kernels together it takes some tens of megabytes."""
    with depends("CPUCodeLibrary._shared_module or ._get_module_for_linking", "the memory of the app"):
        [compiled] = loaded.overloads.values()
        assert compiled.library._shared_module is None
        outer = numba.njit(lambda x: loaded(x) + 1)
        assert outer(20) == 41
        assert not loaded.stats.cache_misses


def test_machine_code_that_holds_an_address_of_this_process_is_not_kept(private):
    large = np.arange(1_000_000)  # 8 MB: Numba leaves such an array where it is
    compiled = numba.njit(lambda i: large[i])
    assert compiled(7) == 7
    result = compiled.overloads[compiled.signatures[0]]
    with (
        depends("CompileLibrary.has_dynamic_globals", "not keeping machine code with addresses"),
        pytest.warns(UserWarning, match="holds addresses: it is not kept"),
    ):
        assert private.pack("key", compiled.signatures[0], result) is None


def test_a_lean_function_cannot_allocate(private):
    with depends("the option _nrt", "lean_kernel and lean_part"):
        assert private.lean()(double)(21) == 42
        with pytest.raises(numba.core.errors.NumbaError):
            private.lean()(lambda: np.zeros(3))()


def libraries_of(called) -> str:
    """LLVM's intermediate code of what is compiled into a caller."""
    (result,) = called.overloads.values()
    return "".join(library.get_llvm_str() for library in result.library._linking_libraries)


def test_what_is_compiled_into_others_has_no_way_in_and_can_still_be_called(private):
    with depends("get_call_template, get_overload or the options for wrappers", "how long every kernel compiles"):
        doubled, plain = private.part()(double), numba.njit(double)
        with_part, with_plain = (numba.njit(lambda x, of=of: of(x) + 1) for of in (doubled, plain))
        assert [each(20) for each in (with_part, with_plain, doubled)] == [41, 41, 40]
        assert "cpython" in libraries_of(with_plain)
        assert "double" in libraries_of(with_part)
        assert "cpython" not in libraries_of(with_part)
        assert "cfunc" not in libraries_of(with_part)


def test_a_part_may_call_itself(private, monkeypatch):
    with depends("Dispatcher._compiling_counter", "parts that call themselves"):
        monkeypatch.setitem(globals(), "sum_to", private.part()(sum_to))  # it finds itself by its name
        assert numba.njit(lambda n: sum_to(n))(4) == 10


@pytest.mark.parametrize(("general", "times"), [(False, 2), (True, 1)])
def test_a_general_part_is_compiled_once_for_all_constants(private, general, times):
    with depends("Literal types of constants", "how long kernels with many constants compile"):
        doubled = private.part(general=general)(double)
        with heard_compiles(private) as heard:
            assert numba.njit(lambda: doubled(1) + doubled(2))() == 6
    assert heard.count(double) == times


def test_the_options_of_a_dispatcher_can_be_read(private):
    with depends("Dispatcher.targetoptions", "the stamp of a kernel"):
        options = private.options_of(private.lean(error_model="numpy", forceinline=True)(double))
        assert (options["_nrt"], options["error_model"], options["forceinline"]) == (False, "numpy", True)


def test_an_intrinsic_shows_its_definition(private):
    with depends("_Intrinsic._defn", "the stamp of a kernel that uses an intrinsic"):
        assert private.is_intrinsic(private.leading_zeros)
        assert not private.is_intrinsic(double)
        assert private.definition_of(private.leading_zeros).__code__.co_argcount > 0


def test_the_intrinsics_count_zeros_of_a_64_bit_word():
    from pagecost._jit import leading_zeros, prefetch, trailing_zeros

    @numba.njit
    def count(word, rows):
        prefetch(rows, 1)
        return leading_zeros(word), trailing_zeros(word)

    with depends("an intrinsic", "leading_zeros, trailing_zeros or prefetch"):
        assert count(np.uint64(0b1000), np.zeros(3)) == (60, 3)


@contextlib.contextmanager
def heard_compiles(private):
    """A list of the functions whose compile begins, and of "end" for each that ends."""
    heard: list = []

    class Listener(private.CompileListener):
        def on_start(self, event):
            heard.append(event.data["dispatcher"].py_func)

        def on_end(self, event):
            heard.append("end")

    listener = Listener()
    private.compile_events(listener)
    try:
        yield heard
    finally:
        numba.core.event.unregister("numba:compile", listener)


def test_compile_events_are_told(private):
    with depends("the event numba:compile", "counting and announcing compiles"):
        with heard_compiles(private) as heard:
            numba.njit(double)(1.0)
        assert heard == [double, "end"]


def test_the_processor_level_can_be_pinned(private, monkeypatch):
    with depends("config.CPU_NAME", "machine code that fits every machine of a level"):
        for name in ("CPU_NAME", "CPU_FEATURES"):
            monkeypatch.setattr(numba.config, name, getattr(numba.config, name))
        private.pin_processor("x86-64-v2")
        assert private.pinned_processor() == "x86-64-v2"
