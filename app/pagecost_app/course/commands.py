"""What `pagecost hand-out` and `pagecost grade` print and write."""

import sys
from collections.abc import Callable
from pathlib import Path

from pagecost import _private_files
from pagecost.errors import require
from pagecost_app import printing, terminal
from pagecost_app.command_parts import DataFormat, Output
from pagecost_app.course import answer_key, grading, hand_out, nbgrader, roster
from pagecost_app.course.grading import Graded, Grades
from pagecost_app.course.lessons import lesson

FORMULA = ("=", "+", "-", "@")


def give_out(
    asked: str, class_file: Path, folder: Path, key_file: Path | None, exercises_file: Path | None, out: Output
) -> None:
    """Hand a lesson out and say what was written. Raises ModelError."""
    found, students = lesson(asked), roster.read_class(class_file)
    place = key_file or roster.key_beside(folder)
    _, fresh = hand_out.hand_out(found, class_file.stem, students, folder, place, exercises_file)
    said = f"{found.title}: handed out to {_many(len(fresh), 'student')} in {folder}; the key to grade it is {place}"
    if len(fresh) < len(students):
        said += f" ({len(students) - len(fresh)} had begun and keep what is there)"
    rows = [{"name": each.student.name, "id": each.student.id, "folder": str(folder / each.folder)} for each in fresh]
    printing.records(_for(out, rows), out, printing.typed(out), said)


def give_out_nbgrader(asked: str, folder: Path) -> None:
    """Write the lesson as nbgrader's source of an assignment. Raises ModelError where a file is there already."""
    found = lesson(asked)
    place = folder / found.name / f"{found.name}.ipynb"
    require(not place.exists(), f"{place}: the file is there already; remove it, or name another --out")
    text, count = nbgrader.source_notebook(found)
    place.parent.mkdir(parents=True, exist_ok=True)
    _private_files.write(place, text.encode("utf8"))
    terminal.say(f"{found.title}: {count} exercises as nbgrader's cells in {place}", strong=True)


def write_answers(file: Path, folder: Path, key_file: Path | None, force: bool, progress) -> None:
    """Write what is right for each student of a class, for this user only. Raises ModelError."""
    require(force or not file.exists(), f"answers {file}: the file is there already; --force writes over it")
    inside = file.absolute().is_relative_to(folder.absolute())
    require(not inside, f"--answers {file}: it lies in {folder}, the students' folders; put it elsewhere")
    key = roster.read_key(key_file or roster.key_beside(folder))
    _private_files.write(file, answer_key.text(key, progress).encode("utf8"))
    terminal.say(f"the answers of {_many(len(key.handed), 'student')} are in {file}", strong=True)


def graded(
    folder: Path, csv_file: Path | None, key_file: Path | None, run_code: bool, force: bool, progress
) -> Callable[[Output], None]:
    """Grade what came back, and write it where that is asked for; the result prints it. Raises ModelError."""
    places = [csv_file, _ideas_file(csv_file)] if csv_file else []
    for place in places:
        require(force or not place.exists(), f"grades {place}: the file is there already; --force writes over it")
    key = roster.read_key(key_file or roster.key_beside(folder))
    found = grading.grade(folder, key, run_code, progress)
    rows, ideas = [_row(each, found) for each in found.students], _ideas(found)
    for place, written in zip(places, (rows, ideas), strict=False):
        text = printing.csv_text(_for_spreadsheets(written)) if written else "exercise,wrong_idea,students\n"
        _private_files.write(place, text.encode("utf8"))

    def show(out: Output) -> None:
        _show(found, rows, ideas, out)
        for place in places:
            print(f"wrote {place}", file=sys.stderr)

    return show


def _show(found: Grades, rows: list[dict], ideas: list[dict], out: Output) -> None:
    said, made = answered(found), printing.typed(out)
    if out.format == DataFormat.json:
        printing.as_json({"answer": said, "grades": rows, "wrong_ideas": ideas, "provenance": made()})
        return
    if out.format == DataFormat.csv:
        printing.records(_for(out, rows), out, made)
        return
    terminal.say(said, strong=True)
    print()
    shown = [{name: _shown(value) for name, value in row.items()} for row in rows]
    terminal.table(printing.texts(shown), wide=out.wide)
    if not out.wide:
        for each in found.students:
            if each.notes:
                terminal.say(f"{each.student.name}: {'; '.join(each.notes)}", indent="- ")
    print()
    if ideas:
        terminal.say("wrong ideas of the class")
        terminal.table(printing.texts([{name: str(value) for name, value in row.items()} for row in ideas]), wide=True)
    else:
        terminal.say("no wrong idea that the exercises know")
    printing.foot(out, made)


def answered(found: Grades) -> str:
    """The whole in a sentence."""
    answered = [each for each in found.students if each.predicted or any(p is not None for p in each.points.values())]
    mean = sum(each.total for each in answered) / len(answered) if answered else 0.0
    said = f"{_many(len(found.students), 'student')}, {len(answered)} answered"
    said += f", with {mean:.3g} of {found.most} points on average" if answered else ""
    ideas = found.ideas()
    if ideas:
        exercise, idea, count = ideas[0]
        said += f"; the commonest wrong idea ({exercise}, {_many(count, 'student')}): {idea}"
    return said


def _row(graded: Graded, found: Grades) -> dict:
    return {
        "name": graded.student.name,
        "id": graded.student.id,
        "folder": _line(graded.folder),
        **graded.points,
        "total": graded.total,
        "of": found.most,
        "predictions": f"{graded.predicted} of {found.predictions}",
        "notes": _line("; ".join(graded.notes)),
    }


def _ideas(found: Grades) -> list[dict]:
    return [{"exercise": id, "wrong_idea": _line(idea), "students": count} for id, idea, count in found.ideas()]


def _ideas_file(csv_file: Path) -> Path:
    return csv_file.with_name(f"{csv_file.stem}-wrong-ideas.csv")


def _line(text: str) -> str:
    """A student's text on one line, without what would move a cursor."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _for(out: Output, rows: list[dict]) -> list[dict]:
    return _for_spreadsheets(rows) if out.format == DataFormat.csv else rows


def _for_spreadsheets(rows: list[dict]) -> list[dict]:
    """Rows in which no text is taken for a formula."""
    return [{name: _no_formula(value) for name, value in row.items()} for row in rows]


def _no_formula(value):
    return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(FORMULA) else value


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _shown(value) -> str:
    return "–" if value is None else printing.short(value)
