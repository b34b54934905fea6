"""The one error of the engine: a sentence that names the thing, the rule and the value that broke it."""


class ModelError(ValueError):
    """Input that a model, study or reader refuses. The message is one sentence meant for the user."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of a traceback."""
        return [str(self)]


def require(rule_holds: bool, message: str) -> None:
    """Raise `ModelError(message)` unless the rule holds."""
    if not rule_holds:
        raise ModelError(message)


def known(kind: str, name: str, names) -> str:
    """Return `name` if it is one of `names`; otherwise raise a `ModelError` that lists the known ones."""
    names = tuple(names)
    require(name in names, f"unknown {kind} {name!r}; known: {', '.join(names)}")
    return name
