"""The store: canonical XML comes back from every mapping, every byte has a cause, bad input is a sentence."""

import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost.xmlstore import MAPPINGS, Store, canonical, footprints, labels, load, load_file, loading
from pagecost.xmlstore.documents import auction, bibliography, tpox
from pagecost.xmlstore.loading import links, unpacked
from twins.xml_trees import canonical_form, documents, random_document

BIB = b"""<bib><publication><book year="1994"><title>TCP/IP</title><author/></book></publication></bib>"""


def stored(folder, *texts: bytes, mappings=tuple(MAPPINGS), **options) -> dict[str, Store]:
    named = [(f"document {number}", [text]) for number, text in enumerate(texts)]
    return load(named, {name: folder / name for name in mappings}, sync=False, **options)


def lossless(store: Store, path) -> bool | None:
    return canonical.gives_back(store, canonical.digest_of_file(path, store.catalogue.whitespace))


def records(store: Store) -> list[tuple[str, str, bytes]]:
    """(label, name or path class, value as stored) of every record, read from the pages alone."""
    found = []
    for key, kind, body in store.records():
        tag = int.from_bytes(body[:2], "little") if store.mapping.tag_bytes[kind] else None
        value = body[2 if tag is not None else 0 :][1:]
        name = "" if tag is None else store.path_class(tag) if store.mapping.leaves else store.catalogue.names[tag]
        found.append((labels.show(labels.decode(key)), name, value))
    return found


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(text=documents(), page_bytes=st.sampled_from([1024, 4096, 8192]))
def test_a_random_document_comes_back_from_every_mapping(tmp_path_factory, text, page_bytes):
    folder = tmp_path_factory.mktemp("stores")
    for store in stored(folder, text, page_bytes=page_bytes).values():
        with store:
            assert canonical_form(store.document(0)) == canonical_form(text)


@pytest.mark.long
def test_ten_thousand_random_trees_come_back_from_every_mapping(tmp_path):
    """Another seed every time but in CI; the message names it. One collection holds them all, so pages are many."""
    seed = 1 if os.environ.get("CI") else random.randrange(10**9)
    draw = random.Random(seed)
    texts = [random_document(draw) for _ in range(10_000)]
    stores = stored(tmp_path, *texts, page_bytes=draw.choice((1024, 4096)))
    for number, text in enumerate(texts):
        given = canonical_form(text)
        for found in {store.document(number) for store in stores.values()}:  # mostly one text: compared once
            assert canonical_form(found) == given, f"seed {seed}, document {number}"
    for store in stores.values():
        store.close()


@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize(
    "pieces",
    [
        tpox.document("customer", 7, 100, 100),
        tpox.document("order", 7, 100, 100),
        tpox.document("security", 7, 100, 100),
        b"".join(auction.document(2e5)),
        b"".join(bibliography.document(2e5)),
        b"<a>" + b"long " * 100_000 + b"<b x='" + b"y" * 9000 + b"'/></a>",
        b"<a>" + b"<b>" * 300 + b"deep" + b"</b>" * 300 + b"</a>",
        b"<!DOCTYPE a [<!ATTLIST a x CDATA 'default'><!ENTITY e 'an &#38;#38; entity'>]><a>&e;</a>",
        '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1"),
        "<a>é€</a>".encode("utf-16"),
        b"<a xml:space='preserve'>\r\n tab\t<b\n/>&#13;</a>",
    ],
    ids=lambda text: text[:30].decode("latin-1"),
)
def test_a_document_comes_back(tmp_path, mapping, pieces):
    with stored(tmp_path, pieces, mappings=(mapping,))[mapping] as store:
        assert canonical_form(store.document(0)) == canonical_form(pieces)


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_documents_of_a_collection_and_subtrees_come_back_alone(tmp_path, mapping):
    texts = [b"<!--before-->" + tpox.document("order", n, 9, 9).split(b"?>\n")[1] + b"<?after x?>" for n in range(60)]
    with stored(tmp_path, *texts, mappings=(mapping,))[mapping] as store:
        for number in (0, 31, 59):
            assert canonical_form(store.document(number)) == canonical_form(texts[number])
        order = store.subtree((3 + 2 * 31, 5))  # its first child is a line break
    begin, end = texts[31].index(b"<Order"), texts[31].index(b"</Order>") + len(b"</Order>")
    spaces = b' xmlns="http://www.fixprotocol.org/FIXML-4-4"'
    again = texts[31][begin : begin + 6] + spaces + texts[31][begin + 6 : end]
    assert canonical_form(order.replace(b"<Order", b"<Order" + spaces, 1)) == canonical_form(again)


def test_the_examples_of_the_paper_are_stored_as_it_says(tmp_path):
    """schmidt2009 section 5.1: an attribute below division 1 of its element, a value with its label and path class."""
    text = b'<bib><publication><book year="1994"><author/><n/><title>TCP/IP</title></book></publication></bib>'
    stores = stored(tmp_path, text)
    full, leaves = records(stores["fs"]), records(stores["el"])
    # 1.3 is the first document's root here, the paper's 1: its 1.3.3.1.3 and 1.3.3.7.3 lie one division deeper
    assert ("1.3.3.3.1.3", "/bib/publication/book/@year", b"1994") in leaves
    assert ("1.3.3.3.7.3", "/bib/publication/book/title/text()", b"TCP/IP") in leaves
    assert [label for label, _, _ in leaves] == ["1.3.3.3.1.3", "1.3.3.3.3", "1.3.3.3.5", "1.3.3.3.7.3"]
    assert ("1.3.3.3.7.3", "", b"TCP/IP") in full
    assert ("1.3.3.3", "book", b"") in full
    assert len(full) == 8
    for store in stores.values():
        store.close()


@pytest.mark.parametrize("page_bytes", [1024, 4096, 65536])
def test_every_byte_of_the_file_has_a_cause(tmp_path, page_bytes):
    text = b"".join(auction.document(3e5))
    for mapping, store in stored(tmp_path, text, page_bytes=page_bytes).items():
        with store:
            found = store.footprint()
        causes = (found.label_bytes, found.tag_bytes, found.value_bytes, found.slot_bytes, found.slack_bytes)
        assert sum(causes) == found.bytes == found.pages * page_bytes
        whole = found.bytes + found.index_bytes + found.element_index_bytes + found.catalogue_bytes
        assert whole == found.file_bytes == (tmp_path / mapping).stat().st_size
        assert min(causes) > 0


def test_bytes_by_cause_are_what_the_document_holds(tmp_path):
    """By hand: 7 nodes, of which 1 attribute and 1 text have values of 4 and 6 bytes."""
    for mapping, store in stored(tmp_path, BIB).items():
        with store:
            found = store.footprint()
        nodes = 3 if mapping == "el" else 7
        tags = nodes if mapping == "el" else nodes - 1
        assert found.records == nodes
        assert found.tag_bytes == 2 * tags
        assert found.value_bytes == 10 + 2
        assert found.slot_bytes == 24 + 2 * nodes
        whole = {"1.3", "1.3.3", "1.3.3.3", "1.3.3.3.1.3", "1.3.3.3.3", "1.3.3.3.3.3", "1.3.3.3.5"}
        if mapping == "el":
            whole = {"1.3.3.3.1.3", "1.3.3.3.3.3", "1.3.3.3.5"}
        assert found.full_label_bytes == sum(len(labels.encode(labels.parse(label))) for label in whole)
        assert found.label_bytes - found.label_length_bytes <= found.full_label_bytes


@pytest.mark.parametrize("kind", tpox.KINDS)
def test_full_storage_is_larger_than_compressed_and_elementless_is_smallest(kind):
    found = footprints.of_collection(kind, 1e8, tuple(MAPPINGS), 4096, 1.0, "drop", 1)
    sizes = {mapping: measured.footprint.bytes for mapping, measured in found.items()}
    assert sizes["fs"] > sizes["pc"] >= sizes["el"]


def test_prefix_compression_saves_what_it_takes_from_the_labels():
    """fs - pc = (1 - r) x label bytes, all else equal: to 1 point of the text (slots at page ends differ)."""
    found = footprints.of_collection("customer", 1e9, tuple(MAPPINGS), 4096, 1.0, "drop", 1)
    full, compressed = found["fs"].footprint, found["pc"].footprint
    saved = full.full_label_bytes - (compressed.label_bytes - compressed.label_length_bytes)
    assert (full.bytes - compressed.bytes) / full.plain_bytes == pytest.approx(saved / full.plain_bytes, abs=0.01)


def test_a_sample_of_a_collection_stands_for_all_of_it(tmp_path):
    """The whole 3 MB collection is loaded; the sample's share of the text is within a point."""
    whole = load(tpox.collection("customer", 3e6), {"pc": tmp_path / "pc"}, whitespace="drop", sync=False)["pc"]
    with whole:
        found = whole.footprint()
    sampled = footprints.of_collection("customer", 3e6, ("pc",), 4096, 1.0, "drop", 1)["pc"].footprint
    assert sampled.bytes / sampled.plain_bytes == pytest.approx(found.bytes / found.plain_bytes, abs=0.01)


def test_orders_name_accounts_and_securities_that_exist():
    of = tpox.counts(1e6)
    customers = [tpox.document("customer", n, of["security"], of["customer"]) for n in range(of["customer"])]
    securities = [tpox.document("security", n, of["security"], of["customer"]) for n in range(of["security"])]
    known = {line for text in customers for line in text.split(b'<Account id="')[1:]}
    accounts = {line.split(b'"')[0] for line in known}
    symbols = {text.split(b"<Symbol>")[1].split(b"<")[0] for text in securities}
    for number in range(of["order"]):
        order = tpox.document("order", number, of["security"], of["customer"])
        assert order.split(b' Acct="')[1].split(b'"')[0] in accounts
        assert order.split(b' Sym="')[1].split(b'"')[0] in symbols
    positions = {part.split(b"<")[0] for text in customers for part in text.split(b"<Symbol>")[1:]}
    assert positions <= symbols


def test_shapes_of_generated_documents_are_near_the_samples():
    """docs/models/xml.md#documents: attributes of an order, bytes a document."""
    texts = [tpox.document("order", number, 20_833, 53_286) for number in range(200)]
    assert sum(map(len, texts)) / 200 == pytest.approx(1512, rel=0.1)
    assert sum(text.count(b'="') for text in texts) / 200 == pytest.approx(75, abs=5)
    texts = [tpox.document("customer", number, 20_833, 53_286) for number in range(300)]
    assert sum(map(len, texts)) / 300 == pytest.approx(9272, rel=0.1)


def test_equal_seeds_give_equal_documents_and_others_differ():
    assert tpox.document("order", 5, 9, 9, seed=1) == tpox.document("order", 5, 9, 9, seed=1)
    assert tpox.document("order", 5, 9, 9, seed=1) != tpox.document("order", 5, 9, 9, seed=2)


@pytest.mark.parametrize("whitespace", ["keep", "drop"])
def test_blanks_between_tags_are_kept_or_dropped_as_asked(tmp_path, whitespace):
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a>\n <b> x </b> <c>\n</c>\n</a>")
    with load_file(path, {"el": tmp_path / "el"}, whitespace=whitespace)["el"] as store:
        assert lossless(store, path)
        kept = b"<a>\n <b> x </b> <c>\n</c>\n</a>" if whitespace == "keep" else b"<a><b> x </b> <c>\n</c></a>"
        assert store.document(0) == kept


def test_the_lossless_check_sees_a_difference(tmp_path):
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a><b>1</b></a>")
    with load_file(path, {"pc": tmp_path / "pc"})["pc"] as store:
        path.write_bytes(b"<a><b>2</b></a>")
        assert lossless(store, path) is False


@pytest.mark.long
@pytest.mark.parametrize("before", [b"<a>", b"<a x='", b"<a><!--", b"<a><b/>x<![CDATA["])
def test_a_value_of_100_mb_is_refused_and_what_is_held_stays_bounded(tmp_path, before):
    """A text is refused as soon as it is too long; a tag or comment, which expat holds whole, at twice that."""
    read = 0

    def pieces():
        nonlocal read
        yield before
        for _ in range(100):
            read += 1
            yield b"x" * 1_000_000

    with pytest.raises(
        ModelError, match=r"one (value has more than 16 777 215|tag or comment has more than 33554432) b"
    ):
        load([("large", pieces())], {"pc": tmp_path / "pc"}, sync=False)
    assert read <= 36
    assert not list(tmp_path.iterdir())


def bomb() -> bytes:
    levels = b"".join(b"<!ENTITY %c '%s'>" % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(10))
    return b"<!DOCTYPE l [<!ENTITY a 'lol'>" + levels + b"]><l>&k;</l>"


def flood() -> bytes:
    """Expat lets it pass: 50 times as large."""
    return b"<!DOCTYPE l [<!ENTITY a '" + b"x" * 500 + b"'>]><l>" + b"<b>&a;</b>" * 150_000 + b"</l>"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "an empty file is not XML"),
        (b"hello", "not well-formed XML: syntax error at line 1, column 1"),
        (b"\x00\x01\xff", "not well-formed XML"),
        (b"<a>\n<b></a>", "mismatched tag at line 2, column 6"),
        (b"<a>", "no element found at line 1"),
        (b"<a>&x;</a>", "undefined entity"),
        (b"<p:a/>", "unbound prefix"),
        (b"<!DOCTYPE a SYSTEM 'x.dtd'><a>&x;</a>", "entity 'x' is declared outside the file, in 'x.dtd'; nothing"),
        (b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///x'>]><a>&x;</a>", "outside the file, in 'file:///x'; nothing is"),
        (bomb(), "would expand to more than a hundred times its size"),
        (flood(), "entities and defaults make it more than four times as large"),
        (b"<a>" * 10_000 + b"</a>" * 10_000, "nested so deep that a label needs more than 220 bytes"),
        (b"<a>" + b"x" * (1 << 24) + b"</a>", "one value has more than 16 777 215 bytes"),
        (b"<" + b"n" * 1025 + b"/>", "one name has more than 1024 bytes"),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", "encoding is not understood .unknown encoding: klingon"),
        (
            b"<?xml version='1.0' encoding='big5'?><a/>",
            r"encoding is not understood \(multi-byte .*convert it to UTF-8",
        ),
        (b"<a>\xff</a>", "invalid token"),
        (b"<a x='1' x='2'/>", "duplicate attribute"),
        (b"<a/><b/>", "junk after document element at line 1, column 5"),
    ],
    ids=lambda value: value[:20].decode("latin-1") if isinstance(value, bytes) else "",
)
def test_bad_input_is_one_sentence_and_leaves_no_file(tmp_path, text, sentence):
    with pytest.raises(ModelError, match=sentence) as error:
        stored(tmp_path, text)
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"page_bytes": 1000}, "page_bytes must be one of"),
        ({"fill": 0}, "fill must be 0.1..1; got 0"),
        ({"whitespace": "squeeze"}, "unknown treatment of whitespace 'squeeze'; known: keep, drop"),
        ({"mappings": ("xy",)}, "unknown mapping 'xy'; known: fs, pc, el"),
    ],
)
def test_bad_options_are_refused(tmp_path, options, sentence):
    with pytest.raises(ModelError, match=sentence):
        stored(tmp_path, BIB, **options)


def test_a_store_is_found_again_and_other_files_are_not_stores(tmp_path):
    stored(tmp_path, BIB, mappings=("el",))["el"].close()
    with Store.open(tmp_path / "el") as store:
        assert (
            store.document(0)
            == b'<bib><publication><book year="1994"><title>TCP/IP</title><author/></book></publication></bib>'
        )
        with pytest.raises(ModelError, match=r"document must be 0\.\.0; got 1"):
            store.document(1)
    (tmp_path / "text").write_bytes(b"no store" * 1000)
    for name, sentence in (("text", "not a store of pagecost"), ("nothing", "there is no such file")):
        with pytest.raises(ModelError, match=sentence):
            Store.open(tmp_path / name)


def test_a_byte_changed_anywhere_is_noticed(tmp_path):
    """Containers, both indexes, catalogue and first page: at every third byte."""
    stored(tmp_path, BIB, mappings=("pc",), page_bytes=1024, value_index=True)["pc"].close()
    good = (tmp_path / "pc").read_bytes()
    for at in [*range(64), *range(64, len(good), 3)]:
        broken = bytearray(good)
        broken[at] ^= 0x41
        (tmp_path / "pc").write_bytes(broken)
        with pytest.raises(ModelError, match="damaged"), Store.open(tmp_path / "pc") as store:
            store.footprint()
    for size in (0, 10, 5000, len(good) - 1):
        (tmp_path / "pc").write_bytes(good[:size])
        with pytest.raises(ModelError, match="damaged"), Store.open(tmp_path / "pc") as store:
            store.footprint()


def test_the_lossless_check_reads_nothing_from_outside_the_file(tmp_path):
    """A DTD beside the file would add an attribute; neither parser looks at it."""
    (tmp_path / "a.dtd").write_text("<!ATTLIST a x CDATA 'from outside'>")
    path = tmp_path / "a.xml"
    path.write_bytes(f"<!DOCTYPE a SYSTEM '{(tmp_path / 'a.dtd').as_uri()}'><a><b/></a>".encode())
    with load_file(path, {"fs": tmp_path / "fs"})["fs"] as store:
        assert store.document(0) == b"<a><b/></a>"
        assert lossless(store, path)


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_the_index_leads_to_every_page_of_a_load_that_hands_pages_out_many_times(mapping, tmp_path):
    """Pages leave the memory in lots; the page still open then keeps the key that parts it from the one before.

    One value is longer than a lot, which makes room for a larger one.
    """
    pieces = [b"<list>", *(b"<entry><name>%d</name></entry>" % number for number in range(40_000))]
    pieces[20_000] = b"<entry>" + b"long " * 40_000 + b"</entry>"
    with load([("list", [*pieces, b"</list>"])], {mapping: tmp_path / "store"}, page_bytes=1024)[mapping] as store:
        number, visited = store.catalogue.first_container, 0
        while number:
            page = store.file.read(number)
            records = unpacked(page)
            assert store.leaf("document", records[0][0]) == store.leaf("document", records[-1][0]) == number
            number, visited = links(page)[1], visited + 1
        assert visited > loading.ROOM
