"""A slow, readable twin of the disk: plain Python, one sector count after the other.

Written from docs/models/disk.md#service-time.
"""


class Arm:
    """Where the head is, and what time it is."""

    def __init__(self, disk, ahead=0.0):
        self.disk, self.turn, self.ahead = disk, 1 / disk.rotation_hz, ahead
        self.now, self.cylinder, self.head, self.end = 0.0, 0, 0, 0
        self.way = 1  # upwards

    def place(self, lbn):
        """(zone, first cylinder of the zone, cylinder, head, sector)."""
        first = 0
        for zone in self.disk.geometry.zones:
            held = zone.cylinders * zone.track_sectors * self.disk.geometry.heads
            if lbn < held:
                track, sector = divmod(lbn, zone.track_sectors)
                cylinder, head = divmod(track, self.disk.geometry.heads)
                return zone, first, first + cylinder, head, sector
            lbn -= held
            first += zone.cylinders
        raise AssertionError("beyond the disk")

    def move(self, lbn, write):
        _, _, cylinder, head, _ = self.place(lbn)
        seek = float(self.disk.seek_s(abs(cylinder - self.cylinder), write=bool(write)))
        return max(seek, self.disk.head_switch_s if head != self.head else 0.0)

    def wait(self, lbn, at):
        """Time until sector `lbn` comes round."""
        zone, first, cylinder, head, sector = self.place(lbn)
        turned = head * zone.track_skew
        turned += (cylinder - first) * ((self.disk.geometry.heads - 1) * zone.track_skew + zone.cylinder_skew)
        angle = (turned + sector) % zone.track_sectors / zone.track_sectors
        share = (angle - self.disk.phase - self.ahead - at / self.turn) % 1.0
        return 0.0 if share > 1 - 1e-7 else share * self.turn

    def serve(self, lbn, sectors, write):
        """Serve a request now; returns when it is done."""
        self.now += self.disk.overhead_s + self.move(lbn, write)
        self.now += self.wait(lbn, self.now)
        while True:
            zone, _, self.cylinder, self.head, sector = self.place(lbn)
            here = min(sectors, zone.track_sectors - sector)
            self.now += here / zone.track_sectors * self.turn
            lbn, sectors = lbn + here, sectors - here
            self.end = lbn
            if sectors == 0:
                return self.now
            _, _, cylinder, _, _ = self.place(lbn)
            self.now += self.disk.head_switch_s if cylinder == self.cylinder else self.move(lbn, write)
            self.now += self.wait(lbn, self.now)


def array(disk, disks, parts, arrival_s):
    """Response of each request: parts (request, piece, member, lbn, sectors, write, round) in order of arrival.

    A part of round 1 begins when all parts of round 0 of its piece are done; members serve first come, first served.
    Their platters are out of step, each a golden section of a turn ahead of the one before.
    """
    arms, free_s = [Arm(disk, member * (5**0.5 - 1) / 2) for member in range(disks)], [0.0] * disks
    coming = [(arrival_s[part[0]], 1, number) for number, part in enumerate(parts) if part[6] == 0]
    left, done_s, ready_s = {}, [0.0] * len(arrival_s), {}
    for _, piece, *_, turn in parts:
        left[piece, turn] = left.get((piece, turn), 0) + 1
    while coming:
        came_s, order, number = min(coming, key=lambda item: item[:3])
        coming.remove((came_s, order, number))
        request, piece, member, lbn, sectors, write, turn = parts[number]
        arms[member].now = max(came_s, free_s[member])
        free_s[member] = arms[member].serve(lbn, sectors, write)
        done_s[request] = max(done_s[request], free_s[member])
        left[piece, turn] -= 1
        if turn == 0:
            ready_s[piece] = max(ready_s.get(piece, 0.0), free_s[member])
            if left[piece, 0] == 0:
                later = [other for other, part in enumerate(parts) if part[1] == piece and part[6] == 1]
                coming += [(ready_s[piece], 2, other) for other in later]
    return [end - start for end, start in zip(done_s, arrival_s, strict=True)]


def mirrored_pairs(disks, unit, requests):
    """Requests (first sector, sectors, write) of RAID-10 as (request, member, sector, write) of single sectors.

    Disks 2k and 2k + 1 hold the same; units go round the pairs; the reads of a pair's units take its disks in turn.
    """
    made, reads = [], [0] * (disks // 2)
    for number, (lbn, sectors, write) in enumerate(requests):
        of_unit = {}
        for sector in range(lbn, lbn + sectors):
            of_unit.setdefault(sector // unit, []).append(sector)
        for at, inside in of_unit.items():
            pair, row = at % (disks // 2), at // (disks // 2)
            both = [2 * pair, 2 * pair + 1]
            asked = both if write else [both[reads[pair] % 2]]
            reads[pair] += not write
            made += [(number, member, row * unit + sector % unit, write) for member in asked for sector in inside]
    return made


def fcfs(arm, queue):
    return queue[0]


def sstf(arm, queue):
    return min(queue, key=lambda request: abs(arm.place(request[1])[2] - arm.cylinder))


def c_look(arm, queue):
    ahead = [request for request in queue if request[1] >= arm.end]
    return min(ahead or queue, key=lambda request: request[1])


def look(arm, queue):
    """From the end of the last transfer on, in sectors; min takes the oldest of equals, as a queue is by age."""
    for _ in range(2):
        ahead = [request for request in queue if (request[1] - arm.end) * arm.way >= 0]
        if ahead:
            return min(ahead, key=lambda request: abs(request[1] - arm.end))
        arm.way = -arm.way
    raise AssertionError("whatever waits lies one way or the other")


def sptf(arm, queue):
    def cost(request):
        _, lbn, _, write = request
        move = arm.move(lbn, write)
        return move + arm.wait(lbn, arm.now + arm.disk.overhead_s + move)

    return min(queue, key=cost)


PICKS = {"fcfs": fcfs, "sstf": sstf, "c-look": c_look, "look": look, "sptf": sptf}


def closed(disk, requests, pick, depth):
    """[(number, response)] in order of finish, with `depth` of `requests` (lbn, sectors, write) outstanding.

    When none is left to come, those in the queue are served to the last.
    """
    arm, coming = Arm(disk), [(number, *request) for number, request in enumerate(requests)]
    queue, arrived, finished = coming[:depth], dict.fromkeys(range(depth), 0.0), []
    coming = coming[depth:]
    while queue:
        request = pick(arm, queue)
        queue.remove(request)
        done = arm.serve(*request[1:])
        finished.append((request[0], done - arrived[request[0]]))
        if coming:
            queue.append(coming.pop(0))
            arrived[queue[-1][0]] = done
    return finished
