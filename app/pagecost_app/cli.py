"""The command line: the same studies, charts and claims as the app and the notebooks, headless.

Exit codes: 0, 1 where a claim or a limit does not hold, 2 for bad input, 130 after Ctrl-C, 141 where nobody reads any
more. Errors go to standard error as one sentence; see `main`.
"""

import errno
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pagecost import __version__
from pagecost.errors import ModelError
from pagecost_app import completing
from pagecost_app.calibrate_group import calibrate
from pagecost_app.check_group import check
from pagecost_app.claims_group import claims
from pagecost_app.course_group import grade, hand_out
from pagecost_app.devices_group import device_commands
from pagecost_app.glossary_command import glossary
from pagecost_app.plan_group import plan
from pagecost_app.replay_group import buffer, curve
from pagecost_app.report_group import report
from pagecost_app.slides_group import slides
from pagecost_app.ssd_group import ssd
from pagecost_app.stdin import in_words
from pagecost_app.study_group import run, studies, sweep
from pagecost_app.system_group import system_commands
from pagecost_app.trace_group import trace_commands
from pagecost_app.wear_options import CONTEXT, wear
from pagecost_app.xml_group import xml

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="pagecost COMMAND -h says what a command takes; pagecost --install-completion teaches the shell all names.",
)
BAD_INPUT, STOPPED, NOBODY_READS = 2, 130, 141
OF_OTHERS = ("wear",)  # commands whose arguments are those of another program
NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


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
    project: Annotated[Path | None, typer.Argument(help="A project's file (.pagecost) to begin with.")] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Serve on loopback and open a browser instead.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to serve on (default: a free one).")] = None,
):
    """The desktop app, in a window or a browser.

    Without a display it serves on loopback and prints the address.
    """
    from pagecost_app import desktop

    begins_with = [project.resolve()] if project else []  # the first page that is opened does

    def build(document):
        from pagecost_app import pages  # late: the window is up before Bokeh and the kernels are loaded

        pages.build(document, begins_with.pop() if begins_with else None)

    desktop.run(build, browser=browser, port=port)


@app.command()
def lab(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="Where your copies of the lessons lie, made where they are not (installed: ~/pagecost-lessons)."
        ),
    ] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to serve on.")] = None,
):
    """JupyterLab on the lessons."""
    from pagecost_app import lab

    sys.exit(lab.run(port, folder))


course = (slides, grade)
for command in (
    studies,
    run,
    sweep,
    buffer,
    curve,
    ssd,
    xml,
    plan,
    report,
    calibrate,
    check,
    claims,
    glossary,
    *course,
):
    app.command()(command)
app.command("hand-out")(hand_out)
app.command(context_settings=CONTEXT)(wear)
app.add_typer(device_commands, name="devices")
app.add_typer(trace_commands, name="trace")
app.add_typer(system_commands, name="system")


def main() -> None:
    """Entry point: bad input is one sentence on standard error and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):  # a sign that a terminal does not know must not lose an answer
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = _code()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = NOBODY_READS
    if code == NOBODY_READS:
        _say_no_more()
    sys.exit(code)


def _code() -> int:
    """Run the command that was typed; its exit code."""
    if "" in sys.argv[1:] and sys.argv[1] not in OF_OTHERS:
        _say('an argument is empty (""), as one of the shell is that is not set; name what is meant, or leave it out')
        return BAD_INPUT
    try:
        with completing.asked_by_bash():
            return app(standalone_mode=False) or 0
    except typer.TyperException as error:
        return _misused(error)
    except ModelError as error:
        _say(str(error))
        if "unknown device" in str(error):
            _say_what_is_left_out()
    except BrokenPipeError:
        return NOBODY_READS
    except OSError as error:
        _say(_refused(error))
    except MemoryError:
        _say("this needs more memory than there is; ask for less at a time")
    except KeyboardInterrupt:
        return STOPPED
    except SystemExit as end:  # Typer's own, where nobody reads any more
        if isinstance(end.__context__, BrokenPipeError):
            return NOBODY_READS
        raise
    return BAD_INPUT


def _refused(error: OSError) -> str:
    """What the system refused. What has no name was written by `print`, or by a library into a file of its own."""
    why = error.strerror or str(error)
    if error.filename:
        return f"{why}: {error.filename}"
    if error.errno in NO_ROOM:
        return f"not all could be written, for there is no room where it goes: {why}"
    return f"the system refused what this needs: {why}"


def _misused(error: typer.TyperException) -> int:
    """Say what was typed wrongly: one sentence, or the help where nothing was typed."""
    context = getattr(error, "ctx", None)
    if context is not None and not context.args and error.message == context.get_help():
        print(error.message)
        return BAD_INPUT
    said = error.format_message().rstrip(".")
    help = f"; {context.command_path} -h says what it takes" if context is not None else ""
    _say(f"{said[:1].lower()}{said[1:]}{help}")
    return BAD_INPUT


def _say(sentence: str) -> None:
    """Print it as one line; signs that would move the cursor or colour the terminal stand there as what they are."""
    line = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in " ".join(in_words(sentence).split()))
    print(f"pagecost: {line}", file=sys.stderr)


def _say_no_more() -> None:
    """Standard output is closed at its other end: what is left goes nowhere, so that Python ends quietly."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _say_what_is_left_out() -> None:
    """A device that is asked for may be one of the user's own whose file is broken."""
    from pagecost import catalogue

    for problem in catalogue.problems():
        print(f"left out: {problem}", file=sys.stderr)
