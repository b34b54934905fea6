"""Files with bytes changed or cut off at random (seeded): read as what they say, or refused in one sentence."""

import gzip
import random

import numpy as np
import pytest

from pagecost.errors import ModelError
from pagecost.requests import READ, TRIM, WRITE, Requests
from pagecost.workload import traces
from pagecost.xmlstore import MAPPINGS, Store, load

BOOKS = "".join(f"<book year='{1900 + n}'><title>T{n} é</title><author>a{n % 7}</author></book>" for n in range(60))


def damaged(data: bytes, draw: random.Random) -> bytes:
    """One to eight bits turned over, bytes set, doubled or left out; one file in eight is cut off."""
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = draw.randrange(len(changed))
        kind = draw.randrange(4)
        if kind == 0:
            changed[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            changed[at] = draw.choice((0, 10, 13, 34, 44, 45, 57, 127, 128, 255))
        elif kind == 2:
            changed[at:at] = changed[at : at + draw.randrange(1, 9)]
        elif len(changed) > 9:
            del changed[at : at + draw.randrange(1, 9)]
    return bytes(changed[: draw.randrange(1, len(changed) + 1)] if draw.random() < 1 / 8 else changed)


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_a_damaged_store_gives_back_the_document_or_a_sentence(tmp_path, mapping):
    """The pages carry checksums, so what is read at all is what was stored."""
    text = f"<bib>{BOOKS}</bib>".encode()
    path = tmp_path / "store"
    with load([("d", [text])], {mapping: path}, page_bytes=1024, value_index=True, sync=False)[mapping] as store:
        whole = store.document(0)
    plain, draw, sentences = path.read_bytes(), random.Random(11), []
    for _ in range(150):
        path.write_bytes(damaged(plain, draw))
        try:
            with Store.open(path) as store:
                found = store.document(0)
        except ModelError as error:
            sentences.append(str(error))
            continue
        assert found == whole
    assert len(sentences) > 50
    assert not [sentence for sentence in sentences if "\n" in sentence]


def written(path, name: str) -> bytes:
    """A trace of twelve requests as pagecost writes it."""
    size = np.arange(12)
    op = np.where(size % 3, READ, WRITE).astype(np.uint8)
    pages = (1 + size % 2).astype(np.int32)
    requests = Requests(size * 0.5, op, 100 + size**2, pages, np.zeros(12, np.int16), 4096)
    traces.save([requests], path, name)
    return path.read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", [name for name, format in traces.FORMATS.items() if format.write])
def test_a_damaged_trace_is_read_as_requests_or_refused_in_a_sentence(tmp_path, name, packed):
    plain = written(tmp_path / f"a{traces.FORMATS[name].endings[0]}", name)
    path = tmp_path / (f"b{traces.FORMATS[name].endings[0]}" + (".gz" if packed else ""))
    draw, read, sentences = random.Random(len(name)), 0, []
    for _ in range(120):
        path.write_bytes(damaged(gzip.compress(plain), draw) if packed else damaged(plain, draw))
        try:
            requests = traces.read(path).requests
        except ModelError as error:
            sentences.append(str(error))
            continue
        read += 1
        assert requests.size > 0
        assert np.isfinite(requests.arrival_s).all()
        assert (np.diff(requests.arrival_s) >= 0).all()
        assert requests.op.max() <= TRIM
        assert requests.pages.min() >= 1
    assert read > 0 or packed
    assert not [sentence for sentence in sentences if not sentence or "\n" in sentence or "\0" in sentence]
