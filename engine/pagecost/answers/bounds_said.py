"""In sentences: what is not known of a device and stands as a bound in its place, and what to state for better."""

import itertools
from collections.abc import Iterable, Iterator

from pagecost import catalogue
from pagecost.devices import Model, least_alone_s, title_of, why_alone
from pagecost.devices.disk import Disk
from pagecost.devices.disk.seek import Constant
from pagecost.oltp import has_arm
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


def knows_distances(name: str) -> bool:
    """Whether a longer seek of a disk with an arm takes longer here: more is known of it than the average seek."""
    return has_arm(name) and not isinstance(Disk.of(catalogue.device(name)).curve, Constant)


def average_seeks(names: Iterable[str]) -> Iterator[str]:
    """Of which disks among these devices every seek takes the average, and what to state for better."""
    disks = [name for name in dict.fromkeys(names) if has_arm(name) and not knows_distances(name)]
    if disks:
        yield (
            f"Only the average seek is known of {', '.join(map(title_of, disks))}: every seek beyond the next cylinder "
            "takes it, however short, so that data in a small part of a disk gain nothing. State "
            "track_to_track_seek_read_s and full_stroke_seek_read_s in the device's file for better."
        )
