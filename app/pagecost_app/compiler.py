"""A process that compiles for another one: `python -m pagecost_app.compiler`.

Compiling holds the interpreter for seconds at a time, so the process that serves pages never does it. It hands a
question over, and this process answers it, for the sake of the machine code that stays in the kernel cache. Each line
on standard input and output is one JSON object:

in: `{"ask": [kind, name, values]}`, a kind of `KINDS`; `{"compile": true}` or false, the reply to a kernel wanted
out: `{"needs": number}`, how many kernels there will be, 0 where that is not known; `{"wants": kernel}`, asks before it
compiles; `{"kept": kernel}`, it is in the cache; then one of `{"done": true}`, `{"left": kernel}`, which was not to be
compiled, or `{"failed": sentence}`

It ends when standard input does, which is also how it notices that the other process is gone.
"""

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from typing import TextIO

from pagecost import _jit
from pagecost.errors import ModelError
from pagecost_app.kernels_needed import missing


def answer_study(name: str, values: dict) -> None:
    """Answer a study with these inputs, and draw the answer: some charts show single steps that take a kernel."""
    from pagecost import studies
    from pagecost_app.charts import CHARTS

    study = studies.find(name)
    inputs = study.inputs(values)
    result = study.compute(inputs)
    study.explain(inputs, result)
    chart = CHARTS[name]()
    chart.update(inputs, result)
    study.describe(inputs, result)


def walk(name: str, values: dict) -> None:
    """Walk through a reference string under the policy `name`."""
    from pagecost_app.walks import Walk

    Walk(name, **values)


def walk_path(name: str, values: dict) -> None:
    """Walk through the whole path under the policy `name`."""
    from pagecost_app.walks import PathWalk

    PathWalk(**values)


def tell(name: str, values: dict) -> None:
    """Walk through the device of that kind of stepper, whose models run as plain Python."""
    from pagecost_app.walks import KINDS

    KINDS[name].walk(**values)


def read_text(name: str, values: dict) -> None:
    """Take the reference string that is offered to walk through under that name."""
    from pagecost_app.walks import text_of

    text_of(name)


def read_traces(name: str, values: dict) -> None:
    """Understand an example of every trace format."""
    from pagecost.workload import traces

    traces.warm()


def check_claims(name: str, values: dict) -> None:
    """Check the claims of these ids; the verdicts are kept."""
    from pagecost.claims import check_these, claims

    check_these([claim for claim in claims() if claim.id in values["ids"]], processes=1)


def measure_claim(name: str, values: dict) -> None:
    """Measure the claim of that id."""
    from pagecost.claims import claims
    from pagecost.claims.changed import measured

    measured(next(claim for claim in claims() if claim.id == name))


KINDS = {
    **{"study": answer_study, "walk": walk, "path": walk_path, "told": tell, "text": read_text, "traces": read_traces},
    **{"claims": check_claims, "claim": measure_claim},
}


def serve(asked: TextIO, answers: TextIO) -> None:
    """Answer what stands on the lines of `asked` until they end, which ends the process."""
    lines: queue.SimpleQueue = queue.SimpleQueue()

    def read() -> None:
        for line in asked:
            lines.put(json.loads(line))
        os._exit(0)  # nobody waits for what is being compiled

    def say(**facts) -> None:
        answers.write(json.dumps(facts) + "\n")
        answers.flush()

    def may_compile(kernel: str) -> None:
        say(wants=kernel)
        if not lines.get()["compile"]:
            raise _jit.NotCompiled(kernel)

    _jit.announce_compiles(lambda message: None)
    _jit.ask_before_compiling(may_compile, lambda kernel: say(kept=kernel))
    threading.Thread(target=read, daemon=True, name="questions").start()
    while True:
        kind, name, values = lines.get()["ask"]
        try:
            say(needs=missing(kind, name))
            with contextlib.suppress(ModelError, OSError):  # whoever asked finds the same, and says it
                KINDS[kind](name, values)
            say(done=True)
        except _jit.NotCompiled as kernel:
            say(left=kernel.kernel)
        except Exception as error:
            say(failed=f"{type(error).__name__}: {error}")


def main() -> None:
    """Serve on this process's standard input and output; what others print goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is meant for the program that is served
    if hasattr(os, "nice"):
        os.nice(10)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
