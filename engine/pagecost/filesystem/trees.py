"""Which nodes lead to which pages: indirect blocks of ext2, B-trees and address translation of nilfs2, a plain map."""

from dataclasses import dataclass, field

import numpy as np

from pagecost.errors import require

POINTER_BYTES = 4  # ext2 (Card, Ts'o and Tweedie 1994)
DIRECT_BLOCKS = 12
INODE_BYTES = 128
BTREE_ENTRY_BYTES = 16  # nilfs2: a key and a pointer of 8 bytes each, behind a head of 8 (nilfs2_ondisk.h)
BTREE_HEAD_BYTES = 8
ROOT_CHILDREN = 3  # of 56 bytes in the inode
DIRECT_NILFS2 = 6  # blocks that a small file's inode names itself
DAT_ENTRY_BYTES = 32  # nilfs_dat_entry: block, start, end, reserved
MAP_ENTRY_BYTES = 8


@dataclass
class Tree:
    """Nodes by number. parent: -1 of a node that nothing leads to. leaf: int32[pages]."""

    leaf: np.ndarray
    parent: list[int] = field(default_factory=list)

    def new(self, parent: int = -1) -> int:
        """Add a node below `parent`."""
        self.parent.append(parent)
        return len(self.parent) - 1


def inode_blocks(files: int, block_bytes: int) -> int:
    """Blocks of inodes that so many files take."""
    return -(-files * INODE_BYTES // block_bytes)


def in_place(file_pages: tuple[int, ...], page_blocks: int, block_bytes: int) -> tuple[Tree, dict[int, list[int]]]:
    """(tree, for each page the new nodes that are laid out just before it as {page: nodes}).

    The nodes of the inode table come first, then 12 direct blocks a file, a single, a double and a triple indirect
    tree of 4-byte pointers. Raises ModelError for a file that three levels do not reach.
    """
    pointers = block_bytes // POINTER_BYTES
    require(pointers >= page_blocks, f"an indirect block of {block_bytes} bytes cannot name a page's blocks")
    direct, of_leaf = DIRECT_BLOCKS // page_blocks, pointers // page_blocks
    tree = Tree(np.zeros(sum(file_pages), np.int32))
    inodes = [tree.new() for _ in range(inode_blocks(len(file_pages), block_bytes))]
    before: dict[int, list[int]] = {}
    first = 0
    for number, pages in enumerate(file_pages):
        inode = inodes[number * INODE_BYTES // block_bytes]
        largest = direct + of_leaf * (1 + pointers + pointers**2)
        require(pages <= largest, f"three levels of indirect blocks reach {largest} pages; got a file of {pages}")
        tree.leaf[first : first + pages] = inode
        double = triple = middle = -1
        for chunk in range(-(-max(0, pages - direct) // of_leaf)):
            made, above = [], inode
            if chunk > pointers:
                if triple < 0:
                    made.append(triple := tree.new(inode))
                if (chunk - 1 - pointers) % pointers == 0:
                    made.append(middle := tree.new(triple))
                above = middle
            elif chunk > 0:
                if double < 0:
                    made.append(double := tree.new(inode))
                above = double
            made.append(leaf := tree.new(above))
            begin = first + direct + chunk * of_leaf
            tree.leaf[begin : min(begin + of_leaf, first + pages)] = leaf
            before[begin] = made
        first += pages
    return tree, before


def grown(tree: Tree, leaves: list[int], fan_out: int, root: int, most: int = ROOT_CHILDREN) -> None:
    """Put levels of `fan_out` children above the leaves until `most` are left, whose parent is `root`."""
    while len(leaves) > most:
        above = [tree.new() for _ in range(-(-len(leaves) // fan_out))]
        for at, node in enumerate(leaves):
            tree.parent[node] = above[at // fan_out]
        leaves = above
    for node in leaves:
        tree.parent[node] = root


def log_structured(file_pages: tuple[int, ...], page_blocks: int, block_bytes: int) -> tuple[Tree, int, int, int]:
    """(tree, nodes with an entry in the translation, first node of that, its entries a block).

    Of each file a B-tree below its inode, and over all blocks of pages and trees the disk address translation, a file
    of entries of 32 bytes whose own B-tree hangs at the super root. Every node is full, as after one pass in order.
    The inode file's and the segment usage file's own trees, and the translation's bitmaps, are left out.
    """
    fan_out = (block_bytes - BTREE_HEAD_BYTES) // BTREE_ENTRY_BYTES
    require(fan_out >= max(2, page_blocks), f"a block of {block_bytes} bytes holds {fan_out} children of a B-tree")
    of_leaf = fan_out // page_blocks
    tree = Tree(np.zeros(sum(file_pages), np.int32))
    inodes = [tree.new() for _ in range(inode_blocks(len(file_pages), block_bytes))]
    first = 0
    for number, pages in enumerate(file_pages):
        inode = inodes[number * INODE_BYTES // block_bytes]
        tree.leaf[first : first + pages] = inode
        if pages * page_blocks > DIRECT_NILFS2:
            leaves = [tree.new() for _ in range(-(-pages // of_leaf))]
            tree.leaf[first : first + pages] = np.asarray(leaves, np.int32)[np.arange(pages) // of_leaf]
            grown(tree, leaves, fan_out, inode)
        first += pages
    translated, entries = len(tree.parent), block_bytes // DAT_ENTRY_BYTES
    blocks = [tree.new() for _ in range(-(-(sum(file_pages) * page_blocks + translated) // entries))]
    leaves = [tree.new() for _ in range(-(-len(blocks) // fan_out))] if len(blocks) > DIRECT_NILFS2 else []
    for at, node in enumerate(blocks):
        tree.parent[node] = leaves[at // fan_out] if leaves else -1
    grown(tree, leaves, fan_out, -1)
    return tree, translated, blocks[0], entries


def page_map(pages: int, block_bytes: int) -> Tree:
    """The database's map of pages, 8 bytes each, in blocks without anything above them."""
    entries = block_bytes // MAP_ENTRY_BYTES
    tree = Tree((np.arange(pages) // entries).astype(np.int32))
    for _ in range(-(-pages // entries)):
        tree.new()
    return tree
