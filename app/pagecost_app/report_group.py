"""`pagecost report`: as it is typed."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pagecost_app.command_parts import loading
from pagecost_app.waiting import moving


def report(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="A project that the app has saved.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The HTML page to write.")],
):
    """Write a project as one HTML page that works offline.

    Kept answers, side by side where there are several to a question; questions that are set are answered anew.
    What refuses to be answered is named in the page and on the terminal.
    """
    with loading():
        from pagecost_app import answer_report
        from pagecost_app.workspace import project_file

    answer_report.can_be_written(file)
    read = project_file.read(project)
    refused: list[str] = []
    with moving(f"reporting {read.name}") as progress:
        page = answer_report.of_project(read, lambda share: progress(share, None), refused.append)
    answer_report.write(page, file)
    for sentence in refused:
        print(f"not in it: {sentence}", file=sys.stderr)
    print(f"wrote {file}")
