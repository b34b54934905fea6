"""The disk schedulers as pseudo-code: (line, what must have happened for it to have run), see `lines.lit`."""

AHEAD = ("  r ← the nearest ahead; of equals, the oldest", "choose&went on")
OWN_CYLINDER = ("    (sectors just passed here are behind)", "choose&went on")
PICK: dict[str, tuple[tuple[str, str], ...]] = {
    "fcfs": (("  r ← the request that came first", "choose"),),
    "sstf": (("  r ← the nearest cylinder; of equals, the oldest", "choose"),),
    "scan": (
        AHEAD,
        OWN_CYLINDER,
        ("  if there is none: go on to the edge, turn round,", "choose&turned|past the edge"),
        ("    r ← the nearest one that way", "choose&turned"),
    ),
    "look": (
        AHEAD,
        OWN_CYLINDER,
        ("  if there is none: turn round,", "choose&turned"),
        ("    r ← the nearest one that way", "choose&turned"),
    ),
    "c-look": (
        ("  r ← the next sector up; of equals, the oldest", "choose&went on"),
        OWN_CYLINDER,
        ("  if there is none: r ← the lowest of all", "choose&turned"),
    ),
    "deadline": (
        ("  if a request is overdue, or the batch is full:", "choose"),
        ("    begin a batch, of reads if there are any", "choose"),
        ("  r ← the next sector upwards in the batch", "choose"),
    ),
    "sptf": (("  r ← the least seek and rotation together", "choose"),),
    "aged-sptf": (
        ("  r ← the least seek and rotation, less a share", "choose"),
        ("    of the time it has waited", "choose"),
    ),
}


def code_of(scheduler: str) -> list[tuple[str, str]]:
    """The lines of a scheduler, by its name with or without parameters."""
    return [
        ("while requests wait:", "choose"),
        *PICK[scheduler.split(":")[0]],
        ("  move the arm to r's cylinder (seek)", "seek"),
        ("  wait until r's first sector comes round", "rotation"),
        ("  read or write r while it passes", "transfer"),
    ]
