"""`pagecost calibrate`: job files to measure a device with fio, and the device that the results describe."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pagecost.errors import ModelError
from pagecost_app import stdin
from pagecost_app.command_parts import Output, loading, printed
from pagecost_app.waiting import moving


@printed
def calibrate(
    output: Output,
    results: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FIO.json...", callback=stdin.given, help="Results of fio; - is stdin."),
    ] = None,
    jobs: Annotated[Path | None, typer.Option(metavar="DIR", help="Write job files for fio into this folder.")] = None,
    kind: Annotated[str, typer.Option(help="ssd, disk, or auto: as the results look.")] = "auto",
    hold_out: Annotated[
        list[str], typer.Option("--hold-out", metavar="JOB", help="Predict this job, do not fit it; * and ? may stand.")
    ] = [],  # noqa: B006  Typer copies it
    capacity: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Of the drive; without it a plan cannot use an SSD.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the device as a file, my-ssd.toml.")] = None,
    name: Annotated[str | None, typer.Option(help="What people call it (default: as the file).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a device file that is there.")] = False,
    file: Annotated[Path | None, typer.Option(help="The file that the jobs make and measure.")] = None,
    size: Annotated[str, typer.Option(help="Of that file.")] = "4G",
    seconds: Annotated[float | None, typer.Option(help="That a job counts for (default: 8, of a disk 20).")] = None,
    runs: Annotated[int, typer.Option(help="How often the jobs are run.")] = 3,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Only this table of the answer.")] = None,
):
    """Fit a device to results of fio, with intervals.

    Or write the jobs to measure one: --jobs DIR.
    """
    with loading():
        from pagecost_app import calibrate_command, printing

    if jobs is not None:
        if results:
            raise ModelError("--jobs writes job files and takes no results; fit them in a second call")
        print("\n".join(calibrate_command.write_jobs(jobs, kind, file, size, seconds, runs)))
        return
    calibrate_command.require_free(out, force)
    with moving("fitting"):
        found = calibrate_command.fitted(results or [], kind, hold_out, capacity)
        answer = calibrate_command.tables(found)
    printing.result(answer, output, printing.typed(output), calibrate_command.said(answer), table)
    if out is not None:
        print(calibrate_command.write(found, out, name), file=sys.stderr)
