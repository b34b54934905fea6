"""What XML 1.0 says of characters, names and entities, where parsers differ; the source is the standard itself."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost.xmlstore import MAPPINGS, canonical, load, load_file
from pagecost.xmlstore.parse_kernels import LONGEST_LABEL
from pagecost.xmlstore.parsing import PIECE_BYTES, SHALLOW


def texts_of(folder, text: str | bytes, pieces=None) -> set[bytes]:
    """What the stores of all mappings give back."""
    data = text.encode() if isinstance(text, str) else text
    stores = load([("d", pieces or [data])], {name: folder / name for name in MAPPINGS}, sync=False)
    found = set()
    for store in stores.values():
        with store:
            found.add(store.document(0))
    return found


@pytest.mark.parametrize(
    ("declared", "kept"),
    [
        ("&#13;x", b"&#xD;x"),  # 4.5: expanded when the entity is declared; 2.11 is for files as they are read
        ("&#38;#13;x", b"&#xD;x"),  # a reference in the entity's text, expanded where it is used
        ("\rx", b"\nx"),  # 2.11: the file's own line end
        ("&#13;&#10;x", b"&#xD;\nx"),
    ],
)
def test_a_carriage_return_that_an_entity_asks_for_is_one_and_a_line_end_of_the_file_is_not(tmp_path, declared, kept):
    """XML 1.0 (5th ed.), 2.11: line ends are normalised in parsed entities *on input*, before references are seen.

    libxml2 normalises the text of an internal entity as well and gives a line feed for the first case.
    """
    document = f"<!DOCTYPE a [<!ENTITY e '{declared}'>]><a>&e;</a>"
    (found,) = texts_of(tmp_path, document)
    assert found.replace(b"&#13;", b"&#xD;") == b"<a>" + kept + b"</a>"


def test_in_an_attribute_it_is_a_blank_as_the_standards_own_table_has_it(tmp_path):
    """3.3.3: `<!ENTITY d "&#xD;"> <!ENTITY a "&#xA;"> <!ENTITY da "&#xD;&#xA;">` and two of its rows."""
    head = '<!DOCTYPE x [<!ENTITY d "&#xD;"><!ENTITY a "&#xA;"><!ENTITY da "&#xD;&#xA;">]>'
    (found,) = texts_of(tmp_path, head + '<x v="&d;&d;A&a;&#x20;&a;B&da;" w="\n\nxyz"/>')
    assert b'v="  A   B  "' in found
    assert b'w="  xyz"' in found


def test_whether_such_a_document_came_back_is_not_told_by_a_parser_that_changes_it(tmp_path):
    path = tmp_path / "d.xml"
    path.write_text("<!DOCTYPE a [<!ENTITY e '&#13;x'>]><a>&e;</a>")
    with load_file(path, {"el": tmp_path / "el"})["el"] as store:
        assert canonical.gives_back(store, canonical.digest_of_file(path)) is None
    path.write_text("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;&#13;</a>")
    with load_file(path, {"el": tmp_path / "el"})["el"] as store:
        assert canonical.gives_back(store, canonical.digest_of_file(path)) is True


NAME = st.text("ab\u9fa5\U00010000\U0002a6d6\U000effff", min_size=1, max_size=4)
VALUE = st.text("x01F600A\u9fa5\U0001f600\U0010ffff é", max_size=12)


@settings(max_examples=60, deadline=None)
@given(name=NAME, other=NAME, value=VALUE, text=VALUE, cut=st.integers(1, 40))
def test_names_and_texts_beyond_the_basic_plane_come_back(tmp_path_factory, name, other, value, text, cut):
    """XML 1.0 (5th ed.), 2.3: NameStartChar has U+10000 to U+EFFFF. In pieces that cut characters in two."""
    folder = tmp_path_factory.mktemp("stores")
    data = f"<{name} {other}='{value}'>{text}<?{other}p {value}?><!--{text}--></{name}>".encode()
    pieces = [data[at : at + cut] for at in range(0, len(data), cut)]
    (found,) = texts_of(folder, data, pieces)
    path = folder / "d.xml"
    path.write_bytes(data)
    assert canonical.digest([found]) == canonical.digest_of_file(path)


def test_a_long_document_whose_first_such_name_comes_late_comes_back(tmp_path):
    data = ("<a>" + "<b>é ten bytes</b>" * (PIECE_BYTES // 12) + '<\U00010000 c="\U0001f600"/></a>').encode()
    assert texts_of(tmp_path, data) == {data}


@pytest.mark.parametrize("name", ["\U000f0000", "a\U0010ffff"])
def test_private_planes_are_in_no_name(tmp_path, name):
    with pytest.raises(ModelError, match=r"a name has the character U\+(F0000|10FFFF)"):
        texts_of(tmp_path, f"<{name}/>")


def test_bytes_that_are_no_character_are_refused_beside_such_names(tmp_path):
    for wrong in (b"<a>\xf0\x90\x80</a>", b"<a>\xf4\x90\x80\x80</a>", b"<a>\xf0\x80\x80\x80</a>"):
        with pytest.raises(ModelError, match="not well-formed"):
            texts_of(tmp_path, wrong.replace(b"<a>", b"<a>\xf0\x90\x80\x80"))


def test_an_entity_that_a_parameter_entity_of_the_file_declares_is_known(tmp_path):
    declared = "<!DOCTYPE a [<!ENTITY % p \"<!ENTITY e 'hello'>\"> %p; <!ENTITY f 'you'>]>"
    assert texts_of(tmp_path, declared + "<a>&e; &f;</a>") == {b"<a>hello you</a>"}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("<!DOCTYPE a [<!ENTITY % p SYSTEM 'x.ent'> %p;]><a>&e;</a>", "'e' is declared outside the file, in 'x.ent';"),
        ("<!DOCTYPE a [<!ENTITY % p '<!ENTITY f \"x\">'> %p;]><a>&e;</a>", "undefined entity"),
        ("<!DOCTYPE a SYSTEM 'x.dtd'><a>&e;</a>", "'e' is declared outside the file, in 'x.dtd'; nothing is fetched"),
    ],
)
def test_the_reason_why_an_entity_is_not_known_is_the_true_one(tmp_path, document, sentence):
    with pytest.raises(ModelError, match=sentence):
        texts_of(tmp_path, document)
    assert not list(tmp_path.iterdir())


def test_declarations_outside_the_file_are_not_missed_by_a_document_that_needs_none(tmp_path):
    document = "<!DOCTYPE a SYSTEM 'x.dtd' [<!ENTITY % p SYSTEM 'y.ent'> %p;]><a>well</a>"
    assert texts_of(tmp_path, document) == {b"<a>well</a>"}


def nested(levels: int, siblings: int) -> str:
    return ("<a>" + "<b/>" * siblings) * levels + "</a>" * levels


@pytest.mark.parametrize(("siblings", "deepest"), [(0, 342), (1000, 106)])
def test_how_deep_elements_may_be_nested_is_what_the_sentence_says(tmp_path, siblings, deepest):
    assert len(texts_of(tmp_path, nested(deepest, siblings))) == 1
    with pytest.raises(ModelError, match="they hold 342 levels of only children, or 106 behind 1000 siblings a level"):
        texts_of(tmp_path, nested(deepest + 1, siblings))


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (
            nested(343, 0),
            "in <a> at level 342 its elements are nested so deep .* Store deep parts as documents of their",
        ),
        (nested(107, 1000), "in <a> at level 107 its elements are nested so deep"),
        ("<r>" + nested(341, 0).replace("<a></a>", "<a>deep</a>") + "<a></r>", "mismatched tag"),
    ],
    ids=("only children", "siblings", "no XML"),
)
def test_a_file_that_no_store_can_hold_is_refused_before_the_store_that_it_replaces_is_touched(
    tmp_path, document, sentence
):
    (tmp_path / "good.xml").write_text(nested(20, 3))
    (tmp_path / "bad.xml").write_text("<!--" + "far down".ljust(3 * PIECE_BYTES) + "-->" + document)
    places = {"el": tmp_path / "store"}
    load_file(tmp_path / "good.xml", places, sync=False)["el"].close()
    before = places["el"].read_bytes()
    stored = []
    with pytest.raises(ModelError, match=sentence) as error:
        load_file(tmp_path / "bad.xml", places, sync=False, progress=stored.append)
    assert "\n" not in str(error.value)
    assert not any(stored)
    assert places["el"].read_bytes() == before
    assert set(tmp_path.iterdir()) == {tmp_path / "good.xml", tmp_path / "bad.xml", tmp_path / "store"}


@pytest.mark.parametrize("siblings", [0, 100, 1000, 100_000])
def test_what_is_called_shallow_without_a_second_reading_is_never_too_deep(tmp_path, siblings):
    """A division's code has at most 36 bits, whatever the siblings; a deeper document is read as for a store."""
    document = "<a>" + "<b/>" * siblings + nested(SHALLOW - 2, min(siblings, 1000)) + "<c/></a>"
    (tmp_path / "d.xml").write_text(document)
    load_file(tmp_path / "d.xml", {"fs": tmp_path / "fs"}, sync=False)["fs"].close()
    assert SHALLOW * 36 + 3 * 36 < 8 * LONGEST_LABEL


def test_documents_with_a_byte_changed_or_cut_are_read_or_refused_in_a_sentence(tmp_path):
    """Seeded; every ending is one of two. A document that is read comes back as what was read."""
    draw = random.Random(7)
    plain = (
        "<!DOCTYPE a [<!ENTITY e '&#13;x'><!ENTITY % p \"<!ENTITY f 'y'>\"> %p;]><a n='é'>t&e;<\U00010000/>"
        "<![CDATA[<]]><!--c--><?p d?>&f;</a>"
    ).encode()
    sentences = []
    for _ in range(120):
        data = bytearray(plain)
        for _ in range(draw.randrange(1, 3)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        data = bytes(data[: draw.randrange(1, len(data) + 1)]) if draw.random() < 0.2 else bytes(data)
        try:
            (found,) = texts_of(tmp_path, data)
        except ModelError as error:
            sentences.append(str(error))
            continue
        assert texts_of(tmp_path, found) == {found}
    assert 40 < len(sentences) < 120
    assert not [sentence for sentence in sentences if "\n" in sentence]
