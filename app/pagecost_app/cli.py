"""The command line: the same studies, charts and claims as the app and the notebooks, headless.

Errors go to standard error as one sentence with exit code 2; see `main`.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pagecost.errors import ModelError

app = typer.Typer(
    help="What does a database page access cost, in time, energy, wear and money, on disk and on flash?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
trace_commands = typer.Typer(help="What a trace file holds.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(trace_commands, name="trace")


class TableFormat(StrEnum):
    table = "table"
    json = "json"


class DataFormat(StrEnum):
    table = "table"
    csv = "csv"
    json = "json"


Sets = Annotated[list[str], typer.Option("--set", metavar="NAME=VALUE", help="Change an input; may be repeated.")]
AsTable = Annotated[TableFormat, typer.Option("--format", help="How to print.")]
AsData = Annotated[DataFormat, typer.Option("--format", help="How to print.")]


@app.command("app")
def desktop_app(
    browser: Annotated[bool, typer.Option("--browser", help="Serve on loopback and open a browser instead.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to serve on (default: a free one).")] = None,
):
    """The desktop app; without a display it serves on loopback and prints the address."""
    from pagecost_app import desktop

    def build(document):
        from pagecost_app import pages  # late: the window is up before Bokeh and the kernels are loaded

        pages.build(document)

    desktop.run(build, browser=browser, port=port)


@app.command()
def lab(port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to serve on.")] = None):
    """JupyterLab on the notebooks."""
    from pagecost_app import lab

    sys.exit(lab.run(port))


@app.command()
def studies(format: AsTable = TableFormat.table):
    """List the studies with their inputs and presets."""
    from pagecost_app import printing

    printing.studies(format)


@app.command()
def run(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A name that `pagecost studies` lists.")],
    sets: Sets = [],  # noqa: B006  Typer copies it
    preset: Annotated[str | None, typer.Option(help="Start from these settings.")] = None,
    format: AsData = DataFormat.table,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw the chart: .html, .svg or .png.")
    ] = None,
):
    """Answer a study and print its columns."""
    from pagecost import studies
    from pagecost_app import printing

    chosen = studies.find(study)
    inputs = chosen.inputs(printing.split_lists(chosen, printing.assignments(sets)), preset)
    result = chosen.compute(inputs)
    if chart is not None:
        from pagecost_app import charts

        charts.save(chosen, inputs, result, chart)
    printing.result(result, format)


@app.command()
def claims(
    paper: Annotated[str | None, typer.Option(help="Only this paper.")] = None,
    format: AsTable = TableFormat.table,
):
    """What the papers state, beside what was measured here; exit code 1 if a claim that should hold does not."""
    from pagecost.claims import check_all
    from pagecost_app import printing

    verdicts = check_all(paper)
    printing.claims(verdicts, format)
    if any(verdict.status == "fails" and verdict.claim.should_hold for verdict in verdicts):
        raise typer.Exit(1)


@app.command()
def devices(
    name: Annotated[str | None, typer.Argument(help="Only this device, with every number and its source.")] = None,
    format: AsTable = TableFormat.table,
):
    """The catalogue, with sources."""
    from pagecost_app import printing

    printing.devices(name, format)


@app.command()
def buffer(
    trace: Annotated[str, typer.Argument(help="A recording's name or a trace file.")],
    policy: Annotated[str, typer.Option(help="Policies, separated by commas.")] = "lru",
    frames: Annotated[str, typer.Option(help="Buffer sizes in frames, separated by commas.")] = "1000",
    device: Annotated[str | None, typer.Option(help="Also give the cost on this device.")] = None,
    trace_format: Annotated[str | None, typer.Option(help="Where the ending does not tell.")] = None,
    format: AsData = DataFormat.table,
):
    """Replay a trace: hits, misses, write-backs, and their cost on a device."""
    from pagecost_app import buffer_command, printing

    printing.records(buffer_command.replays(trace, policy, frames, device, trace_format), format)


@app.command()
def ssd(sets: Sets = [], format: AsTable = TableFormat.table):  # noqa: B006  Typer copies it
    """Steady-state write amplification and wear of a flash device, e.g. --set spare=0.07 --set policy=greedy."""
    from pagecost_app import printing, ssd_command

    printing.facts(ssd_command.simulate(printing.assignments(sets)), format)


@trace_commands.command("inspect")
def trace_inspect(
    file: Annotated[str, typer.Argument(help="A trace file or the name of a recording.")],
    trace_format: Annotated[str | None, typer.Option(help="Where the ending does not tell.")] = None,
    format: AsTable = TableFormat.table,
):
    """What a trace holds: first requests as understood, time span, read share, working set, rejected lines."""
    from pagecost_app import printing, trace_command

    printing.facts(trace_command.inspect(file, trace_format), format)


def main() -> None:
    """Entry point: bad input is one sentence on standard error and exit code 2, never a traceback."""
    try:
        app()
    except ModelError as error:
        print(f"pagecost: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"pagecost: {error.strerror or error}: {error.filename or 'the system refused'}", file=sys.stderr)
        sys.exit(2)
