"""What wrong ideas an exercise knows: of the list for a class, of an instructor's guide."""

import re

from pagecost_app.exercises.exercise import Exercise

NUMBER = re.compile(r"\{\{|\}\}|\{[^{}]*\}")  # or a brace itself, written twice


def for_all(say: str) -> str:
    """What is said to a wrong idea, for all variants at once: an ellipsis for each of a variant's numbers."""
    return NUMBER.sub(lambda found: {"{{": "{", "}}": "}"}.get(found[0], "…"), say)


def misconceptions(exercise: Exercise) -> tuple[str, ...]:
    """What is said to each wrong idea, each once, as `for_all`."""
    said = [say for _, say in getattr(exercise, "mistakes", ())]
    for claims in ("options", "reasons", "conditions"):
        said += [claim.say for claim in getattr(exercise, claims, ())]
    said.append(getattr(exercise, "surprise", ""))
    return tuple(dict.fromkeys(for_all(each) for each in said if each))
