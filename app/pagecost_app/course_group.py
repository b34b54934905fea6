"""`pagecost hand-out` and `pagecost grade`, as they are typed."""

from pathlib import Path
from typing import Annotated

import typer

from pagecost_app.command_parts import Output, loading, printed
from pagecost_app.waiting import moving

KeyFile = Annotated[
    Path | None, typer.Option("--key", help="The instructor's key (default: beside the folder, NAME.key.json).")
]


@printed
def hand_out(
    output: Output,
    lesson: Annotated[str, typer.Argument(metavar="LESSON", help="Its number or name, as 6 or buffer_management.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the folders are written.")],
    names: Annotated[
        Path | None, typer.Option("--class", metavar="NAMES.csv", help="The class: a column name, perhaps one id.")
    ] = None,
    key: KeyFile = None,
    exercises: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="Also your own exercises; docs/teaching.md shows such a file."),
    ] = None,
    nbgrader: Annotated[
        bool, typer.Option("--nbgrader", help="Instead one notebook with nbgrader's cells, the same for everybody.")
    ] = False,
):
    """Hand a lesson out to a class, each with own numbers.

    What was begun or returned is never written over; who is new in the class gets a folder.
    """
    from pagecost.errors import present, require

    with loading():
        from pagecost_app.course import lessons

        lessons.require_some()
        from pagecost_app.course import commands

    if nbgrader:
        given = [name for name, value in (("--class", names), ("--key", key), ("--exercises", exercises)) if value]
        require(not given, f"--nbgrader writes one notebook of the lesson alone: leave out {' and '.join(given)}")
        commands.give_out_nbgrader(lesson, out)
        return
    students = present(names, "--class names the CSV file of the class; it is missing")
    commands.give_out(lesson, students, out, key, exercises, output)


@printed
def grade(
    output: Output,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What came back: a folder of the students' folders.")],
    out: Annotated[Path | None, typer.Option(metavar="GRADES.csv", help="Also write the grades there.")] = None,
    key: KeyFile = None,
    run_code: Annotated[
        bool, typer.Option("--run-code", help="Also grade what is answered by code: it runs in a closed process.")
    ] = False,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE.md", help="Instead write what is right, worked with each student's numbers."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over what is there.")] = False,
):
    """The grades of a class, and its wrong ideas.

    Each is computed again from the answers, with the student's own numbers; what a sheet says of itself counts nothing.
    """
    from pagecost.errors import require

    with loading():
        from pagecost_app.course import lessons

        lessons.require_some()
        from pagecost_app.course import commands

    if answers is not None:
        require(out is None and not run_code, "--answers grades nobody: leave out --out and --run-code")
        with moving("working the exercises") as progress:
            commands.write_answers(answers, folder, key, force, progress)
        return
    with moving("grading") as progress:
        show = commands.graded(folder, out, key, run_code, force, progress)
    show(output)
