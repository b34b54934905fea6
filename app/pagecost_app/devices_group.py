"""`pagecost devices …`: the catalogue as lists, and the files of the user's own devices."""

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from pagecost_app import completing, stdin
from pagecost_app.command_parts import Output, loading, printed


class _ShowsByDefault(TyperGroup):
    """Commands of which `show` may be left out: `pagecost devices intel-x25-e`."""

    def parse_args(self, ctx, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, "--help", "-h"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


device_commands = typer.Typer(
    cls=_ShowsByDefault, help="The devices of the catalogue, and your own.", rich_markup_mode=None
)


@device_commands.command("show")
@printed
def devices_show(
    output: Output,
    name: Annotated[
        str | None,
        typer.Argument(help="Only this device, with every number and its source.", autocompletion=completing.devices),
    ] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Only your own.")] = False,
):
    """The catalogue, or one device; `show` may be left out.

    With sources, and your own devices with their files.
    """
    with loading():
        from pagecost_app import devices_command

    devices_command.show(name, output, mine=mine)


@device_commands.command("new")
def devices_new(
    file: Annotated[Path, typer.Argument(help="The TOML file to write.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
):
    """Write a file to fill in for a device of your own."""
    with loading():
        from pagecost_app import devices_command

    print(devices_command.new(file, force=force))


@device_commands.command("check")
def devices_check(
    file: Annotated[Path, typer.Argument(callback=stdin.given, help="A device of your own; - is stdin.")],
):
    """What a device's file holds, and for which models.

    Exit code 2 if it breaks a rule.
    """
    with loading():
        from pagecost_app import devices_command

    print(devices_command.check(file))


@device_commands.command("add")
def devices_add(
    file: Annotated[Path, typer.Argument(callback=stdin.given, help="A device of your own; - is stdin.")],
    replace: Annotated[bool, typer.Option("--replace", help="In the place of the one of that id.")] = False,
):
    """Put a device of your own into every list.

    Its file is checked and copied into your folder of devices.
    """
    with loading():
        from pagecost_app import devices_command

    print(devices_command.add(file, replace=replace))
