"""Updates: a plain tree is the model, no old label changes, and a crash at any write leaves before or after."""

import os
import random
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from pagecost.errors import ModelError
from pagecost.xmlstore import MAPPINGS, Store, labels, load, storage, updates
from pagecost.xmlstore.pages_kernels import FRAGMENT
from twins.xml_trees import canonical_form

START = b"<r><a x='1'>one<b/>two</a><c/><d><e>three</e></d></r>"
ROOT = (3,)


def stored(folder, mapping, text=START, **options) -> Store:
    return load([("start", [text])], {mapping: folder / mapping}, sync=False, value_index=True, **options)[mapping]


def all_labels(store) -> list[bytes]:
    return [key for key, kind, _ in store.records() if kind != FRAGMENT]


def check_trees(store):
    """Every tree: keys rise over the leaves, both chains agree, every key is found from the root."""
    for name in store.catalogue.roots:
        number, before, last = store.leaf(name, b""), 0, b""
        while number:
            page = store.file.read(number)
            keys = [key for key, _, _ in updates.unpacked(page)]
            assert keys == sorted(keys)
            assert not keys or last < keys[0]
            assert all(store.leaf(name, key) == number for key in keys)
            assert updates.links(page)[0] == before
            last = keys[-1] if keys else last
            before, number = number, updates.links(page)[1]


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_insert_change_and_delete_do_what_they_say(tmp_path, mapping):
    with stored(tmp_path, mapping) as store:
        old = all_labels(store)
        new = updates.insert(store, ROOT, b"<n k='v'>x<m/></n>", before=(3, 5))
        assert canonical_form(store.document(0)) == canonical_form(START.replace(b"<c/>", b"<n k='v'>x<m/></n><c/>"))
        assert set(old) <= set(all_labels(store))
        updates.insert(store, (3, 5), b"<first/>")
        updates.change_value(store, (3, 3, 1, 3), "2 < 3")
        updates.delete(store, (3, 7, 3))
        updates.delete(store, new.label)
        want = b"<r><a x='2 &lt; 3'>one<b/>two</a><c><first/></c><d/></r>"
        assert canonical_form(store.document(0)) == canonical_form(want)
        check_trees(store)
    with Store.open(tmp_path / mapping) as again:
        assert canonical_form(again.document(0)) == canonical_form(want)


@pytest.mark.long
@pytest.mark.parametrize("mapping", MAPPINGS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_random_updates_against_a_plain_tree(tmp_path_factory, mapping, seed):
    """lxml's tree is the model; small pages, so that splits, joins and new roots happen."""
    draw, folder = random.Random(seed), tmp_path_factory.mktemp("updates")
    tree = etree.fromstring(b"<r><a/></r>")
    label_of = {tree: ROOT, tree[0]: (3, 3)}
    with stored(folder, mapping, b"<r><a/></r>", page_bytes=1024) as store:
        for _ in range(60):
            above = draw.choice(list(label_of))
            if draw.random() < 0.75 or above is tree:
                text = f"<{draw.choice('abc')} id='{draw.random()}'>{'v' * draw.randrange(120)}<i/></x>"
                text = text.replace("</x>", f"</{text[1]}>").encode()
                place = draw.randint(0, len(above))
                before = above[place] if place < len(above) else None
                known = before is not None and before in label_of
                if before is not None and not known:
                    continue
                new = updates.insert(store, label_of[above], text, label_of[before] if known else None)
                element = etree.fromstring(text)
                above.insert(place, element)
                label_of[element] = new.label
            else:
                updates.delete(store, label_of[above])
                for element in above.iter():
                    label_of.pop(element, None)
                above.getparent().remove(above)
        assert canonical_form(store.document(0)) == canonical_form(etree.tostring(tree))
        check_trees(store)
        found = store.footprint()
        causes = found.label_bytes + found.tag_bytes + found.value_bytes + found.slot_bytes + found.slack_bytes
        assert causes == found.bytes
        indexed = found.index_bytes + found.element_index_bytes + found.value_index_bytes
        assert found.bytes + indexed + found.catalogue_bytes == found.file_bytes


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_the_element_index_lists_every_element_in_document_order(tmp_path, mapping):
    with stored(tmp_path, mapping) as store:
        new = updates.insert(store, (3, 7), b"<e>four</e>")
        updates.delete(store, (3, 7, 3))
        name = store.catalogue.names.index("e").to_bytes(2, "big")
        leaf = store.file.read(store.leaf("elements", name))
        found = [key[2:] for key, _, _ in updates.unpacked(leaf) if key[:2] == name]
        assert found == [labels.encode(new.label)]


def test_an_insert_is_refused_from_the_length_on_that_is_said(tmp_path):
    """Always before the same neighbour the new label grows, until it has over 212 bytes."""
    from pagecost.studies.xml import label_length

    stores = load([("d", [b"<r><a/><b/></r>"])], {"fs": tmp_path / "s"}, page_bytes=4096, sync=False)
    held = [labels.decode(key) for key, _, _ in stores["fs"].records()]
    root, before = held[0], next(label for label in held if labels.level(label) == 2)
    while len(labels.encode(labels.between(root, None, before))) <= 212:
        before = updates.insert(stores["fs"], root, b"<x/>", before).label
    assert len(labels.encode(before)) > 205, "as long as they may be"
    with pytest.raises(ModelError, match="no room for a label"):
        updates.insert(stores["fs"], root, b"<x/>", before)
    assert any("whose label has over 212 bytes" in note for note in label_length._notes())


def test_a_long_value_grows_and_shrinks(tmp_path):
    with stored(tmp_path, "pc") as store:
        for size in (50_000, 10, 300, 5_000):
            updates.change_value(store, (3, 7, 3, 3), "y" * size)
            assert b"<e>" + b"y" * size + b"</e>" in store.document(0)
            check_trees(store)


def test_the_log_record_is_smaller_where_labels_and_names_are(tmp_path):
    """schmidt2009 section 5.1: log I/O shrinks with the mapping too."""
    element = b"<o>" + b"".join(b"<p q='%d'><s>t</s></p>" % n for n in range(40)) + b"</o>"
    sizes = {}
    for mapping in MAPPINGS:
        with stored(tmp_path, mapping) as store:
            sizes[mapping] = updates.insert(store, ROOT, element).log_bytes
    assert sizes["fs"] > sizes["pc"] > sizes["el"]


class Crash(BaseException):
    """The machine stops."""


@pytest.mark.parametrize("mapping", ["fs", "el"])
@pytest.mark.parametrize("operation", ["insert", "delete", "change"])
def test_a_crash_at_any_byte_leaves_the_store_before_or_after(tmp_path, monkeypatch, mapping, operation):
    text = b"<r>" + b"".join(b"<a x='%d'>%s</a>" % (n, b"v" * 90) for n in range(60)) + b"</r>"
    stored(tmp_path, mapping, text, page_bytes=1024).close()
    good = (tmp_path / mapping).read_bytes()

    def act(store):
        if operation == "insert":
            updates.insert(store, ROOT, b"<n>" + b"<m>w</m>" * 100 + b"</n>", before=(3, 41))
        elif operation == "delete":
            updates.delete(store, (3, 41))
        else:
            updates.change_value(store, (3, 41, 3), "z" * 3000)

    with Store.open(tmp_path / mapping) as store:
        before = store.document(0)
        act(store)
        after = store.document(0)
    assert before != after
    written, seen = [], set()

    def write_until(budget):
        left = budget

        def write(file, data):
            nonlocal left
            part = bytes(data)[:left]
            os.write(file, part)
            left -= len(part)
            written.append(len(data))
            if len(part) < len(data):
                raise Crash

        return write

    monkeypatch.setattr(storage, "write_all", write_until(10**9))
    (tmp_path / mapping).write_bytes(good)
    with Store.open(tmp_path / mapping) as store:
        act(store)
    total = sum(written)
    for budget in sorted({*range(0, total, max(total // 60, 1)), total - 1, *(sum(written[:n]) for n in range(5))}):
        (tmp_path / mapping).write_bytes(good)
        monkeypatch.setattr(storage, "write_all", write_until(budget))
        with pytest.raises(Crash), Store.open(tmp_path / mapping) as store:
            act(store)
        monkeypatch.setattr(storage, "write_all", write_until(10**9))
        with Store.open(tmp_path / mapping) as store:
            found = store.document(0)
            check_trees(store)
        assert found in (before, after)
        seen.add(found)
        assert not (tmp_path / f"{mapping}.journal").exists()
    assert seen == {before, after}


@pytest.mark.long
def test_kill_9_in_the_middle_of_updates_leaves_a_store_that_opens(tmp_path):
    stored(tmp_path, "pc", page_bytes=1024).close()
    code = (
        "import sys\nfrom pagecost.xmlstore import Store, updates\n"
        "store = Store.open(sys.argv[1])\nprint('go', flush=True)\n"
        "for n in range(100000):\n updates.insert(store, (3,), b'<n><m>%d</m></n>' % n)\n print(n, flush=True)"
    )
    for pause_s in (0.01, 0.07, 0.3):
        child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "pc")], stdout=subprocess.PIPE)
        assert child.stdout.readline() == b"go\n"
        time.sleep(pause_s)
        child.kill()
        done = child.stdout.read().split()
        child.wait()
        child.stdout.close()
        with Store.open(tmp_path / "pc") as store:
            check_trees(store)
            text = store.document(0)
        acknowledged = int(done[-1]) + 1 if done else 0
        assert text.count(b"<n>") in (acknowledged, acknowledged + 1)
        shutil.copy(tmp_path / "pc", tmp_path / "kept")
        stored(tmp_path, "pc", page_bytes=1024).close()


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda store: updates.insert(store, (3, 99), b"<x/>"), r"1\.3\.99: no node has this label"),
        (lambda store: updates.insert(store, (3, 3, 1, 3), b"<x/>"), "is not an element"),
        (lambda store: updates.insert(store, ROOT, b"<x>"), "not well-formed XML"),
        (lambda store: updates.insert(store, ROOT, b"<!--c--><x/>"), "must be one element"),
        (lambda store: updates.insert(store, ROOT, b"<x/>", before=(3, 3, 3)), "is no child of"),
        (lambda store: updates.delete(store, ROOT), "a root is not deleted"),
        (lambda store: updates.delete(store, (3, 99)), "no node has this label"),
        (lambda store: updates.change_value(store, (3, 5), "v"), "no node with a value has this label"),
    ],
)
@pytest.mark.parametrize("mapping", MAPPINGS)
def test_an_update_that_makes_no_sense_changes_nothing(tmp_path, mapping, act, sentence):
    with stored(tmp_path, mapping) as store:
        before = (tmp_path / mapping).read_bytes()
        with pytest.raises(ModelError, match=sentence):
            act(store)
        assert (tmp_path / mapping).read_bytes() == before
        updates.insert(store, ROOT, b"<still-works/>")
        assert b"<still-works/>" in store.document(0)
