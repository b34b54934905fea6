"""Mixes of transaction types: parts of each, by the name of a mix or as people type them, in percent."""

from collections.abc import Mapping, Sequence

from pagecost.errors import known, require

ROUNDING = 0.01  # of shares in percent that are written with two digits


def parts(noun: str, mix: str, mixes: Mapping[str, tuple[float, ...]], types: Sequence[str]) -> tuple[float, ...]:
    """Parts of each type, in the order of `types`: of a mix of `mixes`, or of "one=45,other=55" in percent.

    noun: what such a mix is called. A type that is not named has none. Raises ModelError for an unknown mix or type, a
    share that is no number from 0 to 100, a type that is named twice, and shares that do not add up to 100.
    """
    if "=" not in mix:
        return mixes[known(noun, mix, mixes)]
    shares: dict[str, float] = {}
    for part in mix.split(","):
        name, _, text = (word.strip().lower() for word in part.partition("="))
        known("type of transaction in a mix", name, types)
        require(name not in shares, f"mix {mix!r}: {name} is named twice")
        try:
            shares[name] = float(text)
        except ValueError:
            shares[name] = float("nan")
        require(
            0 <= shares[name] <= 100, f"mix {mix!r}: the share of {name} must be a number from 0 to 100; got {text!r}"
        )
    total = sum(shares.values())
    require(
        abs(total - 100) <= ROUNDING, f"mix {mix!r}: the shares must add up to 100 percent; they add up to {total:g}"
    )
    return tuple(shares.get(name, 0.0) for name in types)
