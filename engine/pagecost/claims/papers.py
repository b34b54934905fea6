"""The papers: what each is made of (places, items, tables cell by cell), and which words stand in it.

`datasets/papers/NAME.toml` describes a paper in our words. `NAME.words` is the index of its text: one sorted number for
each three words that follow each other, so that a quotation can be checked where the text itself is not at hand. The
text cannot be read back from it.
"""

import functools
import hashlib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pagecost import catalogue
from pagecost.errors import known

CONTRADICTIONS = "contradictions.toml"
RUN = 3  # words that are looked up together


def _folder() -> Path:
    return catalogue.root() / "papers"


def _described() -> dict[str, Mapping]:
    found = {
        path.stem: tomllib.loads(path.read_text("utf8"))
        for path in _folder().glob("*.toml")
        if path.name != CONTRADICTIONS
    }
    return dict(sorted(found.items(), key=lambda item: (item[1]["order"], item[0])))


PAPERS: Mapping[str, Mapping] = _described()
"""The papers by id, in the order in which they are told, each as its file describes it."""


def index(text: str) -> np.ndarray:
    """The numbers of all runs of three words of a text, rising, each once, shape (k,) of uint32."""
    words = re.findall(r"[^\W_]+", text.casefold())
    runs = {" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}
    numbers = [int.from_bytes(hashlib.blake2b(run.encode(), digest_size=4).digest(), "little") for run in runs]
    return np.unique(np.array(numbers, np.uint32))


def stands_in(paper: str, words: str) -> bool:
    """Whether a quotation of three words or more stands in a paper. Raises ModelError for an unknown paper."""
    asked = index(words)
    return asked.size > 0 and bool(np.isin(asked, _words(known("paper", paper, PAPERS))).all())


@functools.cache
def _words(paper: str) -> np.ndarray:
    return np.frombuffer((_folder() / f"{paper}.words").read_bytes(), np.uint32)


def write_index(paper: str, text: Path) -> None:
    """Make the index of a paper from its text, which stays outside the project."""
    (_folder() / f"{paper}.words").write_bytes(index(text.read_text("utf8")).tobytes())


@functools.cache
def contradictions() -> tuple[Mapping, ...]:
    """Where papers contradict themselves or each other: id, papers, where, what, and lines or a status."""
    return tuple(tomllib.loads((_folder() / CONTRADICTIONS).read_text("utf8"))["contradiction"])
