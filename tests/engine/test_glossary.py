"""The glossary: every term means something, has a source, and is found in texts as a whole word."""

import pytest

from pagecost import catalogue, glossary
from pagecost.errors import ModelError


def test_every_term_has_a_sentence_and_a_source_and_no_form_is_twice():
    forms = [form.lower() for each in glossary.terms().values() for form in (each.term, *each.also)]
    assert len(forms) == len(set(forms))
    for each in glossary.terms().values():
        assert each.meaning.endswith("."), each
        assert len(each.meaning) > 20, each
        assert each.source in catalogue.sources(), each


def test_a_term_is_found_by_each_of_its_forms_and_an_unknown_one_lists_them():
    assert glossary.find("Dirty Evictions").term == "dirty eviction"
    assert glossary.find("TPS").unit == "1/s"
    assert glossary.find("WAF").term == "write amplification"
    assert glossary.find("gc").term == "garbage collection"
    with pytest.raises(ModelError, match=r"the glossary has no term 'sek'; it has .*seek"):
        glossary.find("sek")


def test_a_term_is_found_by_its_initials_or_a_part_of_it_and_several_are_named():
    assert glossary.find("wa").term == "write amplification"
    assert glossary.find("raid").term == "RAID-5"
    writes = "write amplification, write buffer, write cost, write-ahead logging, write-back"
    with pytest.raises(ModelError, match=f"no term 'write'; it has {writes}$"):
        glossary.find("write")


def test_a_text_falls_into_terms_and_the_rest():
    text = "Write amplification of the page map, by victim policy; no bufferbloat, no shingled-looking disk"
    pieces = glossary.in_text(text)
    assert "".join(piece for piece, _ in pieces) == text
    assert [term.term for _, term in pieces if term] == ["write amplification", "page map", "victim"]
    assert glossary.in_text("") == []
    assert glossary.in_text("seek") == [("seek", glossary.find("seek"))]
    assert [each.term for each in glossary.of_texts("seek and seeks", "a frame")] == ["seek", "frame"]


@pytest.mark.parametrize(
    "word",
    [
        *("wear", "group commit", "five-minute rule", "percentile", "NCQ", "steal", "no-steal", "prefix compression"),
        *("logical page", "physical pages", "miss curve", "checkpoint", "think time", "parity", "DeweyIDs", "p99"),
        *("rotational latency", "stripes", "tail latency", "knee", "utilisation", "Little's law", "inclusion property"),
        *("anticipatory", "hot/cold separation", "tornado", "residual", "page map", "log blocks", "P/E cycles", "WAL"),
        *("read-ahead", "destaging", "in-page logging", "PUE", "short stroke", "response time", "hash join", "inodes"),
    ],
)
def test_what_lessons_and_pages_teach_has_a_term(word):
    assert [term for _, term in glossary.in_text(word)] == [glossary.find(word)]


def test_a_longer_form_goes_before_a_term_that_stands_in_it():
    assert [each.term for each in glossary.of_texts("wear levelling, no-steal and steal; software, checkpointing")] == [
        "wear levelling",
        "no-steal",
        "steal",
    ]
