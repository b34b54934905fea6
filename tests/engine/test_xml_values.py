"""Values by index: every way to a node finds the same ones, updates keep the index, and a warm store is quick."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost.requests import READ
from pagecost.xmlstore import MAPPINGS, Store, indexes, labels, load, lookups, nodes, queries, updates
from pagecost.xmlstore.documents import tpox
from pagecost.xmlstore.loading import links, unpacked

EACH = pytest.mark.parametrize("mapping", MAPPINGS)
LONG = "x" * (indexes.VALUE_BYTES + 5)
TEXT = f"""<shop><item id="1" n="{LONG}">red</item><item id="2" n="{LONG}y">red</item><item id="3" n="">blue</item>
<item id="1"><name>red</name></item><item>é<!--cut-->€</item><note>{"long " * 3000}</note></shop>""".encode()


def stored(folder, mapping, *texts: bytes, **options) -> Store:
    named = [(f"document {number}", [text]) for number, text in enumerate(texts)]
    return load(named, {mapping: folder / mapping}, sync=False, value_index=True, **options)[mapping]


def entries(store) -> list[bytes]:
    """The keys of the value index, leaf by leaf."""
    number, found = store.leaf(indexes.VALUES, b""), []
    while number:
        page = store.file.read(number)
        found += [key for key, _, _ in unpacked(page)]
        number = links(page)[1]
    return found


def due(store) -> list[bytes]:
    """The entries that the documents ask for."""
    kinds = store.catalogue.path_kind
    return sorted(
        indexes.value_head(node.path, node.value)[0] + labels.encode(node.label)
        for node in nodes.inside(store, (), -1)
        if node.value is not None and indexes.is_indexed(kinds[node.path], node.value)
    )


@EACH
@pytest.mark.parametrize("page_bytes", [1024, 4096])
def test_each_attribute_and_text_has_an_entry_in_the_order_of_values(tmp_path, mapping, page_bytes):
    texts = [tpox.document(kind, number, 30, 30) for kind in tpox.KINDS for number in range(10)]
    with stored(tmp_path, mapping, TEXT, *texts, page_bytes=page_bytes) as store:
        assert entries(store) == due(store)
        assert store.catalogue.heights[indexes.VALUES] >= 1
        found = store.footprint()
        whole = found.bytes + found.index_bytes + found.element_index_bytes + found.catalogue_bytes
        assert whole + found.value_index_bytes == found.file_bytes
        assert found.value_index_bytes > found.bytes / 10


@pytest.mark.long
@EACH
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_updates_keep_the_index(tmp_path_factory, mapping, seed):
    """Inserts, deletes and changed values at random; after each the index holds what the documents ask for."""
    draw, folder = np.random.default_rng(seed), tmp_path_factory.mktemp("values")
    words = ["", "a", "ab", "é€", LONG, LONG + "y", "z" * 900, "\n "]
    with stored(folder, mapping, TEXT, page_bytes=1024) as store:
        for _ in range(12):
            valued = [node for node in nodes.inside(store, (), -1) if node.value is not None]
            node = valued[draw.integers(len(valued))]
            act, word = draw.integers(3), words[draw.integers(len(words))]
            if act == 0:
                updates.change_value(store, node.label, word)
            elif act == 1 and len(valued) > 3:
                updates.delete(store, node.label)
            else:
                many = "".join(f"<p q='{word}'>{word}{n}</p>" for n in range(draw.integers(1, 40)))
                updates.insert(store, (3,), f"<item id='{word}'>{word}<b/>{many}</item>".encode())
            assert entries(store) == due(store)
        with pytest.raises(ModelError):
            updates.insert(store, (3,), b"<item id='broken'>")
        assert entries(store) == due(store)
    with Store.open(folder / mapping) as again:
        assert entries(again) == due(again)


@EACH
def test_the_index_answers_what_a_scan_answers(tmp_path, mapping):
    """Long values of one begin, empty ones, parts between comments, and elements with more than text in them."""
    values = ("1", "2", "3", "4", "", LONG, LONG + "y", "red", "blue", "é€", "é", "long " * 3000)
    with stored(tmp_path, mapping, TEXT) as store:
        for value in values:
            for test in ("@id", "@n", ".", "name"):
                path = f'//*[{test}="{value}"]'
                assert queries.select(store, path) == queries.select(store, path, use_index=False), path


@EACH
def test_a_predicate_reads_a_few_pages_of_the_index_and_not_every_document(tmp_path, mapping):
    customers = [tpox.document("customer", number, 90, 90) for number in range(90)]
    with stored(tmp_path, mapping, *customers, whitespace="drop") as store:
        ids = [node.value for node in queries.select(store, "//Customer/@id", use_index=False)]
        with queries.recorded(store) as held:
            (found,) = queries.select(store, f'//Customer[@id="{ids[40]}"]/Name/LastName/text()')
        assert found.value
        heights = store.catalogue.heights
        indexed = sum(heights[tree] + 1 for tree in ("values", "elements", "document"))
        assert held[0].size <= indexed + 3  # each range may end on the page behind
        assert store.footprint().pages > 10 * held[0].size


@EACH
@pytest.mark.parametrize("name", tpox.READING)
def test_warm_transactions_read_and_find_what_the_path_does_one_by_one(tmp_path, mapping, name):
    kind, path = tpox.READING[name]
    texts = [tpox.document(kind, number, 80, 80) for number in range(80)]
    with stored(tmp_path, mapping, *texts, whitespace="drop", page_bytes=1024) as store:
        predicate = path.split("[")[1].split("=")[0]
        values = [
            node.value
            for node in queries.select(
                store, f"{path.split('[')[0]}/{predicate}{'' if predicate[0] == '@' else '/text()'}", use_index=False
            )
        ]
        answers = lookups.prepare(store, path).run([*values, "no such value"])
        texts = answers.texts()
        assert (answers.requests.op == READ).all()
        assert answers.first_request[-1] == answers.requests.size
        for place, value in list(enumerate(values))[::7]:
            with queries.recorded(store) as held:
                found = queries.select(store, path.replace("?", f'"{value}"'))
                if not path.endswith("text()"):
                    below = (node for each in found for node in nodes.inside(store, *each[:2]))
                    found = [node for node in below if node.value is not None]
            assert texts[answers.first_node[place] : answers.first_node[place + 1]] == [node.value for node in found]
            pages = answers.requests.page[answers.first_request[place] : answers.first_request[place + 1]]
            assert sorted(pages.tolist()) == sorted(held[0].page.tolist())
        assert answers.first_node[-1] == answers.first_node[-2]


@EACH
def test_a_lookup_sees_committed_changes_and_room_grows(tmp_path, mapping):
    with stored(tmp_path, mapping, TEXT, page_bytes=1024) as store:
        lookup = lookups.prepare(store, "//item[@id=?]/name/text()")
        assert lookup.run(["1", "2", "1"]).texts() == ["red", "red"]
        updates.insert(store, (3,), b"<item id='1'>" + b"<name>new</name>" * 5000 + b"</item>")
        answers = lookup.run(["1", "2"])
        assert answers.texts() == ["red", *["new"] * 5000]
        assert lookup.run(["1", "2"], pages_only=True).requests.size == answers.requests.size
        assert lookups.prepare(store, "//shop[note=?]/@none").run(["3"]).texts() == []
        note = lookups.prepare(store, "/shop/item[@id=?]").run(["2"]).texts()
        assert note == ["2", LONG + "y", "red"]


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("//item[@id=?]/", "1", "not understood from '/'"),
        ("//item", "1", "it needs one predicate, with its value left open"),
        ("//item[@id='1']", "1", "it needs one predicate, with its value left open"),
        ("//item[@id=?][@n=?]", "1", "it needs one predicate"),
        ("//item[@id=?]//text()", "1", r"text\(\) is asked of one element"),
        ("//*[@id=?]", "1", "such elements lie in each other; use select"),
        ("//item[.=?]", "red", "put together of several nodes; use select"),
        ("//item[@n=?]", LONG, "of more than 30 bytes the index holds the begin only; use select"),
        ("//shop[note=?]", "", "texts without content or of blanks are not in the value index"),
    ],
)
def test_what_a_lookup_cannot_answer_alone_is_said(tmp_path, path, value, sentence):
    with stored(tmp_path, "pc", TEXT) as store, pytest.raises(ModelError, match=sentence):
        lookups.prepare(store, path).run([value])


def test_without_the_index_a_lookup_is_refused_and_an_open_value_is_no_query(tmp_path):
    with load([("it", [TEXT])], {"el": tmp_path / "el"}, sync=False)["el"] as store:
        with pytest.raises(ModelError, match="there is no index of values; load it with one"):
            lookups.prepare(store, "//item[@id=?]")
        with pytest.raises(ModelError, match="a value is left open"):
            queries.select(store, "//item[@id=?]")


def test_a_character_that_xml_cannot_hold_is_refused(tmp_path):
    with stored(tmp_path, "fs", TEXT) as store:
        (node,) = queries.select(store, "//item[@id='2']/@id")
        with pytest.raises(ModelError, match="a character that XML text cannot hold"):
            updates.change_value(store, node.label, "a\x01")
        updates.change_value(store, node.label, "😀")
        assert queries.select(store, "//item[@id='😀']")
