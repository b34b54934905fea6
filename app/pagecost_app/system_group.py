"""`pagecost system`, as it is typed."""

from pathlib import Path
from typing import Annotated

import typer

from pagecost_app import stdin
from pagecost_app.command_parts import Columns, Output, Sets, TraceFormat, loading, printed
from pagecost_app.waiting import moving

system_commands = typer.Typer(help="A system as one file.", no_args_is_help=True, rich_markup_mode=None)


@system_commands.command("new")
def system_new(
    file: Annotated[Path, typer.Argument(help="The TOML file to write.")],
    sets: Sets = [],  # noqa: B006  Typer copies it
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    measured: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="LOAD", help="Fill in the load from iostat -x or a trace; - reads it from stdin."
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Of those in iostat's output (default: that with most requests).")
    ] = None,
    trace_format: TraceFormat = None,
    columns: Columns = None,
):
    """Write a system with every value and its meaning.

    As in pagecost system new mine.toml --set memory.buffer_frames=4096.
    """
    with loading():
        from pagecost_app import options, printing, system_command

    asked, load = options.format_asked(trace_format, columns), None
    if measured is not None:
        with stdin.as_file(measured) as path, moving("reading"):
            load = system_command.measured_load(path, device, asked, kept=measured != stdin.STANDARD_INPUT)
        named = {"source": "standard input"} if measured == stdin.STANDARD_INPUT else {}
        printing.facts(system_command.described(load) | named, Output(), None)
    print(system_command.new(file, printing.assignments(sets), force, load))


@system_commands.command("show")
@printed
def system_show(
    output: Output,
    file: Annotated[Path, typer.Argument(callback=stdin.given, help="A system; - reads standard input.")],
):
    """What stands in a system, and what takes it."""
    with loading():
        from pagecost_app import system_command

    system_command.print_all(*system_command.show(file), output)


@system_commands.command("check")
def system_check(file: Annotated[Path, typer.Argument(callback=stdin.given, help="A system; - reads standard input.")]):
    """Which studies can take a system, and why not others.

    Exit code 2 if the file is no system.
    """
    with loading():
        from pagecost_app import system_command

    print(system_command.check(file))
