"""The options of `pagecost wear`."""

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from pagecost_app import completing, stdin
from pagecost_app.command_parts import DataFormat, Output, loading, printed

CONTEXT = {"allow_interspersed_args": False}  # what stands behind COMMAND is its own


@printed
def wear(
    output: Output,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND…", help="What to run and record, behind --.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            callback=stdin.given,
            help="Read this recording of strace -f -y -ttt instead; - is stdin.",
        ),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the recording; .gz at its end compresses it.")
    ] = None,
    block: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="As root: record also what reaches the disk that FOLDER lies on."),
    ] = None,
    at_most: Annotated[
        str | None, typer.Option(metavar="LIMIT", help="10GB/day or 200MB (a run): exit code 1 if more is written.")
    ] = None,
    device: Annotated[
        str, typer.Option(help="The drive that is worn.", autocompletion=completing.devices)
    ] = "samsung-970-pro-1tb",
    file_system: Annotated[
        str, typer.Option(help="ext4, ext2 (in place, no journal) or nilfs2; recorded: as the files lay.")
    ] = "recorded",
    runs_per_day: Annotated[float, typer.Option(help="How often it runs; 0: again and again without a pause.")] = 0,
):
    """What a program writes, and how that wears a drive.

    Bytes asked, to the device, to flash, by file and cause; years of a drive, dollars. The command's output and exit
    code stay its own, and what is found goes to standard error; exit code 1 if --at-most is broken.
    """
    with loading():
        from pagecost_app import printing, wear_command

    asked = wear_command.asked(
        command or [], str(trace) if trace else None, keep, block, at_most, device, file_system, runs_per_day
    )
    found, code = wear_command.answer(asked)
    with contextlib.redirect_stdout(sys.stderr if command else sys.stdout):
        found_facts = wear_command.facts(found)
        said = found_facts.pop("says") if output.format == DataFormat.table else ""
        printing.facts(found_facts, output, printing.typed(output, device=device), said)
    if found.broken:
        print(f"pagecost: {found.broken}", file=sys.stderr)
        raise typer.Exit(1)
    if found.doubtful:
        print(f"pagecost: {found.doubtful}", file=sys.stderr)
    raise typer.Exit(code)
