"""A lesson as nbgrader's source of an assignment: solutions and tests in cells with its metadata (schema 3).

nbgrader itself is not needed to write it. Everybody gets the same numbers there, those of seed 1.
"""

import json
import re

from pagecost.errors import require
from pagecost_app.course.hand_out import code_cell, student_notebook
from pagecost_app.course.lessons import ASKING, Lesson, cells_of_record
from pagecost_app.exercises import EXERCISES

SCHEMA, SEED = 3, 1


def source_notebook(lesson: Lesson) -> tuple[str, int]:
    """The notebook, and how many exercises are graded in it. Raises ModelError for a lesson without one."""
    record = json.loads(student_notebook(lesson))
    cells: list[dict] = []
    done: set[str] = set()
    for cell, read in zip(record["cells"], cells_of_record(record), strict=True):
        asked = [call.arguments[0] for call in read.calls if call.name in ASKING and call.arguments]
        ids = [id for id in asked if id in EXERCISES and not EXERCISES[id].prediction]
        answered = [call for call in read.calls if call.name in ("check", "exercise")]
        if ids and answered:
            fresh = [id for id in ids if id not in done]
            done.update(fresh)
            cells += [each for id in fresh for each in _cells(id)]
        else:
            cells.append(cell)
    require(bool(done), f"lesson {lesson.name} has no exercise that could be graded")
    record["cells"] = cells
    return json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n", len(done)


def _cells(id: str) -> list[dict]:
    """Question, answer and test of an exercise."""
    name = f"answer_{re.sub(r'[^a-z0-9]', '_', id)}"
    imported = "from pagecost_app.exercises import EXERCISES"
    question = f'from pagecost_app.exercises import ask\n\nask("{id}", seed={SEED})'
    asks = f"{imported}\n\n# Put your answer into {name}."
    solution = f'{asks}\n### BEGIN SOLUTION\n{name} = EXERCISES["{id}"].key({SEED})\n### END SOLUTION'
    judged = f'EXERCISES["{id}"].judge({SEED}, {name})'
    test = f'{imported}\n\nsaid = {judged}\nassert said.status == "passed", said.message'
    points = float(EXERCISES[id].points)
    return [
        code_cell(f"{id}-question"[:64], question),
        code_cell(f"{id}-answer"[:64], solution, _metadata(f"{id}-answer", solution=True)),
        code_cell(f"{id}-test"[:64], test, _metadata(f"{id}-test", grade=True, locked=True, points=points)),
    ]


def _metadata(grade_id: str, *, solution: bool = False, grade: bool = False, locked: bool = False, points=None) -> dict:
    known = {"grade": grade, "grade_id": grade_id, "locked": locked, "solution": solution, "task": False}
    return {"nbgrader": {**known, "schema_version": SCHEMA, **({} if points is None else {"points": points})}}
