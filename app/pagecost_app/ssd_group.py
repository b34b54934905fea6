"""`pagecost ssd`, as it is typed."""

from typing import Annotated

import typer

from pagecost_app import completing
from pagecost_app.command_parts import Output, Sets, loading, printed
from pagecost_app.waiting import moving


@printed
def ssd(
    output: Output,
    sets: Sets = [],  # noqa: B006  Typer copies it
    device: Annotated[
        str | None,
        typer.Option(help="An SSD of the catalogue whose chips are known.", autocompletion=completing.devices),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list-settings", "--list", help="List what --set takes, with defaults, and end.")
    ] = False,
):
    """Write amplification, wear and latency of a flash device.

    In its steady state, e.g. --set spare=0.07 --set depth=32; --list-settings lists what can be set.
    """
    with loading():
        from pagecost_app import printing, ssd_command

    if listed:
        printing.records(ssd_command.listed(), output, printing.typed(output))
        return
    with moving("running the device"):
        found = ssd_command.simulate(printing.assignments(sets), device)
    printing.facts(found, output, printing.typed(output, device=device), ssd_command.said(found))
