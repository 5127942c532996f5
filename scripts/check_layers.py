#!/usr/bin/env python3
"""Includes go downwards only.

Reads the floor table of docs/architecture.md. A file of `src/<room>` may include headers of its own room and
of rooms on lower floors; headers of MLIR and LLVM only where the table says so; and what stands aside
(the runtime and the public headers) includes nothing of the compiler. Where the table names a file instead of
`yes` or `no`, that file of the folder alone sees them.
"""

import re
from house import arguments, files, finish, run, text_of

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
ROW = re.compile(r"^\|\s*(\d+|aside)\s*\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|", re.M)
FOLDER = re.compile(r"`((?:src|include)/[\w/]+)`")
IR_HEADERS = ("mlir/", "mlir-c/", "llvm/", "llvm-c/")


def floors(page):
    """{folder: (floor or None, sees MLIR: True, False, or the one file that does)} from the table."""
    table = {}
    for floor, folders, _, _, mlir in ROW.findall(page):
        for folder in FOLDER.findall(folders):
            mlir = mlir.strip()
            sees = mlir == "yes" or (mlir.startswith("`") and f"{folder}/{mlir.strip('`')}")
            table[folder] = (None if floor == "aside" else int(floor), sees)
    return table


def room_of(path, table):
    """The longest folder of the table that holds this path."""
    best = None
    for folder in table:
        if path == folder or path.startswith(folder + "/"):
            best = folder if best is None or len(folder) > len(best) else best
    return best


def target_of(include, table):
    """The folder that an included header belongs to, or None for headers from elsewhere."""
    first = include.split("/")[0]
    if first == "tessera":
        return "include/tessera"
    return room_of("src/" + include, table) or room_of(f"src/{first}", table)


def main():
    args = arguments(__doc__).parse_args()
    table = floors(text_of(args.root / "docs/architecture.md"))
    findings = []
    if not table:
        findings.append("docs/architecture.md: I found no floor table")
    for folder in table:
        if not (args.root / folder).is_dir():
            findings.append(f"docs/architecture.md: `{folder}` is in the table and does not exist")
    checked = files(args.root, ["src", "include"], [".h", ".hpp", ".cpp", ".td", ".cuh", ".inc"])
    for path in checked:
        name = path.relative_to(args.root).as_posix()
        room = room_of(name, table)
        if room is None:
            findings.append(f"{name}: its folder is not in the floor table of docs/architecture.md")
            continue
        floor, sees_mlir = table[room]
        text = text_of(path)
        for match in INCLUDE.finditer(text):
            include = match.group(1)
            place = f"{name}:{text.count(chr(10), 0, match.start(1)) + 1}"
            if include.startswith(IR_HEADERS):
                if sees_mlir not in (True, name):
                    findings.append(f"{place}: `{room}` does not see MLIR, and this includes {include}")
                continue
            target = target_of(include, table)
            if target is None or target == room:
                continue
            other, _ = table.get(target, (None, False))
            if other is None and target.startswith("include/"):
                continue  # the public headers may be read by all
            if floor is None:
                findings.append(f"{place}: `{room}` stands aside and includes {include} of the compiler")
            elif other is None:
                findings.append(f"{place}: {include} belongs to `{target}`, which stands aside")
            elif other >= floor:
                findings.append(f"{place}: floor {floor} (`{room}`) includes {include} of floor {other} (`{target}`)")
    return finish(findings, len(checked), "source files")


if __name__ == "__main__":
    run(main)
