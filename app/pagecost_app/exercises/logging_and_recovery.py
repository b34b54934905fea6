"""The exercises of lesson 11: logging, recovery and checkpoints."""

import random

from pagecost.operators.selection import cardenas
from pagecost.transactions import restart, theory
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds import Curve, Number, Order


def _draw_queue(dice: random.Random) -> dict:
    disk_ms = dice.choice((2, 4, 5, 8))
    percent = dice.choice((60, 64, 70, 72, 80, 84, 88, 90, 92))
    return {"disk_ms": disk_ms, "rate": round(percent / 100 / disk_ms * 1e3) + dice.randint(-3, 3)}


def _log_queue_ms(disk_ms, rate) -> float:
    """Mean time from the wish to write a log page to the end of the write [ms]: M/M/1."""
    return 1e3 * (theory.wait_s(rate, disk_ms / 1e3) + disk_ms / 1e3)


SHARES = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)  # of its time that the log disk is busy, where the curve is asked for


def _draw_curve(dice: random.Random) -> dict:
    return {"disk_ms": dice.randrange(20, 121) / 10, "group": dice.choice((2, 3, 4))}


def _rates(disk_ms, group) -> tuple[float, ...]:
    """Commits a second [1/s] at which the log disk is busy so much."""
    return tuple(round(share * group / disk_ms * 1e3, 1) for share in SHARES)


def _writes_ms(disk_ms, group) -> list[float]:
    """How long a log write takes at these rates, waiting included [ms]."""
    return [_log_queue_ms(disk_ms, rate / group) for rate in _rates(disk_ms, group)]


def _draw_group(dice: random.Random) -> dict:
    return {"rate": dice.randint(40, 400), "group": dice.choice((3, 4, 5, 6, 8, 10, 12, 16))}


def _group_wait_ms(rate, group) -> float:
    """Mean wait for a commit group to be full [ms]: the first of k waits for k - 1 more to come, the last for none."""
    return 1e3 * (group - 1) / (2 * rate)


def _draw_checkpoint(dice: random.Random) -> dict:
    pages = dice.randrange(200, 2000, 50)
    return {"pages": pages, "rate": dice.randrange(50, 400, 10), "every_s": dice.choice((2, 3, 5, 6))}


def _checkpoint_writes(pages, rate, every_s) -> float:
    """Page writes per transaction by checkpoints: the different pages changed in between, over the transactions."""
    return cardenas(pages, rate * every_s) / (rate * every_s)


def _draw_strategies(dice: random.Random) -> dict:
    often, seldom = sorted(dice.sample((1, 2, 3, 5, 10, 20, 30, 60), 2))
    pages, rate = dice.randrange(200, 2000, 50), dice.randrange(50, 400, 10)
    return {"pages": pages, "rate": rate, "often": often, "seldom": seldom}


def _strategies(pages, rate, often, seldom) -> dict[str, float]:
    """Page writes per transaction by strategy."""
    return {
        "force": 1.0,
        "often": _checkpoint_writes(pages, rate, often),
        "seldom": _checkpoint_writes(pages, rate, seldom),
        "never": 0.0,
    }


def _draw_restart(dice: random.Random) -> dict:
    return {
        "rate": dice.randrange(100, 800, 20),
        "minutes": dice.choice((5, 10, 15, 20, 30)),
        "log_kb": dice.choice((4, 8)),
        "rate_mb_s": dice.choice((40, 60, 80, 100, 120)),
        "pages": dice.randrange(2000, 20_000, 1000),
        "page_ms": dice.choice((7, 9, 11, 13)),
        "disks": dice.choice((3, 5, 7)),
    }


def _restart_s(rate, minutes, log_kb, rate_mb_s, pages, page_ms, disks) -> float:
    """Seconds until the database is back."""
    return restart.restart_s(rate, 60 * minutes, log_kb * 1e3 / (rate_mb_s * 1e6), pages, page_ms / 1e3, disks)


def _draw_interval(dice: random.Random) -> dict:
    return {
        "checkpoint_s": dice.randrange(4, 60, 2),
        "days": dice.randrange(3, 60),
        "redo": dice.choice((0.1, 0.2, 0.3)),
    }


def _interval_min(checkpoint_s, days, redo) -> float:
    """Best time between checkpoints [min]."""
    return restart.best_checkpoint_interval_s(checkpoint_s, days * 86_400, redo) / 60


EXERCISES = (
    Curve(
        "log-curve",
        "A log disk takes {disk_ms} ms for a write, exponentially distributed, and {group} commits share one. The more "
        "commits come a second, the longer a write takes from the wish to its end, waiting included. How?",
        draw=_draw_curve,
        x=lambda disk_ms, group: Axis(
            "commits a second", "1/s", 0.0, round(group / disk_ms * 1e3, 1), positions=_rates(disk_ms, group)
        ),
        y=lambda disk_ms, group: Axis("a log write, waiting included", "ms", 0.0, 24 * disk_ms),
        course=_writes_ms,
        steps=lambda disk_ms, group: (
            f"The limit: {group} commits to a write of {disk_ms} ms are {group / disk_ms * 1e3:.4g} commits a second.",
            "At a share ρ of the limit a write takes 1 / (1 - ρ) times as long as alone: twice at one half, ten times "
            "at nine tenths.",
        ),
        hints=("Where is the end, and what happens just before it?",),
        mistakes=(
            (
                lambda disk_ms, group: [disk_ms * (1 + 20 * share) for share in SHARES],
                "a queue does not grow in proportion: it is short for long, and without bound at the end.",
            ),
        ),
    ),
    Number(
        "log-queue",
        "{rate} transactions per second arrive at random times. Each writes one page to the only log disk, which takes "
        "{disk_ms} ms on average, exponentially distributed. How long does it take, waiting included, until the page "
        "is written?",
        "ms",
        draw=_draw_queue,
        reference=_log_queue_ms,
        steps=lambda disk_ms, rate: (
            f"The disk is busy {rate} /s × {disk_ms} ms = {rate * disk_ms / 10:.4g} % of the time.",
            f"Waiting and writing take {disk_ms} ms / (1 - {rate * disk_ms / 1e3:.4g}) = "
            f"{_log_queue_ms(disk_ms, rate):.4g} ms.",
        ),
        hints=(
            "How busy is the disk? Its rate times its time for a write.",
            "At a busy share ρ everything takes 1 / (1 - ρ) times as long as alone.",
        ),
        mistakes=(
            (lambda disk_ms, rate: disk_ms, "that is a write alone. At this rate others are waiting before it."),
            (
                lambda disk_ms, rate: _log_queue_ms(disk_ms, rate) - disk_ms,
                "that is the wait; the write itself comes on top.",
            ),
            (
                lambda disk_ms, rate: disk_ms * (1 + rate * disk_ms / 1e3),
                "that grows in proportion to the load. A queue grows like ρ / (1 - ρ): near the limit without bound.",
            ),
        ),
    ),
    Number(
        "group-wait",
        "Group commit: {group} transactions share one write of the log, and the write starts when the group is full. "
        "{rate} transactions per second come to commit, at random times. How long does a transaction wait on average "
        "for its group to be full?",
        "ms",
        draw=_draw_group,
        reference=_group_wait_ms,
        steps=lambda rate, group: (
            f"Others come every 1 / {rate} s = {1e3 / rate:.4g} ms.",
            f"The first of the group waits for {group - 1} of them, the last for none: the mean is {(group - 1) / 2}.",
            f"So many times that time are {_group_wait_ms(rate, group):.4g} ms.",
        ),
        hints=(
            "The last of a group does not wait at all. How long does the first one wait, and the others?",
            "The first waits for all the others to come. The mean of all is half of that.",
        ),
        mistakes=(
            (
                lambda rate, group: 1e3 * (group - 1) / rate,
                "so long waits the first of a group. The last one waits for nobody.",
            ),
            (
                lambda rate, group: 1e3 * group / rate,
                "that is the time from group to group; the mean wait of its members is asked for.",
            ),
            (
                lambda rate, group: 1e3 * group / (2 * rate),
                "nearly: a transaction does not wait for itself, only for those that come after it.",
            ),
        ),
    ),
    Number(
        "checkpoint-writes",
        "{rate} transactions per second each change one of {pages} pages, every page equally likely, and all of them "
        "stay in main memory. Every {every_s} s a checkpoint writes each page that was changed since the one before. "
        "How many page writes is that per transaction?",
        "1",
        draw=_draw_checkpoint,
        reference=_checkpoint_writes,
        steps=lambda pages, rate, every_s: (
            f"Between two checkpoints come {rate} /s × {every_s} s = {rate * every_s} changes.",
            f"They touch {pages} (1 - (1 - 1/{pages})^{rate * every_s}) = {cardenas(pages, rate * every_s):.4g} pages.",
            f"That over the changes is {_checkpoint_writes(pages, rate, every_s):.4g} per transaction.",
        ),
        hints=(
            "A page that was changed five times between two checkpoints is written once.",
            "Of N pages, k random changes leave N (1 - 1/N)^k untouched.",
        ),
        mistakes=(
            (
                lambda **numbers: 1.0,
                "that is FORCE: every change is written. A checkpoint writes a page once, however often it changed.",
            ),
            (
                lambda pages, rate, every_s: pages / (rate * every_s),
                "that writes all pages each time, the untouched ones too.",
            ),
            (
                lambda pages, rate, every_s: cardenas(pages, rate * every_s),
                "so many pages a checkpoint writes. Divide by the transactions that came in between.",
            ),
        ),
    ),
    Order(
        "checkpoint-order",
        "{rate} transactions per second each change one of {pages} pages, every page equally likely, and all of them "
        "stay in main memory. Which way writes fewer pages?",
        draw=_draw_strategies,
        items=lambda pages, rate, often, seldom: {
            "force": "FORCE: every changed page at commit",
            "often": f"NOFORCE, a checkpoint every {often} s",
            "seldom": f"NOFORCE, a checkpoint every {seldom} s",
            "never": "NOFORCE without checkpoints",
        },
        sizes=_strategies,
        first="the fewest page writes first",
        unit="writes per transaction",
        steps=lambda pages, rate, often, seldom: (
            "FORCE writes a page with every change: 1 per transaction. Without checkpoints pages stay in memory: 0.",
            "A checkpoint writes every page once that was changed, however often:",
            f"{cardenas(pages, rate * often):.4g} after {often} s, for {rate * often} changes,",
            f"{cardenas(pages, rate * seldom):.4g} after {seldom} s, for {rate * seldom} changes.",
        ),
        hints=("How many changes does one write stand for in each case?",),
        mistakes=(
            (
                lambda pages, rate, often, seldom: (
                    _strategies(pages, rate, often, seldom) | {"often": 0.1, "seldom": 0.2}
                ),
                "the rarer checkpoint writes more pages each time, but for many more transactions.",
            ),
        ),
    ),
    Number(
        "restart-time",
        "A database of {rate} update transactions per second writes {log_kb} kB of log for each. It crashes {minutes} "
        "minutes after its last checkpoint. The log is read back at {rate_mb_s} MB/s; then {pages} pages that are not "
        "as new as the log are redone, {page_ms} ms each, by {disks} disks at once. After how long is the database "
        "there again?",
        "s",
        draw=_draw_restart,
        reference=_restart_s,
        steps=lambda rate, minutes, log_kb, rate_mb_s, pages, page_ms, disks: (
            f"Log: {rate} /s × {60 * minutes} s × {log_kb} kB = {rate * 60 * minutes * log_kb / 1e3:.4g} MB, "
            f"read in {rate * 60 * minutes * log_kb / 1e3 / rate_mb_s:.4g} s.",
            f"Pages: {pages} × {page_ms} ms / {disks} = {pages * page_ms / 1e3 / disks:.4g} s.",
            f"Together {_restart_s(rate, minutes, log_kb, rate_mb_s, pages, page_ms, disks):.4g} s.",
        ),
        hints=(
            "Two parts, one after the other: the log is read, the pages are redone.",
            "Log since the checkpoint over the rate of reading it, plus pages times their time over the disks.",
        ),
        mistakes=(
            (lambda **numbers: _restart_s(**numbers | {"pages": 0}), "that reads the log and redoes nothing."),
            (lambda **numbers: _restart_s(**numbers | {"rate": 0}), "the log has to be read before, to know them."),
            (lambda **numbers: _restart_s(**numbers | {"disks": 1}), "that is one disk; they work at the same time."),
            (
                lambda minutes, **numbers: _restart_s(minutes=minutes / 2, **numbers),
                "half the interval is the mean over many crashes; this one comes at a time that is given.",
            ),
        ),
    ),
    Number(
        "checkpoint-interval",
        "A checkpoint keeps the disks from other work for {checkpoint_s} s. A crash comes every {days} days on "
        "average, and a restart then takes {redo} s for every second since the last checkpoint. After how many minutes "
        "should the next checkpoint come, so that checkpoints and restarts together cost least?",
        "min",
        draw=_draw_interval,
        reference=_interval_min,
        steps=lambda checkpoint_s, days, redo: (
            f"Per second, checkpoints cost {checkpoint_s} s / T, restarts {redo} × T / (2 × {days * 86_400} s).",
            f"Equal, and least together, at T = sqrt(2 × {checkpoint_s} × {days * 86_400} / {redo}) s "
            f"= {_interval_min(checkpoint_s, days, redo):.4g} min.",
        ),
        hints=(
            "Per second, checkpoints every T s cost C / T; restarts cost r T / 2 every M s. Where is the sum least?",
            "Where both are equal: T = sqrt(2 C M / r), all times in seconds.",
        ),
        mistakes=(
            (
                lambda **numbers: _interval_min(**numbers | {"redo": 1.0}),
                "that takes a second of restart for every second since the checkpoint; here it is a share of that.",
            ),
            (
                lambda checkpoint_s, days, redo: _interval_min(checkpoint_s / 2, days, redo),
                "the 2 is missing: a crash comes in the middle of an interval on average, not at its end.",
            ),
            (
                lambda checkpoint_s, days, redo: checkpoint_s * days * 86_400 / redo / 60,
                "that is under the root: the sum of C / T and r T / (2 M) is least where its derivative is 0.",
            ),
        ),
    ),
)
