"""What a document or a generated collection takes under each mapping, byte by byte."""

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pagecost.errors import there_is
from pagecost.remembering import remembered
from pagecost.xmlstore import canonical
from pagecost.xmlstore.documents import auction, bibliography, tpox
from pagecost.xmlstore.pages_kernels import HEADER, slot_width
from pagecost.xmlstore.store import Footprint, load, load_file

BLOCKS = 8  # of neighbouring documents, spread over a collection, that stand for all of it
SAMPLED = {"customer": 96, "order": 480, "security": 96}  # documents of a collection that are loaded
SINGLE = {"auction": auction.document, "bibliography": bibliography.document}
LOADING, COMPARING = 0.45, 0.3  # shares of the time for a file: to store it, and to read it again with another parser
SINGLE_BYTES = 2_000_000  # of a generated single document; larger ones look alike


class Measured(NamedTuple):
    """A footprint, how many times larger the whole is, and whether canonical XML came back (None: not compared)."""

    footprint: Footprint
    times: float
    lossless: bool | None


def of_file(
    path: str | Path, mappings: tuple[str, ...], *, progress: Callable[[float], None] = lambda share: None, **options
) -> dict[str, Measured]:
    """Each mapping's footprint of one XML file, and the lossless check. options: as for `load`.

    progress(share done, 0 to 1), in steps of about equal time; it may raise to stop.
    """
    size = Path(path).stat().st_size if there_is(Path(path)) else 0

    def loaded(done: int) -> None:
        progress(LOADING * done / max(size, 1))

    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        places = {mapping: Path(folder) / mapping for mapping in mappings}
        stores = load_file(path, places, sync=False, progress=loaded, **options)
        try:
            given = canonical.digest_of_file(path, options.get("whitespace", "keep"))
            progress(LOADING + COMPARING)
            answers: dict[str, bool | None] = {}  # mappings rarely differ in their text: it is compared once
            found = {}
            for mapping, store in stores.items():
                text = canonical.text_digest(store)
                if text not in answers:
                    answers[text] = canonical.gives_back(store, given)
                found[mapping] = Measured(store.footprint(), 1.0, answers[text])
                progress(LOADING + COMPARING + (1 - LOADING - COMPARING) * len(found) / len(stores))
            return found
        finally:
            for store in stores.values():
                store.close()


@remembered
def of_collection(
    kind: str, plain_bytes: float, mappings: tuple[str, ...], page_bytes: int, fill: float, whitespace: str, seed: int
) -> dict[str, Measured]:
    """Each mapping's footprint of one kind of document in a database of `plain_bytes` (all kinds of TPoX together).

    Of a collection, some blocks of neighbouring documents are loaded, with the labels they have in all of it.
    """
    options = {"page_bytes": page_bytes, "fill": fill, "whitespace": whitespace}
    if kind in SINGLE:
        text = b"".join(SINGLE[kind](min(plain_bytes, SINGLE_BYTES), seed))
        found = _loaded({0: text}, mappings, options)
        times = max(1.0, plain_bytes / SINGLE_BYTES)
    else:
        texts = _sampled(kind, plain_bytes, seed)
        found = _loaded(texts, mappings, options)
        times = tpox.counts(plain_bytes)[kind] / len(texts)
    return {name: Measured(footprint, times, lossless) for name, (footprint, lossless) in found.items()}


@remembered
def _sampled(kind: str, plain_bytes: float, seed: int) -> dict[int, bytes]:
    """The documents that stand for a collection, by their places in it."""
    of = tpox.counts(plain_bytes)
    numbers = sample(of[kind], SAMPLED[kind])
    return {number: tpox.document(kind, number, of["security"], of["customer"], seed) for number in numbers}


def index_height(containers: float, page_bytes: int, label_bytes: float) -> int:
    """Levels of an index above so many container pages, with separators as long as whole labels."""
    levels, pages, entries = 0, containers, fan_out(page_bytes, label_bytes)
    while pages > 1:
        levels, pages = levels + 1, math.ceil(pages / entries)
    return levels


def fan_out(page_bytes: int, label_bytes: float) -> int:
    """Entries of a full page of an index whose separators take so many bytes."""
    return int((page_bytes - HEADER) // (1 + label_bytes + 4 + slot_width(page_bytes)))  # length, label, page, slot


def sample(documents: int, wanted: int) -> list[int]:
    """About `wanted` of the places 0 .. documents - 1, in blocks of neighbours, the last ones among them."""
    block = min(wanted // BLOCKS, -(-documents // BLOCKS))
    starts = np.linspace(0, max(documents - block, 0), BLOCKS).astype(int)
    return sorted({int(place) for start in starts for place in range(start, min(start + block, documents))})


def _loaded(texts: dict[int, bytes], mappings: tuple[str, ...], options: dict) -> dict[str, tuple[Footprint, bool]]:
    """Documents by their places in a collection: each mapping's footprint, and whether three of them come back."""
    compared = list(texts)[:: max(1, len(texts) // 2)]
    given = {number: canonical.digest([texts[number]], options["whitespace"]) for number in compared}
    documents = ((f"document {number}", [text]) for number, text in texts.items())
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        places = {mapping: Path(folder) / mapping for mapping in mappings}
        stores = load(documents, places, numbers=texts, sync=False, **options)
        try:
            return {
                mapping: (
                    store.footprint(),
                    all(canonical.digest([store.document(number)]) == given[number] for number in compared),
                )
                for mapping, store in stores.items()
            }
        finally:
            for store in stores.values():
                store.close()
