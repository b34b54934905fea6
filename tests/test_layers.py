"""The architecture as a test: every import points downwards, and machine code lives only in kernel files."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINE, APP = ROOT / "engine" / "pagecost", ROOT / "app" / "pagecost_app"

# The floors of the engine from the ground up; neighbours on one floor do not import each other.
FLOORS = [
    {"errors", "_jit"},
    {"units", "numbering_kernels"},
    {"catalogue", "requests", "numbering"},
    {"workload", "buffer", "xmlstore", "filesystem", "devices"},
    {"transactions", "operators", "calibration", "oscaches"},
    {"economics", "path"},
    {"studies"},
    {"claims"},
]
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# Rooms of the app, likewise
APP_FLOORS = [
    {"uploads", "waiting"},
    {
        "charts",
        "walks",
        "printing",
        "server",
        "window",
        "buffer_command",
        "trace_command",
        "ssd_command",
        "xml_command",
        "exercises",
        "lab",
    },
    {"pages", "notebook", "desktop"},
    {"cli"},
]
APP_FLOOR_OF = {room: number for number, rooms in enumerate(APP_FLOORS) for room in rooms}
ONLY_IN_FACES = {"bokeh", "ipywidgets", "jupyter_bokeh", "PySide6", "typer", "tornado", "IPython"}
KERNEL_IMPORTS = {"numpy", "numba", "math", "typing", "collections", "heapq"}
COMPILERS = {"kernel", "lean_kernel", "part", "lean_part", "inline_part", "template"}


def imports_of(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where an arrow points"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def room_of(path: Path, house: Path) -> str:
    return path.relative_to(house).parts[0].removesuffix(".py")


def files(house: Path) -> list[Path]:
    return [path for path in sorted(house.rglob("*.py")) if path.parent != house or path.stem != "__init__"]


@pytest.mark.parametrize("path", files(ENGINE), ids=lambda path: str(path.relative_to(ENGINE)))
def test_an_engine_room_imports_only_from_floors_below(path):
    own = room_of(path, ENGINE)
    for name in imports_of(path):
        parts = name.split(".")
        assert parts[0] not in {"pagecost_app", "app", "engine", *ONLY_IN_FACES}, f"{path} imports {name}"
        if parts[0] == "pagecost" and len(parts) > 1 and parts[1] != own:
            assert FLOOR_OF[parts[1]] < FLOOR_OF[own], f"{path} ({own}) imports {name}, which is not below it"


@pytest.mark.parametrize("path", files(APP), ids=lambda path: str(path.relative_to(APP)))
def test_an_app_room_imports_only_from_floors_below(path):
    own = room_of(path, APP)
    for name in imports_of(path):
        parts = name.split(".")
        assert parts[0] not in {"app", "engine"}, f"{path} imports {name}: a second copy of every class"
        if parts[0] == "pagecost_app" and len(parts) > 1 and parts[1] != own:
            assert APP_FLOOR_OF[parts[1]] < APP_FLOOR_OF[own], f"{path} ({own}) imports {name}, which is not below it"


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*_kernels.py")), ids=lambda path: path.name)
def test_a_kernel_file_imports_only_arrays_and_other_kernel_files(path):
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] == "pagecost":
            assert parts[1] == "_jit" or any(part.endswith("_kernels") for part in parts), f"{path} imports {name}"
        else:
            assert parts[0] in KERNEL_IMPORTS, f"{path} imports {name}"


@pytest.mark.parametrize("path", files(ENGINE), ids=lambda path: str(path.relative_to(ENGINE)))
def test_code_is_compiled_only_in_kernel_files(path):
    """The kernel cache is named by a digest of the kernel files: code compiled elsewhere could go stale."""
    if path.stem.endswith("_kernels") or path.stem == "_jit":
        return
    names = {name.split(".")[-1] for name in imports_of(path) if name.startswith(("pagecost._jit", "numba"))}
    assert not names & {*COMPILERS, "njit", "jit", "vectorize", "guvectorize"}


def test_no_file_grows_beyond_what_one_idea_needs():
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in ("engine", "app", "tests", "datasets")
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text("utf8").splitlines())) > 500
    }
    assert not long
