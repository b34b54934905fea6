"""Two plain models on the calendar and stations of the transaction system: an open station, a closed network.

The app does not use them: they are there so that the event loop can be held against exact theory.
"""

from pagecost._jit import lean_kernel
from pagecost.transactions.calendar_kernels import pop, push
from pagecost.transactions.random_kernels import ARRIVALS, DEVICES, ROUTES, exponential, service_time, uniform
from pagecost.transactions.stations_kernels import join, leave, spend


@lean_kernel
def run_open(calendar, stations, free, states, clock, rate_hz, mean_s, distribution, samples, responses):
    """Serve responses.size customers of one open station; returns how many, fewer if the jobs ran out.

    free: int64[jobs + 1], a stack of job numbers with its height in the last place. clock: float64[2], time of the
    next arrival and of the last event.
    """
    spent = stations.spent_s
    done = 0
    while done < responses.size:
        if calendar.count[0] == 0 or clock[0] <= calendar.time_s[0]:
            now_s = clock[0]
            clock[0] = now_s + exponential(states, ARRIVALS) / rate_hz
            if free[-1] == 0:
                break
            free[-1] -= 1
            job = free[free[-1]]
            spent[job, 0] = 0.0
            spent[job, 1] = 0.0
            join(stations, calendar, 0, job, service_time(states, DEVICES, mean_s, distribution, samples), now_s)
        else:
            now_s, job = pop(calendar)
            spend(stations, job, 1, now_s)
            leave(stations, calendar, 0, now_s)
            responses[done] = spent[job, 0] + spent[job, 1]
            free[free[-1]] = job
            free[-1] += 1
            done += 1
        clock[1] = now_s
    return done


@lean_kernel
def run_closed(calendar, stations, at, states, clock, think_s, mean_s, routes, completions):
    """A central server: terminals think, then alternate between station 0 and the others until they think again.

    at: int64[terminals], where each is (-1: thinking). mean_s: float64[stations], exponential. routes:
    float64[stations]: cumulative chance, after station 0, of going to station 1, 2, …; the rest goes back to thinking.
    clock: float64[3]: time, interactions done, their summed response times. Runs until `completions` services more.
    """
    done = 0
    now_s = clock[0]
    while done < completions:
        now_s, job = pop(calendar)
        place = at[job]
        if place < 0:
            place = 0
        else:
            spend(stations, job, 2 * place + 1, now_s)
            leave(stations, calendar, place, now_s)
            done += 1
            if place > 0:
                place = 0
            else:
                chance = uniform(states, ROUTES)
                place = 1
                while place < routes.size and chance > routes[place]:
                    place += 1
                if place == routes.size:
                    for term in range(stations.spent_s.shape[1]):
                        clock[2] += stations.spent_s[job, term]
                        stations.spent_s[job, term] = 0.0
                    clock[1] += 1.0
                    at[job] = -1
                    push(calendar, now_s + think_s * exponential(states, ARRIVALS), job)
                    continue
        at[job] = place
        join(stations, calendar, place, job, mean_s[place] * exponential(states, DEVICES), now_s)
    clock[0] = now_s
