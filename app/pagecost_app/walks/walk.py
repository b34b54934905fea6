"""A walk that survives bad input: the policy, the frames and the text of the references, and where one stands."""

from pagecost.answers import replays
from pagecost.buffer import References, Stepper
from pagecost.errors import known, require
from pagecost.workload import sources, traces

LONGEST, MOST_FRAMES = 1000, 64  # what an eye can follow, and a picture can show
PIECE = 60  # references of a recording or load
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


class Walk:
    """Where one stands in a reference string under a policy. `step` is what the last reference did.

    Raises ModelError for a text that is no reference string, more than 1000 references, other than 1 .. 64 frames, or
    an unknown policy.
    """

    def __init__(self, policy: str = "lru", text: str = GOLDEN, frames: int = 4):
        self.ask(policy, text, frames)

    def ask(self, policy: str, text: str, frames: int) -> None:
        """Another question; the place in the string stays, as far as the string goes. An error changes nothing."""
        references = References.of_text(text)
        require(
            references.size <= LONGEST, f"a walk for the eye has at most {LONGEST} references; got {references.size}"
        )
        require(
            isinstance(frames, int) and 1 <= frames <= MOST_FRAMES,
            f"a walk for the eye has 1..{MOST_FRAMES} frames; got {frames}",
        )
        at = min(self.step.position, references.size) if hasattr(self, "stepper") else 0
        whole = Stepper(references, frames, policy)
        hits = [whole.forward().hit for _ in range(references.size)]
        whole.jump(at)
        self.policy, self.text, self.frames, self.references = policy, text, frames, references
        self.hits, self.stepper = hits, whole

    @property
    def step(self):
        """What the last reference did, and what is where after it."""
        return self.stepper.step

    @property
    def size(self) -> int:
        """References of the whole string."""
        return self.references.size

    def go(self, position: int) -> None:
        """To the place after `position` references; beyond an end it stops there."""
        self.stepper.jump(min(max(int(position), 0), self.size))

    def reference(self, position: int) -> tuple[int, bool]:
        """Page id of the reference at a position 1 .. size, and whether it is a write."""
        references = self.references
        return int(references.ids[references.pages[position - 1]]), bool(references.writes[position - 1])
