"""Keeps committed notebooks small and quiet: `python tests/notebooks/clean.py notebooks/*.ipynb`.

Outputs stay only in cells tagged `nbval-check-output`: nbval compares them, and silently compares nothing when the
execution count is null, so both are kept. They are collapsed, so that a lesson gives no number away before its cell is
run, which opens them. Everything else loses outputs, counts, widget state and editor metadata.
"""

import json
import sys
from pathlib import Path

CHECKED = "nbval-check-output"
KEPT_METADATA = {"tags", "jupyter"}


def clean(notebook: dict) -> dict:
    """The notebook without what a run leaves behind; changed in place and returned."""
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook["nbformat"], notebook["nbformat_minor"] = 4, 5
    count = 0
    for cell in notebook["cells"]:
        cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key in KEPT_METADATA}
        cell["source"] = "".join(cell["source"]).splitlines(keepends=True)
        if cell["cell_type"] != "code":
            continue
        count += 1
        if is_checked(cell):
            cell["metadata"]["jupyter"] = {**cell["metadata"].get("jupyter", {}), "outputs_hidden": True}
            cell["execution_count"] = count
            for output in cell["outputs"]:
                output.get("metadata", {}).clear()
                if "execution_count" in output:
                    output["execution_count"] = count
        else:
            cell["outputs"], cell["execution_count"] = [], None
    return notebook


def text(notebook: dict) -> str:
    """The notebook as it is committed."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def is_checked(cell: dict) -> bool:
    """Whether nbval compares the cell's output."""
    return CHECKED in cell["metadata"].get("tags", [])


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(text(clean(json.loads(path.read_text("utf8")))), "utf8")
