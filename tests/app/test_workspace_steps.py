"""Steps back and forth: whatever is changed, undone and made again."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pagecost_app.workspace.parts import Told
from pagecost_app.workspace.steps import Steps

CHANGES = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.floats(0.0, 2.0)), max_size=40)


class Clock:
    now_s = 0.0

    def __call__(self):
        return self.now_s


def tell(name):
    return lambda before, after: Told(name, f"{before.get(name)} → {after.get(name)}")


@given(CHANGES)
def test_all_undone_is_the_start_and_all_made_again_is_the_end(changes):
    clock, start = Clock(), {"a": 0, "b": 0, "c": 0}
    steps = Steps(start, clock=clock)
    for name, value, pause_s in changes:
        clock.now_s += pause_s
        steps.noted({**steps.state, name: value}, tell(name))
    end, done = steps.state, 0
    while steps.undoes:
        told = steps.undoes
        after = steps.state
        before = steps.undo()
        assert str(told) == f"{told.what}: {before[told.what]} → {after[told.what]}"
        done += 1
    assert steps.state == start
    assert done <= len(changes)
    while steps.redoes:
        steps.redo()
        done -= 1
    assert steps.state == end
    assert done == 0


def test_changes_of_one_thing_in_quick_succession_are_one_step_and_a_pause_parts_them():
    clock = Clock()
    steps = Steps({"a": 0}, clock=clock)
    for value in (1, 2, 3):
        clock.now_s += 0.1
        steps.noted({"a": value}, tell("a"))
    clock.now_s += 5
    steps.noted({"a": 4}, tell("a"))
    assert str(steps.undoes) == "a: 3 → 4"
    assert steps.undo() == {"a": 3}
    assert str(steps.undoes) == "a: 0 → 3"
    assert steps.undo() == {"a": 0}
    assert steps.undo() is None


def test_changes_of_two_parts_or_of_two_questions_by_one_name_are_not_joined():
    def of_many(before, after):
        names = [name for name in after if before[name] != after[name]]
        return Told("size" if len(names) == 1 else f"{len(names)} questions")

    steps = Steps({"a": 0, "b": 0, "system": 0}, clock=Clock())
    steps.noted({**steps.state, "system": 1}, lambda before, after: Told("size"), "system")
    for changed in ({"a": 1}, {"b": 1}):
        steps.noted({**steps.state, **changed}, of_many, "questions")
    states = []
    while steps.undoes:
        assert steps.undoes.what == "size"
        states.append(tuple(steps.undo().values()))
    assert states == [(1, 0, 1), (0, 0, 1), (0, 0, 0)]


def test_a_slider_moved_to_and_fro_is_no_step():
    steps = Steps({"a": 0}, clock=Clock())
    steps.noted({"a": 1}, tell("a"))
    steps.noted({"a": 0}, tell("a"))
    assert steps.undoes is None


def test_a_new_change_ends_what_could_be_made_again_and_what_only_passes_does_not():
    steps = Steps({"a": 0, "open": "x"}, clock=Clock())
    steps.noted({"a": 1, "open": "x"}, tell("a"))
    steps.undo()
    steps.passed({"a": 0, "open": "y"})
    assert str(steps.redoes) == "a: 0 → 1"
    assert steps.redo() == {"a": 1, "open": "x"}
    steps.undo()
    steps.noted({"a": 2, "open": "x"}, tell("a"))
    assert steps.redoes is None


class Walk(RuleBasedStateMachine):
    """Against a list that is cut where a change is made."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.steps = Steps({"a": 0}, most=5, clock=self.clock)
        self.row, self.at = [0], 0

    @rule(value=st.integers(0, 5))
    def change(self, value):
        self.clock.now_s += 10
        self.steps.noted({"a": value}, tell("a"))
        if value != self.row[self.at]:
            self.row = [*self.row[: self.at + 1], value][-6:]
            self.at = len(self.row) - 1
        else:
            self.row = self.row[: self.at + 1]

    @rule()
    def undo(self):
        self.steps.undo()
        self.at = max(0, self.at - 1)

    @rule()
    def redo(self):
        self.steps.redo()
        self.at = min(len(self.row) - 1, self.at + 1)

    @invariant()
    def the_same(self):
        assert self.steps.state == {"a": self.row[self.at]}
        assert bool(self.steps.undoes) == (self.at > 0)
        assert bool(self.steps.redoes) == (self.at < len(self.row) - 1)


TestWalk = Walk.TestCase
