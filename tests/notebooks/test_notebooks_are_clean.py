"""What is committed of a notebook: no leftovers of a run, nothing that nbval would skip, a self-test an exploration."""

import ast
import json
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLEAN = runpy.run_path(str(Path(__file__).with_name("clean.py")))
NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))
ABSOLUTE_PATH = re.compile(r"(?<![\w/:.])/(?:home|root|tmp|usr|work|Users|var|opt|mnt)/|\b[A-Z]:\\\\")

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(path):
    return [cell for cell in json.loads(path.read_text("utf8"))["cells"] if cell["cell_type"] == "code"]


def tags(cell):
    return cell["metadata"].get("tags", [])


def test_a_committed_notebook_is_clean(path):
    text = path.read_text("utf8")
    command = f"python tests/notebooks/clean.py notebooks/{path.name}"
    assert CLEAN["text"](CLEAN["clean"](json.loads(text))) == text, f"run: {command}"


def test_every_checked_cell_has_an_output_to_be_compared_with(path):
    checked = [cell for cell in code_cells(path) if CLEAN["is_checked"](cell)]
    assert checked, "a lesson prints at least one number that is checked"
    for cell in checked:
        assert cell["outputs"], f"cell {cell['id']}: run the notebook; nbval compares nothing without an output"
        assert cell["execution_count"] is not None, f"cell {cell['id']}: nbval skips it without an execution count"


def test_every_exploration_has_a_self_test_that_moves_its_widgets(path):
    """nbval never moves a widget: only a cell that does so can tell that the chart follows."""
    explorations = {
        name
        for cell in code_cells(path)
        if "instructor" not in tags(cell)
        for name in re.findall(r"^(\w+) = (?:\w+\.)?explore\(", "".join(cell["source"]), re.MULTILINE)
    }
    calls = sum("".join(cell["source"]).count("explore(") for cell in code_cells(path))
    assert explorations
    assert len(explorations) == calls, "each exploration needs a name of its own, for its self-test"
    tests = ["".join(cell["source"]) for cell in code_cells(path) if "instructor" in tags(cell)]
    for name in explorations:
        own = [source for source in tests if re.search(rf"\b{name}\.set\(", source)]
        assert own, f"no cell tagged instructor moves the widgets of {name}"
        assert any("assert" in source and re.search(r"\.chart\.\S*data\b", source) for source in own), (
            f"{name}: the chart is not asked"
        )


def test_self_tests_are_collapsed_and_nothing_shows_a_path_of_a_machine(path):
    for cell in code_cells(path):
        if "instructor" in tags(cell):
            assert cell["metadata"].get("jupyter", {}).get("source_hidden"), f"cell {cell['id']} is not collapsed"
    assert not ABSOLUTE_PATH.search(path.read_text("utf8"))


def test_cell_ids_are_words_that_stay(path):
    ids = [cell["id"] for cell in json.loads(path.read_text("utf8"))["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z0-9-]{2,}", id) for id in ids)


def test_code_is_python_and_lessons_import_only_what_is_taught(path):
    for cell in code_cells(path):
        for node in ast.walk(ast.parse("".join(cell["source"]))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                assert all(name.split(".")[0] in {"pagecost", "pagecost_app", "numpy"} for name in names), names


def test_every_doi_is_well_formed_and_is_the_one_that_is_shown(path):
    cells = json.loads(path.read_text("utf8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    links = re.findall(r"\[([^\]]*)\]\(https://doi\.org/(\S*?)\)(?=[.,:;\s]|$)", text)
    assert len(links) == len(re.findall(r"\bdoi\.\w+/", text)), "a DOI is linked as [title](https://doi.org/10.…)"
    for shown, doi in links:
        assert re.fullmatch(r"10\.\d{4,9}/[\w.()/:;-]+", doi), f"{doi} is no DOI: write 10.REGISTRANT/SUFFIX"
        if shown.startswith("doi:"):
            assert shown == f"doi:{doi}", f"the text says {shown}, the link goes to {doi}"
