"""An array of disks, each first come, first served: requests fork to members, a RAID-5 write in two rounds."""

import heapq

import numpy as np

from pagecost._jit import kernel
from pagecost.devices.disk.mechanics_kernels import across_tracks, locate, position


@kernel
def serve(disk, arrival_s, request, member, lbn, sectors, write, rounds, arm, free_s, busy_s, response_s):
    """Fill the response time of each request; arm[m] = (cylinder, head), free_s[m], busy_s[m] go on from before.

    Parts of requests as in `MemberRequests`; rounds[p]: 0 at once, 1 when all parts of round 0 of its request are
    done. Members take parts in the order in which they come to them.
    """
    left = np.zeros((2, response_s.size), np.int64)
    first = np.zeros(response_s.size, np.int64)
    for part in range(request.size - 1, -1, -1):
        left[rounds[part], request[part]] += 1
        first[request[part]] = part
    done_s = np.zeros(response_s.size)
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
        place = locate(disk, lbn[part])
        _, _, now_s = position(disk, place, arm[own, 0], arm[own, 1], whose, start_s)
        transfer_s, switch_s, arm[own, 0], arm[own, 1] = across_tracks(disk, place, sectors[part], whose, now_s)
        now_s += transfer_s + switch_s
        busy_s[own] += now_s - start_s
        free_s[own] = now_s
        done_s[to] = max(done_s[to], now_s)
        left[rounds[part], to] -= 1
        if rounds[part] == 0 and left[0, to] == 0 and left[1, to] > 0:
            for other in range(first[to], request.size):
                if request[other] != to:
                    break
                if rounds[other] == 1:
                    heapq.heappush(later, (done_s[to], np.int64(other)))
        if left[0, to] + left[1, to] == 0:
            response_s[to] = done_s[to] - arrival_s[to]
