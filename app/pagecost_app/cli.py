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
from pagecost_app.waiting import moving

LOADING = "loading pagecost"  # what each command says first: its imports take seconds

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


class DataFormat(StrEnum):
    """How the data of an answer are printed."""

    table = "table"
    csv = "csv"
    json = "json"


Sets = Annotated[list[str], typer.Option("--set", metavar="NAME=VALUE", help="Change an input; may be repeated.")]
AsData = Annotated[DataFormat, typer.Option("--format", help="How to print.")]
TraceFormat = Annotated[str | None, typer.Option(help="Where neither the first lines nor the ending tell.")]
PageSize = Annotated[
    int | None,
    typer.Option(metavar="BYTES", help="Of a page, where the trace does not say it; byte addresses are cut so."),
]


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
def studies(format: AsData = DataFormat.table):
    """List the studies with their inputs and presets."""
    with moving(LOADING):
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
    with moving(LOADING):
        from pagecost import studies
        from pagecost_app import printing, system_command

    chosen = studies.find(study)
    with moving(f"answering {study}", study) as progress:
        taken = None if system is None else system_command.taken(chosen, system)
        inputs = chosen.inputs(printing.split_lists(chosen, printing.assignments(sets)), preset, taken)
        result = chosen.compute(inputs, progress)
    if chart is not None:
        with moving("drawing the chart"):
            from pagecost_app import charts

            charts.save(chosen, inputs, result, chart)
    printing.result(result, format, table)


@app.command()
def claims(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[CLAIM]...", help="Only these, as R31.200.lru or R31.*")
    ] = None,
    paper: Annotated[str | None, typer.Option(help="Only this paper.")] = None,
    changed: Annotated[bool, typer.Option("--changed", help="What moved since the last release, and why.")] = False,
    flips: Annotated[
        bool, typer.Option("--flips", help="Which number flips the verdict, and how far it moves.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Also write all of it as one HTML page.")] = None,
    format: AsData = DataFormat.table,
):
    """What the papers state, beside what was measured here; exit code 1 if a claim does not come out as expected.

    What was found is kept: a run that is stopped goes on where it was.
    """
    with moving(LOADING):
        from pagecost_app import claims_command

    if flips:
        with moving("moving what the claims read") as said:
            claims_command.show_flips(claims_command.asked(names or [], paper), format, said)
        return
    with moving("checking the claims") as said:
        found = claims_command.verdicts(names or [], paper, said)
    if changed:
        claims_command.show_changes(paper, found, format)
    else:
        claims_command.show(found, format, whole=not names)
    if report is not None:
        from pagecost_app import claims_report

        claims_report.write(found, report)
    if not all(verdict.as_expected for verdict in found):
        raise typer.Exit(1)


@app.command()
def devices(
    name: Annotated[str | None, typer.Argument(help="Only this device, with every number and its source.")] = None,
    format: AsData = DataFormat.table,
):
    """The catalogue, with sources."""
    with moving(LOADING):
        from pagecost_app import printing

    printing.devices(name, format)


@app.command()
def buffer(
    trace: Annotated[str, typer.Argument(help="A recording's name or a trace file; - reads standard input.")],
    policy: Annotated[
        str, typer.Option(help="Policies, separated by commas; parameters as in cflru:window=0.25.")
    ] = "lru",
    frames: Annotated[str, typer.Option(help="Buffer sizes in frames, separated by commas.")] = "1000",
    device: Annotated[str | None, typer.Option(help="Also give the cost on this device.")] = None,
    trace_format: TraceFormat = None,
    page_bytes: PageSize = None,
    format: AsData = DataFormat.table,
):
    """Replay a trace: hits, misses, write-backs, and their cost on a device."""
    with moving(LOADING):
        from pagecost_app import buffer_command, printing, stdin

    with stdin.as_file(trace) as file, moving("replaying"):
        found = buffer_command.buffers(file, policy, frames, device, trace_format, page_bytes)
    printing.records(found, format)


@app.command()
def curve(
    trace: Annotated[str, typer.Argument(help="A recording's name or a trace file; - reads standard input.")],
    policy: Annotated[str, typer.Option(help="lru: all sizes in one pass; others: replays at 13 sizes.")] = "lru",
    device: Annotated[str | None, typer.Option(help="Also give the cost on this device.")] = None,
    sample: Annotated[
        float | None, typer.Option(help="Estimate LRU from this share of the pages, 0..1: for files of any size.")
    ] = None,
    every_size: Annotated[
        bool, typer.Option("--all", help="Every size of lru, not only 200 on a logarithmic axis.")
    ] = False,
    trace_format: TraceFormat = None,
    page_bytes: PageSize = None,
    format: AsData = DataFormat.table,
):
    """Misses and write-backs of a trace over the buffer sizes."""
    with moving(LOADING):
        from pagecost_app import buffer_command, printing, stdin

    with stdin.as_file(trace) as file, moving("replaying"):
        found = buffer_command.curve(file, policy, device, trace_format, sample, page_bytes, every_size)
    printing.records(found, format)


@app.command()
def ssd(
    sets: Sets = [],  # noqa: B006  Typer copies it
    device: Annotated[str | None, typer.Option(help="An SSD of the catalogue whose chips are known.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List what --set takes, with defaults, and end.")] = False,
    format: AsData = DataFormat.table,
):
    """Steady-state write amplification, wear and latency of a flash device, e.g. --set spare=0.07 --set depth=32."""
    with moving(LOADING):
        from pagecost_app import printing, ssd_command

    if listed:
        printing.records(ssd_command.listed(), format)
        return
    with moving("running the device"):
        found = ssd_command.simulate(printing.assignments(sets), device)
    printing.facts(found, format)


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
    with moving(LOADING):
        from pagecost_app import printing, xml_command

    with moving("storing"):
        found = xml_command.footprints(files, mapping.split(","), page_bytes, fill, whitespace)
    printing.records(found, format)


@trace_commands.command("inspect")
def trace_inspect(
    file: Annotated[str, typer.Argument(help="A trace file or the name of a recording; - reads standard input.")],
    trace_format: TraceFormat = None,
    page_bytes: PageSize = None,
    format: AsData = DataFormat.table,
):
    """What a trace holds: first requests as understood, time span, read share, working set, rejected lines.

    Exit code 2, behind the report, for a file that cannot be read to its end or holds no request.
    """
    with moving(LOADING):
        from pagecost_app import printing, stdin, trace_command

    with stdin.as_file(file) as path, moving("reading"):
        found = trace_command.inspect(path, trace_format, page_bytes)
    printing.facts(found, format)
    if found["problem"]:
        raise ModelError(found["problem"])


@trace_commands.command("convert")
def trace_convert(
    file: Annotated[str, typer.Argument(help="A trace file, or the name of a recording or a generated load.")],
    out: Annotated[str, typer.Argument(help="The file to write; .gz, .bz2, .xz or .zst behind the ending compresses.")],
    trace_format: TraceFormat = None,
    out_format: Annotated[str | None, typer.Option(help="Where the ending of OUT does not tell.")] = None,
    page_bytes: PageSize = None,
    format: AsData = DataFormat.table,
):
    """Write a trace in another format, and say what that format cannot hold."""
    with moving(LOADING):
        from pagecost_app import printing, stdin, trace_command

    with stdin.as_file(file) as path, moving("converting"):
        found = trace_command.convert(path, out, trace_format, out_format, page_bytes)
    printing.facts(found, format)


@trace_commands.command("generate")
def trace_generate(
    kind: Annotated[str, typer.Argument(help="zipf, hot-cold, scan-polluted, shifting-locality or loop.")],
    out: Annotated[str, typer.Argument(help="The file to write.")],
    references: Annotated[int, typer.Option(help="How many page references.")] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal traces.")] = 1,
    sets: Sets = [],  # noqa: B006  Typer copies it
    format: AsData = DataFormat.table,
):
    """Write a generated trace, e.g. pagecost trace generate zipf z.csv.gz --set pages=100000 --set alpha=0.9."""
    with moving(LOADING):
        from pagecost_app import printing, trace_command

    settings = printing.assignments(sets)
    with moving("generating"):
        found = trace_command.generate(kind, out, references, seed, settings)
    printing.facts(found, format)


@system_commands.command("new")
def system_new(
    file: Annotated[Path, typer.Argument(help="The TOML file to write.")],
    sets: Sets = [],  # noqa: B006  Typer copies it
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
):
    """Write a system with every value and its meaning, e.g. --set memory.buffer_frames=4096."""
    with moving(LOADING):
        from pagecost_app import printing, system_command

    print(system_command.new(file, printing.assignments(sets), force))


@system_commands.command("show")
def system_show(
    file: Annotated[Path, typer.Argument(help="A system.")],
    format: AsData = DataFormat.table,
):
    """What stands in a system, and which inputs of which study take it."""
    with moving(LOADING):
        from pagecost_app import printing, system_command

    printing.system(*system_command.show(file), format)


@system_commands.command("check")
def system_check(file: Annotated[Path, typer.Argument(help="A system.")]):
    """Which studies can take a system, and why others cannot; exit code 2 if the file is no system."""
    with moving(LOADING):
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
