"""What all commands have in common. It imports nothing that takes time: the engine takes seconds to load."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Annotated, NamedTuple

import typer

from pagecost_app import completing, heap
from pagecost_app.waiting import moving


class DataFormat(StrEnum):
    """How the data of an answer are printed."""

    table = "table"
    csv = "csv"
    json = "json"


class Output(NamedTuple):
    """How an answer is printed.

    wide: all columns and rows of tables, however wide the terminal is. provenance: also what made it, where the format
    does not say that anyhow. date: what stands there as the date.
    """

    format: DataFormat = DataFormat.table
    wide: bool = False
    provenance: bool = False
    date: str | None = None


AS_TYPED = (
    ("format", DataFormat.table, DataFormat, typer.Option("--format", help="How to print.")),
    ("wide", False, bool, typer.Option("--wide", help="All columns and rows, wider than the terminal.")),
    (
        "provenance",
        False,
        bool,
        typer.Option("--provenance", help="Also versions, inputs, devices: # lines in CSV, a key in JSON."),
    ),
    (
        "date",
        None,
        str | None,
        typer.Option("--date", metavar="TEXT", help="A date in the provenance (default: none)."),
    ),
)


def printed(command: Callable) -> Callable:
    """Give a command the options that say how its answer is printed, in the place of its parameter `output`."""
    own = inspect.signature(command, eval_str=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    kept = [each.replace(kind=keyword) for each in own.parameters.values() if each.name != "output"]
    shared = [
        inspect.Parameter(name, keyword, default=default, annotation=Annotated[kind, option])
        for name, default, kind, option in AS_TYPED
    ]

    @functools.wraps(command)
    def as_typed(**values):
        output = Output(**{each.name: values.pop(each.name) for each in shared})
        return command(**values, output=output)

    signature = own.replace(parameters=[*kept, *shared])
    as_typed.__signature__ = signature  # type: ignore[attr-defined]  # what Typer reads
    as_typed.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return as_typed


Sets = Annotated[
    list[str],
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Change an input; may be repeated.", autocompletion=completing.inputs
    ),
]
Preset = Annotated[str | None, typer.Option(help="Start from these settings.", autocompletion=completing.presets)]
StudyName = Annotated[
    str,
    typer.Argument(metavar="STUDY", help="A name that `pagecost studies` lists.", autocompletion=completing.studies),
]
DeviceName = Annotated[
    str | None, typer.Option(help="Also give the cost on this device.", autocompletion=completing.devices)
]
TraceFormat = Annotated[
    str | None,
    typer.Option(help="Where neither the first lines nor the ending tell.", autocompletion=completing.trace_formats),
]
TraceName = Annotated[
    str,
    typer.Argument(
        metavar="TRACE",
        help="A recording's name, a generated load's, or a trace file; - reads standard input.",
        autocompletion=completing.traces,
    ),
]
PageSize = Annotated[
    str | None,
    typer.Option(
        metavar="BYTES", help="Of a page, as 4096, 4k or 4KiB, where the trace does not say it; addresses are cut so."
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="MEANING=COLUMN,...",
        help="Of a table, what its columns mean, by number from 0 or by name: time=0,op=1,offset=4,size=5,unit=sector. "
        "Also write (1 if it writes), stream, page, pages; unit and size_unit: byte, sector, page; time_unit: s, ms, "
        "us, ns, filetime; delimiter: comma, semicolon, tab, blank; header: yes, no; reads and writes: words, as R|RS.",
    ),
]


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Say that pagecost is loading, which is what each command does first: its imports take tenths of a second."""
    with heap.importing(), moving("loading pagecost"):
        yield
