"""What every face of a walk says of it, in app and notebook."""

from typing import Any

SPEEDS = {"slow": 2000, "normal": 1000, "fast": 300}  # ms per step of Play
ASK_LABEL, RANDOM_LABEL, FULL_LABEL = "Ask me first", "Random string", "Full screen"


class Face:
    """A walk with `size`, `go(position)` and an `ask` that changes nothing where it raises ModelError, and its look."""

    walk: Any
    css: str

    def _shown(self) -> tuple[str, str, str]:
        """(title, sentence on the last step, picture as HTML) of the walk as it stands."""
        raise NotImplementedError

    @property
    def _at(self) -> int:
        """Steps done."""
        return self.walk.position

    def _more(self) -> list:
        """Further controls beside those that every walk has."""
        return []


def random_label(seed: int) -> str:
    """What stands on the button of a random string: the seed of the last one, once there was one."""
    return f"{RANDOM_LABEL} (seed {seed})" if seed else RANDOM_LABEL
