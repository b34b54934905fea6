"""Standard input as a file, wherever a command reads one: `-` stands for it."""

import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import typer

from pagecost.errors import ModelError, require

STANDARD_INPUT = "-"
WORDS = "standard input"
_copies: set[str] = set()  # where it was copied to


@contextmanager
def as_file(trace: str) -> Iterator[str]:
    """The trace as it was named, or for `-` the path of a copy of standard input, which goes when the block ends.

    A copy, because the format is told by the first lines, and a version by the content.
    """
    if trace != STANDARD_INPUT:
        yield trace
        return
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        copy = Path(folder) / "standard-input"
        _copies.add(str(copy))
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        yield str(copy)


def in_words(text: str) -> str:
    """What is said of a copy of standard input, said of standard input."""
    for copy in _copies:
        text = text.replace(copy, WORDS)
    return text


def as_typed(value):
    """A value of an input as it was typed: `-` for a copy of standard input."""
    return STANDARD_INPUT if isinstance(value, str) and value in _copies else value


def given(context: typer.Context, value):
    """What an argument for a file (or several) names, with a copy of standard input, kept while the command runs, for
    `-`. Raises ModelError where it is named twice: it can be read once.
    """
    if isinstance(value, list | tuple):
        return [given(context, each) for each in value]
    if str(value) != STANDARD_INPUT:
        return value
    if "stdin" in context.meta:
        context.close()  # the copy goes: a command whose arguments are refused is never entered, nor left
        raise ModelError("standard input is named twice; it can be read once, so save it to a file")
    context.meta["stdin"] = True
    return Path(context.with_resource(as_file(STANDARD_INPUT)))


@contextmanager
def in_inputs(values: Mapping[str, str], files: Collection[str]) -> Iterator[dict[str, str]]:
    """The inputs of a study with a copy of standard input for the one of `files` that is `-`; it goes with the block.

    Raises ModelError where two are.
    """
    named = [name for name in files if values.get(name) == STANDARD_INPUT]
    require(len(named) < 2, f"{' and '.join(named)} both name standard input; it can be read once")
    if not named:
        yield dict(values)
        return
    with as_file(STANDARD_INPUT) as path:
        yield {**values, named[0]: path}
