"""What is made from something else is up to date, and the project says nothing it should not."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]


MADE = {".git", ".venv", ".tools", "build", "dist", "screenshots", "__pycache__"}
MADE |= {".ruff_cache", ".pytest_cache", ".mypy_cache"}


def own_files() -> list[Path]:
    """The project's files, without what is made from them."""
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file() and not MADE & set(path.relative_to(ROOT).parts) and ".ipynb_checkpoints" not in path.parts
    ]


def test_environment_yml_says_what_pyproject_says():
    done = subprocess.run(
        [sys.executable, "app/packaging/make_environment.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_lock_satisfies_the_project():
    lock = {
        package["name"]: package.get("version")
        for package in tomllib.loads((ROOT / "uv.lock").read_text("utf8"))["package"]
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))
    groups = project["dependency-groups"].values()
    wanted = [
        *project["project"]["dependencies"],
        *(text for group in groups for text in group if isinstance(text, str)),
    ]
    wanted += project["project"]["optional-dependencies"]["window"]
    for text in wanted:
        requirement = Requirement(text)
        assert requirement.specifier.contains(lock[requirement.name.lower()]), text


def test_the_version_is_one():
    import pagecost

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    assert pagecost.__version__ == project["version"]
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text("utf8")


def sections(page: Path) -> set[str]:
    """The names by which the sections of a page are linked to."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf8"), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/models/README.md"])
def test_a_page_has_links(page):
    assert re.search(r"\]\([^)]+\)", (ROOT / page).read_text("utf8"))


@pytest.mark.parametrize(
    "page", [path for path in own_files() if path.suffix == ".md"], ids=lambda path: str(path.name)
)
def test_every_file_and_section_that_a_page_links_to_exists(page):
    for link, section in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text("utf8")):
        if not link.startswith(("http", "mailto")):
            there = page.parent.joinpath(link) if link else page
            assert there.exists(), link
            assert not section or section in sections(there), f"{link}#{section}"


def test_every_section_of_the_models_that_code_names_exists():
    named = {
        match
        for path in own_files()
        if path.suffix in {".py", ".toml", ".ipynb", ".csv"} and path != Path(__file__)
        for match in re.findall(r"docs/models/(\w+\.md)(?:#([\w-]+))?", path.read_text("utf8"))
    }
    assert len(named) > 15
    for page, section in named:
        assert section in sections(ROOT / "docs" / "models" / page), f"docs/models/{page}#{section}"


def test_no_path_of_a_machine_stands_in_the_project():
    for path in own_files():
        if path.suffix in {".py", ".md", ".toml", ".csv", ".ipynb", ".json", ".yml", ".sh", ".spec", ".fio"}:
            text = path.read_text("utf8")
            assert not re.search(r"(?<![\w.])/(?:home|root|Users|work)/\w", text.replace(__file__, "")), path


def test_no_command_of_the_readme_is_unknown():
    """Every `make` target and every `pagecost` command that the pages print exists."""
    from pagecost_app.cli import app

    makefile = (ROOT / "Makefile").read_text("utf8")
    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    groups = {
        group.name: {command.name for command in group.typer_instance.registered_commands}
        for group in app.registered_groups
    }
    for page in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text("utf8")
        for block in re.findall(r"```(?:sh)?\n(.*?)```", text, re.S):
            for target in re.findall(r"^make ([a-z-]+)", block, re.M):
                assert f"\n{target}:" in makefile, target
            for words in re.findall(r"^(?:uv run )?pagecost ([a-z]+)(?: ([a-z]+))?", block, re.M):
                assert words[0] in commands or words[1] in groups[words[0]], words


def test_what_tests_share_is_imported_by_name():
    """Twins and helpers are found by pytest's `pythonpath`: no test edits the import path, none imports another."""
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text("utf8")
        assert not re.search(r"^\s*sys\.path\b|^\s*(?:from|import) (?:\w+\.)*test_", text, re.M), path


def test_the_lines_that_the_readme_shows_of_the_library_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf8"), re.S)
    assert len(blocks) == 1
    exec(compile(blocks[0], "README.md", "exec"), {})
    said = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"[\d,]+ hits, [\d,]+ misses, [\d,]+ write-backs", said[0])
    assert "seek_s" in said[1]
    assert re.fullmatch(r"Random read in blocks of .*: Intel X25-E 64 GB carries most, .* with .*\.", said[2])
    assert said[3].startswith("device,")
