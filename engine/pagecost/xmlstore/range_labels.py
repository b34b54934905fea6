"""Range labels (start, end, level), to compare with: every axis is decided, but an insert may shift all that follow."""

from dataclasses import dataclass, field

from pagecost.errors import require


@dataclass
class RangeLabels:
    """Labels of a growing tree. gap: free numbers left between neighbours at a (re)labelling.

    nodes are numbered in the order of their insertion, 0 is the root. relabelled counts labels that changed.
    """

    gap: int = 1
    start: list[int] = field(default_factory=lambda: [0])
    end: list[int] = field(default_factory=lambda: [1])
    children: list[list[int]] = field(default_factory=lambda: [[]])
    relabelled: int = 0

    def __post_init__(self):
        require(self.gap >= 1, f"the gap between range labels must be 1 or more; got {self.gap}")
        self._number()

    def insert(self, parent: int, place: int) -> int:
        """A new leaf as child number `place` of `parent`; relabels the whole tree when there is no room."""
        siblings = self.children[parent]
        low = self.end[siblings[place - 1]] if place else self.start[parent]
        high = self.start[siblings[place]] if place < len(siblings) else self.end[parent]
        node = len(self.start)
        third = (high - low) // 3
        self.start.append(low + third)
        self.end.append(high - third)
        self.children.append([])
        siblings.insert(place, node)
        if not low < self.start[node] < self.end[node] < high:
            before = list(zip(self.start[:-1], self.end[:-1], strict=True))
            self._number()
            after = zip(self.start[:-1], self.end[:-1], strict=True)
            self.relabelled += sum(old != new for old, new in zip(before, after, strict=True))
        return node

    def is_ancestor(self, above: int, below: int) -> bool:
        """Whether one node encloses another."""
        return self.start[above] < self.start[below] and self.end[below] < self.end[above]

    def _number(self) -> None:
        """Number the whole tree anew with `gap` between any two numbers."""
        at, open_nodes = 0, [(0, 0)]
        self.start[0] = at
        while open_nodes:
            node, done = open_nodes.pop()
            at += self.gap
            if done < len(self.children[node]):
                child = self.children[node][done]
                open_nodes += [(node, done + 1), (child, 0)]
                self.start[child] = at
            else:
                self.end[node] = at
