"""One document shaped like XMark: items of six regions, people, open and closed auctions, categories."""

from collections.abc import Iterator
from random import Random

from pagecost.errors import require
from pagecost.xmlstore.documents import words
from pagecost.xmlstore.documents.words import amount, date, digits, prose

PER_100_MB = {"item": 21_750, "person": 25_500, "open": 12_000, "closed": 9_750, "category": 1_000}
REGIONS = {"africa": 0.025, "asia": 0.1, "australia": 0.1, "europe": 0.275, "namerica": 0.455, "samerica": 0.045}


def document(plain_bytes: float, seed: int = 1) -> Iterator[bytes]:
    """The document in pieces; its size is about `plain_bytes`, as the benchmark's scale factor gives it."""
    require(plain_bytes > 0, f"a document has more than 0 bytes; got {plain_bytes:g}")
    draw = Random(f"{seed}/auction")
    of = {kind: max(1, round(number * plain_bytes / 1e8)) for kind, number in PER_100_MB.items()}
    yield b"<site>\n<regions>\n"
    number = 0
    for region, share in REGIONS.items():
        yield f"<{region}>\n".encode()
        for _ in range(round(of["item"] * share)):
            yield _item(draw, number, of["category"]).encode()
            number += 1
        yield f"</{region}>\n".encode()
    yield b"</regions>\n<categories>\n"
    for place in range(of["category"]):
        text = f'<category id="category{place}"><name>{prose(draw, 12)}</name>{_description(draw)}</category>\n'
        yield text.encode()
    yield b"</categories>\n<people>\n"
    for place in range(of["person"]):
        yield _person(draw, place).encode()
    yield b"</people>\n<open_auctions>\n"
    for place in range(of["open"]):
        yield _auction(draw, f'open_auction id="open_auction{place}"', number, of["person"]).encode()
    yield b"</open_auctions>\n<closed_auctions>\n"
    for _ in range(of["closed"]):
        yield _auction(draw, "closed_auction", number, of["person"]).encode()
    yield b"</closed_auctions>\n</site>\n"


def _description(draw: Random) -> str:
    marked = draw.choice(("bold", "keyword", "emph"))
    body = f"{prose(draw, draw.randint(60, 1500))} <{marked}>{prose(draw, 15)}</{marked}> {prose(draw, 80)}"
    if draw.random() < 0.3:
        return f"<description><parlist><listitem><text>{body}</text></listitem></parlist></description>"
    return f"<description><text>{body}</text></description>"


def _item(draw: Random, number: int, categories: int) -> str:
    mails = "".join(
        f"<mail><from>{draw.choice(words.FIRST)}</from><to>{draw.choice(words.FIRST)}</to><date>{date(draw)}</date>"
        f"<text>{prose(draw, draw.randint(100, 1900))}</text></mail>"
        for _ in range(draw.randint(0, 3))
    )
    return (
        f'<item id="item{number}"><location>{draw.choice(words.LAND)}</location><quantity>{draw.randint(1, 5)}'
        f"</quantity><name>{prose(draw, 14)}</name><payment>Cash</payment>{_description(draw)}"
        f'<shipping>by agreement</shipping><incategory category="category{draw.randrange(categories)}"/>'
        f"<mailbox>{mails}</mailbox></item>\n"
    )


def _person(draw: Random, number: int) -> str:
    name = f"{draw.choice(words.FIRST)} {draw.choice(words.LAST)}"
    profile = "".join(f'<interest category="category{draw.randrange(100)}"/>' for _ in range(draw.randint(0, 4)))
    return (
        f'<person id="person{number}"><name>{name}</name><emailaddress>mailto:{name.split()[1]}@{digits(draw, 4)}'
        f".org</emailaddress><phone>+{digits(draw, 9)}</phone><address><street>{digits(draw, 2)} "
        f"{draw.choice(words.STREET)}</street><city>{draw.choice(words.CITY)}</city><country>{draw.choice(words.LAND)}</country></address>"
        f'<profile income="{amount(draw)}">{profile}<age>{draw.randint(18, 90)}</age></profile></person>\n'
    )


def _auction(draw: Random, opening: str, items: int, people: int) -> str:
    bids = "".join(
        f'<bidder><date>{date(draw)}</date><personref person="person{draw.randrange(people)}"/>'
        f"<increase>{amount(draw, 50)}</increase></bidder>"
        for _ in range(draw.randint(0, 9) if opening.startswith("open") else 0)
    )
    return (
        f"<{opening}><initial>{amount(draw, 300)}</initial>{bids}<current>{amount(draw, 900)}</current>"
        f'<itemref item="item{draw.randrange(items)}"/><seller person="person{draw.randrange(people)}"/>'
        f"<annotation>{_description(draw)}</annotation><quantity>1</quantity></{opening.split()[0]}>\n"
    )
