"""One path, many values: indexed transactions on a store whose pages lie in memory, with all pages touched on record.

`prepare(store, '//Customer[@id=?]/Name/LastName/text()')` and then `run(["1011", …])`. The pages are those that
`queries.select` touches for each of the paths (an index and the documents that it leads to take turns).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pagecost.errors import present, require
from pagecost.requests import Requests
from pagecost.xmlstore import access_kernels, indexes, paths
from pagecost.xmlstore.access_kernels import PIECES, TOUCHED, Plan, Run, Warm
from pagecost.xmlstore.indexes import ELEMENTS, VALUES, ends_of
from pagecost.xmlstore.parse_kernels import TEXT_NODE
from pagecost.xmlstore.parsing import bytes_array
from pagecost.xmlstore.queries import requests_of
from pagecost.xmlstore.store import Catalogue, Store

TREES = ("document", ELEMENTS, VALUES)  # in the order of access_kernels
PAGES_EACH, PIECES_EACH = 16, 4  # room made for a value at first


@dataclass(frozen=True)
class Answers:
    """What the values asked for touched and found.

    first_request, first_node: int64[values + 1], where the requests and the nodes of each value begin.
    pieces: int64[..., 4], node, page, begin and size of each piece of a node's value; none if not asked for.
    pages: as they were read.
    """

    requests: Requests
    first_request: np.ndarray
    first_node: np.ndarray
    pieces: np.ndarray
    pages: np.ndarray

    def texts(self) -> list[str]:
        """The values of the nodes found."""
        held = [b""] * int(self.first_node[-1])
        for node, page, at, size in self.pieces.tolist():
            held[node] += self.pages[page, at : at + size].tobytes()
        return [text.decode() for text in held]


class Lookup:
    """A path with one value left open, on one store. It sees changes of the store that are committed."""

    def __init__(self, store: Store, path: str):
        self.store, self.path = store, path
        self._operation = -1
        self._read()

    def run(self, values: Sequence[str], *, pages_only: bool = False) -> Answers:
        """Look up each of the values: what is touched and found.

        pages_only: values are read and counted, but where they stand is not noted. Raises ModelError for a value that
        the index cannot tell.
        """
        if self._operation != self.store.catalogue.operation:
            self._read()
        heads = [head for value in values for head in self._heads(value)]
        blob, ends = bytes_array(b"".join(heads)), ends_of([len(head) for head in heads])
        first_touched, first_node = np.zeros(len(values) + 1, np.int64), np.zeros(len(values) + 1, np.int64)
        run = _new_run(PAGES_EACH * len(values) + 1024, 0 if pages_only else PIECES_EACH * len(values) + 1024)
        done, count = 0, len(values)
        while True:
            done = access_kernels.access(
                self._warm, self._plan, blob, ends, len(self._classes), done, run, first_touched, first_node
            )
            if done == count:
                break
            larger = _new_run(2 * run.touched.size, 2 * len(run.pieces))
            larger.touched[: run.touched.size], larger.pieces[: len(run.pieces)] = run.touched, run.pieces
            larger.numbers[:] = run.numbers
            run = larger
        touched = run.touched[: run.numbers[TOUCHED]].astype(np.int64)
        return Answers(
            requests=requests_of(touched, self.store.file.page_bytes),
            first_request=first_touched,
            first_node=first_node,
            pieces=run.pieces[: run.numbers[PIECES]],
            pages=self._warm.pages,
        )

    def _heads(self, value: str) -> list[bytes]:
        heads = []
        for path in self._classes:
            kind = self.store.catalogue.path_kind[path]
            told = indexes.is_indexed(kind, value) and (bool(value) or kind != TEXT_NODE)
            require(told, f"{value!r}: texts without content or of blanks are not in the value index; use select")
            head, cut = indexes.value_head(path, value)
            require(
                not cut,
                f"{value[:20]!r}…: of values of more than {indexes.VALUE_BYTES} bytes the index holds the begin only; "
                "use select",
            )
            heads.append(head)
        return heads

    def _read(self) -> None:
        """The path in numbers, and the pages as they are now."""
        store, catalogue, path = self.store, self.store.catalogue, self.path
        steps = paths.parse(path)
        open_steps = [step for step in steps if any(predicate.is_open for predicate in step.predicates)]
        predicates = [predicate for step in steps for predicate in step.predicates]
        one = len(predicates) == len(open_steps) == 1
        require(one, f"path {path!r}: it needs one predicate, with its value left open: [@id=?]")
        require(not steps[-1].deep or steps[-1].is_element, f"path {path!r}: {steps[-1].test} is asked of one element")
        for tree in (ELEMENTS, VALUES):
            require(tree in catalogue.roots, f"{store.file.path.name}: there is no index of {tree}; load it with one")
        place = steps.index(open_steps[0]) + 1
        anchors = _led(catalogue, {-1}, steps[:place])
        for path_class in anchors:
            above = catalogue.path_parent[path_class]
            while above >= 0:
                require(above not in anchors, f"path {path!r}: such elements lie in each other; use select")
                above = catalogue.path_parent[above]
        valued = paths.valued_classes(catalogue, anchors, predicates[0])
        together = f"path {path!r}: the value is put together of several nodes; use select"
        self._classes = sorted(present(valued, together))
        below = steps[place:]
        last = below[-1] if below else None
        targets = _led(catalogue, anchors, below if last is None or last.is_element else below[:-1])
        self._plan = _plan(catalogue, predicates[0].levels, anchors, targets, last, store.mapping.leaves)
        self._warm = Warm(
            pages=store.file.image(),
            roots=np.array([catalogue.roots[tree] for tree in TREES]),
            heights=np.array([catalogue.heights[tree] for tree in TREES]),
            tag_bytes=store.mapping.tag_bytes,
            value_mode=store.mapping.value_mode,
        )
        self._operation = catalogue.operation


def prepare(store: Store, path: str) -> Lookup:
    """A path with one value left open, as [@id=?], ready to be asked for many. All pages are read into memory.

    Raises ModelError for a store without the two indexes, and for a path that they do not answer alone.
    """
    return Lookup(store, path)


def _led(catalogue: Catalogue, classes: set[int], steps: list[paths.Step]) -> set[int]:
    for step in steps:
        classes = paths.classes(catalogue, classes, step.deep, step.test)
    return classes


def _plan(catalogue: Catalogue, levels: int, anchors: set[int], targets: set[int], last, leaves: bool) -> Plan:
    elements, tags = np.zeros(len(catalogue.path_kind) + 1, np.uint8), np.zeros(1 << 16, np.uint8)
    elements[list(targets)] = 1
    wanted = access_kernels.WHOLE_ELEMENT
    if last is not None and not last.is_element:
        wanted = access_kernels.OWN_TEXT if last.test == "text()" else access_kernels.OWN_ATTRIBUTE
        ends = paths.classes(catalogue, targets, False, last.test)
        tags[[path if leaves else catalogue.path_name[path] for path in ends]] = 1
    names = sorted({catalogue.path_name[path] for path in targets}) if targets != anchors else []
    return Plan(
        levels=levels, names=np.array(names, np.int64), elements=elements, wanted=wanted, tags=tags, tagged=int(leaves)
    )


def _new_run(touched: int, pieces: int) -> Run:
    return Run(
        touched=np.empty(touched, np.int32),
        pieces=np.empty((pieces, 4), np.int64),
        numbers=np.zeros(4, np.int64),
        key=np.zeros((3, 264), np.uint8),
        wanted=np.zeros((3, 264), np.uint8),
        ends=np.zeros(1024, np.int64),
    )
