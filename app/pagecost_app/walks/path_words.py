"""A walk through the path in words: what the last event was, and who caused it."""

from collections import Counter

from pagecost.filesystem import CAUSES
from pagecost.units import grouped
from pagecost.walk import Walker, events
from pagecost.walk.arm import PHASES
from pagecost.walk.events import PRECONDITION, Event
from pagecost.walk.flash import DIES
from pagecost_app.walks.path_walk import PathWalk

MOST_NAMED = 5  # transactions of a block's pages that are named one by one


def path_title(walk: PathWalk) -> str:
    """What is walked through, in one line."""
    setup = walk.setup
    load = {"debit-credit": "Debit-Credit", "tpc-c": "TPC-C"}.get(setup.load, "Your string")
    device = "flash" if setup.device == "flash" else "a disk"
    system = {"in place": "in place", "log-structured": "through a log-structured file system"}
    return (
        f"{load} {system.get(setup.file_system, 'out of place')} on {device}, "
        f"after {walk.position} of {walk.size} events"
    )


def path_sentence(walk: PathWalk) -> str:
    """What the last event was."""
    event = walk.walker.event
    if event is None:
        return "Nothing has happened yet: the device was written once, in order. The first transaction is to come."
    return _told(walk.walker, event, True)


def page_name(walker: Walker, page: int) -> str:
    """A page by the name of its table, or as one of the log."""
    names = walker.load.names
    return names[page] if page < len(names) else f"log page {page - len(names)}"


def transaction_name(walker: Walker, number: int) -> str:
    """A transaction as people count, with its type."""
    return f"transaction {number + 1} ({walker.load.kinds[number]})"


def _blocks(event: Event) -> str:
    blocks, why = divmod(event.place, 16)
    span = f"block {event.number}" if blocks == 1 else f"blocks {event.number} to {event.number + blocks - 1}"
    return f"{span} ({CAUSES[why]})"


def _held(walker: Walker, block: int, now: bool) -> str:
    kind, number = walker.system.content_of(block) if now else ("", -1)
    if kind == "page":
        return f"block {block} of the volume, {page_name(walker, number)}"
    return f"block {block} of the volume" + (f", {kind}" if kind in ("metadata", "summary") else "")


def _about(walker: Walker, event: Event) -> tuple[str, str]:
    """(the page, the blocks) that an event is about, in words; "" where it is about none."""
    of_page = events.REFERENCE <= event.kind <= events.FS_TAKE and event.kind not in (events.COMMIT, events.LOG_FLUSH)
    page = page_name(walker, event.number) if of_page and event.kind != events.FS_READ else ""
    return page, _blocks(event) if event.kind in _OF_BLOCKS else ""


def _told(walker: Walker, event: Event, now: bool = False) -> str:
    """An event as a sentence. now: it is the last one, so that the state may be asked."""
    kind, number, place = event.kind, event.number, event.place
    page, blocks = _about(walker, event)
    if kind == events.TRANSACTION:
        name = transaction_name(walker, number)
        return f"{name[0].upper()}{name[1:]} begins."
    if kind == events.REFERENCE:
        return f"Reference {place // 2 + 1} {'changes' if place % 2 else 'reads'} {page}."
    if kind == events.EVICT:
        return f"{page} leaves the buffer{_changed(walker, event)}. Why: {_reason(walker, place // 2)}."
    if kind == events.COMMIT:
        group = walker.system.log.group
        return f"Transaction {number + 1} commits: {place} of the {group} commits that share a flush of the log."
    if kind == events.LOG_FLUSH:
        last = f" to {number + place - 1}" if place > 1 else ""
        why = walker.system.events[event.cause].kind
        said = "enough commits wait" if why == events.COMMIT else "a changed page must not be written before its log"
        return f"The log is flushed, its page{'s' if last else ''} {number}{last}: {said}."
    if kind in _OF_FLASH or kind in (events.ARM_READ, events.ARM_WRITE):
        return _told_of_device(walker, event, now)
    return {
        events.HIT: f"The buffer has {page}: a hit.",
        events.MISS: f"The buffer does not have {page}: a miss.",
        events.APPEND: f"{place} bytes about {page} are appended to the log.",
        events.CACHE_HIT: f"The page cache has {page}.",
        events.CACHE_READ: f"The page cache does not have {page} and asks the file system for it.",
        events.CACHE_AHEAD: f"The page cache reads {page} ahead.",
        events.CACHE_TAKE: f"The page cache takes {page}, to write it back later.",
        events.CACHE_WRITE: f"The page cache writes {page} back.",
        events.FS_ABSORBED: f"{page} already waits for the next segment: it will be written once.",
        events.FS_TAKE: f"The file system keeps {page} for its next segment.",
        events.FS_READ: f"The file system reads {blocks}.",
        events.FS_WRITE: f"The file system writes {blocks}.",
        events.FS_SYNC: f"The file system makes durable what it was handed: {number} request{'s' * (number != 1)}.",
        events.FS_CLEAN: f"The cleaner of the file system frees {number} segment{'s' * (number != 1)}.",
        events.FS_TRIM: f"The device is told that {blocks} hold nothing any more.",
    }[kind]


_OF_BLOCKS = (events.FS_READ, events.FS_WRITE, events.FS_TRIM)
_OF_FLASH = range(events.FLASH_READ, events.FLASH_TRIM + 1)


def _told_of_device(walker: Walker, event: Event, now: bool) -> str:
    kind, number, place = event.kind, event.number, event.place
    cost = f" {grouped(event.time_s * 1e6)} µs, {event.energy_j * 1e6:.3g} µJ."
    if kind in (events.ARM_READ, events.ARM_WRITE):
        blocks = f"block {number}" if place == 1 else f"blocks {number} to {number + place - 1}"
        arm = walker.system.arm
        terms = zip(PHASES, arm.terms.tolist(), strict=True) if arm and now else ()
        parts = ", ".join(f"{name} {time_s * 1e3:.2f} ms" for name, time_s in terms if time_s > 0)
        return f"The disk {'writes' if kind == events.ARM_WRITE else 'reads'} {blocks}: {parts}.{cost}"
    flash = walker.system.flash
    if flash and kind in (events.FLASH_READ, events.FLASH_PROGRAM, events.FLASH_COPY):
        at, die = divmod(place, DIES)
        block, page = flash.place_name(at)
        where = f"page {page} of erase block {block}"
        if kind == events.FLASH_READ:
            return f"Die {die} reads {where}: {_held(walker, number, now)}.{cost}"
        did = "programs" if kind == events.FLASH_PROGRAM else "copies to"
        return f"Die {die} {did} {where}: {_held(walker, number, now)}.{cost}"
    if kind == events.FLASH_TRIM:
        return f"Die {place} forgets block {number} of the volume."
    if kind == events.FLASH_OPEN:
        return f"Die {place} opens erase block {number}."
    if kind == events.FLASH_ERASE:
        return f"Die {place} erases its block {number}.{cost}"
    live = sum(page >= 0 for _, page in walker.fillers(walker.position - 1)) if now else 0
    alive = f", in which {live} page{'s' * (live != 1)} live{'s' * (live == 1)}" if now else ""
    return f"Die {place} has no erased block to spare and collects erase block {number}{alive}."


def _changed(walker: Walker, event: Event) -> str:
    if not event.place % 2:
        return ", clean, so nothing is written"
    by = walker.transaction_of(event.other)
    return f", changed by transaction {by + 1}, so it must be written" if by is not None else ", changed"


def _reason(walker: Walker, number: int) -> str:
    return walker.system.buffer.pool.rule.reasons[number]


def because(walker: Walker, number: int) -> list[tuple[int, str]]:
    """(event, clause) along the chain of causes of an event, back to the transaction."""
    record = walker.system.events
    return [(at, _clause(walker, record[at])) for at in walker.chain(number)]


def _clause(walker: Walker, event: Event) -> str:
    kind, number, place = event.kind, event.number, event.place
    page, blocks = _about(walker, event)
    if kind in (events.FLASH_READ, events.FLASH_PROGRAM, events.FLASH_COPY):
        done = {events.FLASH_READ: "read", events.FLASH_PROGRAM: "programmed", events.FLASH_COPY: "copied"}[kind]
        return f"die {place % DIES} {done} block {number} of the volume"
    if kind == events.EVICT:
        by = walker.transaction_of(event.other)
        changed = f", which transaction {by + 1} had changed" if by is not None else ""
        return f"the buffer gave up {page}{changed}"
    if kind == events.LOG_FLUSH:
        return "the log was flushed"
    return {
        events.TRANSACTION: f"in {transaction_name(walker, number)}" if kind == events.TRANSACTION else "",
        events.REFERENCE: f"reference {place // 2 + 1} {'changed' if place % 2 else 'read'} {page}",
        events.HIT: f"the buffer had {page}",
        events.MISS: f"the buffer did not have {page}",
        events.APPEND: f"a record about {page} was appended",
        events.COMMIT: "its commit came",
        events.CACHE_HIT: f"the page cache had {page}",
        events.CACHE_READ: f"the page cache did not have {page}",
        events.CACHE_AHEAD: f"the page cache read {page} ahead",
        events.CACHE_TAKE: f"the page cache had taken {page} over",
        events.CACHE_WRITE: f"the page cache wrote {page} back",
        events.FS_ABSORBED: f"{page} waited for the next segment",
        events.FS_TAKE: f"the file system was handed {page}",
        events.FS_READ: f"the file system read {blocks}",
        events.FS_WRITE: f"the file system wrote {blocks}",
        events.FS_SYNC: "the file system had to make it durable",
        events.FS_CLEAN: "the file system cleaned a segment",
        events.FS_TRIM: "the file system gave blocks back",
        events.FLASH_OPEN: f"die {place} opened erase block {number}",
        events.FLASH_COLLECT: f"die {place} had to collect erase block {number} for room",
        events.FLASH_ERASE: f"die {place} erased its block {number}",
        events.FLASH_TRIM: f"die {place} forgot block {number} of the volume",
        events.ARM_READ: f"the disk read block {number}",
        events.ARM_WRITE: f"the disk wrote block {number}",
    }[kind]


def why_sentence(walk: PathWalk) -> str:
    """Who caused the last event, as one sentence, and for an erase who had filled the block, as another."""
    walker, event = walk.walker, walk.walker.event
    if event is None:
        return "Nothing has happened yet."
    clauses = [clause for _, clause in because(walker, walk.position - 1)]
    said = clauses[0] if len(clauses) == 1 else f"{', because '.join(clauses[:-1])}, {clauses[-1]}"
    whole = f"{said[0].upper()}{said[1:]}."
    if len(clauses) == 1:
        whole = f"This is where it begins: {transaction_name(walker, event.number)}."
    if event.kind in (events.FLASH_ERASE, events.FLASH_COLLECT):
        whole += " " + _filled(walker, walk.position - 1)
    return whole


def _filled(walker: Walker, number: int) -> str:
    fillers = walker.fillers(number)
    live = sum(page >= 0 for _, page in fillers)
    by = Counter(walker.transaction_of(walker.origin(writer)) for writer, _ in fillers)
    copies = sum(
        writer != PRECONDITION and walker.system.events[writer].kind == events.FLASH_COPY for writer, _ in fillers
    )
    named = [
        f"{count} of {'the preconditioning' if who is None else f'transaction {who + 1}'}"
        for who, count in by.most_common(MOST_NAMED)
    ]
    rest = sum(by.values()) - sum(count for _, count in by.most_common(MOST_NAMED))
    named += [f"{rest} of others"] if rest else []
    moved = f", {copies} of them copied there from another block" if copies else ""
    return f"Of its {len(fillers)} pages, {live} still lived; they had been written for: {', '.join(named)}{moved}."
