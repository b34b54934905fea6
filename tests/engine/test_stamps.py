"""A kernel's stamp changes with whatever is compiled into it, and with nothing else."""

import importlib
import sys
import textwrap

import numpy as np
import pytest

from pagecost import _jit
from pagecost._stamps import NotUnderstood, signature_stamp, stamp

FILES = {
    "helpers_kernels": """
        '''A helper that stands in a file of its own.'''
        from typing import NamedTuple
        import numpy as np
        from pagecost._jit import part, lean_part, prefetch, template

        STEP = 3
        TABLE = np.array([10, 20, 30])
        KINDS = ("read", 2, 0.5)

        class Pair(NamedTuple):
            first: int
            second: int

        class Hooks(NamedTuple):
            grow: object
            shrink: object

        @part
        def grow(x):
            return x + STEP

        @part
        def shrink(x):
            return x - 1

        @part
        def unused(x):
            return x * 1000

        @template
        def loop(values, hooks):
            total = 0
            for i in range(values.size):
                total += hooks.grow(values[i])
            return total
    """,
    "entry_kernels": """
        '''An entry point.'''
        from pagecost._jit import kernel
        import helpers_kernels as helpers
        from helpers_kernels import Hooks, Pair, grow, loop, shrink

        HOOKS = Hooks(grow, shrink)

        @kernel
        def run(values):
            return loop(values, HOOKS)

        @kernel
        def pair(a, b):
            made = Pair(a, b)
            return made.first

        @kernel
        def table(i):
            return helpers.TABLE[i]

        @kernel
        def asks(pair):
            return pair.first - pair.second
    """,
}


@pytest.fixture
def sample(tmp_path, monkeypatch):
    """Import two kernel files with replacements in their text; gives the module of the entry points."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_jit, "kernel_cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(_jit, "_KERNELS", [])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "cache").mkdir(mode=0o700)

    def load(**replaced):
        for name, text in FILES.items():
            text = textwrap.dedent(text)
            for old, new in replaced.get(name.removesuffix("_kernels"), {}).items():
                assert old in text
                text = text.replace(old, new)
            (tmp_path / f"{name}.py").write_text(text, "utf8")
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module("entry_kernels")

    yield load
    for name in FILES:
        sys.modules.pop(name, None)


def stamps(module) -> dict[str, str]:
    return {name: stamp(getattr(module, name)) for name in ("run", "pair", "table", "asks")}


def changed(sample, **replaced) -> set[str]:
    before, after = stamps(sample()), stamps(sample(**replaced))
    return {name for name in before if before[name] != after[name]}


VALUES = np.array([1, 2])


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("helpers", "x + STEP", "x + 2 * STEP", {"run"}),  # a helper of another file
        ("helpers", "STEP = 3", "STEP = 4", {"run"}),  # a constant that only the helper uses
        ("helpers", "STEP = 3", "STEP = 3.0", {"run"}),
        ("helpers", "x - 1", "x - 2", {"run"}),  # within reach of the template by its hooks
        ("helpers", "total = 0", "total = 1", {"run"}),  # the template itself
        ("helpers", "@part\ndef grow", "@lean_part\ndef grow", {"run"}),  # the options of a helper
        ("helpers", "[10, 20, 30]", "[10, 20, 31]", {"table"}),  # a constant reached through its module
        ("helpers", "first: int\n    second: int", "second: int\n    first: int", {"pair"}),  # order of the fields
        ("entry", "Hooks(grow, shrink)", "Hooks(shrink, grow)", {"run"}),
        ("entry", "made.first", "made.second", {"pair"}),
    ],
)
def test_an_edit_changes_the_stamps_of_the_kernels_that_it_reaches_and_no_others(sample, file, old, new, expected):
    assert changed(sample, **{file: {old: new}}) == expected


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("helpers", "'''A helper", "# a comment\n\n\n'''A longer text, and a comma, about a helper"),
        ("helpers", "return x + STEP", "'''The value [ms], a step later.'''\n    return x + STEP  # why"),
        ("helpers", "return x * 1000", "return x * 1001"),  # a part that nobody uses
        ("entry", "'''An entry point.'''", "'''An entry point.'''\nREASONS = ('because', 'why')\n"),
        ("entry", "def run(values):\n", "def run(values):\n    '''What: a sum [s].'''\n"),
        ("entry", "HOOKS = ", "def describe():\n    return 1\n\nHOOKS = "),
    ],
)
def test_comments_docstrings_words_and_new_functions_change_no_stamp(sample, file, old, new):
    assert changed(sample, **{file: {old: new}}) == set()


def test_old_machine_code_never_answers_for_new_source(sample):
    assert sample().run(VALUES) == 9
    assert sample().run(VALUES) == 9
    assert sample(helpers={"x + STEP": "x + 2 * STEP"}).run(VALUES) == 15
    assert sample(helpers={"STEP = 3": "STEP = 5"}).run(VALUES) == 13
    assert sample(helpers={"total = 0": "total = 100"}).run(VALUES) == 109


def test_named_tuples_with_fields_in_another_order_are_another_signature(sample):
    """The kernel's own code names no field's place, and the types of the arguments are alike."""
    in_order, reversed_ = {}, {"helpers": {"first: int\n    second: int": "second: int\n    first: int"}}
    for replaced, expected in ((in_order, 5 - 3), (reversed_, 3 - 5)):
        entry = sample(**replaced)
        assert entry.asks(entry.Pair(5, 3)) == expected
    assert sample().asks(entry.Pair(5, 3)) == 3 - 5


def test_the_same_source_is_loaded_and_not_compiled(sample):
    assert sample().run(VALUES) == 9
    again = sample(helpers={"STEP = 3": "STEP = 3  # a comment"})
    assert again.run(VALUES) == 9
    assert sum(again.run.stats.cache_hits.values()) == 1


def test_what_is_not_understood_has_no_stamp_and_is_not_kept(sample, tmp_path):
    entry = sample(helpers={"STEP = 3": "STEP = object()", "x + STEP": "x + 3 if STEP is None else x"})
    with pytest.raises(NotUnderstood):
        stamp(entry.run)
    assert entry.pair(1, 2) == 1
    assert [path.name.split("-")[0] for path in (tmp_path / "cache").iterdir()] == ["entry_kernels.pair"]


def test_every_kernel_of_the_package_is_understood():
    importlib.import_module("pagecost.claims")  # imports every room
    assert len(_jit.kernels()) > 90
    assert len({cache.stem() for cache in _jit.kernels().values()}) == len(_jit.kernels())


def test_kinds_of_arguments_are_told_apart():
    from numba import types

    array = types.Array(types.uint32, 1, "C")
    kinds = [
        *(array, array.copy(layout="A"), array.copy(readonly=True), array.copy(dtype=types.int32), types.uint32),
        *(types.IntegerLiteral(1), types.IntegerLiteral(2), types.Omitted(1), types.UniTuple(array, 2)),
        *(types.none, types.boolean, types.unicode_type, types.Tuple((array, types.uint32))),
    ]
    assert len({signature_stamp([kind]) for kind in kinds}) == len(kinds)
    with pytest.raises(NotUnderstood):
        signature_stamp([types.List(types.uint32)])
