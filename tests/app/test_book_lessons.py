"""The book's pages of lessons: what is read of a notebook without running it, and what becomes of its text."""

import ast
import base64
import functools
import html
import itertools
import json
import re
from types import SimpleNamespace

import pytest

from pagecost import glossary, studies
from pagecost.errors import ModelError
from pagecost_app import made_with
from pagecost_app.book import build, calls, lesson_page, markup
from pagecost_app.book.axes import Budget
from pagecost_app.book.calls import Shown
from pagecost_app.course import lessons
from pagecost_app.course.lessons import Cell
from pagecost_app.exercises import COMPARE, EXERCISES

LESSONS = lessons.lessons()
STILL = build.shows(Budget(answers=0))  # what is computed stands in test_book_explorations.py
HEAD = "# 3 · Flash & <more>\n\nWhat a *victim* is.\n"


def notebook(folder, name, *cells):
    """A notebook with these cells: (source) of Markdown, or (source, tags, what it printed) of code."""
    made = []
    for cell in cells:
        if isinstance(cell, str):
            made.append({"cell_type": "markdown", "metadata": {}, "source": cell})
        else:
            source, tags, said = cell
            outputs = [{"output_type": "stream", "name": "stdout", "text": said}] if said else []
            made.append({"cell_type": "code", "metadata": {"tags": tags}, "source": source, "outputs": outputs})
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps({"cells": made}), "utf8")
    return path


@functools.cache
def still(name):
    """The page of a lesson without what is computed for it, made once for all tests."""
    return lesson_page.text(next(each for each in LESSONS if each.name == name), LESSONS, STILL)


def rendered(text, folder, pages=None):
    return markup.Markup("a lesson", folder, pages or {}).html(text)


def code(source):
    return Cell("1", "code", source, frozenset())


@pytest.mark.parametrize("found", LESSONS, ids=lambda lesson: lesson.name)
def test_every_lesson_can_stand_in_the_book(found):
    said = still(found.name)
    assert said.count("<h1") == 1
    levels = [int(level) for level in re.findall(r"<h(\d)", said)]
    assert all(behind <= before + 1 for before, behind in itertools.pairwise(levels))
    ids = re.findall(r'\bid="([^"]*)"', said)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'href="#([^"]*)"', said):  # as written, escaped in both
        assert target in ids
    pages = {lesson_page.address(each) for each in LESSONS} | {"index.html", markup.GLOSSARY}
    for target in re.findall(r'href="([^"#]+)', said):
        assert target in pages or target.startswith("https://")
    assert not re.search(r'(src|href)="(?!https?:|data:|#)[^"]*://', said)
    assert COMPARE not in said, "a page has no such button"
    for cell in found.cells:
        if cell.is_for_instructors and cell.kind == "code":
            assert html.escape(cell.source.splitlines()[-1]) not in said


@pytest.mark.parametrize("found", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lessons_questions_stand_on_its_page_and_their_solutions_are_not_found_by_a_search(found):
    said = still(found.name)
    assert len(found.exercises) > 0
    assert said.count('<section class="question"') >= len(found.exercises)
    for id in found.exercises:
        exercise = EXERCISES[id]
        assert html.escape(exercise.asked(1).splitlines()[0]) in said
        steps = exercise.worked(1)
        assert html.escape(steps[-1]) not in said
        told = [base64.b64decode(each).decode("utf8") for each in re.findall(r'data-told="([^"]*)"', said)]
        assert any(html.escape(steps[-1]) in each for each in told)


def test_numbers_that_a_lesson_commits_stand_on_its_page(tmp_path):
    path = notebook(tmp_path, "03_flash", HEAD, ("print(1 < 2)", ["nbval-check-output"], "True <b>\n"))
    lesson = lessons.read(path)
    said = lesson_page.text(lesson, [lesson], {})
    assert (lesson.number, lesson.title) == (3, "Flash & <more>")
    assert "True &lt;b&gt;" in said
    assert "<h1>3 · Flash &amp; &lt;more&gt;</h1>" in said


def test_numbers_behind_an_open_prediction_are_shown_on_a_press(tmp_path):
    printing = ("print(2)", ["nbval-check-output"], "it is 2\n")
    answer = "<details><summary>Answer</summary>\n\n2.\n\n</details>"
    path = notebook(tmp_path, "03_it", HEAD, printing, "**Predict.** What?", printing, answer, printing)
    lesson = lessons.read(path)
    said = lesson_page.text(lesson, [lesson], {})
    folded = re.findall(r"<summary>First predict, then look</summary><pre[^>]*>it is 2", said)
    assert (said.count("it is 2"), len(folded)) == (3, 1)


def test_calls_are_read_and_nothing_is_run():
    cell = code('one = explore("block_size", span=2e10, names=("a", "b"))\none\nexplore("x")\nask("it", seed=3)')
    one = "explore('block_size', span=20000000000.0, names=('a', 'b'))"
    assert calls.shown(cell, {"explore"}) == [
        Shown("explore", ("block_size",), {"span": 2e10, "names": ("a", "b")}, "one", one),
        Shown("explore", ("x",), {}, "", "explore('x')"),
    ]
    (unread,) = calls.shown(code('explore(open("/etc/passwd"))'), {"explore"})
    assert unread == Shown("explore", (), {}, "", "explore(open('/etc/passwd'))", unread=True)
    assert calls.shown(code("%matplotlib inline\nexplore('x')"), {"explore"}) == []
    assert calls.is_quiet(code("import numpy\nfrom a import b\nb"))
    assert not calls.is_quiet(code("import numpy\nnumpy.seterr()"))


def test_a_call_is_read_with_what_earlier_lines_and_cells_bind():
    known = calls.known_after(code("import pagecost_app.notebook as lab\nSMALL = {'frames': 4}\nwhere = 'nowhere'"))
    cell = code("it = lab.explore('x')\nLOAD = '1r'\nwalk_path(load=LOAD, **SMALL)\ndraw(it)\nos.explore('x')")
    first, walk, drawn = calls.shown(cell, {"explore", "walk_path", "draw"}, known)
    assert (first.name, first.given, first.bound) == ("explore", ("x",), "it")
    assert walk.named == {"load": "1r", "frames": 4}
    assert drawn.given == (first._replace(bound=""),)
    known = calls.known_after(code("for where in (1, 2):\n    pass\nSMALL = f()"), known)
    (unread,) = calls.shown(code("walk_path(**SMALL)"), {"walk_path"}, known)
    assert unread.unread
    assert "where" not in known


def test_a_stepper_begins_where_its_cell_moves_it():
    (moved,) = calls.shown(code("a = step('lru')\na.go(7)\na"), {"step"})
    assert moved.place == 7
    assert [each.place for each in calls.shown(code("a = step('lru')\nb.go(7)\na.go(n)"), {"step"})] == [0]


@pytest.mark.parametrize("found", LESSONS, ids=lambda lesson: lesson.name)
def test_nothing_that_a_lesson_shows_is_left_out_of_its_page_without_a_word(found):
    """A cell whose last line has a value shows it: a chart, a picture, a stepper. Folded code alone shows nothing."""
    code = r'<details class="code">.*?<code>(.*?)</code></pre></details>'
    bare = rf'(?<!</pre>)(?<!</figure>)(?<!</details>){code}(?!<p class="elsewhere">)'
    for written in re.findall(bare, still(found.name), re.DOTALL):
        last = ast.parse(html.unescape(written)).body[-1]
        assert not isinstance(last, ast.Expr) or ast.unparse(last).startswith("print("), html.unescape(written)


def test_what_is_shown_is_drawn_where_it_can_be_read():
    """An exploration under another name, walks with `**SMALL`, a dollar, pictures of plans: pages once lost them."""
    plan, path = still("15_plan_a_system_from_a_measurement"), still("12_oltp_on_flash_and_file_systems")
    assert plan.count('<figure class="drawn">') == 6
    assert plan.count("This moves in the notebook: <code>lab.explore(") == 4
    assert path.count('data-walk="') >= 2
    assert "Steps 288 to 528 of 549 steps" in path
    assert "A dollar of " in still("14_energy_and_money")


def test_what_cannot_be_read_is_named_and_an_exercise_must_be_read(tmp_path):
    calls_of_others = ("explore(PATH)\nstep(*LINES)\nexplore('no_such_study')\nstep('lru', 'what?')", [], "")
    lesson = lessons.read(notebook(tmp_path, "03_it", HEAD, calls_of_others))
    said = lesson_page.text(lesson, [lesson], STILL)
    for call in ("explore(PATH)", "step(*LINES)", "explore('no_such_study')", "step('lru', 'what?')"):
        assert f"This moves in the notebook: <code>{html.escape(call)}</code>." in said
    lesson = lessons.read(notebook(tmp_path, "04_it", HEAD, ("exercise(MINE)", [], "")))
    with pytest.raises(ModelError, match=r"only literals as arguments; got exercise\(MINE\)"):
        lesson_page.text(lesson, [lesson], STILL)


def test_an_exploration_that_is_not_computed_is_named_with_its_command(tmp_path):
    exploring = ('it = explore("slc_cache", idle_s=60.0)', [], "")
    lesson = lessons.read(notebook(tmp_path, "03_it", HEAD, exploring))
    said = lesson_page.text(lesson, [lesson], STILL)
    study = studies.find("slc_cache")
    command = made_with.run_line(study, study.inputs({"idle_s": 60.0}))
    assert "idle_s=60" in command
    assert f"<code>{html.escape(command)}</code>" in said


def test_what_a_lesson_moves_is_known_from_its_own_test(tmp_path):
    moving = ("before = 1\none.set(size=3, device='x').chart\none.reset()\nother.set(frames=1)", ["instructor"], "")
    lesson = lessons.read(notebook(tmp_path, "03_it", HEAD, moving))
    assert calls.moved(lesson, "one") == ["size", "device"]
    assert calls.moved(lesson, "other") == ["frames"]
    assert calls.moved(lesson, "third") == []


def test_a_call_becomes_what_the_book_shows_for_it(tmp_path):
    lesson = lessons.read(notebook(tmp_path, "03_it", HEAD, ('it = show("me", n=2)\nit', [], "")))
    said = lesson_page.text(lesson, [lesson], {"show": lambda page, call: f"<b>{call.given} {call.named}</b>"})
    assert "<b>('me',) {'n': 2}</b>" in said


def test_links_lead_to_pages_of_the_book_and_to_nothing_that_is_missing(tmp_path):
    (tmp_path / "models.md").write_text("x", "utf8")
    pages = {"04_gc.ipynb": "04_gc.html"}
    said = rendered("[four](04_gc.ipynb#Theory) [web](https://doi.org/10.1/x) [file](models.md)", tmp_path, pages)
    assert '<a href="04_gc.html#Theory">four</a>' in said
    assert '<a href="https://doi.org/10.1/x">web</a>' in said
    assert "file (<code>models.md</code>)" in said
    for gone in ("[a](05_gone.ipynb)", "[a](gone.md)", "![a](gone.png)"):
        with pytest.raises(ModelError, match=r"a lesson (links to|shows) .*gone"):
            rendered(gone, tmp_path, pages)


def test_a_picture_goes_along_in_the_page(tmp_path):
    (tmp_path / "a b.svg").write_text("<svg/>", "utf8")
    said = rendered("![a disk](a%20b.svg)", tmp_path)
    assert '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="a disk"' in said


def test_a_wide_formula_or_table_is_moved_by_keyboard(tmp_path):
    said = rendered("$$\nw = \\frac{1}{1-u}\n$$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", tmp_path)
    assert re.search(r'<div class="formula" tabindex="0"[^>]*><.*<mfrac>.*</div>', said, re.S)
    assert re.search(r'<div class="table" tabindex="0"[^>]*><table>.*<td>2</td>.*</table>\s*</div>', said, re.S)


def test_a_word_of_the_glossary_is_explained_where_it_stands_first(tmp_path):
    term = glossary.find("victim")
    said = rendered("# The victim\n\nA [victim](https://a.b) `victim`: the victim, a victim.", tmp_path)
    assert said.count("glossary.html#") == 1
    assert f'<a class="term" href="glossary.html#victim" title="victim: {term.said}">victim</a>, a victim.' in said


def test_a_list_leads_to_every_page(tmp_path, monkeypatch, capsys):
    page = SimpleNamespace(TITLE="A <b>title", LEAD="what it shows", text=lambda: "the page")
    monkeypatch.setattr(build, "PAGES", {"live": page})
    monkeypatch.setattr(lessons, "FOLDER", tmp_path)
    notebook(tmp_path, "03_it", HEAD)
    notebook(tmp_path, "12_more", "# 12 · More\n\nNothing [back](03_it.ipynb).")
    book = tmp_path / "new" / "book"
    assert build.main([str(book)]) == 0
    names = [path.name for path in sorted(book.iterdir())]
    assert names == ["03_it.html", "12_more.html", "bokeh.min.js", "glossary.html", "index.html", "live.html"]
    said = (book / "index.html").read_text("utf8")
    for target in re.findall(r'href="([^"#]+)', said):
        assert (book / target).exists()
    assert '<a href="live.html">A &lt;b&gt;title</a>' in said
    assert "What a victim is." in said
    words = (book / "glossary.html").read_text("utf8")
    for term in glossary.terms().values():
        assert f'id="{markup.anchor(term)}"' in words
    victim = re.search(r'<dt id="victim">.*?</dd>', words)[0]
    assert victim.endswith('Lesson</span> <a href="03_it.html" title="3 · Flash &amp; &lt;more&gt;">3</a></dd>')
    assert "{{" not in said + words

    capsys.readouterr()
    assert build.main([str(book), "--lesson", "12"]) == 0
    assert [line.rpartition("/")[2] for line in capsys.readouterr().out.split()] == [
        "index.html",
        "glossary.html",
        "12_more.html",
    ]
    assert build.main([str(book), "--lesson", "99"]) == 1
    assert capsys.readouterr().err == "there is no lesson 99; there are 3, 12\n"
