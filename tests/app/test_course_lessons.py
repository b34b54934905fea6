"""Lessons as files: found by number and name, read without running, and their text as HTML."""

import json
import re

import pytest

from pagecost import glossary, studies
from pagecost.errors import ModelError
from pagecost_app.course import lessons, prose, words
from pagecost_app.exercises import EXERCISES

EVERY = lessons.lessons()


@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.name)
def test_every_lesson_has_a_title_a_time_goals_and_known_studies_and_exercises(lesson):
    assert lesson.name.startswith(f"{lesson.number:02d}_")
    assert lesson.title
    assert not lesson.title[0].isdigit()
    assert 10 <= lesson.minutes[0] <= lesson.minutes[1] <= 90
    assert len(lesson.goals) >= 3, "the first cell has a list `After it you can`"
    assert set(lesson.exercises) <= set(EXERCISES)
    assert set(lesson.studies) <= set(studies.STUDIES)


def test_every_exercise_stands_in_the_lesson_that_it_names_or_in_another():
    asked = {id for lesson in EVERY for id in lesson.exercises}
    assert set(EXERCISES) - asked == set()


@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.name)
def test_a_link_to_a_lesson_by_its_number_has_its_title(lesson):
    """`[8 · XML in pages](08_xml_storage.ipynb)`, as the heading of that lesson says; a subtitle may be left out."""
    text = "\n".join(cell.source for cell in lesson.cells if cell.kind == "markdown")
    for number, said, file in re.findall(r"\[(?:lesson )?(\d+) · ([^\]]+)\]\((\w+)\.ipynb\)", text):
        linked = next(each for each in EVERY if each.name == file)
        assert linked.number == int(number)
        assert said in (linked.title, linked.title.partition(":")[0])


@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.name)
def test_the_answer_to_a_prediction_stands_behind_a_press_and_before_the_explanation(lesson):
    """Or it is an exercise, which keeps it until something was answered."""
    told = ""
    for cell in lesson.cells:
        asks = any(call.name == "exercise" for call in cell.calls)
        told += cell.source if cell.kind == "markdown" else "[exercise]" if asks and not cell.is_for_instructors else ""
        told += "\n"
    for part in told.split("**Predict")[1:]:
        before = re.split(r"\*\*Explain|^## ", part, flags=re.MULTILINE)[0]
        assert "<details>" in before or "[exercise]" in before, part[:120]


@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.name)
def test_the_parts_that_go_further_are_those_that_the_time_is_not_for(lesson):
    text = "\n".join(cell.source for cell in lesson.cells if cell.kind == "markdown")
    further = [int(number) for number in re.findall(r"^## (\d+) · Further: ", text, re.MULTILINE)]
    said = re.search(r"minutes for parts 1 to (\d+); parts? (\d+)(?: (?:and|to) (\d+))? go(?:es)? further,", text)
    asked = list(range(int(said[2]), int(said[3] or said[2]) + 1)) if said else []
    assert further == asked
    assert not said or int(said[1]) + 1 == asked[0]
    assert lesson.minutes[0] <= 45 or lesson.number == 15, "four parts that can be done on four days"


def test_a_source_that_has_a_link_in_one_lesson_has_it_in_every_lesson():
    listed = [
        line
        for lesson in EVERY
        for cell in lesson.cells
        if cell.kind == "markdown" and "## Sources" in cell.source
        for line in cell.source.partition("## Sources")[2].splitlines()
        if line.startswith("- ")
    ]
    linked = {title(line) for line in listed if "](http" in line}
    assert len(linked) > 40
    assert [line for line in listed if title(line) in linked and "](http" not in line] == []


def title(line):
    """Of a source, as letters."""
    found = re.search(r"\[\*?([^*\]]+)\*?\]\(http|\*([^*]+)\*", line)
    return re.sub(r"[^a-z0-9]", "", (found[2] or found[1]).lower()) if found else ""


@pytest.mark.parametrize(
    "asked", ["6", "06", "06_buffer_management", "buffer_management", "06_buffer_management.ipynb"]
)
def test_a_lesson_is_found_by_number_and_name(asked):
    found = lessons.lesson(asked)
    assert (found.number, found.title) == (6, "Buffer management")
    assert "victims" in found.exercises
    assert "policy_cost" in found.studies
    calls = [call for cell in found.cells for call in cell.calls if call.name == "explore"]
    (call,) = [call for call in calls if call.arguments == ("policy_cost",)]
    assert "cflru" in call.keywords["policies"]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("99", r"there is no lesson 99; there are .*6, "),
        ("0x6", "unknown lesson '0x6'"),
        ("bufer_management", "unknown lesson 'bufer_management'; .*06_buffer_management"),
        ("", "unknown lesson ''"),
        ("../etc", "unknown lesson"),
    ],
)
def test_what_is_no_lesson_is_said_with_those_there_are(asked, sentence):
    with pytest.raises(ModelError, match=sentence):
        lessons.lesson(asked)


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("", "is no notebook"),
        ("[]", "is no notebook"),
        ('{"cells": [1]}', "is no notebook"),
        ('{"cells": []}', "has no title"),
    ],
)
def test_a_file_that_is_no_lesson_is_said(tmp_path, written, sentence):
    file = tmp_path / "mine.ipynb"
    file.write_text(written, "utf8")
    with pytest.raises(ModelError, match=sentence):
        lessons.lesson(str(file))


def test_a_lesson_of_ones_own_is_read_and_what_is_no_python_has_no_calls(tmp_path):
    file = tmp_path / "mine.ipynb"
    sources = ["a =\nask('x')", "%matplotlib inline\nask('y')"]
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    head = {"cell_type": "markdown", "metadata": {}, "source": "# Mine\n\n*Time: 5 minutes.*"}
    file.write_text(json.dumps({"cells": [head, *cells]}), "utf8")
    mine = lessons.lesson(str(file))
    assert (mine.number, mine.title, mine.minutes, mine.goals) == (0, "Mine", (5, 5), ())
    assert mine.exercises == ("y",), "IPython runs the second: it takes the magic out"


def test_prose_has_formulas_tables_and_folded_answers_and_a_dollar_is_a_dollar():
    html = prose.html("costs \\$5 to \\$9, $a_b$\n\n$$\\frac{1}{2}$$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert "costs $5 to $9" in html
    assert html.count("<math") == 2
    assert "<mfrac>" in html
    assert "<table>" in html
    folded = prose.html("<details><summary>Answer</summary>\n\n**Yes.**\n\n</details>\n")
    assert "<details><summary>Answer</summary>" in folded
    assert "<strong>Yes.</strong>" in folded
    assert "<code>\\frac{" in prose.html("$\\frac{$")


STRESSED = set(
    """a whole turn|after|and|area is energy|before|between two answers|blocks|cells|chip|clean|conditional|device|disk|
    distribution|drawn|eight cents|el|emptied its neighbourhood|every plan|fenced in|fitted|five years|flash|
    for its accesses|for its bytes|four|fs|gigabyte|input|interval|joins at work|ledger|log|measured|mechanism|memory|
    merge|most MB/s|must fail|near the best|node|none|one|order|pages|pc|power|predicted|put in|random|rate|read|
    records|request a second|space|states|synchronous = normal|three pages|time|timer|tolerance|two|used|used up|
    waits|watts|within 10 ms|writes|written first""".replace("\n    ", "").split("|")
)
"""What lessons set in bold and the glossary has not: a stress, a word of everyday, one that means several things (a
merge of blocks and of runs), or a kind of line of the ledger, which each lesson explains where its lines stand."""


def test_what_a_lesson_sets_in_bold_as_a_term_stands_in_the_glossary():
    bold = {each: lesson.name for lesson in EVERY for each in words.in_bold(lesson)}
    missing = {each: lesson for each, lesson in bold.items() if _unknown(each)}
    assert missing.keys() <= STRESSED, "give it a line in datasets/glossary.csv, or name it in STRESSED"
    assert missing.keys() >= STRESSED, "no lesson sets it in bold any more"


def _unknown(word: str) -> bool:
    return not any(piece == word and term for piece, term in glossary.in_text(word))


def test_a_term_leads_to_the_lessons_that_use_it_in_their_text_or_in_a_question():
    used = {term.term: [lesson.number for lesson in found] for term, found in words.used_in(EVERY).items()}
    assert used["tornado"] == [15]
    assert used["short stroking"] == [2]
    assert 1 in used["dirty eviction"], "a question has it"
    assert len(used) > 0.85 * len(glossary.terms())


def test_every_formula_of_the_lessons_is_one():
    for lesson in EVERY:
        for cell in lesson.cells:
            if cell.kind == "markdown" and "$$" in cell.source:
                assert "<code>\\" not in prose.html(cell.source), f"{lesson.name} {cell.id}"
