"""`pagecost xml`: one stable record per file and mapping; whatever is not XML is a sentence and exit code 2."""

import json
import sys

import pytest

from pagecost_app import cli

FIELDS = "file mapping plain_bytes bytes pages label_bytes tag_bytes value_bytes slot_bytes slack_bytes lossless"


@pytest.fixture
def run(capsys, monkeypatch):
    def ask(*arguments):
        monkeypatch.setattr(sys, "argv", ["pagecost", "xml", *map(str, arguments)])
        try:
            cli.main()
            code = 0
        except SystemExit as exit:
            code = exit.code
        return code, *capsys.readouterr()

    return ask


def test_records_have_the_stable_fields_and_add_up(run, tmp_path):
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text("<r>" + "<a x='1'>text &amp; more</a>\n" * 500 + "<!-- end --></r>")
    code, out, err = run(tmp_path / "a.xml", tmp_path / "b.xml", "--mapping", "fs,el", "--format", "json")
    assert (code, err) == (0, "")
    rows = json.loads(out)
    assert [(row["file"][-5:], row["mapping"]) for row in rows] == [
        (name, mapping) for name in ("a.xml", "b.xml") for mapping in ("fs", "el")
    ]
    for row in rows:
        assert set(FIELDS.split()) <= set(row)
        parts = ("label_bytes", "tag_bytes", "value_bytes", "slot_bytes", "slack_bytes")
        assert sum(row[part] for part in parts) == row["bytes"] == 4096 * row["pages"]
        assert row["lossless"] is True
        assert row["plain_bytes"] == (tmp_path / "a.xml").stat().st_size


def test_pages_fill_and_blanks_are_options(run, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<r>\n" + "  <a>text</a>\n" * 2000 + "</r>")

    def size(*options):
        return json.loads(run(path, "--mapping", "pc", "--format", "json", *options)[1])[0]

    assert size("--fill", "0.5")["pages"] > 1.8 * size()["pages"]
    assert size("--whitespace", "drop")["records"] == 4001
    assert size()["records"] == 6002
    assert size("--page-bytes", "16384")["bytes"] == 16384 * size("--page-bytes", "16384")["pages"]


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("<a>", (), "not well-formed XML: no element found at line 1, column 4"),
        ("", (), "an empty file is not XML"),
        ("<a/>", ("--mapping", "fs,zip"), "unknown mapping 'zip'; known: fs, pc, el"),
        ("<a/>", ("--page-bytes", "4000"), "page_bytes must be one of"),
        ("<a/>", ("--fill", "0"), "fill must be 0.1..1; got 0"),
        ("<a/>", ("--whitespace", "squeeze"), "unknown treatment of whitespace 'squeeze'; known: keep, drop"),
        ("\x89PNG\r\n", (), "not well-formed XML"),
        ("<p:a/>", (), "unbound prefix at line 1, column 1"),
        ("<?xml version='1.0' encoding='klingon'?><a/>", (), "its encoding is not understood"),
        ("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", (), "nothing is fetched"),
        ("<!DOCTYPE a [<!ENTITY b 'bb'>" + "<!ENTITY c '&b;&b;'>" + "]><a>&d;</a>", (), "undefined entity"),
        ("<a>" * 10_000 + "</a>" * 10_000, (), "nested so deep that a label needs more than 220 bytes"),
        (None, (), "there is no such file"),
    ],
)
def test_bad_input_is_a_sentence(run, tmp_path, text, options, sentence):
    path = tmp_path / "a.xml"
    if text is not None:
        path.write_text(text)
    code, out, err = run(path, *options)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
