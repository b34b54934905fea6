"""Words, names and numbers that generated documents are made of. All are invented here."""

import functools
from random import Random


def listed(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


FIRST = listed("Ada Ben Cleo Dan Eva Finn Gus Hana Ivo Jana Karl Lea Milo Nora Olaf Pia Quin Rosa Sven Tara Udo Vera")
LAST = listed("Abel Berger Conti Dahl Ebner Fabre Gruen Holm Ivers Jonas Keller Lund Moser Novak Oster Pohl Rieger")
CITY = listed("Ahlen Brest Coburg Delft Evora Fulda Genk Husum Ivrea Jena Kiel Lucca Murten Namur Oulu Pisa Riga")
STREET = listed("Mill Oak Harbour Station Garden Church River North South Market Castle Bridge Forest")
LAND = listed("Austria Belgium Denmark Estonia Finland France Germany Italy Norway Poland Spain Sweden")
CURRENCY = ("EUR", "USD", "GBP", "CHF", "DKK", "NOK", "SEK", "PLN", "JPY", "CAD")
SYLLABLES = listed(
    "ba be bo da de do fa fe ga go ka ke ko la le li lo ma me mo na ne no pa re ro sa se so ta te to va ve"
)
PRINTABLE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@functools.cache
def vocabulary() -> tuple[str, ...]:
    """Two thousand invented words."""
    draw = Random("words")
    return tuple("".join(draw.choices(SYLLABLES, k=draw.choice((1, 2, 2, 3, 3, 4)))) for _ in range(2000))


def prose(draw: Random, size: int) -> str:
    """Sentences of about `size` bytes."""
    words = " ".join(draw.choices(vocabulary(), k=max(1, size // 3)))[:size]
    return f"{words.strip().capitalize()}."


def code(draw: Random, low: int, high: int) -> str:
    """Random letters and digits."""
    return "".join(draw.choices(PRINTABLE, k=draw.randint(low, high)))


def date(draw: Random) -> str:
    return f"{draw.randint(1990, 2008)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"


def moment(draw: Random) -> str:
    return f"{date(draw)}T{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}"


def amount(draw: Random, most: int = 9_999_999) -> str:
    return f"{draw.random() * most:.2f}"


def digits(draw: Random, count: int) -> str:
    return str(draw.randrange(10 ** (count - 1), 10**count))
