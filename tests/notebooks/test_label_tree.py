"""Labels drawn: what the picture says is what the models of the labels say, and an insert marks what it changed."""

import re

import pytest

from pagecost.errors import ModelError
from pagecost.xmlstore import labels
from pagecost_app.notebook import label_tree


def test_an_insert_without_gaps_changes_all_range_labels_behind_it_and_no_deweyid():
    before, after = label_tree(4), label_tree(4, inserts=(1,))
    assert not any(node.changed for node in before.nodes)
    new = [node for node in after.nodes if node.before is None]
    assert [node.dewey for node in after.nodes if node not in new] == [node.dewey for node in before.nodes]
    changed = [node.changed for node in after.nodes]
    assert changed == [True, False, False, True, True, True], "the element ends behind the new child"
    assert new == [after.nodes[2]]


def test_labels_are_in_document_order_and_ranges_enclose():
    above, *children = label_tree(3, inserts=(1, 1, 0, 6), gap=2).nodes
    codes = [labels.encode(child.dewey) for child in children]
    assert codes == sorted(codes)
    ends = [place for child in children for place in child.range]
    assert ends == sorted(ends)
    assert above.range[0] < ends[0]
    assert ends[-1] < above.range[1]


def test_the_picture_has_a_box_for_each_node_and_says_in_words_what_it_shows():
    tree = label_tree(3, inserts=(1,))
    picture = tree.picture()
    assert len(re.findall("<rect", picture)) == len(tree.nodes) == 5
    assert picture.count('class="changed"') == 3
    assert 'role="img"' in picture
    for line in repr(tree).splitlines():
        assert line in picture


@pytest.mark.parametrize(("children", "inserts"), [(0, ()), (9, (0, 0)), (2, (3,)), (2, (-1,))])
def test_what_cannot_be_drawn_is_said(children, inserts):
    with pytest.raises(ModelError):
        label_tree(children, inserts)
