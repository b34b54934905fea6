"""A lesson handed out to a class and graded, through the real command line: honest sheets and all kinds of others."""

import csv
import json
import os
import shutil
import stat
from pathlib import Path

import jsonschema
import pytest

from pagecost.errors import ModelError
from pagecost_app import exercises
from pagecost_app.course import hand_out, lessons, roster
from pagecost_app.exercises import EXERCISES, sheet

LESSON, NAME = "1", "01_what_does_a_page_access_cost"
DISK, PAGE, GUESS = "random-read", "overwrite", "random-or-sequential"
# as nbgrader 0.9 has it (BSD licence)
SCHEMA = json.loads((Path(__file__).parents[1] / "helpers" / "nbgrader_cell_schema_v3.json").read_text("utf8"))
NAMES = ("Ada Lovelace", "O/Neil, =cmd", "@Grace <b>x</b>", "-Éva Ünïc", "+../../up", "=HYPERLINK(0)")


@pytest.fixture
def handed(run, tmp_path, monkeypatch):
    """handed(names) -> folders of the students, in the order of the names, of a lesson that was handed out."""
    monkeypatch.delenv("PAGECOST_SHEET", raising=False)
    monkeypatch.chdir(tmp_path)

    def give(*names, more=()):
        with open("db1.csv", "w", newline="", encoding="utf8") as file:
            csv.writer(file).writerows([["name", "id"], *([name, number] for number, name in enumerate(names))])
        code, _, error = run("hand-out", LESSON, "--class", "db1.csv", "--out", "out", *more)
        assert code == 0, error
        made = [tmp_path / "out" / each.folder for each in roster.read_key(tmp_path / "out.key.json").handed]
        assert all(folder.parent == tmp_path / "out" and folder.is_dir() for folder in made)
        return made

    return give


@pytest.fixture
def graded(run):
    """graded(*options) -> the grades that came out as JSON, students by name."""

    def ask(*more):
        code, out, error = run("grade", "out", "--format", "json", *more)
        assert code == 0, error
        found = json.loads(out)
        return {row["name"]: row for row in found["grades"]}, found

    return ask


def answer(folder, id, given, seed=None):
    """Answer as a student does, in the folder handed out."""
    os.chdir(folder)
    try:
        return exercises.check(id, given, seed)
    finally:
        os.chdir(folder.parents[1])


def seed_of(folder):
    return sheet.read(folder / "answers.json").seed


def right(id, folder):
    return EXERCISES[id].key(seed_of(folder))


def wrong(id, folder):
    mistake, say = EXERCISES[id].mistakes[0]
    return mistake(**EXERCISES[id].numbers(seed_of(folder))), say


def test_no_lesson_is_handed_out_with_what_its_cells_said():
    kept = 0
    for lesson in lessons.lessons():
        kept += sum(bool(cell.outputs) for cell in lesson.cells)
        for cell in json.loads(hand_out.student_notebook(lesson))["cells"]:
            assert cell.get("outputs", []) == [], lesson.name
    assert kept, "then this test tells nothing"


def test_an_answer_key_has_every_exercise_worked_with_each_students_numbers(run, handed, tmp_path):
    folders = handed("Ada", "*Bob*")
    code, _, error = run("grade", "out", "--answers", "answers.md")
    assert code == 0, error
    text = (tmp_path / "answers.md").read_text("utf8")
    for folder, after in zip(folders, (*folders[1:], None), strict=True):
        part = text[text.index(f"`{folder.name}`") : text.index(f"`{after.name}`") if after else None]
        for id in lessons.lesson(LESSON).exercises:
            exercise = EXERCISES[id]
            own = part.partition(f"### {id}\n")[2].partition("\n### ")[0]
            for line in (exercise.asked(seed_of(folder)), *exercise.worked(seed_of(folder))):
                assert all(f"    {each}".rstrip() in own for each in line.splitlines())
    assert stat.S_IMODE((tmp_path / "answers.md").stat().st_mode) & 0o077 == 0 or os.name == "nt"
    for more, said in (
        (("answers.md",), "--force"),
        (("out/answers.md",), "elsewhere"),
        (("b.md", "--run-code"), "nobody"),
    ):
        code, out, error = run("grade", "out", "--answers", *more)
        assert (code, out) == (2, "")
        assert said in error
    (tmp_path / "out.key.json").unlink()
    code, _, error = run("grade", "out", "--answers", "c.md")
    assert code == 2
    assert "key" in error


def test_three_sheets_right_wrong_and_empty_are_handed_out_and_graded(run, handed, graded, tmp_path):
    best, worst, empty = handed("Ada", "Bob", "Cy")
    assert len({seed_of(folder) for folder in (best, worst, empty)}) == 3
    asked = [id for id in lessons.lesson(LESSON).exercises if not EXERCISES[id].prediction]
    for id in asked:
        assert answer(best, id, right(id, best))
    given, say = wrong(DISK, worst)
    assert not answer(worst, DISK, given)
    os.chdir(best)
    exercises.predict(GUESS, 10)
    os.chdir(tmp_path)
    rows, found = graded("--out", "grades.csv")
    assert rows["Ada"]["total"] == rows["Ada"]["of"] == sum(EXERCISES[id].points for id in asked)
    assert rows["Ada"]["predictions"] == "1 of 1"
    assert (rows["Bob"][DISK], rows["Bob"][PAGE], rows["Bob"]["total"]) == (0.0, None, 0.0)
    assert rows["Cy"]["total"] == 0
    assert [rows[name]["notes"] for name in ("Ada", "Bob", "Cy")] == ["", "", ""]
    assert found["wrong_ideas"] == [{"exercise": DISK, "wrong_idea": say, "students": 1}]
    assert found["answer"].startswith("3 students, 2 answered")
    with open("grades.csv", newline="", encoding="utf8") as file:
        written = list(csv.DictReader(file))
    assert [float(row["total"]) for row in written] == [rows[row["name"]]["total"] for row in written]
    assert say in (tmp_path / "grades-wrong-ideas.csv").read_text("utf8")
    code, out, error = run("grade", "out", "--out", "grades.csv")
    assert (code, out) == (2, "")
    assert "--force" in error
    code, out, _ = run("grade", "out")
    assert code == 0
    assert out.startswith("3 students, 2 answered")
    assert "wrong ideas of the class" in out


def test_a_later_right_answer_is_worth_less_and_one_after_the_last_attempt_nothing(handed, graded):
    (late, over) = handed("late", "over")
    disk = EXERCISES[DISK]
    for number in range(disk.attempts - 1):
        answer(late, DISK, 1e6 + number)
    answer(late, DISK, right(DISK, late))
    for number in range(disk.attempts):
        answer(over, DISK, 1e6 + number)
    record = sheet.read(over / "answers.json")
    record = record.with_entry("attempts", DISK, record.seed, right(DISK, over))  # by another program
    sheet.write(over / "answers.json", record)
    rows, _ = graded()
    assert rows["late"][DISK] == disk.score(disk.attempts) < disk.points
    assert rows["over"][DISK] == 0.0


def test_the_notebook_handed_out_names_no_seed_and_has_no_output_and_nothing_for_instructors(handed):
    (folder,) = handed("Ada")
    cells = lessons.cells_of(folder / f"{NAME}.ipynb")
    assert cells
    assert not any(cell.is_for_instructors for cell in cells)
    assert any(cell.outputs for cell in lessons.lesson(NAME).cells)
    assert not any(cell.outputs for cell in cells), "a printed number would answer a prediction"
    assert not any("seed" in call.keywords for cell in cells for call in cell.calls if call.name in lessons.ASKING)
    assert hand_out.without_seeds('check("x", ..., seed=1)\nf(seed=2)') == "check('x', ...)\nf(seed=2)"
    assert hand_out.without_seeds("%time ask('x', seed=1)") == "%time ask('x', seed=1)"
    assert len((folder / "README.txt").read_text("utf8").splitlines()) == 3


def test_answers_in_cells_of_the_notebook_count_and_no_code_of_a_student_runs(handed, graded, tmp_path):
    (folder,) = handed("Ada")
    notebook = folder / f"{NAME}.ipynb"
    sources = [
        f'check("{DISK}", {right(DISK, folder)})',
        f'check("{PAGE}", open("{tmp_path}/ran", "w").write("x"))',
        f'import pathlib; pathlib.Path("{tmp_path}/ran").touch()\ncheck("{PAGE}", {right(PAGE, folder)}, seed=1)',
        f'check("{PAGE}", {"[" * 50}{"]" * 50})',
        "(" * 5000,
        "\0",
    ]
    record = json.loads(notebook.read_text("utf8"))
    record["cells"] = [hand_out.code_cell(str(number), source) for number, source in enumerate(sources)]
    notebook.write_text(json.dumps(record), "utf8")
    rows, _ = graded()
    assert rows["Ada"][DISK] == EXERCISES[DISK].points
    assert rows["Ada"][PAGE] is None
    assert "1 answer stands in the notebook only" in rows["Ada"]["notes"]
    assert "names the seed 1, not counted" in rows["Ada"]["notes"]
    assert not (tmp_path / "ran").exists()


def test_answers_beside_magics_and_as_arithmetic_count_and_what_cannot_be_read_is_noted(handed, graded):
    folders = handed(
        "magic", "shell", "block", "timed", "sum", "name", "half", "zero", "large", "method", "bash", "both"
    )
    key = right(DISK, folders[4])
    sources = {
        "magic": "%matplotlib inline\ncheck({id!r}, {key})",
        "shell": "!ls\ncheck({id!r}, {key})",
        "block": "if True:\n    %precision 3\ncheck({id!r}, {key})",
        "timed": "%%time\ncheck({id!r}, {key})",
        "sum": f"check({{id!r}}, {2 * key!r} * 3 / 6 + 30 - 30.0)",
        "name": "x = {key}\ncheck({id!r}, x)",
        "half": "a = \ncheck({id!r}, {key})",
        "zero": "check({id!r}, 1 / 0)",
        "large": "check({id!r}, 9 ** 9 ** 9)",
        "method": "lab.check({id!r}, {key})",
        "bash": "%%bash\ncheck() { ls; }",
        "both": "x = {key}\ncheck({id!r}, {key})\ncheck({id!r}, x)",
    }
    for folder, source in zip(folders, sources.values(), strict=True):
        notebook = folder / f"{NAME}.ipynb"
        record = json.loads(notebook.read_text("utf8"))
        cell = source.replace("{id!r}", repr(DISK)).replace("{key}", repr(right(DISK, folder)))
        record["cells"] = [hand_out.code_cell("one", cell)]
        notebook.write_text(json.dumps(record), "utf8")
    rows, _ = graded()
    for name in ("magic", "shell", "block", "timed", "sum", "both"):
        assert rows[name][DISK] == EXERCISES[DISK].points, name
        assert "cannot be read" not in rows[name]["notes"], name
    for name in ("name", "half", "zero", "large", "method"):
        assert rows[name][DISK] is None, name
        said = "a check(…) of the notebook cannot be read without running it, not counted"
        assert (said if name == "half" else f"{DISK}: {said}") in rows[name]["notes"], name
    assert rows["bash"]["notes"] == ""


def change(folder, **values):
    path = folder / "answers.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf8")) | values), "utf8")


ATTEMPT = {"exercise": DISK, "answer": 12.0, "time": ""}
TAMPERED = {
    "status claimed": (lambda folder: change(folder, status="passed", points=99), "edited by hand"),
    "own name": (lambda folder: change(folder, student={"name": "Somebody", "id": "0"}), "nothing was handed out"),
    "other lesson": (lambda folder: change(folder, lesson="02"), "is of lesson 02"),
    "million attempts": (lambda folder: change(folder, attempts=[ATTEMPT | {"seed": 1}] * 10**6), "at most 2 MB"),
    "many attempts": (lambda folder: change(folder, attempts=[ATTEMPT | {"seed": 1}] * 5001), "damaged: attempts"),
    "wrong types": (lambda folder: change(folder, attempts={"a": 1}), "damaged: attempts"),
    "bomb": (lambda folder: (folder / "answers.json").write_text("[" * 10**6), "not JSON"),
    "empty": (lambda folder: (folder / "answers.json").write_text(""), "not JSON"),
    "gone": (lambda folder: (folder / "answers.json").unlink(), "there is no answers.json"),
    "a folder": (lambda folder: ((folder / "answers.json").unlink(), (folder / "answers.json").mkdir()), "there is no"),
    "a link": (lambda folder: relink(folder / "answers.json"), "there is no answers.json"),
    "no notebook": (lambda folder: (folder / f"{NAME}.ipynb").unlink(), "there is no notebook"),
    "no cells": (lambda folder: (folder / f"{NAME}.ipynb").write_text('{"cells": 7}'), "this is no notebook"),
    "deep notebook": (lambda folder: (folder / f"{NAME}.ipynb").write_text("[" * 10**6), "this is no notebook"),
}


def relink(path):
    path.rename(path.with_suffix(".real"))
    path.symlink_to(path.with_suffix(".real"))


@pytest.mark.parametrize("kind", TAMPERED)
def test_a_tampered_sheet_is_noted_and_the_others_are_graded(kind, handed, graded):
    bad, good = handed("Bad", "Good")
    answer(good, DISK, right(DISK, good))
    tamper, said = TAMPERED[kind]
    tamper(bad)
    rows, _ = graded()
    assert rows["Good"][DISK] == EXERCISES[DISK].points
    assert said in rows["Bad"]["notes"]
    assert not rows["Bad"]["total"]


def test_numbers_of_another_seed_are_not_counted_whatever_the_sheet_says(handed, graded):
    bad, practises = handed("Bad", "Practises")
    change(bad, seed=1)
    assert answer(bad, DISK, EXERCISES[DISK].key(1))
    assert answer(practises, DISK, EXERCISES[DISK].key(seed_of(practises) + 1), seed_of(practises) + 1)
    rows, _ = graded()
    assert (rows["Bad"][DISK], rows["Practises"][DISK]) == (None, None)
    assert "seed 1 is not this student's" in rows["Bad"]["notes"]
    assert "1 answer to other numbers" in rows["Bad"]["notes"]
    assert rows["Practises"]["notes"] == "", "new numbers are for practice"


def test_copied_sheets_are_pointed_out(handed, graded):
    one, two, three = handed("One", "Two", "Three")
    answer(one, DISK, right(DISK, one))
    answer(one, PAGE, 7)
    copied = json.loads((one / "answers.json").read_text("utf8"))
    change(two, attempts=copied["attempts"])
    shutil.copy(one / "answers.json", three / "answers.json")
    rows, _ = graded()
    assert "2 answers of the same moment as in two-" in rows["One"]["notes"]
    assert "2 answers of the same moment as in one-" in rows["Two"]["notes"]
    assert "the sheet of One lies in this folder" in rows["Three"]["notes"]
    assert not rows["Two"]["total"]


def test_who_handed_in_nothing_twice_or_under_another_name_is_said(handed, graded):
    gone, renamed, twice = handed("Gone", "Renamed", "Twice")
    shutil.rmtree(gone)
    renamed.rename(renamed.with_name("renamed"))
    shutil.copytree(twice, twice.with_name("twice again"))
    rows, _ = graded()
    assert rows["Gone"]["notes"] == "nothing was handed in"
    assert "the folder was renamed" in rows["Renamed"]["notes"]
    assert "handed in twice" in rows["Twice"]["notes"]


def test_names_are_no_paths_and_no_formulas(run, handed, tmp_path):
    folders = handed(*NAMES)
    for folder in folders:
        answer(folder, DISK, right(DISK, folder))
    assert run("grade", "out", "--out", "grades.csv")[0] == 0
    for text in (run("grade", "out", "--format", "csv")[1], (tmp_path / "grades.csv").read_text("utf8")):
        rows = list(csv.DictReader(text.splitlines()))
        assert sorted(row["name"].removeprefix("'") for row in rows) == sorted(NAMES)
        assert {float(row[DISK]) for row in rows} == {1.0}
        assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("db1.csv", "grades-wrong-ideas.csv", "grades.csv", "out", "out.key.json")
    ]


def test_the_key_is_private_and_never_in_what_is_handed_out(run, handed, tmp_path):
    (folder,) = handed("Ada")
    key = tmp_path / "out.key.json"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    secret = json.loads(key.read_text("utf8"))["secret"]
    assert not any(secret in path.read_text("utf8") for path in folder.iterdir())
    code, _, error = run("hand-out", LESSON, "--class", "db1.csv", "--out", "out", "--key", "out/key.json")
    assert code == 2
    assert "which is handed out" in error


def test_work_is_never_written_over_and_who_is_new_gets_a_folder(run, handed, tmp_path):
    (ada,) = handed("Ada")
    seed = seed_of(ada)
    handed("Ada")  # nothing was begun: the same again
    assert seed_of(ada) == seed
    answer(ada, DISK, 12.0)
    before = {path: path.read_bytes() for path in ada.iterdir()}
    code, _, error = run("hand-out", LESSON, "--class", "db1.csv", "--out", "out")
    assert code == 2
    assert "answers.json has answers" in error
    folders = handed("Ada", "Bob")
    assert len(folders) == 2
    assert {path: path.read_bytes() for path in ada.iterdir()} == before
    (tmp_path / "out.key.json").unlink()
    code, _, error = run("hand-out", LESSON, "--class", "db1.csv", "--out", "out")
    assert code == 2
    assert "this key did not hand it out" in error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "line 1: a column 'name' is needed"),
        (b"Vorname;Nachname\nA;B\n", "got vorname, nachname"),
        (b"name\n", "there is no name"),
        (b"name,id\nAda,1\n,2\n", "line 3: the name is missing"),
        (b"name,id\nAda,1\nAda,1\n", "line 3: 'Ada' stands in line 2 already"),
        (b"name\nAda,1,2\n", "line 2: 3 cells"),
        (b'name\n"Ada\n', "line 2: this is no CSV"),
        (b"name\nAda\n\xe9va\n", "line 3: it is not UTF-8"),
        (b"name\nA\x1b[2Jda\n", "cannot be printed"),
        (b"name\n" + b"x" * 300 + b"\n", "at most 200 signs"),
        (b"name\n" + b"x" * 10**6, "at most 1 MB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_table_of_names_is_explained_by_its_line(run, tmp_path, text, said):
    (tmp_path / "names.csv").write_bytes(text)
    code, out, error = run("hand-out", LESSON, "--class", str(tmp_path / "names.csv"), "--out", str(tmp_path / "out"))
    assert (code, out) == (2, "")
    assert said in error
    assert not (tmp_path / "out").exists()


def test_a_table_from_a_spreadsheet_is_read_as_it_is(tmp_path):
    (tmp_path / "names.csv").write_bytes("\ufeffID;Name\r\n7; Éva   U \r\n\r\n8;Bob\r\n".encode())
    assert [(each.name, each.id) for each in roster.read_class(tmp_path / "names.csv")] == [
        ("Éva U", "7"),
        ("Bob", "8"),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("hand-out", "99", "--class", "n.csv", "--out", "o"), "there is no lesson 99"),
        (("hand-out", LESSON, "--out", "o"), "--class names the CSV file of the class"),
        (("hand-out", LESSON, "--class", "none.csv", "--out", "o"), "cannot be read"),
        (("hand-out", LESSON, "--class", "n.csv", "--out", "o", "--nbgrader"), "alone: leave out --class"),
        (("hand-out", LESSON, "--out", "o", "--nbgrader", "--exercises", "own.toml"), "alone: leave out --exercises"),
        (("hand-out", LESSON, "--out", "o", "--nbgrader", "--class", "n.csv", "--key", "k"), "--class and --key"),
        (("hand-out", LESSON, "--class", "n.csv", "--out", "o", "--exercises", "none.toml"), "cannot be read"),
        (("grade", "none"), "key"),
        (("grade", "n.csv", "--key", "n.csv"), "this is no key"),
    ],
)
def test_what_cannot_be_is_a_sentence(run, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.csv").write_text("name\nAda\n")
    code, out, error = run(*arguments)
    assert (code, out) == (2, "")
    assert said in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "o").exists()


def test_a_key_of_another_class_or_a_damaged_one_is_refused(run, handed, tmp_path):
    handed("Ada")
    (tmp_path / "db2.csv").write_text("name\nAda\n")
    code, _, error = run("hand-out", LESSON, "--class", "db2.csv", "--out", "out")
    assert code == 2
    assert "for class db1" in error
    key = json.loads((tmp_path / "out.key.json").read_text("utf8"))
    (tmp_path / "out.key.json").write_text(json.dumps(key | {"secret": "zz"}))
    code, _, error = run("grade", "out")
    assert code == 2
    assert "damaged: secret" in error


def test_a_folder_is_the_same_each_time_and_nobody_elses():
    students = [sheet.Student(name=name, id=id) for name in (*NAMES, "///", "CON", "") for id in ("", "1")]
    folders = [roster.folder_of(student) for student in students]
    assert len(set(folders)) == len(students)
    assert all(folder.replace("-", "").isalnum() or "_" in folder for folder in folders)


def test_answers_by_code_run_only_when_that_is_asked_for(handed, graded, tmp_path):
    (folder,) = handed("Ada")
    code, trace = "beat-lru", "cflru-loses"  # which is answered by a text that is no code
    key = json.loads((tmp_path / "out.key.json").read_text("utf8"))
    (tmp_path / "out.key.json").write_text(json.dumps(key | {"exercises": [code, trace]}))
    record = sheet.read(folder / "answers.json")
    for id in (code, trace):
        record = record.with_entry("attempts", id, record.seed, EXERCISES[id].key(record.seed))
    sheet.write(folder / "answers.json", record)
    rows, _ = graded()
    assert (rows["Ada"][code], rows["Ada"][trace]) == (None, EXERCISES[trace].points)
    assert "beat-lru is answered by code, which was not run (--run-code)" in rows["Ada"]["notes"]
    assert graded("--run-code")[0]["Ada"][code] == EXERCISES[code].points


def test_an_exercise_that_breaks_does_not_end_the_grading(handed, graded, monkeypatch):
    (folder,) = handed("Ada")
    answer(folder, DISK, right(DISK, folder))

    def broken(*_):
        raise RuntimeError("no engine")

    monkeypatch.setattr(type(EXERCISES[DISK]), "grade", broken)
    assert "RuntimeError: no engine" in graded()[0]["Ada"]["notes"]


def test_nbgraders_cells_fit_its_schema(run, tmp_path):
    code, _, error = run("hand-out", LESSON, "--nbgrader", "--out", str(tmp_path))
    assert code == 0, error
    cells = json.loads((tmp_path / NAME / f"{NAME}.ipynb").read_text("utf8"))["cells"]
    marked = [cell for cell in cells if "nbgrader" in cell["metadata"]]
    asked = [id for id in lessons.lesson(LESSON).exercises if not EXERCISES[id].prediction]
    assert len(marked) == 2 * len(asked)
    ids = [cell["metadata"]["nbgrader"]["grade_id"] for cell in marked]
    assert len(set(ids)) == len(ids)
    names: dict = {}
    for cell in marked:
        own = cell["metadata"]["nbgrader"]
        jsonschema.validate(own, SCHEMA)
        assert own["grade"] != own["solution"]
        assert ("points" in own) == own["grade"]
        source = "".join(cell["source"])
        assert ("### BEGIN SOLUTION" in source) == own["solution"]
        exec(source, names)  # its solution passes its test
    code, _, error = run("hand-out", LESSON, "--nbgrader", "--out", str(tmp_path))
    assert code == 2
    assert "there already" in error


def test_a_lesson_without_exercises_is_not_handed_out(tmp_path):
    bare = lessons.Lesson(0, "x", "X", (0, 0), (), (), tmp_path / "x.ipynb")
    with pytest.raises(ModelError, match="no exercise"):
        hand_out.hand_out(bare, "c", [sheet.Student(name="A")], tmp_path / "o", tmp_path / "k.json", None)
