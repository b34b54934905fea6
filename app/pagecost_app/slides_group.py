"""`pagecost slides`, as it is typed."""

from pathlib import Path
from typing import Annotated

import typer

from pagecost_app.command_parts import loading
from pagecost_app.waiting import moving


def slides(
    lesson: Annotated[str, typer.Argument(metavar="LESSON", help="A lesson's number or name.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The HTML page to write (default: the lesson's name).")
    ] = None,
):
    """Write a lesson's slides as one HTML page that works offline.

    Arrows or space for the next step, F for full screen, N for notes, D for a dark room; printed, one slide a page.
    """
    with loading():
        from pagecost_app.course import lessons

        lessons.require_some()
        from pagecost_app import answer_report
        from pagecost_app.slides import slides_page

    asked = lessons.lesson(lesson)
    file = Path(f"{asked.name}.html") if out is None else out
    answer_report.can_be_written(file, "slides")
    with moving(f"slides of {asked.title}") as progress:
        page = slides_page.page(asked, lambda share: progress(share, None))
    answer_report.write(page, file, "slides")
    print(f"wrote {file}")
