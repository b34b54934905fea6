"""What wrong ideas an exercise knows: of the list for a class, of an instructor's guide."""

from pagecost_app.exercises.exercise import Exercise


def misconceptions(exercise: Exercise) -> tuple[str, ...]:
    """What is said to each wrong idea, each once; names of numbers stand there in braces."""
    said = [say for _, say in getattr(exercise, "mistakes", ())]
    for claims in ("options", "reasons", "conditions"):
        said += [claim.say for claim in getattr(exercise, claims, ())]
    said.append(getattr(exercise, "surprise", ""))
    return tuple(dict.fromkeys(each for each in said if each))
