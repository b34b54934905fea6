"""`pagecost xml`, as it is typed."""

from pathlib import Path
from typing import Annotated

import typer

from pagecost_app import stdin
from pagecost_app.command_parts import Output, loading, printed
from pagecost_app.waiting import moving


@printed
def xml(
    output: Output,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", callback=stdin.given, help="XML documents; - is stdin.")
    ],
    mapping: Annotated[str, typer.Option(help="Storage mappings, separated by commas.")] = "fs,pc,el",
    page_bytes: Annotated[str, typer.Option(metavar="BYTES", help="Page size: 1024 to 65536, as 4096 or 8k.")] = "4096",
    fill: Annotated[float, typer.Option(help="Share of a page that the load fills, 0.1 to 1.")] = 1.0,
    whitespace: Annotated[str, typer.Option(help="keep, or drop blanks with a line break beside tags.")] = "keep",
):
    """What stored XML takes: bytes by cause and pages.

    Under each mapping, and whether canonical XML comes back.
    """
    with loading():
        from pagecost_app import options, printing, xml_command

    size = options.page_size(page_bytes) or 0
    mappings = [name.strip() for name in mapping.split(",")]
    with moving("storing"):
        found = xml_command.footprints(files, mappings, size, fill, whitespace)
    printing.records(found, output, printing.typed(output), xml_command.said(found))
