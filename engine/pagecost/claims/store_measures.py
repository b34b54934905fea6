"""How claims on what an XML store holds are measured, in stores that are loaded for it."""

import random
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from pagecost.xmlstore import labels, load, lookups, queries
from pagecost.xmlstore.codes_kernels import PREFIX, PREFIX_BITS, VALUE_BITS
from pagecost.xmlstore.documents import tpox
from pagecost.xmlstore.labels import Label
from pagecost.xmlstore.loading import CONTAINER, unpacked
from pagecost.xmlstore.pages_kernels import KIND, get_key, get_slot


def axes_from_labels(nodes: int, levels: str = "odd divisions") -> str:
    """Whether parent and ancestors of all nodes of a tree grown at random places follow from labels: "all", "not all".

    levels: what counts as a level, "odd divisions" or "every division" (which forgets what even ones are for).
    """
    draw = random.Random(1)
    parent: dict[Label, Label | None] = {(): None}
    children: dict[Label, list[Label]] = {(): []}
    for _ in range(nodes):
        above = draw.choice(list(children))
        place = draw.randint(0, len(children[above]))
        before = children[above][place - 1] if place else None
        after = children[above][place] if place < len(children[above]) else None
        new = labels.between(above, before, after)
        children[above].insert(place, new)
        parent[new], children[new] = above, []
    told = labels.parent if levels == "odd divisions" else lambda label: label[:-1]
    return "all" if all(told(label) == parent[label] for label in parent if label) else "not all"


def prefix_free(code: str = "XTC") -> str:
    """Whether no code of a division begins with another's: "yes" or "no". code: "XTC", or it "without prefix"."""
    widths = VALUE_BITS if code == "without prefix" else PREFIX_BITS + VALUE_BITS
    starts = np.zeros_like(PREFIX) if code == "without prefix" else PREFIX << VALUE_BITS
    spans = []  # of each class of codes, as shares of all strings of bits that go on for ever
    for start, width, bits in zip(starts.tolist(), widths.tolist(), VALUE_BITS.tolist(), strict=True):
        spans.append((start / 2**width, (start + 2**bits) / 2**width))
    spans.sort()
    return "yes" if all(one[1] <= other[0] for one, other in pairwise(spans)) else "no"


def loaded_height(mapping: str, plain_bytes: float, page_bytes: int = 4096, kind: str | None = None) -> float:
    """Levels of the document index above the containers, counted in a loaded store of the whole TPoX mix, or of one
    kind of its documents alone."""
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        mixed = (document for each in tpox.KINDS for document in tpox.collection(each, plain_bytes))
        documents = tpox.alone(kind, plain_bytes) if kind else mixed
        place = {mapping: Path(folder) / mapping}
        stores = load(documents, place, page_bytes=page_bytes, whitespace="drop", element_index=False, sync=False)
        with stores[mapping] as store:
            return float(len(store.levels("document")) - 1)


def synopsis_percent(plain_bytes: float) -> float:
    """Bytes of names and path classes, as they stand in the catalogue, over all container pages [%]; elementless."""
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        documents = (document for kind in tpox.KINDS for document in tpox.collection(kind, plain_bytes))
        with load(documents, {"el": Path(folder) / "el"}, whitespace="drop", sync=False)["el"] as store:
            found = store.footprint()
            return 100 * found.catalogue_bytes / found.bytes


def labels_alone_percent(mapping: str) -> float:
    """Share of the records of a container page whose label can be read at their slot, without those before [%]."""
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        texts = [("", [tpox.document("customer", number, 50, 50)]) for number in range(10)]
        with load(texts, {mapping: Path(folder) / mapping}, whitespace="drop", sync=False)[mapping] as store:
            page = store.file.read(store.catalogue.first_container)
            whole = [key for key, _, _ in unpacked(page)]
            read = []
            for number in range(len(whole)):
                key = np.zeros(264, np.uint8)
                size, _ = get_key(page, get_slot(page, number)[0], store.mapping.compressed, key)
                read.append(key[:size].tobytes())
    return 100 * float(np.mean([one == other for one, other in zip(read, whole, strict=True)]))


def containers_of_a_query(transaction: str, mapping: str, page_bytes: int = 4096) -> float:
    """Container pages that a reading transaction touches on average, in a stored collection, through the indexes."""
    kind, path = tpox.READING[transaction]
    above, key = path.split("=?]")[0].split("[")
    with tempfile.TemporaryDirectory(prefix="pagecost-") as folder:
        documents, place = tpox.alone(kind, 2e6), {mapping: Path(folder) / mapping}
        stores = load(documents, place, page_bytes=page_bytes, whitespace="drop", sync=False, value_index=True)
        with stores[mapping] as store:
            below = key if key[0] == "@" else f"{key}/text()"
            found = queries.select(store, f"{above}/{below}")
            values = [node.value for node in found if node.value is not None]
            answers = lookups.prepare(store, path).run(values, pages_only=True)
            touched = answers.pages[answers.requests.page, KIND] == CONTAINER
            return float(touched.sum() / len(values))
