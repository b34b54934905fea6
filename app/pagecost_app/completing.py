"""What a shell offers at TAB: studies, presets, inputs and their values, devices, policies, traces.

A shell waits for it at each TAB, so that it loads nothing but lists (`studies_listed`).
"""

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping

import typer

from pagecost_app import studies_listed

VARIABLE = "_PAGECOST_COMPLETE"
WORDS, PLACE = "COMP_WORDS", "COMP_CWORD"  # what bash says of the line
LINE = "_TYPER_COMPLETE_ARGS"  # what other shells say of it
Offered = Iterable[tuple[str, str]]


def studies(incomplete: str) -> Offered:
    """Names of studies, with their questions."""
    return _beginning(incomplete, {name: study["title"] for name, study in studies_listed.studies().items()})


def presets(incomplete: str) -> Offered:
    """Presets of the study that is named before."""
    study = studies_listed.studies().get(_study())
    return _beginning(incomplete, dict.fromkeys(study["presets"], "") if study else {})


def inputs(context: typer.Context, incomplete: str) -> Offered:
    """`input=value` of the study that is named before; of `pagecost ssd`, its settings."""
    if context.info_name == "ssd":
        settings = studies_listed.listed()["names"]["settings of ssd"]
        return _beginning(incomplete, {f"{name}=": meaning for name, meaning in settings.items()})
    study = studies_listed.studies().get(_study())
    if study is None:
        return []
    name, equals, typed = incomplete.partition("=")
    if equals:
        return _values(_study(), name, typed) if name in study["inputs"] else []
    offered = list(_beginning(incomplete, {f"{each}=": about["title"] for each, about in study["inputs"].items()}))
    if len(offered) == 1:  # with a value behind it the shell does not close the word too early
        name = offered[0][0].removesuffix("=")
        return _values(_study(), name, "")
    return offered


def devices(incomplete: str) -> Offered:
    """Devices of the catalogue, and the user's own."""
    return _beginning(incomplete, studies_listed.listed()["names"]["devices"] | studies_listed.own_devices())


def policies(incomplete: str) -> Offered:
    """Replacement policies, of which several may be parted by commas."""
    return _last_of_several(incomplete, studies_listed.listed()["names"]["policies"])


def named(what: str):
    """A completion of one of the names of a kind: traces, trace formats, papers."""

    def offered(incomplete: str) -> Offered:
        return _beginning(incomplete, studies_listed.listed()["names"][what])

    return offered


traces, trace_formats, papers = named("traces"), named("trace formats"), named("papers")


@contextlib.contextmanager
def asked_by_bash() -> Iterator[None]:
    """bash parts a line at each = too: put `name=value` together before it is looked at, and offer it only what stands
    behind the =, for it replaces that alone. Other shells need nothing.
    """
    if os.environ.get(VARIABLE) != "complete_bash":
        yield
        return
    join_words()
    offered = io.StringIO()
    try:
        with contextlib.redirect_stdout(offered):
            yield
    finally:
        words, place = os.environ[WORDS].split("\n"), int(os.environ[PLACE])
        before, equals, _ = words[place].rpartition("=") if place < len(words) else ("", "", "")
        sys.stdout.write(offered.getvalue().replace(f"\n{before}{equals}", "\n").removeprefix(f"{before}{equals}"))


def join_words() -> None:
    """Put `name = value` of bash's words together, and move the place in them."""
    words, place = os.environ.get(WORDS, "").split("\n"), int(os.environ.get(PLACE, "0"))
    joined: list[str] = []
    at = 0
    for number, word in enumerate(words):
        if joined and number > 1 and (word == "=" or words[number - 1] == "=") and joined[-1] != "":
            joined[-1] += word
        else:
            joined.append(word)
        if number <= place:
            at = len(joined) - 1
    os.environ[WORDS], os.environ[PLACE] = "\n".join(joined), str(at)


def _study() -> str:
    """The study that is named on the line, empty where none is: Typer lacks it while an option lacks its value."""
    words = re.split(r"\s+", os.environ.get(WORDS) or os.environ.get(LINE) or "")
    return next((word for word in words if word in studies_listed.studies()), "")


def _values(study: str, name: str, typed: str) -> Offered:
    about = studies_listed.studies()[study]["inputs"][name]
    options = studies_listed.options(study, name)
    if not options:
        default = about["default"]
        options = {str(default): about["title"]} if about["takes"] == studies_listed.NUMBER else {}
    several = about["takes"] == studies_listed.SEVERAL
    found = _last_of_several(typed, options) if several else _beginning(typed, options)
    return [(f"{name}={value}", label) for value, label in found]


def _beginning(incomplete: str, names: Mapping[str, str]) -> Offered:
    return [(name, label) for name, label in names.items() if name.startswith(incomplete)]


def _last_of_several(incomplete: str, names: Mapping[str, str]) -> Offered:
    before, comma, last = incomplete.rpartition(",")
    there = before.split(",")
    return [(f"{before}{comma}{name}", label) for name, label in _beginning(last, names) if name not in there]
