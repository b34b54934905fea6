"""The manual page, written from the commands themselves: `python -m pagecost_app.man [FOLDER]` writes pagecost.1."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import typer.main

from pagecost import __version__

PAGE = "pagecost.1"
ABOUT = """The studies, charts and claims of the desktop app and the notebooks, as commands.

An answer goes to standard output: a sentence and a table that fits the terminal, or CSV or JSON with every digit.
What is remarked of it, progress and errors go to standard error."""
EXIT_CODES = (
    ("0", "Answered."),
    ("1", "A claim or a limit does not hold."),
    ("2", "Bad input: one sentence on standard error names the thing, the rule and the value."),
    ("130", "Stopped by Ctrl-C."),
    ("141", "Nobody reads standard output any more."),
)
ENVIRONMENT = (
    ("COLUMNS", "How wide tables are, where it is not the terminal's width."),
    ("NO_COLOR", "No bold type on a terminal."),
    ("PAGECOST_DEVICES", "Another folder of own devices."),
    ("PAGECOST_KERNEL_CACHE", "Another folder of compiled kernels."),
)


def page() -> str:
    """The manual page in the man macros of troff. No date is in it: the same program gives the same bytes."""
    from pagecost_app.cli import app

    root = typer.main.get_command(app)
    context = root.make_context("pagecost", [], resilient_parsing=True)
    lines = [f'.TH PAGECOST 1 "" "pagecost {__version__}" "User Commands"', ".SH NAME"]
    lines += [
        f"pagecost \\- {_text(root.help or '')}",
        ".SH SYNOPSIS",
        ".B pagecost",
        "\\fICOMMAND\\fR [\\fIOPTIONS\\fR]",
    ]
    lines += [".SH DESCRIPTION", *_paragraphs(ABOUT), ".SH COMMANDS"]
    lines += [line for each in _commands(root, context) for line in each]
    for title, rows in (("EXIT STATUS", EXIT_CODES), ("ENVIRONMENT", ENVIRONMENT)):
        lines += [f".SH {title}", *(line for name, meaning in rows for line in (".TP", f".B {name}", _text(meaning)))]
    return "\n".join(lines) + "\n"


def _commands(group, context) -> Iterator[list[str]]:
    """The lines of each command, and of those within it."""
    for name, command in group.commands.items():
        below = command.make_context(name, [], parent=context, resilient_parsing=True)
        if hasattr(command, "commands"):
            yield from _commands(command, below)
            continue
        typed = " ".join([below.command_path, *(part for part in command.collect_usage_pieces(below))])
        yield [f".SS {_text(typed)}", *_paragraphs(command.help or ""), *_options(command, below)]


def _options(command, context) -> list[str]:
    lines = []
    for each in command.get_params(context):
        record = each.get_help_record(context)
        if record is not None and "--help" not in record[0]:
            lines += [".TP", f".B {_text(record[0])}", _text(record[1])]
    return lines


def _paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for part in inspect.cleandoc(text).split("\n\n"):
        lines += [".PP", _text(part)]
    return lines


def _text(words: str) -> str:
    """Words as troff reads them: a line begins neither with a dot nor with a quote."""
    line = " ".join(words.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else ".") / PAGE
    place.write_text(page(), encoding="utf-8")
    print(place)
