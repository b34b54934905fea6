"""The one error of the engine: a sentence that names the thing, the rule and the value that broke it."""

import errno
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

MOST = 40  # known names are listed as long as they are so few; of more, the nearest


class ModelError(ValueError):
    """Input that a model, study or reader refuses. The message is one sentence meant for the user."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of a traceback."""
        return [str(self)]


def require(rule_holds: bool, message: str) -> None:
    """Raise `ModelError(message)` unless the rule holds."""
    if not rule_holds:
        raise ModelError(message)


def there_is(path: Path) -> bool:
    """Whether something stands at a path; not where it is longer than any path can be, at which pathlib gives up.

    Raises OSError where one may not look, as for a closed folder.
    """
    try:
        return path.exists()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def require_file(path: Path, who: str, missing: str = "there is no such file") -> None:
    """Raise a `ModelError` of `who` unless there is a file: `missing`, or what stands there instead."""
    require(there_is(path), f"{who}: {missing}")
    require(not path.is_dir(), f"{who}: this is a folder, not a file")
    require(path.is_file(), f"{who}: this is no file; a pipe or a device cannot be read")


def present(value: T | None, message: str) -> T:
    """Return the value; raise `ModelError(message)` if there is none."""
    if value is None:
        raise ModelError(message)
    return value


def known(kind: str, name: str, names) -> str:
    """Return `name` if it is one of `names`; otherwise raise a `ModelError` that lists them, or the nearest."""
    names = tuple(names)
    if name not in names:
        listed = f"known: {', '.join(map(str, names))}"
        if len(names) > MOST:
            near = get_close_matches(str(name), names, n=5, cutoff=0.3) or names[:5]
            listed = f"nearest of {len(names)}: {', '.join(near)}"
        raise ModelError(f"unknown {kind} {name!r}; {listed}")
    return name
