"""The architecture as a test: every import points downwards, and machine code lives only in kernel files."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINE, APP = ROOT / "engine" / "pagecost", ROOT / "app" / "pagecost_app"

# The floors of the engine from the ground up; neighbours on one floor do not import each other.
FLOORS = [
    {
        "errors",
        "cancellation",
        "_interrupts",
        "_numba_private",
        "_plain",
        "_private_files",
        "_processes",
        "_processors",
        "texts",
    },
    {"_stamps"},
    {"_ahead", "_jit", "registry", "reads", "whole_files"},
    {"remembering", "units", "characters_kernels", "interpreted", "lists_kernels", "numbering_kernels"},
    {"intervals", "validation"},
    {"catalogue_tables"},
    {"device_files"},
    {"catalogue", "exchange", "glossary", "requests", "numbering"},
    {"provenance"},
    {"workload", "buffer", "xmlstore", "devices", "filesystem"},
    {"transactions", "oscaches", "operators", "calibration"},
    {"economics", "path", "oltp"},
    {"system_economics"},
    {"system", "programs"},
    {"walk"},
    {"answers"},
    {"planner"},
    {"studies"},
    {"claims", "sweep"},
]
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# Rooms of the app, likewise
APP_FLOORS = [
    {"stdin", "plain_json"},
    {"asking", "uploads", "compiling", "heap", "kernels_needed", "studies_listed", "terminal", "made_with", "logbook"}
    | {"other_programs", "bokeh_scripts"},
    {"waiting", "claims_told", "completing", "faults"},
    {"command_parts"},
    {
        "charts",
        "walks",
        "printing",
        "server",
        "window",
        "buffer_command",
        "trace_command",
        "ssd_command",
        "glossary_command",
        "calibrate_command",
        "xml_command",
        "options",
        "wear_command",
    },
    {"studies_command", "system_command", "report_look", "thumbnails", "workspace", "pictures"},
    {"exercises", "about"},
    {"answer_report", "course", "plan_command"},
    {
        "lab",
        "book",
        "run_command",
        "importing",
        "plan_report",
        "wear_options",
        "ssd_group",
        "xml_group",
        "trace_group",
        "replay_group",
    },
    {"pages", "slides", "notebook", "compiler", "claims_look", "devices_command", "check_command", "sweep_command"},
    {"system_group", "devices_group", "check_group", "calibrate_group", "study_group", "report_group"}
    | {"course_group", "slides_group"},
    {"desktop", "kernels_found", "thumbnails_found", "claims_report", "items_left"},
    {"claims_command"},
    {"claims_group"},
    {"plan_group"},
    {"cli"},
    {"man"},
]
APP_FLOOR_OF = {room: number for number, rooms in enumerate(APP_FLOORS) for room in rooms}
ONLY_IN_FACES = {"bokeh", "ipywidgets", "jupyter_bokeh", "PySide6", "typer", "tornado", "IPython"}
KERNEL_IMPORTS = {"numpy", "numba", "math", "typing", "collections", "heapq"}
PRIVATE_NUMBA = {"numba.core", "numba.cpython", "numba.np", "numba.targets"}


@functools.cache  # seven tests look at each file
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf8"))


@functools.cache
def imports_of(path: Path) -> list[str]:
    found = []
    for node in ast.walk(parsed(path)):
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


def compilers() -> set[str]:
    """The names in `_jit` that compile a function, as the file itself says."""
    from pagecost import _jit

    decorators = ("numba.core.decorators", "pagecost._numba_private")
    made = {name for name, value in vars(_jit).items() if getattr(value, "__module__", None) in decorators}
    return {"kernel", "lean_kernel"} | {name for name in made if not name.startswith("_")}


def test_the_compilers_are_those_that_the_contract_names():
    templates, parts = {"template", "lean_template"}, {"part", "lean_part", "general_part", "inline_part"}
    assert compilers() - {"njit"} == {"kernel", "lean_kernel", *templates, *parts}


@pytest.mark.parametrize("path", files(ENGINE), ids=lambda path: str(path.relative_to(ENGINE)))
def test_code_is_compiled_only_in_kernel_files(path):
    """Only there is it read with the rest of what is compiled, and kept apart from words and contracts."""
    if path.stem.endswith("_kernels") or path.stem in ("_jit", "_numba_private"):
        return
    names = {name.split(".")[-1] for name in imports_of(path) if name.startswith(("pagecost._jit", "numba"))}
    assert not names & {*compilers(), "njit", "jit", "vectorize", "guvectorize"}


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*_kernels.py")), ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_compiler_keeps_its_own_name(path):
    """`part`, `lean_part` and `inline_part` differ: under one name for all nobody sees which is meant."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "pagecost._jit":
            assert [alias.name for alias in node.names if alias.asname] == []


@pytest.mark.parametrize("path", files(ENGINE), ids=lambda path: str(path.relative_to(ENGINE)))
def test_private_parts_of_numba_stand_in_one_file(path):
    if path.stem == "_numba_private":
        return
    assert [name for name in imports_of(path) if ".".join(name.split(".")[:2]) in PRIVATE_NUMBA] == []


FOUND_BY_FILE = ("buffer/policies", "devices/ftl/victims", "devices/ftl/buffers", "devices/disk/schedulers")


@pytest.mark.parametrize("folder", FOUND_BY_FILE)
def test_a_contract_stands_beside_its_kernels_which_hold_compiled_code_only(folder):
    kernels = {path.stem.removesuffix("_kernels"): path for path in (ENGINE / folder).glob("*_kernels.py")}
    contracts = {path.stem for path in (ENGINE / folder).glob("*.py") if not path.stem.endswith("_kernels")}
    assert contracts - {"__init__"} == kernels.keys()
    for path in kernels.values():
        functions = [node for node in parsed(path).body if isinstance(node, ast.FunctionDef)]
        assert functions
        assert [function.name for function in functions if not function.decorator_list] == []


def hook_names(path: Path) -> set[str]:
    """The fields of the `Hooks` that a policy's file imports: what its functions of these names do stands there."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and "Hooks" in [alias.name for alias in node.names]:
            home = parsed(ENGINE.parent / (node.module.replace(".", "/") + ".py"))
            hooks = next(each for each in home.body if isinstance(each, ast.ClassDef) and each.name == "Hooks")
            return {field.target.id for field in hooks.body if isinstance(field, ast.AnnAssign)}
    return set()


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*_kernels.py")), ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_function_of_a_kernel_file_says_what_it_does_or_is_a_hook_that_hooks_explains(path):
    """Compiled code is read without a debugger: one line at least, and none only for the fields of `Hooks`."""
    functions = [node for node in parsed(path).body if isinstance(node, ast.FunctionDef)]
    silent = [function.name for function in functions if not ast.get_docstring(function)]
    assert sorted(set(silent) - hook_names(path)) == []


def test_the_hooks_of_a_policy_are_found():
    assert {"victim", "on_hit", "on_load"} <= hook_names(ENGINE / "buffer" / "policies" / "lru_kernels.py")
    assert hook_names(ENGINE / "lists_kernels.py") == set()


@pytest.mark.parametrize("path", files(ENGINE / "studies"), ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_study_does_not_lean_on_a_study_of_another_topic(path):
    """What two topics need is an answer, or a model below."""
    topics = {each.name for each in (ENGINE / "studies").iterdir() if each.is_dir()}
    for name in imports_of(path):
        parts = name.split(".")
        if parts[:2] == ["pagecost", "studies"] and parts[2] in topics:
            assert parts[2] == path.parent.name, f"{path} imports {name}"


def test_the_floors_name_the_rooms_that_exist_and_no_others():
    assert {room_of(path, ENGINE) for path in files(ENGINE)} == FLOOR_OF.keys()
    assert {room_of(path, APP) for path in files(APP)} == APP_FLOOR_OF.keys()


def test_the_table_of_floors_for_contributors_is_that_of_the_tests():
    """Floor by floor; on one floor the order is free, for neighbours do not know each other."""
    table = (ROOT / "CONTRIBUTING.md").read_text("utf8").partition("| floor of the engine")[2].partition("\n\n")[0]
    told = [set(re.findall("`(\\w+)`", row.split("|")[1])) for row in table.splitlines()[2:]]
    assert told == FLOORS


def test_no_file_grows_beyond_what_one_idea_needs():
    long = {
        str(path.relative_to(ROOT)): lines
        for folder in ("engine", "app", "tests", "datasets")
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text("utf8").splitlines())) > 500
    }
    assert not long
