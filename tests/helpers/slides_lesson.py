"""A lesson with one of everything that a slide can show, quickly answered."""

import json
from pathlib import Path


def lesson_file(folder: Path) -> Path:
    """The notebook, written into a folder."""

    def text(source):
        return {"cell_type": "markdown", "metadata": {}, "source": source}

    def code(source, tags=(), printed=""):
        outputs = [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else []
        return {"cell_type": "code", "metadata": {"tags": list(tags)}, "source": source, "outputs": outputs}

    cells = [
        text(
            "# 6 · Mine\n\nWhat it is about.\n\n*Time: 5 to 10 minutes.*\n\n"
            "**After it you can**\n\n- say *it*;\n- do it."
        ),
        code("from pagecost_app.notebook import explore"),
        text("## An idea\n\nIt costs \\$5.\n\n<details><summary>Answer</summary>\n\nNot so.\n\nIndeed.\n\n</details>"),
        code("shown = explore('label_length')\nshown"),
        code("assert shown", ["instructor"]),
        text("## Exercise\n\nReplace the dots and run the cell."),
        code("ask('victims', seed=2)"),
        code("check('victims', ..., seed=2)"),
        code("print(1)", ["nbval-check-output"], "one <number>\n"),
        code("step('lru', '1r 2w 1r', frames=1)"),
    ]
    file = folder / "mine.ipynb"
    file.write_text(json.dumps({"cells": cells}), "utf8")
    return file
