"""Range labels (start, end, level), to compare with: every axis is decided, but an insert may shift all that follow."""

from dataclasses import dataclass, field

import numpy as np

from pagecost.errors import require


@dataclass
class RangeLabels:
    """Labels of a growing tree. gap: free numbers left between neighbours at a (re)labelling.

    nodes are numbered in the order of their insertion, 0 is the root. relabelled counts labels that changed.
    Raises ModelError for a gap below 1.
    """

    gap: int = 1
    start: list[int] = field(default_factory=list, init=False)
    end: list[int] = field(default_factory=list, init=False)
    children: list[list[int]] = field(default_factory=lambda: [[]], init=False)
    relabelled: int = field(default=0, init=False)
    _tags: list[int] = field(default_factory=lambda: [0, ~0], init=False)  # of the document: node opens, ~node closes

    def __post_init__(self):
        require(self.gap >= 1, f"the gap between range labels must be 1 or more; got {self.gap}")
        self.start, self.end = (numbers.tolist() for numbers in self._numbered())

    def insert(self, parent: int, place: int) -> int:
        """A new leaf as child number `place` of `parent`; relabels the whole tree when there is no room."""
        siblings = self.children[parent]
        low = self.end[siblings[place - 1]] if place else self.start[parent]
        high = self.start[siblings[place]] if place < len(siblings) else self.end[parent]
        node = len(self.start)
        at = self._tags.index(~siblings[place - 1] if place else parent) + 1
        self._tags[at:at] = [node, ~node]
        third = (high - low) // 3
        self.start.append(low + third)
        self.end.append(high - third)
        self.children.append([])
        siblings.insert(place, node)
        if not low < self.start[node] < self.end[node] < high:
            start, end = self._numbered()
            changed = (start != np.array(self.start)) | (end != np.array(self.end))
            self.relabelled += int(changed[:node].sum())
            self.start, self.end = start.tolist(), end.tolist()
        return node

    def is_ancestor(self, above: int, below: int) -> bool:
        """Whether one node encloses another."""
        return self.start[above] < self.start[below] and self.end[below] < self.end[above]

    def _numbered(self) -> tuple[np.ndarray, np.ndarray]:
        """Starts and ends of the whole tree anew, with `gap` between any two numbers."""
        tags = np.array(self._tags)
        opens = tags >= 0
        numbers = self.gap * np.arange(tags.size)
        start, end = np.empty(tags.size // 2, np.int64), np.empty(tags.size // 2, np.int64)
        start[tags[opens]], end[~tags[~opens]] = numbers[opens], numbers[~opens]
        return start, end
