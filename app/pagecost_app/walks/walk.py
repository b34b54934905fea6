"""A walk that survives bad input: the policy, the frames and the text of the references, and where one stands."""

import random

from pagecost.answers import replays
from pagecost.buffer import References, Stepper
from pagecost.buffer.policies import find
from pagecost.errors import known, require
from pagecost.workload import sources, traces
from pagecost_app.walks.asking import Asks, Question
from pagecost_app.walks.page_bill import DEVICE, bill

LONGEST, MOST_FRAMES = 1000, 64  # what an eye can follow, and a picture can show
PIECE = 60  # references of a recording or load
RANDOM_SIZE, RANDOM_PAGES, RANDOM_WRITES = 24, 8, 0.3  # of a string that is drawn
NOBODY = "none"  # the policy beside another one, where there is none
GOLDEN = "1r 2w 3r 1r 4r 2r 5w 1w 3r 2w 6r 4r 1r 5r 2r 3w"
ANOMALY = "1r 2r 3r 4r 1r 2r 5r 1r 2r 3r 4r 5r"
LOOP = "1r 2r 3r 4r 5r 1r 2r 3r 4r 5r 1r 2r 3r 4r 5r"

WRITTEN = {
    "sixteen": ("Sixteen references, five of them writes", GOLDEN),
    "anomaly": ("Belady's anomaly: try FIFO with 3 and with 4 frames", ANOMALY),
    "loop": ("A loop that is one page larger than 4 frames", LOOP),
}


def strings() -> dict[str, str]:
    """Every reference string that is offered: name -> title."""
    recorded = {name: f"{PIECE} references of: {recording.title}" for name, recording in traces.recordings().items()}
    return {name: title for name, (title, _) in WRITTEN.items()} | recorded


def text_of(name: str) -> str:
    """The text of an offered reference string. Of a recording it is a piece from its middle.

    Raises ModelError for an unknown name.
    """
    known("reference string", name, strings())
    if name in WRITTEN:
        return WRITTEN[name][1]
    whole = replays.opened(sources.named(name)).references
    piece = slice(whole.size // 2, whole.size // 2 + PIECE)
    pages, writes = whole.ids[whole.pages[piece]].tolist(), whole.writes[piece].tolist()
    return " ".join(f"{page}{'w' if write else 'r'}" for page, write in zip(pages, writes, strict=True))


class Walk(Asks):
    """Where one stands in a reference string under a policy. `step` is what the last reference did, `hits` all did.

    beside: another policy on the same string in lock-step, whose walk is `other`; device: on which pages cost
    something. Raises ModelError for a text that is no reference string, more than 1000 references, other than 1 .. 64
    frames, or an unknown policy or device.
    """

    def __init__(
        self, policy: str = "lru", text: str = GOLDEN, frames: int = 4, beside: str = NOBODY, device: str = DEVICE
    ):
        super().__init__()
        self.position = 0
        self.ask(policy, text, frames, beside, device)

    def ask(self, policy: str, text: str, frames: int, beside: str = NOBODY, device: str = DEVICE) -> None:
        """Another question; the place in the string stays, as far as the string goes. An error changes nothing."""
        references = References.of_text(text)
        require(
            references.size <= LONGEST, f"a walk for the eye has at most {LONGEST} references; got {references.size}"
        )
        require(
            isinstance(frames, int) and 1 <= frames <= MOST_FRAMES,
            f"a walk for the eye has 1..{MOST_FRAMES} frames; got {frames}",
        )
        paid = bill(device)
        whole = Stepper(references, frames, policy, plain=True)
        steps = [whole.step, *(whole.forward() for _ in range(references.size))]
        other = None if beside == NOBODY else Walk(beside, text, frames, device=device)
        self.policy, self.text, self.frames, self.references = policy, text, frames, references
        self.steps, self.other, self.bill = steps, other, paid
        self.hits = [step.hit for step in steps[1:]]
        self._move(min(self.position, self.size))
        self.asked_anew()

    @property
    def step(self):
        """What the last reference did, and what is where after it."""
        return self.steps[self.position]

    @property
    def size(self) -> int:  # type: ignore[override]
        """References of the whole string."""
        return self.references.size

    @property
    def beside(self) -> str:
        """The policy in lock-step, or `NOBODY`."""
        return self.other.policy if self.other else NOBODY

    def reference(self, position: int) -> tuple[int, bool]:
        """Page id of the reference at a position 1 .. size, and whether it is a write."""
        references = self.references
        return int(references.ids[references.pages[position - 1]]), bool(references.writes[position - 1])

    def spent(self, position: int) -> tuple[float, float, float]:
        """Time [s], energy [J] and money [USD] of the first references on the device; nan where it is not known."""
        step = self.steps[position]
        read, write = self.bill.read, self.bill.write
        time_s, energy_j, usd = (
            step.misses * one + step.write_backs * two for one, two in zip(read, write, strict=True)
        )
        return time_s, energy_j, usd

    def facts(self) -> set[str]:
        """What the last reference did, in words that lines of pseudo-code are lit by."""
        if self.position == 0:
            return set()
        before, step = self.steps[self.position - 1], self.step
        was, now = _lists(before), _lists(step)
        facts = {"hit" if step.hit else "miss", "write" if step.write else "read"}
        if step.page in now:
            facts |= {"held", f"in {now[step.page]}", *(() if step.hit else ("loaded",))}
        elif not step.hit:
            facts.add("bypass")
        if step.page in was:
            facts.add(f"from {was[step.page]}")
        facts.add("ghost" if any(step.page in pages for pages in before.ghosts.values()) else "no ghost")
        if step.victims:
            reasons = find(self.policy)[0].reasons
            facts |= {"victim", f"reason {reasons.index(step.reason)}"}
            facts |= {"victim dirty" if dirty else "victim clean" for _, dirty in step.victims}
            gone = {page for page, _ in step.victims}
            if gone & {page for pages in step.ghosts.values() for page in pages}:
                facts.add("remembered")
        for name, value in step.values.items():
            if value != before.values.get(name, value):
                facts.add(f"{name} {'up' if value > before.values[name] else 'down'}")
        if any(page != step.page and page in was and was[page] != place for page, place in now.items()):
            facts.add("others moved")
        return facts

    def random_text(self, seed: int) -> str:
        """References drawn with a seed: few pages often, most of them reads."""
        dice = random.Random(seed)
        pages = dice.choices(range(1, RANDOM_PAGES + 1), [1 / n for n in range(1, RANDOM_PAGES + 1)], k=RANDOM_SIZE)
        return " ".join(f"{page}{'w' if dice.random() < RANDOM_WRITES else 'r'}" for page in pages)

    def _move(self, position: int) -> None:
        self.position = position
        if self.other:
            self.other.go(position)

    def _questions(self) -> list[Question]:
        """Before a reference: hit or miss? After a miss: which page leaves, and is it written?"""
        coming = self.steps[self.position + 1]
        verb = "writes" if coming.write else "reads"
        asked = [
            Question(
                f"The next reference {verb} page {coming.page}. A hit or a miss?",
                ("a hit", "a miss"),
                frozenset({0 if coming.hit else 1}),
            )
        ]
        held = sorted(_lists(self.step))
        if coming.hit or not held:
            return asked
        gone = [page for page, _ in coming.victims]
        right = frozenset({held.index(page) for page in gone} if gone else {len(held)})
        pages = (*(f"page {page}" for page in held), "none of them")
        asked.append(Question(f"Page {coming.page} is missed. Which page leaves?", pages, right))
        if gone:
            written = any(dirty for _, dirty in coming.victims)
            name = f"Page {gone[0]} leaves. Is it" if len(gone) == 1 else f"{len(gone)} pages leave. Is one of them"
            asked.append(Question(f"{name} written to the device?", ("yes", "no"), frozenset({0 if written else 1})))
        return asked


def _lists(step) -> dict[int, str]:
    """The list of every page in the buffer."""
    return {entry.page: title for title, entries in step.lists.items() for entry in entries}
