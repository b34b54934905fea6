"""One document shaped like dblp: many short entries below one root, four levels deep."""

from collections.abc import Iterator
from random import Random

from pagecost.errors import require
from pagecost.xmlstore.documents import words
from pagecost.xmlstore.documents.words import prose

ENTRY_BYTES = 318  # mean of an entry, to know how many a size takes


def document(plain_bytes: float, seed: int = 1) -> Iterator[bytes]:
    """The document in pieces; its size is about `plain_bytes`."""
    require(plain_bytes > 0, f"a document has more than 0 bytes; got {plain_bytes:g}")
    draw = Random(f"{seed}/bibliography")
    yield b"<dblp>\n"
    for number in range(max(1, round(plain_bytes / ENTRY_BYTES))):
        yield _entry(draw, number).encode()
    yield b"</dblp>\n"


def _entry(draw: Random, number: int) -> str:
    kind, place = draw.choice((("article", "journal"), ("inproceedings", "booktitle"), ("inproceedings", "booktitle")))
    venue = draw.choice(words.vocabulary())
    authors = "".join(
        f"<author>{draw.choice(words.FIRST)} {draw.choice(words.LAST)}</author>\n" for _ in range(draw.randint(1, 4))
    )
    first = draw.randint(1, 400)
    return (
        f'<{kind} mdate="2008-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}" key="{venue}/{number}">\n{authors}'
        f"<title>{prose(draw, draw.randint(30, 90))}</title>\n<pages>{first}-{first + draw.randint(1, 30)}</pages>\n"
        f"<year>{draw.randint(1970, 2008)}</year>\n<{place}>{venue.capitalize()}</{place}>\n"
        f"<url>db/{kind}/{venue}{number}.html#x{number}</url>\n</{kind}>\n"
    )
