"""A B-tree as textbooks draw it: nodes are objects that hold keys, and a key is found by comparing keys."""

from bisect import bisect_right, insort
from dataclasses import dataclass, field


@dataclass(eq=False)
class Node:
    """A page of the tree. keys: those of a leaf, or the least key below each child."""

    page: int
    keys: list
    children: list["Node"] = field(default_factory=list)


class Tree:
    """Loaded leaf by leaf, a group of keys never sharing a leaf with the next; pages are numbered as they are taken."""

    def __init__(self, groups, per_leaf: int, children: int, most: int, first_page: int):
        self.most, self.next_page = most, first_page
        level = []
        for group in groups:
            level += [self.take(group[at : at + per_leaf]) for at in range(0, len(group), per_leaf)]
        self.leaves = level
        while len(level) > 1:
            parts = [level[at : at + children] for at in range(0, len(level), children)]
            level = [self.take([child.keys[0] for child in part], part) for part in parts]
        self.root = level[0]

    def take(self, keys, children=()) -> Node:
        self.next_page += 1
        return Node(self.next_page - 1, list(keys), list(children))

    def path(self, key) -> list[Node]:
        """Root to leaf; what is less than every key is on the left."""
        nodes = [self.root]
        while nodes[-1].children:
            at = max(0, bisect_right(nodes[-1].keys, key) - 1)
            nodes.append(nodes[-1].children[at])
        return nodes

    def find(self, key) -> list[int]:
        return [node.page for node in self.path(key)]

    def scan(self, first, last) -> list[int]:
        """The way to the first key and the leaves up to the one of the last."""
        way, end = self.path(first), self.path(last)[-1]
        at = self.leaves.index(way[-1])
        return [node.page for node in way] + [node.page for node in self.leaves[at + 1 : self.leaves.index(end) + 1]]

    def link(self, path: list[Node], new: Node, least) -> list[int]:
        """Tell the parents of a node that all from `least` on is right of it; what is written on the way up."""
        written = []
        if not path[-1].children:
            self.leaves.insert(self.leaves.index(path[-1]) + 1, new)
        for depth in range(len(path) - 1, -1, -1):
            written.append(new.page)
            node = path[depth]
            if depth == 0:
                parent = self.root = self.take([node.keys[0]], [node])
            else:
                parent = path[depth - 1]
            at = parent.children.index(node) + 1
            parent.children.insert(at, new)
            parent.keys.insert(at, least)
            written.append(parent.page)
            if len(parent.children) <= self.most:
                break
            keep = len(parent.children) // 2
            new, least = self.take(parent.keys[keep:], parent.children[keep:]), parent.keys[keep]
            del parent.keys[keep:], parent.children[keep:]
        return written

    def append(self, keys) -> list[int]:
        """Keys that follow the last one of their group: a full leaf stays as it is, the next key begins a new one."""
        path = self.path(keys[0])
        touched = [node.page for node in path]
        for key in keys:
            path = self.path(key)
            if len(path[-1].keys) < self.most:
                insort(path[-1].keys, key)
            else:
                touched += self.link(path, self.take([key]), key)
        return touched

    def insert_among(self, key) -> list[int]:
        """A key (whose, number): a full leaf gives the latter half of those whose keys it holds to a new one."""
        path = self.path(key)
        touched = [node.page for node in path]
        while len(path[-1].keys) >= self.most:
            leaf = path[-1]
            owners = sorted({who for who, _ in leaf.keys})
            if len(owners) == 1:
                return touched + self.link(path, self.take([key]), key)
            half, stays, at = len(leaf.keys) // 2, 0, 0
            count = {who: sum(1 for other, _ in leaf.keys if other == who) for who in owners}
            while at < len(owners) - 1 and (at == 0 or stays + count[owners[at]] <= half):
                stays += count[owners[at]]
                at += 1
            new = self.take(leaf.keys[stays:])
            del leaf.keys[stays:]
            touched += self.link(path, new, (owners[at], -1))  # whatever of theirs comes goes there
            path = self.path(key)
        insort(path[-1].keys, key)
        return touched
