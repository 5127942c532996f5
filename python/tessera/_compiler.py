"""Finding the command `tessera`, and compiling programs with it."""

import os
import shutil
import subprocess
from pathlib import Path

from ._errors import CompileError, CompilerNotFoundError

_ADVICE = """I find no Tessera compiler (the command `tessera`). Either
  - build it in a checkout: ./dev build tessera tesserac
  - put the folder that holds it on PATH, or
  - set TESSERA_HOME to where Tessera is installed (TESSERA_HOME/bin/tessera)"""


def compiler_path():
    """The path of the command `tessera`: of TESSERA_HOME, on the path, or of the build folder of the checkout."""
    home = os.environ.get("TESSERA_HOME")
    if home:
        for folder in ("bin", "build/release/bin", "."):
            path = Path(home, folder, "tessera")
            if os.access(path, os.X_OK) and path.is_file():
                return str(path)
        raise CompilerNotFoundError(f"TESSERA_HOME is {home}, but there is no bin/tessera in it")
    if found := shutil.which("tessera"):
        return found
    here = Path(__file__).resolve().parent
    places = [here / "bin" / "tessera"]
    if (here.parent.parent / "dev").exists():  # a checkout: python/tessera/_compiler.py
        places += [here.parent.parent / "build" / preset / "bin" / "tessera" for preset in ("release", "asan")]
    recorded = here / "_checkout.txt"  # the checkout from which the package was installed
    if recorded.exists():
        places += [Path(recorded.read_text(encoding="utf-8").strip()) / "build" / "release" / "bin" / "tessera"]
    for path in places:
        if os.access(path, os.X_OK):
            return str(path)
    raise CompilerNotFoundError(_ADVICE)


def build(program, target):
    """(path of the shared library, path of its manifest). What was compiled before is taken from the compiler's cache."""
    command = [compiler_path(), "build", os.fspath(program), "--target", target]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        raise CompileError((result.stderr or result.stdout).strip() or f"{command[0]} ended with status {result.returncode}")
    library = result.stdout.strip().splitlines()[-1]
    return library, os.path.splitext(library)[0] + ".json"
