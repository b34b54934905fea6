"""Handing a lesson out: a folder a student, with the notebook, an answer sheet with a seed of its own, three lines to
read. What was returned or begun is never written over.
"""

import ast
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from pagecost import _private_files
from pagecost.errors import ModelError, require
from pagecost_app.course.lessons import ASKING, INSTRUCTOR, Lesson
from pagecost_app.course.roster import Handed, Key, folder_of, new_key, read_key, write_key
from pagecost_app.exercises import EXERCISES, own, sheet
from pagecost_app.exercises.sheet import Sheet, Student

README = "README.txt"


def hand_out(
    lesson: Lesson, course: str, students: list[Student], folder: Path, key_file: Path, exercises_file: Path | None
) -> tuple[Key, list[Handed]]:
    """Write the folders and the key, which comes back with those who got a folder. Once more, the same is written where
    nobody has begun; who is new in the class gets a folder, and who has begun keeps what is there.

    Raises ModelError where everybody has begun, a folder is none of these, the key is another class's, or the key would
    be handed out; OSError.
    """
    inside = key_file.absolute().is_relative_to(folder.absolute())
    require(not inside, f"--key {key_file}: it lies in {folder}, which is handed out; put it elsewhere")
    text, own_ids = _own_exercises(exercises_file)
    known = {*EXERCISES, *own_ids}
    asked = [id for id in (*lesson.exercises, *own_ids) if id in known]
    require(bool(asked), f"lesson {lesson.name} has no exercise that could be graded")
    notebook = student_notebook(lesson, own_ids)
    digest = hashlib.sha256(notebook.encode()).hexdigest()
    key = _key(key_file, course, lesson)
    if key.handed and (list(key.exercises) != asked or key.own != text):
        raise ModelError(
            f"key {key_file}: the exercises have changed since this was handed out; grade it first, or name another "
            "--out and --key"
        )
    before = {each.folder: each for each in key.handed}
    handed = [Handed(student=student, folder=folder_of(student), notebook=digest) for student in students]
    begun = {each.folder: why for each in handed if (why := _begun(folder / each.folder, lesson, before))}
    fresh = [each for each in handed if each.folder not in begun]
    if not fresh:
        first, why = next(iter(begun.items()))
        raise ModelError(f"{folder / first}: {why}, and nobody is new; grade what is there, or name another --out")
    left = [each for each in key.handed if each.folder not in {new.folder for new in fresh}]
    key = key.model_copy(update={"exercises": asked, "own": text, "handed": [*fresh, *left]})
    key_file.parent.mkdir(parents=True, exist_ok=True)
    write_key(key_file, key)  # first: a folder without its key cannot be graded
    for each in fresh:
        _write_folder(folder / each.folder, lesson, key, each.student, notebook, text)
    return key, fresh


def _key(path: Path, course: str, lesson: Lesson) -> Key:
    if not path.exists():
        return new_key(course, lesson.name)
    key = read_key(path)
    same = (key.course, key.lesson) == (course, lesson.name)
    require(same, f"key {path}: it is of lesson {key.lesson} for class {key.course}; name another with --key")
    return key


def _own_exercises(path: Path | None) -> tuple[str, tuple[str, ...]]:
    if path is None:
        return "", ()
    text = own.text_of(path)
    ids = tuple(own.parse(text, str(path)))
    taken = next((id for id in ids if id in EXERCISES), None)
    require(taken is None, f"exercises {path}: {taken}: a lesson has an exercise of this id; choose another")
    return text, ids


def _begun(folder: Path, lesson: Lesson, before: Mapping[str, Handed]) -> str:
    """Why a folder must stay as it is, "" where it is as it was handed out or is not there.

    Raises ModelError for a folder that this key did not hand out.
    """
    if not folder.exists():
        return ""
    known = f"{folder}: it is there already, and this key did not hand it out; name another --out"
    require(folder.name in before, known)
    notebook, answers = folder / f"{lesson.name}.ipynb", folder / sheet.FILE
    if notebook.exists() and hashlib.sha256(notebook.read_bytes()).hexdigest() != before[folder.name].notebook:
        return f"{notebook.name} was worked on"
    if answers.exists():
        try:
            found = sheet.read(answers)
        except ModelError:
            return f"{sheet.FILE} was changed"
        if found.attempts or found.predictions or found.edited:
            return f"{sheet.FILE} has answers"
    return ""


def _write_folder(folder: Path, lesson: Lesson, key: Key, student: Student, notebook: str, own_text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _private_files.write(folder / f"{lesson.name}.ipynb", notebook.encode("utf8"))
    fresh = Sheet.model_validate({"lesson": lesson.name, "class": key.course, "seed": key.seed(student)})
    sheet.write(folder / sheet.FILE, fresh.model_copy(update={"student": student}))
    if own_text:
        _private_files.write(folder / own.FILE, own_text.encode("utf8"))
    lines = (
        f"{lesson.title}, for {student.name}: open {lesson.name}.ipynb in JupyterLab and answer its exercises.",
        f"Your numbers are your own, and what you answer is kept in {sheet.FILE}: leave it beside the notebook.",
        "When you are done, hand in this whole folder.",
    )
    _private_files.write(folder / README, ("\n".join(lines) + "\n").encode("utf8"))


def student_notebook(lesson: Lesson, own_ids: tuple[str, ...] = ()) -> str:
    """The lesson without what is for instructors, without seeds, which each student's sheet says, and without numbers
    that would answer a prediction before its cell is run."""
    record = json.loads(lesson.path.read_text("utf8"))
    record["cells"] = [cell for cell in record["cells"] if INSTRUCTOR not in cell.get("metadata", {}).get("tags", ())]
    for cell in record["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = without_seeds("".join(cell["source"])).splitlines(keepends=True)
            cell["outputs"], cell["execution_count"] = [], None
    if own_ids:
        record["cells"] += _own_cells(own_ids)
    return json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _own_cells(ids: tuple[str, ...]) -> list[dict]:
    cells: list[dict] = [
        {"cell_type": "markdown", "id": "own", "metadata": {}, "source": ["## Exercises of your class"]}
    ]
    for number, id in enumerate(ids, start=1):
        imported = ["from pagecost_app.notebook import exercise\n", "\n"] if number == 1 else []
        cells.append(code_cell(f"own-{number}", "".join([*imported, f"exercise({id!r})"])))
    return cells


def code_cell(id: str, source: str, metadata: dict | None = None) -> dict:
    """A cell that was not run yet."""
    cell: dict = {"cell_type": "code", "execution_count": None, "outputs": [], "metadata": metadata or {}}
    return {**cell, "id": id, "source": source.splitlines(keepends=True)}


def without_seeds(source: str) -> str:
    """The code of a cell; where calls that ask name a seed, without it."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic of IPython
        return source
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
            seeds = [keyword for keyword in node.keywords if keyword.arg == "seed"]
            for seed in seeds:
                node.keywords.remove(seed)
            if seeds:
                source = source.replace(ast.get_source_segment(source, node) or "", ast.unparse(node))
                return without_seeds(source)  # places have moved
    return source
