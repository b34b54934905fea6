"""`pagecost trace inspect`: what a trace file holds, before anything is computed from it."""

import numpy as np

from pagecost.requests import WRITE
from pagecost.workload import traces

SHOWN = 5


def inspect(file: str, trace_format: str | None) -> dict:
    """Named facts about a trace. Raises ModelError when no request in it can be understood."""
    trace = traces.read(file, trace_format) if trace_format else traces.load(file)
    requests = trace.requests
    pages, writes = requests.page_references()
    first = [
        {
            "arrival_s": float(requests.arrival_s[i]),
            "op": "write" if requests.op[i] == WRITE else "read",
            "page": int(requests.page[i]),
            "pages": int(requests.pages[i]),
            "stream": int(requests.stream[i]),
        }
        for i in range(min(SHOWN, requests.size))
    ]
    return {
        "file": str(trace.path),
        "format": trace.format,
        "requests": requests.size,
        "page_references": int(pages.size),
        "distinct_pages": int(np.unique(pages).size),
        "read_share": float(1 - writes.mean()),
        "time_span_s": float(requests.arrival_s.max() - requests.arrival_s.min()),
        "streams": int(np.unique(requests.stream).size),
        "page_bytes": requests.page_bytes,
        "rejected_lines": trace.rejected_lines,
        "first_requests": first,
        "rejected": [{"line": bad.line, "text": bad.text, "reason": bad.reason} for bad in trace.rejected],
    }
