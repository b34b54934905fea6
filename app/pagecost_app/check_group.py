"""`pagecost check`, as it stands on the command line."""

from pathlib import Path
from typing import Annotated

import typer

from pagecost_app import stdin
from pagecost_app.command_parts import Output, loading, printed
from pagecost_app.waiting import moving


@printed
def check(
    output: Output,
    file: Annotated[
        Path, typer.Argument(metavar="SYSTEM", callback=stdin.given, help="A system as it was planned; - is stdin.")
    ],
    iostat: Annotated[
        Path | None, typer.Option(callback=stdin.given, help="What iostat -x 10 60 printed, text or JSON; - is stdin.")
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Of the database in it (default: the busiest; of an array, a member).")
    ] = None,
    smart: Annotated[
        list[Path],
        typer.Option(help="nvme smart-log or smartctl -j -x; two of them tell of the time between."),
    ] = [],  # noqa: B006  Typer copies it
    pg_stat_io: Annotated[
        list[Path], typer.Option(help="That view of PostgreSQL as CSV or JSON; likewise one or two.")
    ] = [],  # noqa: B006  Typer copies it
):
    """What was predicted of a system, beside what is measured.

    With the distance and what that says.
    """
    with loading():
        from pagecost_app import check_command

    with moving("comparing"):
        rows, notes = check_command.check(file, iostat, device, smart, pg_stat_io)
    check_command.show(rows, notes, output)
