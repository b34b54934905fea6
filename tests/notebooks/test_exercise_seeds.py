"""Every exercise over 200 seeds: its key passes, wrong ideas get their own words, and guessing does not pay."""

import random
import re
from itertools import count, permutations, product

import pytest

from pagecost_app.exercises import EXERCISES, standing

SEEDS = range(1, 201)
COSTLY = {  # a simulation or a replay for each variant
    *("thirty-two-waiting", "write-backs", "ssd-for-xml", "ssd-half-writing", "short-stroke", "fewer-hits-but-faster"),
    *("second-level", "second-level-worth", "small-write-buffer", "clean-for-less", "layers-on-a-string"),
    *("beat-lru", "beat-the-fence", "within-time-and-budget", "fewest-drives"),
}
FEW = range(1, 13)
FEW_WHOLE = {"victims", "compressed-label"}  # so few whole numbers that a blind guess often hits
EACH = pytest.mark.parametrize("id", EXERCISES)
GRADED = [id for id, each in EXERCISES.items() if each.kind == "number" and not each.prediction]


def seeds_of(id):
    return FEW if id in COSTLY else SEEDS


@EACH
def test_the_key_of_every_seed_passes_and_says_why(id):
    exercise = EXERCISES[id]
    for seed in seeds_of(id):
        status, message = exercise.grade(seed, exercise.key(seed))
        assert status == "passed", f"seed {seed}: {message}"
        assert len(message) > 30 or not exercise.why
        assert "{" not in exercise.asked(seed) + message


@EACH
def test_there_are_at_least_200_variants(id):
    """Of a prediction of what only a long simulation knows there may be one: that of its lesson.

    Where it takes a simulation to know whether a draw can be asked with, some draws are tried, and half as many
    variants again are wanted, since the share of those that can is then known by chance only.
    """
    exercise, found = EXERCISES[id], set()
    if exercise.draw(random.Random(1)) == {}:
        assert exercise.prediction
        return
    if id in COSTLY:
        drawn = {repr(numbers): numbers for numbers in (exercise.draw(random.Random(seed)) for seed in range(5000))}
        tried = list(drawn.values())[: len(FEW)]
        askable = sum(exercise.usable(**numbers) and exercise.fits(numbers) for numbers in tried)
        assert len(drawn) * askable / len(tried) >= 300
        return
    for seed in count(1):
        found.add(repr(exercise.numbers(seed)))
        if len(found) == 200:
            break
        assert seed < 3000, f"{len(found)} variants"


@pytest.mark.parametrize("id", GRADED)
def test_a_wrong_idea_gets_its_own_words_with_every_seed(id):
    exercise = EXERCISES[id]
    assert len({say for _, say in exercise.mistakes}) == len(exercise.mistakes)
    for seed in seeds_of(id):
        for wrong, say in exercise.mistakes:
            judged = exercise.judge(seed, wrong(**exercise.numbers(seed)))
            assert judged == ("failed", say, say), f"seed {seed}"


@pytest.mark.parametrize("id", [id for id, each in EXERCISES.items() if each.kind in ("order", "curve")])
def test_a_wrong_order_or_course_gets_its_own_words(id):
    exercise = EXERCISES[id]
    for seed in seeds_of(id):
        numbers = exercise.numbers(seed)
        for wrong, say in exercise.mistakes:
            values = wrong(**numbers)
            answer = sorted(values, key=lambda each, of=values: (of[each], each)) if isinstance(values, dict) else None
            judged = exercise.judge(seed, answer or [float(value) for value in values])
            assert judged[0] == "failed"
            assert judged.misconception == say, f"seed {seed}"


@pytest.mark.parametrize("id", [id for id, each in EXERCISES.items() if each.kind == "choice"])
def test_every_wrong_choice_and_reason_is_answered(id):
    exercise = EXERCISES[id]
    for seed in seeds_of(id):
        key = exercise.key(seed)
        for field in exercise.form(seed):
            for option in field.options:
                judged = exercise.judge(seed, {**key, field.name: option.value})
                assert judged.status == ("passed" if option.value == key[field.name] else "failed")
                assert judged.status == "passed" or judged.misconception


@pytest.mark.parametrize("id", [id for id, each in EXERCISES.items() if each.kind == "configuration"])
def test_a_configuration_that_breaks_one_condition_is_told_which(id):
    exercise = EXERCISES[id]
    said = set()
    for seed in FEW:
        for condition in exercise.conditions:
            answer = condition.wrong(**exercise.numbers(seed))
            if answer is not None:
                judged = exercise.judge(seed, answer)
                assert (judged.status, judged.misconception) == ("failed", condition.say), f"seed {seed}: {answer}"
                said.add(condition.say)
    assert said == {condition.say for condition in exercise.conditions}


def answers_of(exercise):
    """All answers that can be given, where they are few: of five things there are 120 orders."""
    values = [[option.value for option in field.options] for field in exercise.form(3)]
    if exercise.kind == "order":
        return [list(order) for order in permutations(values[0])] if len(values[0]) <= 4 else []
    return [dict(zip(("choice", "reason"), both, strict=True)) for both in product(*values)]


@pytest.mark.parametrize("id", [id for id, each in EXERCISES.items() if each.kind in ("choice", "order")])
def test_a_guess_does_not_pay_even_if_the_first_answer_is_read(id):
    """Every first guess, and after it one that what was said does not exclude."""
    exercise, earned = EXERCISES[id], []
    answers, key = answers_of(exercise), exercise.key(3)
    for first in answers:
        half = first != key and exercise.judge(3, first).message.startswith("the choice is right")
        left = [each for each in answers if each != first]
        if exercise.kind == "choice":
            left = [each for each in left if (each["choice"] == first["choice"]) == half]
        earned.append(exercise.score(1) if first == key else (key in left) / len(left) * exercise.score(2))
    assert sum(earned) <= exercise.points * len(earned) / 4


@pytest.mark.parametrize("id", GRADED)
def test_halving_the_interval_does_not_pay(id):
    """A learner who knows the answer within a factor of ten either way, and goes by too large and too small."""
    exercise = EXERCISES[id]
    earned, seeds = 0.0, FEW if id in COSTLY else range(1, 41)
    for seed in seeds:
        # the bracket's ends are not centred on the answer, or the first guess would be it
        low, high = exercise.key(seed) / 10 ** (0.3 + seed % 7 / 10), exercise.key(seed) * 10 ** (0.3 + seed % 5 / 5)
        answers: list[float] = []
        while True:
            guess = (low * high) ** 0.5
            answers.append(round(guess) if exercise.key(seed) == round(exercise.key(seed)) and guess > 1 else guess)
            now = standing(exercise, seed, answers)
            if now.closed or len(answers) > 20:
                earned += now.score
                break
            low, high = (low, guess) if "too large" in now.message else (guess, high)
    assert earned <= (0.5 if id in FEW_WHOLE else 0.3) * exercise.points * len(seeds)


@pytest.mark.parametrize("id", GRADED)
def test_a_search_in_what_a_learner_gets_does_not_find_the_answer(id):
    exercise = EXERCISES[id]
    found = 0
    for seed in FEW:
        shown = f"{exercise.key(seed):.4g}"
        given = f"{exercise.asked(seed)} {exercise.form(seed)!r} {exercise!r} {EXERCISES!r}"
        found += len(shown) > 3 and re.search(rf"(?<![\d.]){re.escape(shown)}(?!\d)", given) is not None
    assert found <= 1, "by chance an answer may be one of the numbers given"


@EACH
def test_a_worked_solution_arrives_at_the_answer(id):
    exercise = EXERCISES[id]
    for seed in FEW:
        *steps, closing = exercise.worked(seed)
        assert steps or exercise.draw(random.Random(1)) == {}, "no steps"
        assert closing.startswith("So") or closing.startswith("One")
        assert "{" not in " ".join(steps)
        if exercise.kind == "number":
            texts = (text for step in steps for text in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", step))
            numbers = [float(text) for text in texts]
            off = min(abs(number - exercise.key(seed)) for number in numbers)
            assert off <= max(exercise.tolerance, 0.006) * abs(exercise.key(seed)) or id == "victims", f"seed {seed}"


@EACH
def test_what_is_no_answer_is_said_and_costs_no_attempt(id):
    exercise = EXERCISES[id]
    names = [field.name for field in exercise.form(1)]
    for answer in (dict.fromkeys(names), {name: [] for name in names}, {"x": 1}, [{}], [[1]], {names[0]: {}}):
        status, message = exercise.grade(1, answer)
        assert status != "passed"
        assert message
    assert standing(exercise, 1, ["nonsense", None, {}]).tries == 0
