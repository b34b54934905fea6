"""An array of disks, each first come, first served: requests fork to members, a RAID-5 write in two rounds a unit."""

import heapq

import numpy as np

from pagecost._jit import kernel
from pagecost.devices.disk.mechanics_kernels import across_tracks, ahead_s, locate, position


@kernel
def serve(disk, arrival_s, request, piece, member, lbn, sectors, write, rounds, arm, free_s, busy_s, response_s):
    """Fill the response time of each request; arm[m] = (cylinder, head), free_s[m], busy_s[m] go on from before.

    Parts of requests as in `MemberRequests`; rounds[p]: 0 at once, 1 when all parts of round 0 of its piece are done,
    a piece being neighbouring parts of equal number. Members take parts in the order in which they come to them.
    """
    left = np.zeros(response_s.size, np.int64)
    reads = np.zeros(request.size, np.int64)
    first = np.zeros(request.size, np.int64)
    for part in range(request.size - 1, -1, -1):
        left[request[part]] += 1
        reads[piece[part]] += rounds[part] == 0
        first[piece[part]] = part
    done_s, read_s = np.zeros(response_s.size), np.zeros(request.size)
    later = [(0.0, np.int64(0))]  # (when, part) of the second rounds
    later.pop()
    coming = 0
    while coming < request.size or len(later) > 0:
        while coming < request.size and rounds[coming] == 1:
            coming += 1
        if coming < request.size and (len(later) == 0 or arrival_s[request[coming]] <= later[0][0]):
            came_s, part = arrival_s[request[coming]], np.int64(coming)
            coming += 1
        elif len(later) > 0:
            came_s, part = heapq.heappop(later)
        else:
            break
        own, to, whose = member[part], request[part], write[part]
        start_s = max(came_s, free_s[own])
        turned_s = ahead_s(disk, own)
        place = locate(disk, lbn[part])
        _, _, now_s = position(disk, place, arm[own, 0], arm[own, 1], whose, start_s + turned_s)
        transfer_s, switch_s, arm[own, 0], arm[own, 1] = across_tracks(disk, place, sectors[part], whose, now_s)
        now_s += transfer_s + switch_s - turned_s
        busy_s[own] += now_s - start_s
        free_s[own] = now_s
        done_s[to] = max(done_s[to], now_s)
        left[to] -= 1
        if rounds[part] == 0:
            of = piece[part]
            reads[of] -= 1
            read_s[of] = max(read_s[of], now_s)
            if reads[of] == 0:
                for other in range(first[of], request.size):
                    if piece[other] != of:
                        break
                    if rounds[other] == 1:
                        heapq.heappush(later, (read_s[of], np.int64(other)))
        if left[to] == 0:
            response_s[to] = done_s[to] - arrival_s[to]
