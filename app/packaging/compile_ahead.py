"""Machine code of every kernel that a package needs, for a package that carries no compiler.

`compile_ahead.py compile`: have all of `signatures.json` in the kernel cache, by two processes where some are missing.
`compile_ahead.py link FOLDER LEVEL...`: the same, and one shared library for each processor level in FOLDER, beside the
table that `pagecost._ahead` reads and Numba's two small libraries for memory and random numbers. What is linked is
Numba's intermediate code, which is optimised already: levels differ in instructions, their results do not in a bit.
`compile_ahead.py carry FOLDER [LEVEL...]`: the same as files of a kernel cache, a subfolder for each processor level,
for an environment that has Numba (a package's `kernel_cache`, see `pagecost._jit`). `rewrite FROM FOLDER` is its part
for the level that `NUMBA_CPU_NAME` names: the machine code in FROM once more, out of the same intermediate code.
`compile_ahead.py list`: write `signatures.json` anew: what it says already that today's kernels can be compiled for,
and what the kernel cache holds of today's. The package's test finds what the tests call and the list lacks.
"""

import ctypes
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

import llvmlite.binding as llvm
import numba
from numba import _helperlib, types
from numba.core import serialize
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python

import pagecost.studies  # noqa: F401 (imports every kernel that a study uses)
from pagecost import _ahead, _jit, _private_files
from pagecost._processes import process_pool

SIGNATURES = Path(__file__).with_name("signatures.json")
HELPER = re.compile(r"^declare ([^@\n]*?)(\S+) @((?:NRT|numba)_\w+)\(([^)]*)\)", re.MULTILINE)
PYTHON = re.compile(r"^(?:declare [^@\n]*@(Py\w+)\(|@(Py\w+) = external global)", re.MULTILINE)
TUPLE = re.compile(r"(\w+(?:\.\w+)+)\((\d+)\)")
C_LIBRARIES = ("libm.so.6", "libc.so.6")


def listed() -> dict[str, list[str]]:
    """The words of each signature that a package carries, by kernel."""
    return json.loads(SIGNATURES.read_text(encoding="utf-8"))


def kept() -> dict[str, set[str]]:
    """The words of each signature of today's kernels of the studies in this user's kernel cache, by kernel."""
    found: dict[str, set[str]] = {}
    for name, cache in _jit.kernels().items():
        for path in _jit.kernel_cache().glob(f"{cache.stem()}-*{_jit.ENDING}"):
            if content := _jit.read_kept(path):
                found.setdefault(name, set()).add(key(content.signature))
    return found


def key(signature: tuple) -> str:
    return " ".join(word for kind in signature for word in words(kind))


def words(kind: types.Type) -> list[str]:
    """How `pagecost._ahead` writes a type of Numba."""
    if isinstance(kind, types.BaseTuple):
        own = getattr(kind, "instance_class", tuple)
        return [_ahead.tuple_word(own, len(kind)), *(word for member in kind for word in words(member))]
    if isinstance(kind, types.Array):
        if not kind.aligned:
            raise SystemExit(f"{kind}: an array that is not aligned has no word")
        return [_ahead.array_word(str(kind.dtype), kind.ndim, kind.layout, kind.mutable)]
    if str(kind) not in _ahead.C_TYPES:
        raise SystemExit(f"{kind} has no word")
    return [str(kind)]


def kinds(written: list[str]) -> list[types.Type]:
    """What `words` writes, read again."""
    left, found = list(written), []
    while left:
        found.append(_kind(left))
    return found


def _kind(left: list[str]) -> types.Type:
    word = left.pop(0)
    name, bracket, rest = word.partition("[")
    if bracket:
        dimensions, _, layout = rest.partition("]")
        return types.Array(getattr(types, name), int(dimensions), layout[0], readonly=layout.endswith("!"))
    if not word.endswith(")"):
        return types.boolean if word == "bool" else getattr(types, word)
    path, _, count = word.removesuffix(")").rpartition("(")
    members = [_kind(left) for _ in range(int(count))]
    module, _, own = path.rpartition(".")
    return types.BaseTuple.from_types(
        members, None if own == "tuple" else getattr(importlib.import_module(module), own)
    )


def result(kind: types.Type) -> list[str] | str | None:
    if isinstance(kind, types.BaseTuple):
        return [word for member in kind for word in words(member)]
    return None if isinstance(kind, types.NoneType) else words(kind)[0]


def only(module: llvm.ModuleRef, entry: str, symbol: str) -> llvm.ModuleRef:
    """The module with nothing but that function to be seen, under its new name, and what it needs."""
    for part in (*module.functions, *module.global_variables):
        if part.name == entry:
            part.linkage, part.name, part.visibility = "external", symbol, "default"
        elif not part.is_declaration:
            part.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    passes.run(module, llvm.create_pass_builder(machine(None), llvm.create_pipeline_tuning_options()))
    module.verify()
    return module


def machine(level: str | None) -> llvm.TargetMachine:
    """What writes code that may lie anywhere in memory, for a processor level."""
    target = llvm.Target.from_triple(llvm.get_process_triple())
    cpu = "" if level in (None, _ahead.BASIC) else level
    return target.create_target_machine(cpu=cpu, features="", opt=3, reloc="pic", codemodel="default")


def helpers(modules: list[llvm.ModuleRef]) -> tuple[list[str], llvm.ModuleRef]:
    """Names of the helpers that the modules call, and a module in which each jumps to an address that is set later."""
    declared = {found[2]: found for module in modules for found in HELPER.findall(str(module))}
    text = [f'target triple = "{llvm.get_process_triple()}"']
    for _, kind, name, arguments in declared.values():
        bare = [argument.split()[0] for argument in arguments.split(",") if argument.strip()]
        listed = ", ".join(f"{kind} %{number}" for number, kind in enumerate(bare))
        text.append(f'@"{name}.at" = global ptr null')
        text.append(f"define hidden {kind} @{name}({listed}) {{")
        text.append(f'  %at = load ptr, ptr @"{name}.at"')
        if kind == "void":
            text.append(f"  tail call void %at({listed})\n  ret void\n}}")
        else:
            text.append(f"  %back = tail call {kind} %at({listed})\n  ret {kind} %back\n}}")
    # what would write the text of an error with Python's help: here an error is known by its number
    python = {function or variable for module in modules for function, variable in PYTHON.findall(str(module))}
    text += [f"define hidden ptr @{name}() {{\n  ret ptr null\n}}" for name in sorted(python)]
    return sorted(declared), llvm.parse_assembly("\n".join(text))


def link(modules: list[llvm.ModuleRef], level: str, library: Path) -> None:
    writer = machine(level)
    libraries = [path for name in C_LIBRARIES if (path := _path_of(name))]
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for number, module in enumerate(modules):
            objects.append(Path(folder) / f"{number}.o")
            objects[-1].write_bytes(writer.emit_object(module))
        flags = ("-shared", "--strip-all", "-z", "relro", "-z", "noexecstack", "--no-undefined", "--as-needed")
        subprocess.run(["ld", *flags, "-o", library, *objects, *libraries], check=True)


def _path_of(library: str) -> str:
    """Where this process has loaded it from."""
    ctypes.CDLL(library)
    maps = Path("/proc/self/maps").read_text()
    return next(line.split()[-1] for line in maps.splitlines() if line.endswith(f"/{library}"))


def have_compiled(part: int = 0, parts: int = 1) -> None:
    """Have that part of the list in the kernel cache. Exits for a kernel that there is no more."""
    known = _jit.kernels()
    todo = [(name, signature) for name, signatures in listed().items() for signature in signatures]
    for name, signature in todo[part::parts]:
        if name not in known:
            raise SystemExit(f"{SIGNATURES.name} lists {name}, which no study uses: run compile_ahead.py list")
        known[name].kernel.compile(tuple(kinds(signature.split())))


def have_all_compiled() -> None:
    there = kept()
    if all(set(signatures) <= there.get(name, set()) for name, signatures in listed().items()):
        return
    with process_pool(2, get_context()) as processes:
        for work in [processes.submit(have_compiled, part, 2) for part in range(2)]:
            work.result()


def link_all(folder: Path, levels: list[str]) -> None:
    have_compiled()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    modules, table = [], {}
    for name, cache in _jit.kernels().items():
        for signature in listed().get(name, []):
            code = cache.kernel.overloads[tuple(kinds(signature.split()))]
            symbol = f"pagecost_{len(modules)}"
            table.setdefault(name, {})[signature] = {"symbol": symbol, "result": result(code.fndesc.restype)}
            bitcode = code.library._get_module_for_linking().as_bitcode()
            modules.append(only(llvm.parse_bitcode(bitcode), code.fndesc.llvm_func_name, symbol))
    names, jumps = helpers(modules)
    for level in levels:
        (folder / level).mkdir(parents=True, exist_ok=True)
        link([*modules, jumps], level, folder / level / "kernels.so")
    for module in (_nrt_python, _helperlib):
        shutil.copyfile(module.__file__, folder / f"{module.__name__.rpartition('.')[2]}.so")
    facts = {"numba": numba.__version__, "helpers": names, "kernels": table}
    (folder / _ahead.TABLE).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def carry(folder: Path, levels: list[str]) -> None:
    """Machine code of the list as files of a kernel cache: FOLDER/LEVEL for this processor's level and the others."""
    own = _jit.kernel_cache().name
    with_others = [own, *(level for level in _ahead.LEVELS if own in _ahead.LEVELS and level != own)]
    ours = folder / own
    ours.mkdir(parents=True)
    wanted = {(name, signature) for name, signatures in listed().items() for signature in signatures}
    for name, cache in _jit.kernels().items():
        for path in _jit.kernel_cache().glob(f"{cache.stem()}-*{_jit.ENDING}"):
            content = _jit.read_kept(path)
            if content and (name, key(content.signature)) in wanted:
                wanted.discard((name, key(content.signature)))
                shutil.copyfile(path, ours / path.name)
    if wanted:
        raise SystemExit(f"these are not in the kernel cache, though they were compiled: {sorted(wanted)}")
    for level in levels or with_others:
        if level != own:
            pinned = os.environ | {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
            command = [sys.executable, __file__, "rewrite", str(ours), str(folder / level)]
            subprocess.run(command, check=True, env=pinned)
    if own not in (levels or with_others):
        shutil.rmtree(ours)


def rewrite(source: Path, folder: Path) -> None:
    """What the files of a kernel cache hold, written for the processor that this process is pinned to."""
    folder.mkdir(parents=True)
    context = cpu_target.target_context
    by_name = {cache.stem(): cache for cache in _jit.kernels().values()}
    for path in sorted(source.glob(f"*{_jit.ENDING}")):
        content = _jit.read_kept(path)
        if content is None:
            raise SystemExit(f"{path} is damaged")
        (name, kind, (_, bitcode)), *rest = content.machine_code
        code = context.codegen()._tm.emit_object(llvm.parse_bitcode(bitcode))
        # as `_KernelCache.save_overload` keeps what was compiled here
        file, its_key = by_name[path.name.rpartition("-")[0]]._named(content.signature, context.codegen())
        packed = serialize.dumps((its_key, content.signature, ((name, kind, (code, bitcode)), *rest)))
        _private_files.write(folder / file, _jit.sealed(packed))


def stale(signature: str) -> str:
    """A tuple in a signature that has another number of fields today, or is no more; "" where all are as they were."""
    for path, count in TUPLE.findall(signature):
        module, _, own = path.rpartition(".")
        today = getattr(importlib.import_module(module), own, None)
        if today is None or len(today._fields) != int(count):
            return path
    return ""


def compiles(name: str, signature: str) -> bool:
    """Whether today's kernel of that name can be compiled for it: a field of a tuple may have another type today."""
    try:
        _jit.kernels()[name].kernel.compile(tuple(kinds(signature.split())))
    except numba.TypingError:
        return False
    return True


def write_list() -> None:
    before = listed() if SIGNATURES.exists() else {}
    before = {name: [each for each in signatures if not stale(each)] for name, signatures in before.items()}
    found = kept()
    kept_on = {
        name: sorted({each for each in signatures if each in found.get(name, ()) or compiles(name, each)})
        for name, signatures in before.items()
        if name in _jit.kernels()
    }
    found = {name: sorted({*signatures, *kept_on.get(name, [])}) for name, signatures in found.items()}
    SIGNATURES.write_text(json.dumps(kept_on | found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "list":
        write_list()
    elif command != "rewrite":
        have_all_compiled()
    if command == "carry":
        carry(Path(rest[0]), rest[1:])
    elif command == "rewrite":
        rewrite(*map(Path, rest))
    elif command == "link":
        link_all(Path(rest[0]), rest[1:])
