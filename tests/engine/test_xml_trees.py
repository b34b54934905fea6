"""The B*-tree of a store against SQLite: whatever is put in, taken out, committed, rolled back and opened again."""

import shutil
import sqlite3
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pagecost.xmlstore import Store, load
from pagecost.xmlstore.indexes import VALUES
from pagecost.xmlstore.loading import links, unpacked
from pagecost.xmlstore.pages_kernels import LONGEST_KEY, USED, VALUE
from pagecost.xmlstore.trees import Tree

SHORT = st.binary(min_size=1, max_size=3)
KEYS = st.one_of(SHORT, st.tuples(SHORT, st.integers(0, LONGEST_KEY - 3)).map(lambda part: part[0] + b"k" * part[1]))
BODIES = st.binary(max_size=80)
PAGE_BYTES = 1024


class TreeAgainstSqlite(RuleBasedStateMachine):
    """Keys as SQLite compares blobs: by memcmp, then by length."""

    mapping = "pc"

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="pagecost-"))
        places = {self.mapping: self.folder / "store"}
        options = {"page_bytes": PAGE_BYTES, "sync": False, "value_index": True}
        self.store = load([("empty", [b"<a/>"])], places, **options)[self.mapping]
        self.model = sqlite3.connect(":memory:", isolation_level=None)
        self.model.execute("create table records (key blob primary key, body blob) without rowid")
        self.model.execute("begin")
        self.kept = self.store.snapshot()

    @property
    def tree(self) -> Tree:
        return Tree(self.store, VALUES)

    def add(self, records: dict[bytes, bytes]) -> None:
        self.model.executemany("insert or replace into records values (?, ?)", records.items())

    @rule(records=st.dictionaries(KEYS, BODIES, max_size=60))
    def insert(self, records):
        self.tree.change(set(), [(key, VALUE, body) for key, body in records.items()])
        self.add(records)

    @rule(data=st.data(), added=st.dictionaries(KEYS, BODIES, max_size=5))
    def exchange(self, data, added):
        present = [key for (key,) in self.model.execute("select key from records order by key")]
        dropped = set(data.draw(st.lists(st.sampled_from(present), max_size=40))) if present else {b"none"}
        self.tree.change(dropped - added.keys(), [(key, VALUE, body) for key, body in added.items()])
        self.model.executemany("delete from records where key = ?", [(key,) for key in dropped])
        self.add(added)

    @rule(ends=st.tuples(SHORT, SHORT).map(sorted), bodies=st.lists(BODIES, max_size=40))
    def replace_a_range(self, ends, bodies):
        low, high = ends[0], ends[1] + b"z"
        records = [(low + number.to_bytes(2, "big"), VALUE, body) for number, body in enumerate(bodies)]
        records = [record for record in records if record[0] < high]
        self.tree.replace(low, high, records)
        self.model.execute("delete from records where key >= ? and key < ?", (low, high))
        self.add({key: body for key, _, body in records})

    @rule()
    def commit(self):
        self.store.catalogue.operation += 1
        self.store.change_catalogue()
        self.store.file.commit(self.store.catalogue.operation, b"")
        self.model.execute("commit")
        self.model.execute("begin")
        self.kept = self.store.snapshot()

    @rule()
    def roll_back(self):
        self.store.file.roll_back()
        self.store.restore(self.kept)
        self.kept = self.store.snapshot()
        self.model.execute("rollback")
        self.model.execute("begin")

    @rule()
    def open_again(self):
        self.store.close()
        self.store = Store.open(self.folder / "store")
        self.kept = self.store.snapshot()
        self.model.execute("rollback")
        self.model.execute("begin")

    @invariant()
    def the_tree_holds_what_sqlite_holds(self):
        number, before, found, fills = self.store.leaf(VALUES, b""), 0, [], []
        while number:
            page = self.store.file.read(number)
            records = unpacked(page)
            assert links(page)[0] == before
            assert all(self.store.leaf(VALUES, key) == number for key, _, _ in records[:: max(1, len(records) // 3)])
            found += [(key, body) for key, _, body in records]
            fills.append(int.from_bytes(page[USED : USED + 2].tobytes(), "little") + 2 * len(records))
            before, number = number, links(page)[1]
        assert found == self.model.execute("select key, body from records order by key").fetchall()
        assert len(fills) == self.store.levels(VALUES)[-1]
        assert all(count > 0 for count in fills)
        # no two neighbours that would fit into one page of half its size
        assert all(one + other > PAGE_BYTES // 2 for one, other in pairwise(fills)), fills

    def teardown(self):
        self.store.close()
        self.model.close()
        shutil.rmtree(self.folder)


class FullStorage(TreeAgainstSqlite):
    """Uncompressed leaves."""

    mapping = "fs"


@pytest.mark.parametrize("machine", [TreeAgainstSqlite, FullStorage], ids=["compressed", "whole keys"])
def test_the_tree_agrees_with_sqlite_in_any_sequence(machine):
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=15, stateful_step_count=25, deadline=None, phases=[Phase.reuse, Phase.generate]),
    )
