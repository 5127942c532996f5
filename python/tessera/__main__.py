"""python3 -m tessera stubs model.tsr [-o model.pyi]"""

import argparse
import os
import sys

from . import Error, load, stubs


def main():
    parser = argparse.ArgumentParser(prog="python3 -m tessera", description="Tessera for Python; the compiler is `tessera`, see `tessera --help`.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("stubs", help="write model.pyi beside model.tsr: types for editors and type checkers")
    command.add_argument("program")
    command.add_argument("-o", "--output", help="the file to write; `-` is the terminal")
    options = parser.parse_args()
    try:
        text = stubs(load(options.program))
    except (Error, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    output = options.output or os.path.splitext(options.program)[0] + ".pyi"
    if output == "-":
        sys.stdout.write(text)
    else:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
        print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
