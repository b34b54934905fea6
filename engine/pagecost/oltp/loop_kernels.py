"""The event loop of the whole system: users, processors, locks, buffer, log, file system, queues and devices.

A job is a user or an agent that works for all. `_advance` takes a job from step to step until it must wait for a
processor, a lock, its requests or its commit group. The steps take the few arrays that they need: handing all of them
on would cost half a minute of compiling.
"""

from pagecost._jit import inline_part, lean_kernel, lean_part
from pagecost.oltp import agents_kernels as agents
from pagecost.oltp import machine_kernels as m
from pagecost.oltp import queues_kernels as q
from pagecost.oltp import requests_kernels as requests
from pagecost.oltp import storage_kernels as storage
from pagecost.oltp import users_kernels as users
from pagecost.transactions.calendar_kernels import pop, push
from pagecost.transactions.random_kernels import ARRIVALS, CPU, EXPONENTIAL, exponential
from pagecost.transactions.stations_kernels import join, leave, spend


@lean_kernel
def run(machine, state, until_s, most):
    """Handle events until a time, or until `most` transactions are complete, or until the load has ended."""
    core, calendar = state.core, state.calendar
    scalar = core.scalar
    while scalar[m.STATUS] == m.RUNNING and scalar[m.COMPLETED] < most:
        now_s = state.clock_s[0]
        if scalar[m.READY] > 0:
            scalar[m.READY] -= 1
            _advance(machine, state, core.ready[scalar[m.READY]], now_s)
        elif scalar[m.TOUCHED] != 0:
            device = 0
            while scalar[m.TOUCHED] >> device & 1 == 0:
                device += 1
            scalar[m.TOUCHED] ^= 1 << device
            requests.serve(
                core,
                state.queues,
                machine.devices,
                machine.disk,
                machine.log_disk,
                calendar,
                state.random,
                machine.setting,
                device,
                now_s,
            )
        elif calendar.count[0] == 0 or calendar.time_s[0] > until_s:
            break
        else:
            _next_event(machine, state)


@inline_part
def _next_event(machine, state):
    """Take the next event off the calendar: what was waited for has come, and who waited is ready."""
    now_s, event = pop(state.calendar)
    state.clock_s[0] = now_s
    core, queues = state.core, state.queues
    core.scalar[m.EVENTS] += 1
    jobs, devices = core.job.shape[0], queues.unit.shape[0]
    if event < jobs:
        if core.job[event, m.THINKING]:
            core.job[event, m.THINKING] = 0
        else:
            spend(state.stations, event, m.PROCESSOR, now_s)
            leave(state.stations, state.calendar, 0, now_s)
        requests.ready(core, event)
    elif event < jobs + devices:
        q.serve_ends(queues, event - jobs, now_s)
        core.scalar[m.TOUCHED] |= 1 << (event - jobs)
    elif event < jobs + 2 * devices:
        requests.wait_ends(core, queues, event - jobs - devices, now_s)
    elif event >= jobs + 2 * devices + m.TIMERS:
        requests.answered(core, queues, state.calendar, event - jobs - 2 * devices - m.TIMERS, now_s)
    elif event == jobs + 2 * devices + m.GROUP_TIMER:
        agents.start_log(core, machine.setting, machine.number, now_s)
    else:
        timer = event - jobs - 2 * devices
        push(state.calendar, now_s + machine.number[m.CHECKPOINT_S + timer - m.CHECKPOINT_TIMER], event)
        if timer == m.CHECKPOINT_TIMER:
            agents.start_checkpoint(core, machine.setting, now_s)
        elif timer == m.CLEANER_TIMER:
            storage.start_cleaner(core, machine.setting)
        else:
            agents.start_flusher(core, machine.setting, now_s)


@lean_part
def _compute(stations, calendar, random, setting, job, mean_s, now_s):
    """Ask for a processor. Returns whether the job can go on at once, because there is nothing to compute."""
    if mean_s <= 0:
        return True
    service_s = mean_s * exponential(random, CPU) if setting[m.PROCESSOR_LAW] == EXPONENTIAL else mean_s
    join(stations, calendar, 0, job, service_s, now_s)
    return False


@inline_part
def _advance(machine, state, job, now_s):
    """Take a job on until it must wait."""
    core, load, setting = state.core, machine.load, machine.setting
    fields = core.job
    going = True
    while going:
        step = fields[job, m.STEP]
        burst_s = 0.0
        if step == m.NEXT:
            last = fields[job, m.REFERENCE] == fields[job, m.END]
            fields[job, m.STEP] = m.COMMIT if last else m.LOCK
            burst_s = machine.demand_s[load.kind[fields[job, m.TRANSACTION]]]
        elif step == m.LOCK:
            going = users.lock(core, load, state.locks, job)
        elif step == m.GRANTED:
            spend(state.stations, job, m.LOCK_WAIT, now_s)
            fields[job, m.STEP] = m.FIX
        elif step == m.FIX:
            users.fix(core, load, job)
        elif step == m.EVICT:
            users.evict(core, load, setting, job)
        elif step == m.LOAD:
            page = load.page[fields[job, m.REFERENCE] - 1]
            storage.load_page(core, state.cache, setting, job, page)
        elif step == m.WRITE_PAGES:
            storage.write_pages(core, state.cache, setting, job, now_s)
        elif step == m.FLUSH_PAGES:
            expired_s = now_s - machine.number[m.EXPIRE_S]
            going = storage.flush_pages(core, state.cache, setting, job, expired_s)
        elif step == m.GATHER:
            agents.gather(core, setting, job, now_s)
            going = False
        elif step == m.WRITE_BATCH:
            going = agents.write_batch(core, setting, job)
        elif step == m.BATCH_WRITTEN:
            agents.batch_written(core, job)
        elif step == m.CLEANING_OVER:
            spend(state.stations, job, m.CLEANING, now_s)
            fields[job, m.STEP] = m.HAND_OVER
        elif step in (m.FETCH, m.HAND_OVER, m.CLEAN):
            going = storage.ask_storage(core, state.volume, setting, job, now_s)
        elif step == m.CLEANED:
            storage.cleaned(core, job)
            going = False
        elif step == m.POST:
            burst_s = machine.number[m.IO_S] * requests.post(core, state.queues, setting, job)
        elif step == m.ISSUE:
            going = requests.issue(core, state.queues, setting, state.calendar, job, now_s)
        elif step == m.DONE:
            spend(state.stations, job, fields[job, m.TERM], now_s)
            fields[job, m.STEP] = fields[job, m.AFTER]
        elif step == m.COMMIT:
            if not machine.commits[load.kind[fields[job, m.TRANSACTION]]]:
                fields[job, m.UPDATES] = 0
            devices = state.queues.unit.shape[0]
            going = agents.commit(core, state.calendar, setting, machine.number, devices, job, now_s)
        elif step == m.LOGGED:
            spend(state.stations, job, m.LOG, now_s)
            fields[job, m.STEP] = agents.committed(setting)
        elif step == m.FORCE_PAGES:
            users.force_pages(core, load, job)
        elif step == m.FINISH:
            users.release(core, state.locks, job)
            users.complete(core, load, state.record, state.stations.spent_s, job, now_s)
            if machine.number[m.THINK_S] > 0:
                fields[job, m.THINKING] = 1
                push(state.calendar, now_s + machine.number[m.THINK_S] * exponential(state.random, ARRIVALS), job)
                going = False
        elif step == m.BEGIN:
            began_s = state.record.began_s
            going = users.begin(
                core, load, setting, machine.comes_s, began_s, state.stations, state.calendar, job, now_s
            )
        elif step == m.WRITE_LOG:
            agents.write_log(core, setting, job)
        elif step == m.LOG_WRITTEN:
            devices = state.queues.unit.shape[0]
            agents.log_written(core, state.calendar, setting, machine.number, devices, job, now_s)
            going = False
        elif step == m.CHECKPOINT:
            going = agents.checkpoint(core, job)
        else:
            going = False
        if burst_s > 0:
            going = _compute(state.stations, state.calendar, state.random, setting, job, burst_s, now_s)
