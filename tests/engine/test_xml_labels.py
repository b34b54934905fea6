"""Labels: the published vectors, order, axes, and inserts that touch no other label."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost.xmlstore import labels
from pagecost.xmlstore.range_labels import RangeLabels

# docs/models/xml.md#labels: the code table of XTC (Härder, Haustein, Mathis and Wagner, DKE 60, 2007)
VECTORS = {
    "1.3": "50",
    "1.3.1": "5200",
    "1.3.1.3": "5214",
    "1.3.3": "5280",
    "1.3.3.7.3": "529ca0",
    "1.3.4.3": "52d4",
    "1.3.5": "5300",
    "1.17.33": "9148",
    "1.89.4441.3": "c00e000028",
}
LAST_OF_A_LENGTH = {8: 5, 24: 7, 88: 9, 344: 12, 4440: 16, 69976: 21, 1118552: 25, 17895768: 29, 2**31 - 1: 36}

divisions = st.one_of(st.integers(1, 30), st.integers(1, 2**31 - 1))
any_label = st.lists(divisions, max_size=12).map(lambda parts: (*parts[:-1], *(part | 1 for part in parts[-1:])))


@pytest.mark.parametrize(("text", "code"), VECTORS.items())
def test_the_published_vectors(text, code):
    assert labels.encode(labels.parse(text)).hex() == code
    assert labels.show(labels.decode(bytes.fromhex(code))) == text


@pytest.mark.parametrize(("value", "bits"), LAST_OF_A_LENGTH.items())
def test_the_ends_of_each_code_length(value, bits):
    assert labels.bit_length((value,)) == bits
    assert labels.decode(labels.encode((value,))) == (value,)
    if value < 2**31 - 1:
        assert labels.bit_length((value + 1,)) > bits
        assert labels.decode(labels.encode((value + 1,))) == (value + 1,)


@given(any_label)
def test_a_code_gives_its_label_back(label):
    assert labels.decode(labels.encode(label)) == label


@given(any_label, any_label)
def test_the_order_of_codes_is_document_order(one, other):
    """Lexicographic by divisions, an ancestor first; bytes compare as memcmp does."""
    assert (labels.encode(one) < labels.encode(other)) == (one < other)


@given(any_label, any_label)
def test_a_subtree_is_a_range_of_codes(above, below):
    inside = labels.encode(above) <= labels.encode(below) < labels.subtree_end(above)
    assert inside == (below[: len(above)] == above)


def grow(steps: int, seed: int):
    """A tree grown at random places: parents by label, children lists in order."""
    draw = random.Random(seed)
    parent, children = {(): None}, {(): []}
    for _ in range(steps):
        above = draw.choice(list(children))
        place = draw.randint(0, len(children[above]))
        beside = children[above]
        before = beside[place - 1] if place else None
        after = beside[place] if place < len(beside) else None
        new = labels.between(above, before, after, draw.choice((2, 4, 16)))
        beside.insert(place, new)
        parent[new], children[new] = above, []
    return parent, children


@pytest.mark.parametrize("seed", range(4))
def test_axes_from_labels_are_the_axes_of_the_tree(seed):
    parent, children = grow(150, seed)

    def ancestors(node):
        while parent[node] is not None:
            node = parent[node]
            yield node

    in_order = []

    def walk(node):
        in_order.append(node)
        for child in children[node]:
            walk(child)

    walk(())
    assert in_order == sorted(in_order)
    place = {node: number for number, node in enumerate(in_order)}
    for one in in_order[1:]:
        assert labels.parent(one) == parent[one]
        assert labels.level(one) == len(list(ancestors(one)))
        for other in in_order:
            above = one in set(ancestors(other))
            assert labels.is_ancestor(one, other) == above
            assert labels.is_sibling(one, other) == (one != other and parent[one] == parent.get(other, 0))
            assert labels.is_following(one, other) == (place[other] > place[one] and not above)
    deepest = max(in_order, key=labels.level)
    assert labels.common_ancestor(deepest, labels.parent(deepest)) == labels.parent(deepest)


def test_100_000_random_inserts_keep_order_and_touch_no_label():
    draw = random.Random(1)
    children = [(3, 3)]
    for _ in range(100_000):
        place = draw.randint(0, len(children))
        before = children[place - 1] if place else None
        after = children[place] if place < len(children) else None
        new = labels.between((3,), before, after)
        assert before is None or before < new
        assert after is None or new < after
        children.insert(place, new)
    assert len(set(children)) == 100_001
    assert all(labels.parent(child) == (3,) and child[-1] & 1 for child in children)
    assert max(len(labels.encode(child)) for child in children) < labels.LONGEST_BYTES


def test_a_label_grows_by_one_division_in_some_four_inserts_at_one_place():
    """Room of 16 halves four times before a new even division is needed."""
    first = (3, 3)
    for _ in range(100):
        first = labels.between((3,), None, first)
    assert 100 / 5 <= len(first) <= 100 / 3


def test_five_thousand_inserts_before_all_others_make_long_labels_and_no_fault():
    """With the least room each second insert adds a division: more of them than Python calls itself."""
    first, earlier = (3, 3), (3, 3)
    for _ in range(5000):
        first, earlier = labels.between((3,), None, first, 2), first
        assert first < earlier
    assert len(first) > 2000
    assert labels.parent(first) == (3,)


tails = st.tuples(
    st.lists(st.one_of(st.integers(1, 12), st.integers(1, 2**30 - 1)).map(lambda half: 2 * half), max_size=4),
    st.one_of(st.integers(1, 12), st.integers(1, 2**30 - 2)).map(lambda half: 2 * half + 1),
).map(lambda parts: (*parts[0], parts[1]))  # even divisions, then one odd: one level
rooms = st.one_of(st.integers(2, 40), st.integers(2, 2**31 - 2))


@given(
    st.sampled_from([(), (3,), (4, 3, 7)]), st.lists(tails, min_size=1, max_size=2, unique=True), rooms, st.booleans()
)
def test_a_new_label_lies_between_its_neighbours_on_their_level_and_ends_odd(above, beside, room, first):
    """Of every room, even or odd: an even division makes room, and no label ends in one (Härder et al. 2007)."""
    ordered: list = sorted((*above, *tail) for tail in beside)
    before, after = ordered if len(ordered) == 2 else (None, *ordered) if first else (*ordered, None)
    new = labels.between(above, before, after, room)
    assert before is None or (before < new and not labels.is_ancestor(before, new))
    assert after is None or new < after
    assert new[-1] & 1
    assert labels.level(new) == labels.level(above) + 1
    assert labels.parent(new) == above
    assert labels.decode(labels.encode(new)) == new


@pytest.mark.parametrize("room", range(2, 20))
@pytest.mark.parametrize("place", ["first", "last", "one place", "random"])
def test_every_history_of_inserts_gives_labels_in_order_whatever_the_room(room, place):
    draw = random.Random(room)
    children: list[labels.Label] = []
    for _ in range(80):
        last = len(children)
        at = {"first": 0, "last": last, "one place": min(1, last), "random": draw.randint(0, last)}[place]
        before, after = children[at - 1] if at else None, children[at] if at < last else None
        children.insert(at, labels.between((3, 3), before, after, room))
    assert children == sorted(set(children))
    assert {labels.parent(child) for child in children} == {(3, 3)}
    assert all(labels.level(child) == 3 and child[-1] & 1 for child in children)


def test_range_labels_relabel_and_deweyids_do_not():
    tree = RangeLabels(gap=16)
    for _ in range(200):
        tree.insert(0, 0)
    assert tree.relabelled > 0
    assert all(tree.is_ancestor(0, node) for node in range(1, 201))
    starts = [tree.start[node] for node in tree.children[0]]
    assert starts == sorted(starts)


@given(st.integers(1, 20), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=60))
def test_range_labels_number_as_one_walks_through_the_tree(gap, inserts):
    """A relabelling numbers every tag in document order, and counts the nodes whose numbers it changes."""
    tree = RangeLabels(gap=gap)
    relabelled = 0
    for parent, place in inserts:
        above = parent % len(tree.start)
        before = list(zip(tree.start, tree.end, strict=True))
        node = tree.insert(above, place % (len(tree.children[above]) + 1))
        now = list(zip(tree.start, tree.end, strict=True))
        changed = sum(old != new for old, new in zip(before, now[:-1], strict=True))
        tags: list[tuple[int, bool]] = []

        def walk(node: int, tags=tags) -> None:
            tags.append((node, False))
            for child in tree.children[node]:
                walk(child)
            tags.append((node, True))

        walk(0)
        numbers = [now[node][closes] for node, closes in tags]
        assert numbers == sorted(set(numbers))
        assert all(tree.is_ancestor(above, node) for above, found in enumerate(tree.children) if node in found)
        if changed:
            assert numbers == [gap * number for number in range(len(tags))]
        relabelled += changed
    assert tree.relabelled == relabelled


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("2.3", "labels start with 1"), ("1.x", "numbers with dots"), ("", "numbers with dots"), ("1.0", "start with 1")],
)
def test_what_is_no_label_is_refused(text, sentence):
    with pytest.raises(ModelError, match=sentence):
        labels.parse(text)


@pytest.mark.parametrize("label", [(2**31,), (3, 0), (-1,), (3, -(2**40), 3), (2**70, 3)])
@pytest.mark.parametrize("ask", [labels.encode, labels.bit_length, labels.subtree_end])
def test_a_division_that_has_no_code_is_refused(ask, label):
    with pytest.raises(ModelError, match="a division of a label: it must be 1 to 2147483647; got"):
        ask(label)


def test_the_end_of_the_divisions_is_used_and_not_left():
    largest = labels.LARGEST
    assert labels.between((), (largest - 2,), None) == (largest,)
    with pytest.raises(ModelError, match="there is none behind 2147483647"):
        labels.between((), (largest,), None)
    with pytest.raises(ModelError, match="there is none behind 2147483647"):
        labels.between((), (2, largest), (3,))
    with pytest.raises(ModelError, match="must come behind the attributes"):
        labels.between((), None, (2, 1))
    for room in (1, 0, -4, largest):
        with pytest.raises(ModelError, match="the room of a new division"):
            labels.between((), None, (3,), room)
