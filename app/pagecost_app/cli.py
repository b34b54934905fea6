"""The command line: the same studies, charts and claims as the app and the notebooks, headless.

Errors go to standard error as one sentence with exit code 2; see `main`.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pagecost import __version__
from pagecost.errors import ModelError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
trace_commands = typer.Typer(help="What a trace file holds.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(trace_commands, name="trace")
system_commands = typer.Typer(help="A system as one file.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(system_commands, name="system")


class TableFormat(StrEnum):
    """How a table is printed."""

    table = "table"
    json = "json"


class DataFormat(StrEnum):
    """How the data of an answer are printed."""

    table = "table"
    csv = "csv"
    json = "json"


Sets = Annotated[list[str], typer.Option("--set", metavar="NAME=VALUE", help="Change an input; may be repeated.")]
AsTable = Annotated[TableFormat, typer.Option("--format", help="How to print.")]
AsData = Annotated[DataFormat, typer.Option("--format", help="How to print.")]


def _say_version(asked: bool) -> None:
    if asked:
        print(f"pagecost {__version__}")
        raise typer.Exit


@app.callback()
def pagecost(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version and end.")
    ] = False,
):
    """What does a database page access cost, in time, energy, wear and money, on disk and on flash?"""


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
    system: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take from this system what the study can take.")
    ] = None,
    format: AsData = DataFormat.table,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Only this table of the answer.")] = None,
    chart: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw the chart: .html, .svg or .png.")
    ] = None,
):
    """Answer a study and print its columns."""
    from pagecost import studies
    from pagecost_app import printing, system_command

    chosen = studies.find(study)
    taken = None if system is None else system_command.taken(chosen, system)
    inputs = chosen.inputs(printing.split_lists(chosen, printing.assignments(sets)), preset, taken)
    result = chosen.compute(inputs)
    if chart is not None:
        from pagecost_app import charts

        charts.save(chosen, inputs, result, chart)
    printing.result(result, format, table)


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
    policy: Annotated[
        str, typer.Option(help="Policies, separated by commas; parameters as in cflru:window=0.25.")
    ] = "lru",
    frames: Annotated[str, typer.Option(help="Buffer sizes in frames, separated by commas.")] = "1000",
    device: Annotated[str | None, typer.Option(help="Also give the cost on this device.")] = None,
    trace_format: Annotated[str | None, typer.Option(help="Where the ending does not tell.")] = None,
    format: AsData = DataFormat.table,
):
    """Replay a trace: hits, misses, write-backs, and their cost on a device."""
    from pagecost_app import buffer_command, printing

    printing.records(buffer_command.replays(trace, policy, frames, device, trace_format), format)


@app.command()
def curve(
    trace: Annotated[str, typer.Argument(help="A recording's name or a trace file.")],
    policy: Annotated[str, typer.Option(help="lru: every size in one pass; others: replays at 13 sizes.")] = "lru",
    device: Annotated[str | None, typer.Option(help="Also give the cost on this device.")] = None,
    sample: Annotated[
        float | None, typer.Option(help="Estimate LRU from this share of the pages, 0..1: for files of any size.")
    ] = None,
    trace_format: Annotated[str | None, typer.Option(help="Where the ending does not tell.")] = None,
    format: AsData = DataFormat.table,
):
    """Misses and write-backs of a trace for all buffer sizes."""
    from pagecost_app import buffer_command, printing

    printing.records(buffer_command.curve(trace, policy, device, trace_format, sample), format)


@app.command()
def ssd(
    sets: Sets = [],  # noqa: B006  Typer copies it
    device: Annotated[str | None, typer.Option(help="An SSD of the catalogue whose chips are known.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List what --set takes, with defaults, and end.")] = False,
    format: AsTable = TableFormat.table,
):
    """Steady-state write amplification, wear and latency of a flash device, e.g. --set spare=0.07 --set depth=32."""
    from pagecost_app import printing, ssd_command

    if listed:
        printing.records(ssd_command.listed(), format)
        return
    printing.facts(ssd_command.simulate(printing.assignments(sets), device), format)


@app.command()
def xml(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="XML documents.")],
    mapping: Annotated[str, typer.Option(help="Storage mappings, separated by commas.")] = "fs,pc,el",
    page_bytes: Annotated[int, typer.Option(help="Page size: 1024 to 65536.")] = 4096,
    fill: Annotated[float, typer.Option(help="Share of a page that the load fills, 0.1 to 1.")] = 1.0,
    whitespace: Annotated[str, typer.Option(help="keep, or drop blanks with a line break beside tags.")] = "keep",
    format: AsData = DataFormat.table,
):
    """Store documents: bytes by cause under each mapping, pages, and whether canonical XML comes back."""
    from pagecost_app import printing, xml_command

    printing.records(xml_command.footprints(files, mapping.split(","), page_bytes, fill, whitespace), format)


TraceFormat = Annotated[str | None, typer.Option(help="Where neither the first lines nor the ending tell.")]
PageSize = Annotated[int, typer.Option(metavar="BYTES", help="Byte addresses are cut into pages of this size.")]


@trace_commands.command("inspect")
def trace_inspect(
    file: Annotated[str, typer.Argument(help="A trace file or the name of a recording.")],
    trace_format: TraceFormat = None,
    page_bytes: PageSize = 4096,
    format: AsTable = TableFormat.table,
):
    """What a trace holds: first requests as understood, time span, read share, working set, rejected lines."""
    from pagecost_app import printing, trace_command

    printing.facts(trace_command.inspect(file, trace_format, page_bytes), format)


@trace_commands.command("convert")
def trace_convert(
    file: Annotated[str, typer.Argument(help="A trace file, or the name of a recording or a generated load.")],
    out: Annotated[str, typer.Argument(help="The file to write; .gz, .bz2, .xz or .zst behind the ending compresses.")],
    trace_format: TraceFormat = None,
    out_format: Annotated[str | None, typer.Option(help="Where the ending of OUT does not tell.")] = None,
    page_bytes: PageSize = 4096,
    format: AsTable = TableFormat.table,
):
    """Write a trace in another format, and say what that format cannot hold."""
    from pagecost_app import printing, trace_command

    printing.facts(trace_command.convert(file, out, trace_format, out_format, page_bytes), format)


@trace_commands.command("generate")
def trace_generate(
    kind: Annotated[str, typer.Argument(help="zipf, hot-cold, scan-polluted, shifting-locality or loop.")],
    out: Annotated[str, typer.Argument(help="The file to write.")],
    references: Annotated[int, typer.Option(help="How many page references.")] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal traces.")] = 1,
    sets: Sets = [],  # noqa: B006  Typer copies it
    format: AsTable = TableFormat.table,
):
    """Write a generated trace, e.g. pagecost trace generate zipf z.csv.gz --set pages=100000 --set alpha=0.9."""
    from pagecost_app import printing, trace_command

    settings = printing.assignments(sets)
    printing.facts(trace_command.generate(kind, out, references, seed, settings), format)


@system_commands.command("new")
def system_new(
    file: Annotated[Path, typer.Argument(help="The TOML file to write.")],
    sets: Sets = [],  # noqa: B006  Typer copies it
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
):
    """Write a system with every value and its meaning, e.g. --set memory.buffer_frames=4096."""
    from pagecost_app import printing, system_command

    print(system_command.new(file, printing.assignments(sets), force))


@system_commands.command("show")
def system_show(
    file: Annotated[Path, typer.Argument(help="A system.")],
    format: AsTable = TableFormat.table,
):
    """What stands in a system, and which inputs of which study take it."""
    from pagecost_app import printing, system_command

    printing.system(*system_command.show(file), format)


@system_commands.command("check")
def system_check(file: Annotated[Path, typer.Argument(help="A system.")]):
    """Say in one sentence whether a system can be used; exit code 2 if it cannot."""
    from pagecost_app import system_command

    print(system_command.check(file))


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
