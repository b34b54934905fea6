"""The words of the field: what each means in a sentence, its unit and its source, from `datasets/glossary.csv`."""

import csv
import functools
import re
from typing import NamedTuple

from pagecost.catalogue_tables import root
from pagecost.errors import ModelError, require
from pagecost.units import UNITS

TABLE = "glossary.csv"


class Term(NamedTuple):
    """A term and the other forms it is written in. unit: of `units.UNITS`, "" where it is no number. source: of
    `sources.csv`."""

    term: str
    also: tuple[str, ...]
    meaning: str
    unit: str
    source: str

    @property
    def said(self) -> str:
        """The meaning, and the unit where it is a number of one."""
        return f"{self.meaning} Unit: {self.unit}." if self.unit not in ("", "1") else self.meaning


@functools.cache
def terms() -> dict[str, Term]:
    """All terms by their name, in the order of the alphabet. Raises ModelError for a unit that is none."""
    with (root() / TABLE).open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        fits = row["unit"] == "" or row["unit"] in UNITS
        require(fits, f"{TABLE}: {row['term']}: its unit {row['unit']!r} is none of {', '.join(UNITS)}")
    made = [Term(row["term"], tuple(filter(None, row["also"].split("|"))), *_rest(row)) for row in rows]
    return {each.term: each for each in sorted(made, key=lambda each: each.term.lower())}


def find(word: str) -> Term:
    """The term of that name or one that is written so too, whatever the case, or the only one that has the word in its
    name or for its initials: "zipf", "wa". Raises ModelError that lists those that may be meant, or all."""
    asked = word.strip().lower()
    found = _by_form().get(asked)
    if found is not None:
        return found
    like = [each for each in terms().values() if asked and (asked in each.term.lower() or asked == _initials(each))]
    if len(like) == 1:
        return like[0]
    raise ModelError(f"the glossary has no term {word!r}; it has {', '.join(each.term for each in like) or _all()}")


def in_text(text: str) -> list[tuple[str, Term | None]]:
    """The text in pieces, each with the term that it is, or None; the longest form wins, whole words only."""
    pieces: list[tuple[str, Term | None]] = []
    end = 0
    for match in _pattern().finditer(text):
        pieces += [(text[end : match.start()], None)] if match.start() > end else []
        pieces.append((match[0], _by_form()[match[0].lower()]))
        end = match.end()
    return [*pieces, (text[end:], None)] if end < len(text) else pieces


def of_texts(*texts: str) -> list[Term]:
    """The terms that stand in these texts, each once, in their order."""
    return list(dict.fromkeys(term for text in texts for _, term in in_text(text) if term))


def _initials(term: Term) -> str:
    return "".join(part[0] for part in re.split(r"[\s-]+", term.term.lower()) if part)


def _all() -> str:
    return ", ".join(terms())


def _rest(row: dict[str, str]) -> tuple[str, str, str]:
    return row["meaning"], row["unit"], row["source"]


@functools.cache
def _by_form() -> dict[str, Term]:
    return {form.lower(): each for each in terms().values() for form in (each.term, *each.also)}


@functools.cache
def _pattern() -> re.Pattern[str]:
    forms = sorted((re.escape(form) for form in _by_form()), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(forms)})(?![\w-])", re.IGNORECASE)
