"""A page that is kept in memory, and one that is read from a drive, over the same time: `kept_or_read("2018 flash")`.

What is drawn are the numbers of the question `five_minute_rule`; in each row the page is read less often.
"""

from pagecost import catalogue
from pagecost.errors import known, require
from pagecost.studies.economics.five_minute_rule import PAIRS, access_of, interval_of
from pagecost.units import format_bytes, format_cell, format_seconds
from pagecost_app.pictures.drawing import Picture, box, line, text

SHARES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the break-even interval, between two reads of a row's page
LEFT, TIME, MONEY, PLACE = 108, 300, 440, 38  # pixels: where time begins, its width, where dollars begin, the place's
ROW, TOP, BAR, NEXT = 58, 42, 13, 18  # pixels: from row to row, above, of a bar, from a bar to the one below
CHEAP_USD, MANY = 0.01, 10**6  # below that a single page's dollars are not read, so many pages are told


def kept_or_read(pair: str = "2018 flash", page_bytes: int = 4096) -> Picture:
    """Pages of one size that are read more or less often, and what keeping and reading each of them costs.

    pair: of `PAIRS`, a year and a drive ("1987 disk"). Raises ModelError for another one, and for a page of no bytes.
    """
    whole = isinstance(page_bytes, int) and page_bytes >= 1
    require(whole, f"a page has at least one byte; got {page_bytes!r}")
    read_from, kept_in = (catalogue.device(name) for name in PAIRS[known("year and device", pair, PAIRS)])
    interval_s = interval_of(pair, page_bytes)
    per_read_usd = read_from.price_usd * access_of(pair, 1.0, page_bytes) / interval_s  # once in an interval: the place
    pages, whose = (1, "a page") if per_read_usd >= CHEAP_USD else (MANY, "a million pages")
    kept = format_cell(per_read_usd * pages, "USD")
    drawn = [
        text(LEFT, 14, f"{format_seconds(SHARES[-1] * interval_s)}: in memory, and each read", "b"),
        text(MONEY, 14, f"what {whose} so read cost{'s' if pages == 1 else ''}", "b"),
    ]
    said = []
    for number, share in enumerate(SHARES):
        every, read = format_seconds(share * interval_s), format_cell(per_read_usd / share * pages, "USD")
        drawn += _row(TOP + number * ROW, share, every, (kept, read))
        said.append(f"{every}, {read} of the drive: {'either' if share == 1 else 'keep' if share < 1 else 'read'}")
    words = (
        f"Pages of {format_bytes(page_bytes)} on {read_from.name}, or in {kept_in.name}, where {whose} "
        f"take{'s' if pages == 1 else ''} {kept} of it. Read once in {'; '.join(said)}."
    )
    return Picture("".join(drawn), TOP + len(SHARES) * ROW - 8, words)


def _row(y: float, share: float, every: str, dollars: tuple[str, str]) -> list[str]:
    """A page in memory all the time, a tick for each of its reads below, and both bills, the smaller one in bold."""
    reads, low = round(SHARES[-1] / share), y + NEXT
    kept, read = dollars
    bills = MONEY + PLACE / SHARES[0] + 10
    return [
        text(0, y + 10, "read once in", "m"),
        text(0, low + 11, every, "b"),
        box(LEFT, y, TIME, BAR, "one"),
        line(LEFT, low + BAR, LEFT + TIME, low + BAR, "faint"),
        *(box(LEFT + TIME * (at + 0.5) / reads - 2, low, 4, BAR, "two") for at in range(reads)),
        box(MONEY, y, PLACE, BAR, "one"),
        box(MONEY, low, PLACE / share, BAR, "two"),
        text(bills, y + 11, f"{kept} of memory", "b" if share < 1 else ""),
        text(bills, low + 11, f"{read} of the drive", "b" if share > 1 else ""),
    ]
