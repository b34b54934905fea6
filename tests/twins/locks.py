"""Strict two-phase locking in plain Python: queues as lists, and a search in the graph of who waits for whom.

Written from the rules (Gray and Reuter, Transaction Processing, 1993, 7.8 and 8.4), not from the kernel: requests are
granted first come, first served, a holder that wants more goes before newcomers, and who closes a circle is told so.
"""

SHARED, EXCLUSIVE = 0, 1


class Request:
    """One owner's request for one key: `wants` is None once it has what it asked for."""

    def __init__(self, owner, holds, wants):
        self.owner, self.holds, self.wants = owner, holds, wants


class Twin:
    """`acquire` answers "locked", "waits" or "deadlock"; `release_all` gives the owners that have their lock now."""

    def __init__(self):
        self.queues = {}  # key -> requests in the order in which they came

    def acquire(self, owner, key, mode):
        queue = self.queues.setdefault(key, [])
        own = next((request for request in queue if request.owner == owner), None)
        if own is None:
            own = Request(owner, None, mode)
            queue.append(own)
        elif own.holds < mode:
            own.wants = mode
        else:
            return "locked"
        if not self.blockers(queue, own):
            own.holds, own.wants = own.wants, None
            return "locked"
        return "deadlock" if owner in self.reached_from(owner) else "waits"

    def release_all(self, owner):
        self.queues = {key: [each for each in queue if each.owner != owner] for key, queue in self.queues.items()}
        ready = set()
        for queue in self.queues.values():
            for request in queue:
                if request.wants is not None and not self.blockers(queue, request):
                    request.holds, request.wants = request.wants, None
                    ready.add(request.owner)
        return ready

    def blockers(self, queue, request):
        """The owners that a request which has not what it wants waits for."""
        if request.holds is not None:
            return {each.owner for each in queue if each is not request and each.holds is not None}
        ahead = queue[: queue.index(request)]
        return {each.owner for each in ahead if EXCLUSIVE in (request.wants, each.holds, each.wants)}

    def reached_from(self, owner):
        """Owners whom `owner` waits for, directly or through others."""
        edges = {}
        for queue in self.queues.values():
            for request in queue:
                if request.wants is not None:
                    edges[request.owner] = self.blockers(queue, request)
        reached, frontier = set(), {owner}
        while frontier:
            frontier = set().union(*(edges.get(each, ()) for each in frontier)) - reached
            reached |= frontier
        return reached
