"""In sentences: what is not known of a device and stands as a bound in its place, and what to state for better."""

import itertools
from collections.abc import Iterable, Iterator

from pagecost.devices import Model, least_alone_s, why_alone
from pagecost.units import format_seconds


def bounds_alone(models: Iterable[tuple[str, Model]]) -> Iterator[str]:
    """Which solid-state drives among these (title, model) nobody times alone, and what stands in the place of that."""
    silent: dict[tuple[str, float, str], dict[str, None]] = {}
    for what, (title, model) in itertools.product(("random read", "random write"), list(models)):
        if least_s := least_alone_s(model, what):
            silent.setdefault((what, least_s, why_alone(model)), {})[title] = None
    for (what, least_s, why), titles in silent.items():
        said = what.replace("random write", "write")  # which takes as long in sequence
        who = ", ".join(titles)
        yield f"How long a {said} takes alone is not known of {who}: {format_seconds(least_s)} stand, {why}."
