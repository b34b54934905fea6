"""Tables and words as wide as the terminal that reads them: what does not fit is named, never cut."""

import os
import shutil
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import typer

from pagecost.units import so_many
from pagecost_app.stdin import in_words

WIDTH = 100  # columns where nobody watches, and COLUMNS does not say another number
MOST_ROWS = 40
GAP = 2  # between columns
MOST_LINES = 3  # of a cell, about: a text that would be taller is left out where others fit
NARROW, LONG_WORD = 16, 32  # a text may be wrapped to so few columns; a longer word is broken


class Shown(NamedTuple):
    """A column as people read it. is_text: it may be wrapped, and stands on the left."""

    title: str
    cells: Sequence[str]
    is_text: bool

    def least(self) -> int:
        """The fewest columns it can be read in: numbers are never wrapped, words are broken where they are long."""
        words = [word for text in (self.title, *(self.cells if self.is_text else ())) for word in text.split(" ")]
        longest = min(max(map(len, words), default=0), LONG_WORD)
        if not self.is_text:
            return max(longest, *map(len, self.cells))
        return max(longest, min(self.full(), max(NARROW, -(-self.full() // MOST_LINES))))

    def full(self) -> int:
        """The columns of its longest cell."""
        return max(map(len, self.cells), default=0)


def width() -> int:
    """Columns of the terminal, or what COLUMNS says."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def say(text: str, *, indent: str = "", strong: bool = False) -> None:
    """Print a sentence, wrapped; lines after the first stand two columns to the right of it."""
    for line in in_words(text).splitlines():
        _print(_wrapped(line, width(), indent), strong=strong)


def pairs(rows: Sequence[tuple[str, str]]) -> None:
    """Print names and what they are, one under the other; a long text goes on beneath itself."""
    names = min(max((len(name) for name, _ in rows), default=0), width() // 2)
    for name, text in rows:
        heads = [name] if len(name) <= names else _wrapped(name, width())
        lines = _wrapped(text, max(width() - names - GAP, NARROW))
        if len(heads[-1]) <= names:
            lines[0] = f"{heads.pop().ljust(names)}  {lines[0]}"
        else:
            lines[0] = f"{'':{names}}  {lines[0]}"
        _print([*heads, lines[0], *(f"{'':{names}}  {line}" for line in lines[1:])])


def table(columns: Sequence[Shown], *, wide: bool = False, most: int | None = MOST_ROWS) -> None:
    """Print a table; unless it is wanted `wide`, only columns that differ and fit, and the `most` first rows.

    What is the same in each row is said once beneath, what does not fit is named. A single row that is too wide stands
    upright.
    """
    rows = len(columns[0].cells) if columns else 0
    if rows == 0:
        say("nothing to list")
        return
    if wide:
        _draw(columns, [max(len(each.title), each.full()) for each in columns])
        return
    if rows == 1 and sum(max(len(each.title), each.full()) + GAP for each in columns) > width() + GAP:
        pairs([(each.title, each.cells[0]) for each in columns])
        return
    same = [each for each in columns if rows > 1 and len(set(each.cells)) == 1]
    differing = [each for each in columns if each not in same] or list(columns[:1])
    taken, left = _fitting(differing, width())
    shown = [Shown(each.title, each.cells[:most], each.is_text) for each in taken]
    _draw(shown, _widths(shown, width()))
    if most is not None and rows > most:
        say(f"… {so_many(rows - most, 'more row')}: --wide")
    if left:
        many = "s" if len(left) > 1 else ""
        say(f"{len(left)} more column{many}: --wide ({', '.join(each.title for each in left)})")
    said = [each for each in same if each not in differing]
    if said:
        say(f"in each row: {'; '.join(f'{each.title} {each.cells[0]}'.strip() for each in said)}")


def _fitting(columns: Sequence[Shown], room: int) -> tuple[list[Shown], list[Shown]]:
    """Columns that fit side by side, in their order, the first at all events; and those that are left out.

    A text that would take more than a third of the room comes in only behind all others, where room is left.
    """
    numbers = range(1, len(columns))
    tall = [number for number in numbers if columns[number].least() > room // 3]
    taken = {0}
    left = room - _first(columns, room)
    for number in (*(number for number in numbers if number not in tall), *tall):
        if columns[number].least() + GAP <= left:
            taken.add(number)
            left -= columns[number].least() + GAP
    return (
        [each for number, each in enumerate(columns) if number in taken],
        [each for number, each in enumerate(columns) if number not in taken],
    )


def _first(columns: Sequence[Shown], room: int) -> int:
    """The fewest columns of the first one: half the room, where it is a longer text and others stand beside it."""
    alone = len(columns) == 1 or not columns[0].is_text
    return min(columns[0].least(), room if alone else room // 2)


def _widths(columns: Sequence[Shown], room: int) -> list[int]:
    """What each column gets: its least, and of what is left over first the texts and then the titles what they lack."""
    widths = [_first(columns, room), *(each.least() for each in columns[1:])]
    over = room - sum(widths) - GAP * (len(columns) - 1)
    for wanted in ([each.full() for each in columns], [len(each.title) for each in columns]):
        for number, want in enumerate(wanted):
            more = max(0, min(over, want - widths[number]))
            widths[number] += more
            over -= more
    return widths


def _draw(columns: Sequence[Shown], widths: Sequence[int]) -> None:
    heads = [_wrapped(each.title, room) for each, room in zip(columns, widths, strict=True)]
    for line in _side_by_side(heads, columns, widths):
        _print([line], strong=True)
    _print(["  ".join("-" * room for room in widths)])
    for cells in zip(*(each.cells for each in columns), strict=True):
        texts = [
            _wrapped(cell, room) if each.is_text else [cell]
            for each, room, cell in zip(columns, widths, cells, strict=True)
        ]
        _print(_side_by_side(texts, columns, widths))


def _side_by_side(texts: Sequence[Sequence[str]], columns: Sequence[Shown], widths: Sequence[int]) -> list[str]:
    lines = []
    for number in range(max(map(len, texts))):
        row = [text[number] if number < len(text) else "" for text in texts]
        padded = [
            part.ljust(room) if each.is_text else part.rjust(room)
            for part, each, room in zip(row, columns, widths, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def _wrapped(text: str, room: int, indent: str = "") -> list[str]:
    beneath = " " * len(indent) + ("" if indent.strip() else "  " * bool(indent))
    room = max(room, len(indent) + 3)
    return textwrap.wrap(text, room, initial_indent=indent, subsequent_indent=beneath, break_on_hyphens=False) or [""]


def _print(lines: Sequence[str], *, strong: bool = False) -> None:
    """Lines as they are; bold on a terminal that can and whose user wants it (NO_COLOR says no)."""
    wanted = strong and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    for line in lines:
        if wanted:
            typer.secho(line, bold=True)  # which leaves the bold out where no terminal reads it
        else:
            print(line)
