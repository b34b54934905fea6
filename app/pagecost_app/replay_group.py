"""`pagecost buffer` and `pagecost curve`, as they are typed."""

from typing import Annotated

import typer

from pagecost_app import completing, stdin
from pagecost_app.command_parts import Columns, DeviceName, Output, PageSize, TraceFormat, TraceName, loading, printed
from pagecost_app.waiting import moving


@printed
def buffer(
    output: Output,
    trace: TraceName,
    policy: Annotated[
        str,
        typer.Option(
            help="Policies, separated by commas; parameters as in cflru:window=0.25.",
            autocompletion=completing.policies,
        ),
    ] = "lru",
    frames: Annotated[str, typer.Option(help="Buffer sizes in frames, separated by commas.")] = "1000",
    device: DeviceName = None,
    trace_format: TraceFormat = None,
    columns: Columns = None,
    page_bytes: PageSize = None,
):
    """Replay a trace: hits, misses, write-backs, cost."""
    with loading():
        from pagecost_app import buffer_command, options, printing

    asked = options.format_asked(trace_format, columns)
    with stdin.as_file(trace) as file, moving("replaying"):
        found = buffer_command.buffers(file, policy, frames, device, asked, options.page_size(page_bytes))
    printing.records(found, output, printing.typed(output, device=device), buffer_command.said(found))


@printed
def curve(
    output: Output,
    trace: TraceName,
    policy: Annotated[
        str,
        typer.Option(
            help="lru: all sizes in one pass; others: replays at 13 sizes.", autocompletion=completing.policies
        ),
    ] = "lru",
    device: DeviceName = None,
    sample: Annotated[
        float | None,
        typer.Option(
            help="Estimate LRU from this share of the pages, 0..1, from 4 / share frames on: for files of any size."
        ),
    ] = None,
    every_size: Annotated[
        bool, typer.Option("--all", help="Every size of lru, not only 200 on a logarithmic axis.")
    ] = False,
    trace_format: TraceFormat = None,
    columns: Columns = None,
    page_bytes: PageSize = None,
):
    """Misses and write-backs of a trace over the buffer sizes."""
    with loading():
        from pagecost_app import buffer_command, options, printing

    asked = options.format_asked(trace_format, columns)
    with stdin.as_file(trace) as file, moving("replaying"):
        found = buffer_command.curve(file, policy, device, asked, sample, options.page_size(page_bytes), every_size)
    said = buffer_command.said_of_curve(found)
    printing.records(found, output, printing.typed(output, device=device), said, evenly=True)
