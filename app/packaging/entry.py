"""The packaged program: the command line of pagecost; without arguments, as from an icon, the app."""

import multiprocessing
import sys
from pathlib import Path

from pagecost_app import compiler
from pagecost_app.cli import main
from pagecost_app.compiling import COMPILER

if __name__ == "__main__":
    multiprocessing.freeze_support()  # a worker process starts this program again
    if sys.argv[1:] == [COMPILER]:  # a compiler of the app, which starts this program again
        compiler.main()
    if len(sys.argv) == 1:
        sys.argv.append("app")
    is_small = not (Path(sys.prefix) / "PySide6").is_dir()  # the package that uses the system's browser
    if is_small and sys.argv[1] == "app" and "--browser" not in sys.argv:
        sys.argv.append("--browser")
    main()
