"""`pagecost claims`, as it is typed."""

from pathlib import Path
from typing import Annotated

import typer

from pagecost_app import completing
from pagecost_app.command_parts import Output, loading, printed
from pagecost_app.waiting import moving


@printed
def claims(
    output: Output,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="CLAIM...", help="Only these, as R31.200.lru or R31.*")
    ] = None,
    paper: Annotated[str | None, typer.Option(help="Only this paper.", autocompletion=completing.papers)] = None,
    changed: Annotated[bool, typer.Option("--changed", help="What moved since the last release, and why.")] = False,
    flips: Annotated[
        bool, typer.Option("--flips", help="Which number flips the verdict, and how far it moves.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Also write all of it as one HTML page.")] = None,
):
    """What the papers state, beside what is measured here.

    Exit code 1 if a claim does not come out as expected. What was found is kept: a run that is stopped goes on where it
    was.
    """
    with loading():
        from pagecost_app import claims_command

    if flips:
        with moving("moving what the claims read") as said:
            claims_command.show_flips(claims_command.asked(names or [], paper), output, said)
        return
    with moving("checking the claims") as said:
        found = claims_command.verdicts(names or [], paper, said)
    if changed:
        claims_command.show_changes(names or [], paper, found, output)
    else:
        claims_command.show(found, output, whole=not names)
    if report is not None:
        from pagecost_app import claims_report

        claims_report.write(found, report)
    if not all(verdict.as_expected for verdict in found):
        raise typer.Exit(1)
