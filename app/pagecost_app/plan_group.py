"""`pagecost plan`: as it is typed."""

from pathlib import Path
from typing import Annotated

import typer

from pagecost_app import stdin
from pagecost_app.command_parts import Output, loading, printed
from pagecost_app.waiting import moving


@printed
def plan(
    output: Output,
    system: Annotated[
        Path,
        typer.Argument(
            metavar="SYSTEM", callback=stdin.given, help="A system with [targets] and [candidates]; - is stdin."
        ),
    ],
    runs: Annotated[int, typer.Option(min=0, max=10, help="Simulations of each finalist; 0: formulas alone.")] = 3,
    seed: Annotated[int, typer.Option(min=1, max=2**31, help="Another seed draws other numbers.")] = 1,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write it as one HTML page, CSV and JSON beside."),
    ] = None,
):
    """Choose devices for a system's targets, and say why.

    Their counts, levels, places and caches too.
    """
    with loading():
        from pagecost_app import answer_report, plan_command

    if report is not None:
        answer_report.can_be_written(report)
    with moving("planning") as progress:
        made = plan_command.answer(system, progress, seed=seed, runs=runs)
    plan_command.show(made, output)
    if report is not None:
        from pagecost_app import plan_report

        plan_report.write(made, report)
