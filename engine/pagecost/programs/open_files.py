"""Which open file stands behind a descriptor: by process, for dup and fork share one and open makes another."""

from collections import defaultdict
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class OpenFile:
    """POSIX's open file description: what descriptors share that come from one open.

    file: its number, -1 while nobody knows whether it was there before. text: the path as strace last printed it.
    position [B]. flags: of `events`, for each write. appends: O_APPEND. creates: O_CREAT. process, time_s: who opened
    it, and when. descriptors: how many there are of it.
    """

    file: int
    text: str
    position: int = 0
    flags: int = 0
    appends: bool = False
    creates: bool = False
    process: int = 0
    time_s: float = 0.0
    descriptors: int = 0


@dataclass(eq=False, slots=True)
class Table:
    """Descriptors of a process, or of threads that share them. closed_by_exec: those with O_CLOEXEC."""

    of: dict[str, OpenFile] = field(default_factory=dict)
    closed_by_exec: set[str] = field(default_factory=set)
    threads: int = 1


class Descriptors:
    """Tables of all processes; held: how many descriptors each file has.

    What closes descriptors returns the files that lost their last.
    """

    def __init__(self):
        self.tables: dict[str, Table] = {}
        self.held: defaultdict[int, int] = defaultdict(int)

    def of(self, process: str) -> Table:
        """The table of a process; one of which nobody saw where it comes from has an empty one."""
        if process not in self.tables:
            self.tables[process] = Table()
        return self.tables[process]

    def settle(self, one: OpenFile, file: int) -> None:
        """An open file turns out to be that file."""
        one.file = file
        self.held[file] += one.descriptors

    def attach(self, table: Table, name: str, one: OpenFile, closed_by_exec: bool = False) -> list[int]:
        """A descriptor stands for an open file now."""
        if table.of.get(name) is one:
            return []
        one.descriptors += 1
        if one.file >= 0:
            self.held[one.file] += 1
        lost = self.detach(table, name)
        table.of[name] = one
        if closed_by_exec:
            table.closed_by_exec.add(name)
        return lost

    def detach(self, table: Table, *names: str) -> list[int]:
        """Descriptors are closed."""
        lost = []
        for name in names:
            one = table.of.pop(name, None)
            if one is None:
                continue
            table.closed_by_exec.discard(name)
            one.descriptors -= 1
            if one.file >= 0:
                self.held[one.file] -= 1
                if not self.held[one.file]:
                    lost.append(one.file)
        return lost

    def fork(self, parent: str, child: str, shares: bool) -> None:
        """A child has its parent's table, or a copy of it."""
        table = self.of(parent)
        if shares:
            table.threads += 1
            self.tables[child] = table
            return
        own = self.tables[child] = Table()
        for name, one in table.of.items():
            self.attach(own, name, one, name in table.closed_by_exec)

    def exec(self, process: str) -> list[int]:
        """Another program begins in a process."""
        table = self.of(process)
        return self.detach(table, *list(table.closed_by_exec)) if table.closed_by_exec else []

    def exit(self, process: str) -> list[int]:
        """A process or thread is over."""
        table = self.tables.pop(process, None)
        if table is None:
            return []
        table.threads -= 1
        return [] if table.threads else self.detach(table, *list(table.of))
