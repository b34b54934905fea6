"""Grading what came back: every grade is computed again from the answers, with the student's own numbers.

Nothing that a sheet says of itself is believed, and no code of a student is run: of a notebook only those arguments of
`check(…)` are read that are literals or + - * / of numbers, and a note says where there are others. (An exercise that
is answered by code is left out unless that is asked for: then it runs in a closed process.)
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pagecost.errors import ModelError, require
from pagecost_app.course import cell_code, lessons
from pagecost_app.course.answer_key import exercises_of
from pagecost_app.course.roster import Key, folder_of
from pagecost_app.exercises import sheet
from pagecost_app.exercises.exercise import Exercise
from pagecost_app.exercises.kinds.policy import NotRun, may_run
from pagecost_app.exercises.misconceptions import for_all
from pagecost_app.exercises.sheet import Sheet, Student
from pagecost_app.exercises.standing import standing

PRACTICE = 1_000  # seeds after a student's own, which "New numbers" takes: they are not graded
MOST_FOLDERS, MOST_NOTEBOOK_BYTES = 10_000, 20_000_000
MOST_ANSWERS = 50  # to one exercise are looked at; attempts end far earlier
ALIKE = 2  # answers of the same moment make two sheets alike


@dataclass
class Graded:
    """A student: points by exercise (None: not answered), predictions made, the wrong ideas met, and what to know."""

    student: Student
    folder: str = ""
    points: dict[str, float | None] = field(default_factory=dict)
    predicted: int = 0
    ideas: set[tuple[str, str]] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    marks: set[tuple] = field(default_factory=set)

    @property
    def total(self) -> float:
        """Points in all."""
        return sum(each or 0.0 for each in self.points.values())


@dataclass(frozen=True)
class Grades:
    """A class graded. exercises: those that give points, by id. predictions: how many are asked."""

    key: Key
    exercises: Mapping[str, Exercise]
    predictions: int
    students: list[Graded]

    @property
    def most(self) -> int:
        """Points that there are."""
        return sum(exercise.points for exercise in self.exercises.values())

    def ideas(self) -> list[tuple[str, str, int]]:
        """The class's wrong ideas: exercise, what is said to it, how many students had it; the commonest first."""
        counts = Counter((id, for_all(say)) for graded in self.students for id, say in graded.ideas)
        return [(*idea, count) for idea, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def grade(
    folder: Path, key: Key, run_code: bool = False, progress: Callable[[float, None], None] = lambda share, _: None
) -> Grades:
    """Grade the folders that came back. run_code: also what is answered by code.

    Raises ModelError where there are none.
    """
    require(folder.is_dir(), f"{folder}: this is no folder; name the one with the students' folders in it")
    returned = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
    require(bool(returned), f"{folder}: there is no student's folder in it")
    require(len(returned) <= MOST_FOLDERS, f"{folder}: more than {MOST_FOLDERS} folders")
    asked = exercises_of(key)
    points = {id: each for id, each in asked.items() if not each.prediction}
    predictions = [id for id, each in asked.items() if each.prediction]
    found: list[Graded] = []
    before = may_run.set(run_code)
    try:
        for number, each in enumerate(returned):
            progress(number / len(returned), None)
            found.append(_graded(each, key, points, predictions))
    finally:
        may_run.reset(before)
    gone = [id for id in key.exercises if id not in asked]
    for graded in found:
        graded.notes += [f"{id} is no exercise any more" for id in gone]
    _compare(found)
    here = {(graded.student.name, graded.student.id) for graded in found}
    for handed in key.handed:
        if (handed.student.name, handed.student.id) not in here:
            found.append(Graded(handed.student, handed.folder, dict.fromkeys(points), notes=["nothing was handed in"]))
    return Grades(key, points, len(predictions), found)


def _graded(folder: Path, key: Key, points: Mapping[str, Exercise], predictions: list[str]) -> Graded:
    """One folder graded, whatever lies in it."""
    owner = next((each.student for each in key.handed if each.folder == folder.name), None)
    graded = Graded(owner or Student(name=folder.name), folder.name, dict.fromkeys(points))
    answers = _sheet(folder, key, owner, graded)
    if answers is None and owner is None:
        return graded
    seed = key.seed(graded.student)
    if answers is not None:
        if answers.seed != seed:
            graded.notes.append(f"the sheet's seed {answers.seed} is not this student's; graded with their own")
        foreign = sum(not seed <= entry.seed <= seed + PRACTICE for entry in answers.attempts)
        if foreign:
            many = f"{foreign} answer{'s' * (foreign != 1)}"
            graded.notes.append(f"{many} to other numbers than this student's, not counted")
        graded.predicted = sum(bool(answers.predicted(id, seed)) for id in predictions)
        graded.marks = {
            (entry.exercise, repr(entry.answer), entry.time) for entry in (*answers.attempts, *answers.predictions)
        }
    on_sheet = {id: answers.answers(id, seed) if answers is not None else [] for id in points}
    typed, unread = _typed(folder, key, seed, graded)
    graded.notes += _not_counted(id for id in unread if not on_sheet.get(id) and not typed.get(id))
    for id, exercise in points.items():
        given = on_sheet[id]
        more = [answer for answer in typed.get(id, ()) if answer not in given]
        if more and answers is not None:
            stand = "1 answer stands" if len(more) == 1 else f"{len(more)} answers stand"
            graded.notes.append(f"{id}: {stand} in the notebook only")
        given = [*given, *more][:MOST_ANSWERS]
        if not given:
            continue
        _score(exercise, seed, given, graded)
    return graded


def _score(exercise: Exercise, seed: int, answers: list, graded: Graded) -> None:
    try:
        now = standing(exercise, seed, answers)
        if now.tries:
            graded.points[exercise.id] = now.score
        left = now.tries
        for answer in answers:
            judged = exercise.judge(seed, answer)
            if judged.status == "todo" or left == 0:
                continue
            left -= 1
            if judged.misconception:
                graded.ideas.add((exercise.id, judged.misconception))
    except NotRun:
        graded.notes.append(f"{exercise.id} is answered by code, which was not run (--run-code)")
    except Exception as error:  # what an answer does to the engine must not end the grading of a class
        graded.notes.append(f"{exercise.id}: it could not be graded ({type(error).__name__}: {str(error)[:100]})")


def _sheet(folder: Path, key: Key, owner: Student | None, graded: Graded) -> Sheet | None:
    """The student's answer sheet, None where there is none that counts; `graded` gets the notes and the student."""
    path = folder / sheet.FILE
    if path.is_symlink() or not path.is_file():
        graded.notes.append(f"there is no {sheet.FILE}")
        return None
    try:
        found = sheet.read(path)
    except ModelError as error:
        graded.notes.append(str(error).replace(str(path), sheet.FILE))
        return None
    except OSError as error:
        graded.notes.append(f"{sheet.FILE} cannot be read: {error.strerror}")
        return None
    if (found.lesson, found.course) != (key.lesson, key.course):
        graded.notes.append(f"the sheet is of lesson {found.lesson or '–'}, class {found.course or '–'}: not counted")
        return None
    known = {(each.student.name, each.student.id): each.student for each in key.handed}
    named = known.get((found.student.name, found.student.id))
    if named is None:
        graded.notes.append(f"the sheet names {found.student.name or 'nobody'}, to whom nothing was handed out")
        return None if owner is None else found
    if owner is not None and named != owner:
        graded.notes.append(f"the sheet of {named.name} lies in this folder: not counted")
        return None
    graded.student = named
    if folder.name != folder_of(named):
        graded.notes.append(f"the folder was renamed from {folder_of(named)}")
    if found.edited:
        graded.notes.append("the sheet was edited by hand")
    return found


def _not_counted(ids: Iterable[str]) -> list[str]:
    """What is said of calls of `check` whose answer cannot be read; id "" is of a cell that is no Python."""
    said = "a check(…) of the notebook cannot be read without running it, not counted"
    return [f"{id[:60]}: {said}" if id else said for id in dict.fromkeys(ids)]


def _typed(folder: Path, key: Key, seed: int, graded: Graded) -> tuple[dict[str, list], list[str]]:
    """Answers in `check(id, answer)` of the student's notebook, by id; and the ids of those that cannot be read."""
    path = folder / f"{key.lesson}.ipynb"
    if path.is_symlink() or not path.is_file():
        graded.notes.append("there is no notebook")
        return {}, []
    found: dict[str, list] = {}
    try:
        require(path.stat().st_size <= MOST_NOTEBOOK_BYTES, f"{path.name} is larger than any lesson")
        cells = lessons.cells_of(path)
    except ModelError as error:
        graded.notes.append(str(error).replace(str(path), path.name))
        return {}, []
    for call in (call for cell in cells for call in cell.calls if call.name == "check"):
        id, *given = (*call.arguments, *([call.keywords["answer"]] if "answer" in call.keywords else []))
        if not isinstance(id, str) or not given or given[0] is Ellipsis or given[0] is None:
            continue
        asked = call.keywords.get("seed", given[1] if len(given) > 1 else seed)
        if asked != seed:
            graded.notes.append(f"{id[:60]}: the notebook names the seed {str(asked)[:20]}, not counted")
            continue
        answer = _plain(given[0])
        try:
            sheet.as_answer(answer)
        except ValueError as error:
            graded.notes.append(f"{id[:60]}: {error}")
            continue
        found.setdefault(id, []).append(answer)
    sources = [cell.source for cell in cells if cell.kind == "code"]
    return found, [id for source in sources for id in cell_code.unread(source, "check")]


def _plain(answer):
    if isinstance(answer, tuple | list):
        return [_plain(each) for each in answer]
    return {name: _plain(each) for name, each in answer.items()} if isinstance(answer, dict) else answer


def _compare(found: Iterable[Graded]) -> None:
    """Point out who handed in the same: the same answers of the same moments, or a student twice."""
    before: list[Graded] = []
    for graded in found:
        for other in before:
            shared = graded.marks & other.marks
            if len(shared) >= ALIKE or (shared and graded.marks == other.marks):
                count = f"{len(shared)} answer{'s' * (len(shared) != 1)}"
                graded.notes.append(f"{count} of the same moment as in {other.folder}")
                other.notes.append(f"{count} of the same moment as in {graded.folder}")
            if graded.student == other.student:
                graded.notes.append(f"handed in twice: also {other.folder}")
        before.append(graded)
