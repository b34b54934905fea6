"""`pagecost trace`, as it is typed."""

from typing import Annotated

import typer

from pagecost.errors import ModelError
from pagecost_app import stdin
from pagecost_app.command_parts import Columns, Output, PageSize, Sets, TraceFormat, TraceName, loading, printed
from pagecost_app.waiting import moving

trace_commands = typer.Typer(help="What a trace file holds.", no_args_is_help=True, rich_markup_mode=None)


@trace_commands.command("inspect")
@printed
def trace_inspect(
    output: Output,
    file: TraceName,
    trace_format: TraceFormat = None,
    columns: Columns = None,
    page_bytes: PageSize = None,
):
    """What a trace holds, and what of it was understood.

    First requests as understood, time span, read share, working set, rejected lines. Exit code 2, behind the report,
    for a file that cannot be read to its end or holds no request.
    """
    with loading():
        from pagecost_app import options, printing, trace_command

    asked = options.format_asked(trace_format, columns)
    with stdin.as_file(file) as path, moving("reading"):
        found = trace_command.inspect(path, asked, options.page_size(page_bytes))
    found["file"] = stdin.in_words(found["file"])
    printing.facts(found, output, printing.typed(output), trace_command.said(found))
    if found["problem"]:
        raise ModelError(found["problem"])


@trace_commands.command("convert")
@printed
def trace_convert(
    output: Output,
    file: TraceName,
    out: Annotated[str, typer.Argument(help="The file to write; .gz, .bz2, .xz or .zst behind the ending compresses.")],
    trace_format: TraceFormat = None,
    columns: Columns = None,
    out_format: Annotated[str | None, typer.Option(help="Where the ending of OUT does not tell.")] = None,
    page_bytes: PageSize = None,
):
    """Write a trace in another format.

    What that format cannot hold is said.
    """
    with loading():
        from pagecost_app import options, printing, trace_command

    asked = options.format_asked(trace_format, columns)
    with stdin.as_file(file) as path, moving("converting"):
        found = trace_command.convert(path, out, asked, out_format, options.page_size(page_bytes))
    printing.facts(found, output, printing.typed(output), trace_command.said_of_file(found))


@trace_commands.command("generate")
@printed
def trace_generate(
    output: Output,
    kind: Annotated[str, typer.Argument(help="zipf, hot-cold, scan-polluted, shifting-locality or loop.")],
    out: Annotated[str, typer.Argument(help="The file to write.")],
    references: Annotated[str, typer.Option(metavar="NUMBER", help="How many page references, as 1e6 or 1M.")] = "1M",
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal traces.")] = 1,
    sets: Sets = [],  # noqa: B006  Typer copies it
):
    """Write a generated trace.

    As in pagecost trace generate zipf z.csv.gz --set pages=100000 --set alpha=0.9.
    """
    with loading():
        from pagecost_app import options, printing, trace_command

    settings, count = printing.assignments(sets), options.whole(references, "--references") or 0
    with moving("generating"):
        found = trace_command.generate(kind, out, count, seed, settings)
    printing.facts(found, output, printing.typed(output), trace_command.said_of_file(found))
