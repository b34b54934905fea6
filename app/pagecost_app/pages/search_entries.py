"""What can be found by words: questions, their presets, experiments of papers, devices and pages, and where each leads.

All is read from the registries. It takes some tenths of a second, so that a page asks for it when it has been drawn.
"""

import functools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pagecost import catalogue, glossary, studies
from pagecost.claims import PAPERS, Claim, claims
from pagecost.studies import Study
from pagecost.studies.fields import Choice, Choices, kind_of
from pagecost_app import claims_told as told
from pagecost_app.pages.asked_as import ASKED_AS
from pagecost_app.pages.contents import QUESTIONS, START, TITLES, address_of, title_with
from pagecost_app.pages.topic_page import PARTS, title_of


class Entry(NamedTuple):
    """What is found by its title or what else it is called, and less surely by its words.

    kind: what it is; where: what it belongs to; target: what `Frame.go` takes.
    """

    title: str
    kind: str
    where: str
    words: str
    target: dict[str, Any]
    also: str = ""


class Experiment(NamedTuple):
    """A place of a paper that a question reproduces. lines: of the ledger that are about it."""

    paper: str
    place: str
    study: str
    lines: int
    target: dict[str, Any]


def question_target(name: str) -> dict[str, Any]:
    """What opens a question."""
    return {"address": address_of(title_with(name), name)}


@functools.cache
def experiments() -> tuple[Experiment, ...]:
    """What the questions reproduce of the papers: by paper, those with most lines first."""
    found = [
        Experiment(each.paper, each.place, each.study, len(each.claims), {"claim": _usual(each.claims).id})
        for study in studies.STUDIES
        for each in told.reproduced(study)
    ]
    found += [Experiment(paper, *each) for paper in PAPERS for each in _described(paper)]
    order = list(PAPERS)
    return tuple(sorted(found, key=lambda each: (order.index(each.paper), -each.lines)))


def _described(paper: str) -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """Place, study, lines and target of what a paper's file says itself, for its lines ask models and no question."""
    for each in PAPERS[paper].get("experiment", ()):
        target = {"study": each["study"], "values": dict(each["set"])}
        yield each["place"], each["study"], len(told.of_patterns([each["claims"]])), target


def _usual(asked: Iterable[Claim]) -> Claim:
    """The first claim under the preset that most of them have."""
    found = list(asked)
    presets = [claim.measure.get("preset") for claim in found]
    return found[presets.index(max(presets, key=presets.count))]


def entries() -> tuple[Entry, ...]:
    """All that can be found, the user's own devices as they are now."""
    return (*_questions(), *_presets(), *_experiments(), *_devices(), *_pages())


def _questions() -> Iterator[Entry]:
    for topic, names in QUESTIONS.items():
        for name in names:
            asked_as = ASKED_AS.get(name, "")
            words = [topic, name]
            if name in PARTS:
                words += [PARTS[name].place, PARTS[name].group, "walk steps animation"]
            else:
                study = studies.find(name)
                words += [study.place, study.source, *_said_of(study), *studies_of_papers().get(name, ())]
            also = " ".join((name.replace("_", " "), asked_as, *_forms(title_of(name), asked_as)))
            words += _forms(*words)
            yield Entry(title_of(name), "question", topic, " ".join(words), question_target(name), also)


def _forms(*texts: str) -> Iterator[str]:
    """In which other forms the glossary's terms in these texts are written: GC for garbage collection."""
    for term in glossary.of_texts(*texts):
        yield from (term.term, *term.also)


def _said_of(study: Study) -> Iterator[str]:
    """What the inputs of a study are called and mean."""
    for field in study.Inputs.model_fields.values():
        yield field.title or ""
        yield field.description or ""


@functools.cache
def studies_of_papers() -> dict[str, tuple[str, ...]]:
    """The papers and places that each study reproduces, in words."""
    found: dict[str, list[str]] = {}
    for each in experiments():
        found.setdefault(each.study, []).append(f"{told.called(each.paper)} {each.place}")
    return {study: tuple(words) for study, words in found.items()}


def _presets() -> Iterator[Entry]:
    for name, study in studies.STUDIES.items():
        for preset in study.presets:
            yield Entry(preset, "preset", study.title, name.replace("_", " "), {"study": name, "preset": preset})


def _experiments() -> Iterator[Entry]:
    for each in experiments():
        words = f"{told.heading(each.paper, each.place)} {catalogue.sources()[each.paper].title}"
        where = studies.find(each.study).title
        yield Entry(f"{told.called(each.paper)}, {each.place}", "paper", where, words, each.target)
    lines: dict[str, int] = {}
    for claim in claims():
        lines[claim.paper] = lines.get(claim.paper, 0) + 1
    for paper in PAPERS:
        where = f"{lines.get(paper, 0)} lines of the ledger"
        yield Entry(told.called(paper), "paper", where, catalogue.sources()[paper].title, {"paper": paper})


def _devices() -> Iterator[Entry]:
    places = _places_of_devices()
    for name, device in catalogue.devices().items():
        if name in places:
            study, values = places[name]
            yield Entry(device.name, "device", studies.find(study).title, name, {"study": study, "values": values})


def _places_of_devices() -> dict[str, tuple[str, dict]]:
    """Which study asks for a device, and with which values: the first one that offers it."""
    found: dict[str, tuple[str, dict]] = {}
    for name in (name for names in studies.TOPICS.values() for name in names):
        for field_name, field in studies.find(name).Inputs.model_fields.items():
            kind = kind_of(field)
            if isinstance(kind, (Choice, Choices)):
                for option in set(kind.options()) & set(catalogue.devices()) - set(found):
                    found[option] = (name, {field_name: [option] if isinstance(kind, Choices) else option})
    return found


def _pages() -> Iterator[Entry]:
    for title in TITLES:
        asked = QUESTIONS.get(title, ())
        where = f"page with {len(asked)} questions" if asked else "page"
        words = "home begin tour map" if title == START else ""
        yield Entry(title, "page", where, words, {"address": address_of(title)})
