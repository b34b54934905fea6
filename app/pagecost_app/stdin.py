"""Standard input as a file, for commands that read a trace: `-` stands for it."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STANDARD_INPUT = "-"


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
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        yield str(copy)
