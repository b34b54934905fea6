"""pyproject.toml -> environment.yml, for conda and Binder. `--check` only compares."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# where conda-forge's name differs
CONDA_NAME = {"backports-zstd": "backports.zstd", "jupyter-bokeh": "jupyter_bokeh", "duckdb": "python-duckdb"}


def text() -> str:
    """What environment.yml must say. Exits with a sentence for a requirement that conda cannot express."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    lines = [f"  - {conda(requirement)}" for requirement in sorted(project["dependencies"], key=str.lower)]
    return (
        "# Made by app/packaging/make_environment.py from pyproject.toml; do not edit.\n"
        f"name: {project['name']}\nchannels:\n  - conda-forge\n  - nodefaults\ndependencies:\n"
        f"  - python {project['requires-python']}\n" + "\n".join(lines) + "\n  - pip\n  - pip:\n      - -e .\n"
    )


def conda(requirement: str) -> str:
    """A PyPI requirement in conda's words."""
    name, extras, versions, marker = re.fullmatch(
        r"([A-Za-z0-9._-]+)\s*(\[[^]]*\])?\s*([^;]*)(;.*)?", requirement
    ).groups()
    if marker and re.fullmatch(r"; python_version < '[0-9.]+'", marker):
        marker = None  # of an older Python only: conda then chooses such a Python
    if extras or marker or "~=" in versions or "@" in versions:
        sys.exit(f"conda cannot express {requirement!r}")
    return f"{CONDA_NAME.get(name, name)} {versions.replace(' ', '')}".rstrip()


if __name__ == "__main__":
    file = ROOT / "environment.yml"
    if "--check" not in sys.argv:
        file.write_text(text(), "utf8")
    elif not file.exists() or file.read_text("utf8") != text():
        sys.exit("environment.yml is out of date: run python app/packaging/make_environment.py")
