"""One page under the microscope: its pieces are all of its bytes, and say what the store says of them."""

from itertools import pairwise

import numpy as np
import pytest

from pagecost.errors import ModelError
from pagecost.studies import find
from pagecost.xmlstore import CAUSES, MAPPINGS, inspection, labels, load, pages_kernels, queries
from pagecost.xmlstore.documents import tpox

pytestmark = pytest.mark.long

LONG = b"<a><!--note--><?do it?><b x='1'>" + b"long " * 4000 + b"</b><c/></a>"
EACH = pytest.mark.parametrize("mapping", MAPPINGS)


def texts():
    return [("long", [LONG]), *(("customer", [tpox.document("customer", n, 50, 50)]) for n in range(6))]


@EACH
@pytest.mark.parametrize("page_bytes", [1024, 4096, 16384])
def test_pieces_are_all_bytes_of_a_page_once_and_add_up_to_its_account(mapping, page_bytes):
    containers = inspection.containers_of(texts(), mapping, page_bytes=page_bytes)
    for number, page in enumerate(containers.pages):
        pieces = containers.pieces(number)
        assert pieces[0].at == 0
        assert all(one.at + one.size == other.at for one, other in pairwise(pieces))
        assert pieces[-1].at + pieces[-1].size == page_bytes
        by_cause = np.zeros(10, np.int64)
        pages_kernels.account(page, containers.mapping.tag_bytes, containers.mapping.value_mode, by_cause)
        label, length, tag, value, value_length, slot, head, slack, records, full = by_cause.tolist()
        expected = (label + length, tag, value + value_length, slot + head, slack)
        sums = [sum(piece.size for piece in pieces if piece.cause == cause) for cause in CAUSES]
        assert sums == list(expected)
        stored = [piece for piece in pieces if piece.cause == "label_bytes"]
        assert len(stored) == records
        assert sum(piece.shared for piece in stored) == full - label


@EACH
def test_paths_and_labels_are_those_that_a_query_finds(mapping, tmp_path):
    """The query walks the document from its begin; the page finds ancestors by their labels."""
    documents = texts()[1:]
    containers = inspection.containers_of(documents, mapping)
    assert len(containers.pages) > 2
    with load(documents, {mapping: tmp_path / "store"})[mapping] as store:
        wanted = {
            (labels.show(node.label), store.path_class(node.path), node.value)
            for path in ("//Address/City/text()", "//Account/@id")
            for node in queries.select(store, path)
        }
    found = {
        (piece.label, piece.path, piece.value)
        for number in range(len(containers.pages))
        for piece in containers.pieces(number)
        if piece.path.endswith(("/City/text()", "/Account/@id"))
    }
    assert wanted
    assert found == wanted


@EACH
def test_a_long_value_goes_on_in_the_next_pages(mapping):
    containers = inspection.containers_of([("long", [LONG])], mapping)
    values = [p for n in range(len(containers.pages)) for p in containers.pieces(n) if p.cause == "value_bytes"]
    assert sum(len(piece.value) for piece in values if piece.value[:5] == "long " or "next" in piece.path) >= 20_000
    assert {piece.label for piece in values if "next" in piece.path} == {"1.3.7.3"}


def test_behind_the_last_page_the_last_is_shown_and_said():
    study = find("xml_page")
    result = study.compute(study.inputs({"document": "order", "page": 10_000}))
    assert result["bytes"].sum() == 4096
    assert any("There is no page 10000; the last one is shown." in note for note in result.notes)
    containers = inspection.containers_of([("example", [b"<a>1</a>"])], "el")
    with pytest.raises(ModelError, match=r"page must be 0\.\.0; got 1"):
        containers.pieces(1)


def test_a_file_that_changes_is_read_again(tmp_path):
    path, study = tmp_path / "own.xml", find("xml_page")
    for word in ("before", "afterwards"):
        path.write_text(f"<a>{word}</a>")
        result = study.compute(study.inputs({"file": str(path), "mapping": "fs"}))
        assert word in result.tables["values"]["value"]
    (tmp_path / "no.xml").write_text("<a>")
    with pytest.raises(ModelError, match="not well-formed XML"):
        study.compute(study.inputs({"file": str(tmp_path / "no.xml")}))
    with pytest.raises(ModelError, match="there is no such file"):
        study.compute(study.inputs({"file": str(tmp_path / "none.xml")}))
