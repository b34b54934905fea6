"""A walk through a translation layer, operation by operation, that survives bad input."""

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pagecost import catalogue
from pagecost.devices.ftl import LAYERS, VICTIMS, Geometry, Options, told, victims
from pagecost.devices.nand import Chip
from pagecost.devices.ssd import Ssd
from pagecost.errors import known, require
from pagecost.walk.flash import operation_costs
from pagecost.walk.prices import CHIP, rates
from pagecost_app.walks.asking import Question, kept_within
from pagecost_app.walks.field_walk import FieldWalk
from pagecost_app.walks.fields import CHOICE, NUMBER, TEXT, Field

LONGEST, MOST_HAPPENINGS = 400, 20_000  # requests, and operations of a walk
MOST_BLOCKS, MOST_PAGES_PER_BLOCK = 32, 8
RANDOM_REQUESTS, HOT_SHARE, HOT_PAGES = 40, 0.7, 0.25  # of a random string: most of it goes to a quarter of the pages
REQUESTS = "w0 w1 w2 w3 w0 w5 w9 w0 w13 w2 w0 w5 w6 w1 w0 w9 w4 w0 w5 w2 r5 w0 w12 w1 w8 w0 t3 w5 w0 w9 w7 w0"
"""Requests that every layer has to make room for: page 0 is hot, some pages are written once."""
MAP_PAGE_ENTRIES, ENTRY_BYTES = 8, 4  # so that a small device has more than one page of DFTL's map
FILLED, EMPTY = "filled", "empty"
PRICED = {
    told.HOST_READ: "read",
    told.MAP_READ: "read",
    told.PROGRAM: "program",
    told.MAP_WRITE: "program",
    told.COPY: "copy",
    told.FILL: "fill",
    told.ERASE: "erase",
}
"""The operation of the chip that each happening is; the others cost nothing."""
TIME_S, ENERGY_J, MONEY_USD, HOST, PROGRAMMED, ERASES = range(6)  # columns of `FtlWalk.spent`

LOGGED = ("bast", "fast")
FIELDS = (
    Field("layer", "Translation layer", CHOICE, "page", {name: layer.title for name, layer in LAYERS.items()}),
    Field("requests", "Requests (w, r, t; w0-7 a run)", TEXT, REQUESTS),
    Field(
        "policy",
        "Victim policy",
        CHOICE,
        "greedy",
        {name: policy.title for name, policy in VICTIMS.items()},
        about="Which block the page map collects.",
        only=("layer", ("page",)),
    ),
    Field("pages", "Pages of the host", NUMBER, 16, least=4, most=128),
    Field("pages_per_block", "Pages of a block", NUMBER, 4, least=2, most=MOST_PAGES_PER_BLOCK),
    Field("spare_blocks", "Blocks beyond those", NUMBER, 4, least=1, most=16),
    Field("log_blocks", "Log blocks", NUMBER, 2, least=1, most=8, only=("layer", LOGGED)),
    Field("cached_entries", "Cached map entries", NUMBER, 4, least=1, most=64, only=("layer", ("dftl",))),
    Field("start", "At the start", CHOICE, FILLED, {FILLED: "every page written once, in order", EMPTY: "all erased"}),
)


def requests_of(text: str, pages: int) -> list[tuple[str, int]]:
    """(verb, page) of every request of a text such as `w0 r3 t5 w8-11`.

    Raises ModelError for what is no request, more than 400 of them, none, or a page that the host does not have.
    """
    found = []
    for number, word in enumerate(text.replace(",", " ").split(), start=1):
        read = re.fullmatch(r"([wrt])([0-9]{1,6})(?:-([0-9]{1,6}))?", word.lower())
        require(
            read is not None,
            f"request {number} must be w, r or t and a page, as in w3, or w0-7 for a run; got {word[:40]!r}",
        )
        verb, first, last = read.groups()  # type: ignore[union-attr]
        require(
            int(last or first) < pages,
            f"the host has pages 0..{pages - 1}; request {number} asks for page {last or first}",
        )
        found += [(verb, page) for page in range(int(first), int(last or first) + 1)]
        require(len(found) <= LONGEST, f"a walk for the eye has at most {LONGEST} requests; got more")
    require(len(found) > 0, "there is no request to serve; write some, as in w0 w1 w0")
    return found


class FtlWalk(FieldWalk):
    """Where one stands in the operations that requests cause. `happenings[n - 1]` led to `instants[n]`.

    values: what `FIELDS` names; Raises ModelError for what is not possible.
    """

    declared = FIELDS

    def _place(self, asked: Mapping[str, Any]) -> int:
        return self.position if asked["layer"] == self.values["layer"] else 0

    def _walk(self, asked: dict[str, Any]) -> None:
        layer, requests = _layer(asked), requests_of(str(asked["requests"]), asked["pages"])
        teller = told.Told(layer)
        if asked["start"] == FILLED:
            teller.fill()
        for verb, page in requests:
            teller.serve(verb, page)
            require(
                len(teller.happenings) <= MOST_HAPPENINGS,
                f"a walk for the eye has at most {MOST_HAPPENINGS} operations; take fewer requests or a larger device",
            )
        self.layer, self.requests = layer, requests
        self.happenings, self.instants = teller.happenings, teller.instants
        self.spent = _spent(self.happenings, layer.geometry)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Operations of the whole walk."""
        return len(self.happenings)

    @property
    def happening(self) -> told.Happening | None:
        """The last one."""
        return self.happenings[self.position - 1] if self.position else None

    @property
    def instant(self) -> told.Instant:
        """The flash after it."""
        return self.instants[self.position]

    def place_of(self, wish: str) -> int:
        """Where a wish leads: the "next" or "previous" request, or the next "erase"; where there is none, here."""
        at = self.position
        if wish == "previous":
            places = [
                number for number in range(at - 1) if self.happenings[number].kind == told.REQUEST
            ]  # the operation after which it stands is the request itself
            return places[-1] + 1 if places else 0
        kind = told.ERASE if wish == "erase" else told.REQUEST
        return next((number + 1 for number in range(at, self.size) if self.happenings[number].kind == kind), at)

    def random_text(self, seed: int) -> str:
        """Requests drawn with a seed: mostly writes, most of them to a few pages."""
        dice = random.Random(seed)
        pages = self.values["pages"]
        hot = max(1, round(pages * HOT_PAGES))

        def one() -> str:
            page = dice.randrange(hot) if dice.random() < HOT_SHARE else dice.randrange(pages)
            return dice.choices("wrt", (88, 8, 4))[0] + str(page)

        return " ".join(one() for _ in range(RANDOM_REQUESTS))

    def facts(self) -> set[str]:
        """What the last operation was, in words that lines of pseudo-code are lit by."""
        last = self.happening
        if last is None:
            return set()
        facts = {last.kind, *({f"request {last.what}"} if last.kind == told.REQUEST else ())}
        if last.block >= 0:
            now, before = (
                self.instants[at].roles[last.block].split(" ")[0] for at in (self.position, self.position - 1)
            )
            facts |= {f"in {now}", f"was {before}"}
        if last.kind == told.OPEN:
            facts.add(f"for {self._becomes(last.block)}")
        begun = self._going_on()
        if not begun:
            facts.add("plain")
        else:
            facts |= {"making room"} | ({f"{begun.kind} {begun.what.split(' ')[0]}"} if " " in begun.what else set())
        return facts

    def _becomes(self, block: int) -> str:
        """What a block that was just taken is used for."""
        roles = (instant.roles[block] for instant in self.instants[self.position :])
        return next((role.split(" ")[0] for role in roles if role != "new"), "new")

    def _going_on(self) -> told.Happening | None:
        """The collection or merge that the last operation is part of."""
        ended: list[int] = []  # blocks that were erased between it and the last operation
        for number in range(self.position - 1, -1, -1):
            one = self.happenings[number]
            if one.kind == told.REQUEST:
                return None
            if one.kind in (told.COLLECT, told.MERGE):
                # a log block that becomes a data block is not erased, the data block is
                own = one.block >= 0 and not one.what.startswith(("switch", "partial"))
                if not (one.block in ended if own else ended):
                    return one
            if one.kind == told.ERASE and number < self.position - 1:
                ended.append(one.block)
        return None

    def _move(self, position: int) -> None:
        self.position = position

    def _questions(self) -> list[Question]:
        """A write: is a block erased because of it? A collection: of which block?"""
        coming = self.happenings[self.position]
        if coming.kind == told.REQUEST and coming.what == "w":
            erases = any(
                one.kind == told.ERASE and one.request == coming.request for one in self.happenings[self.position :]
            )
            text = f"The host writes page {coming.page}. Is a block erased because of it?"
            return [Question(text, ("yes", "no"), frozenset({0 if erases else 1}))]
        if coming.kind == told.COLLECT:
            now = self.instant
            blocks = [
                block
                for block, role in enumerate(now.roles)
                if role == "full" or "log" in role or block == coming.block
            ]
            if len(blocks) < 2:
                return []
            what = "log block is emptied" if self.values["layer"] in LOGGED else "block is collected"
            options = tuple(f"block {block}" for block in blocks)
            return [Question(f"Room is needed. Which {what}?", options, frozenset({blocks.index(coming.block)}))]
        return []


def _layer(values: dict):
    """An erased device as it was asked for. Raises ModelError."""
    name = known("translation layer", values["layer"], LAYERS)
    victims.find(values["policy"])
    known("state at the start", values["start"], (FILLED, EMPTY))
    numbers = {
        field.name: kept_within(values[field.name], field.least, field.most, field.label.lower())
        for field in FIELDS
        if field.kind == NUMBER
    }
    values |= numbers
    pages, on_block = numbers["pages"], numbers["pages_per_block"]
    map_pages = -(-pages // MAP_PAGE_ENTRIES) if name == "dftl" else 0
    blocks = -(-(pages + map_pages) // on_block) + numbers["spare_blocks"]
    require(
        4 <= blocks <= MOST_BLOCKS,
        f"a walk for the eye has 4..{MOST_BLOCKS} blocks; {pages} pages of the host in "
        f"blocks of {on_block}, with {numbers['spare_blocks']} more, make {blocks}",
    )
    # half a page more, so that rounding down gives the pages that are meant
    spare = 1 - (pages + 0.5) / (blocks * on_block)
    geometry = Geometry(blocks=blocks, pages_per_block=on_block, page_bytes=MAP_PAGE_ENTRIES * ENTRY_BYTES, spare=spare)
    options = Options(
        policy=values["policy"] if name == "page" else "greedy",
        log_blocks=numbers["log_blocks"],
        cached_entries=numbers["cached_entries"],
        # one block to copy to is enough for a device so small
        reserve_blocks=1,
    )
    return LAYERS[name](geometry, options)


def _spent(happenings: list[told.Happening], geometry: Geometry) -> np.ndarray:
    """float64[happenings + 1, 6]: time [s], energy [J], money [USD], host pages, programs and erases after each."""
    chip = replace(Chip.of(catalogue.device(CHIP)), pages_per_block=geometry.pages_per_block)
    drive = Ssd(
        name="one die",
        chip=chip,
        channels=1,
        unit_bytes=chip.page_bytes,
        blocks=geometry.blocks,
        spare=geometry.spare,
        channel_bytes_per_s=chip.bus_bytes_per_s,
    )
    costs = operation_costs(drive, rates())
    rows = np.zeros((len(happenings) + 1, 6))
    for number, one in enumerate(happenings, start=1):
        if one.kind in PRICED and not (one.kind == told.HOST_READ and one.block < 0):
            rows[number, :3] = costs[PRICED[one.kind]]
        rows[number, HOST] = one.kind == told.PROGRAM
        rows[number, PROGRAMMED] = one.kind in (told.PROGRAM, told.COPY, told.FILL, told.MAP_WRITE)
        rows[number, ERASES] = one.kind == told.ERASE
    return rows.cumsum(axis=0)
