#!/usr/bin/env python3
"""The rooms of the checker stay apart.

Reads the table of docs/decisions/0019-rooms-of-the-checker.md: which rooms the headers of a room include, and which
its files. An include that the table does not name is a finding, and so is a row that names one that nothing uses. A
room that does not know the context reaches `sema/Context.h` through no header.
"""

import re
from house import arguments, files, finish, run, text_of

TABLE = "docs/decisions/0019-rooms-of-the-checker.md"
ROW = re.compile(r"^\|\s*`(\w+)`\s*\|\s*(yes|no)\s*\|([^|]*)\|([^|]*)\|", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"(sema/[^"]+)"', re.M)
CONTEXT = "sema/Context.h"


def rows(page):
    """{room: (knows the context, rooms that its headers include, rooms that its files include)}"""
    words = re.compile(r"`(\w+)`")
    return {room: (knows == "yes", set(words.findall(h)), set(words.findall(f))) for room, knows, h, f in ROW.findall(page)}


def room_of(path):
    """`sema/calls/Calls.h` is of `calls`; what all rooms use stands above them, and is of none."""
    parts = path.split("/")
    return parts[1] if len(parts) == 3 else None


def reaches(header, includes, seen):
    """The headers on the way from this one to the context; nothing if it does not get there."""
    if header == CONTEXT:
        return [header]
    seen.add(header)
    for other in includes.get(header, []):
        way = [] if other in seen else reaches(other, includes, seen)
        if way:
            return [header, *way]
    return []


def main():
    args = arguments(__doc__).parse_args()
    table = rows(text_of(args.root / TABLE))
    findings = [] if table else [f"{TABLE}: I found no table of rooms"]
    checked = files(args.root, ["src/sema"], [".h", ".cpp"])
    texts = {path.relative_to(args.root / "src").as_posix(): text_of(path) for path in checked}
    includes = {name: INCLUDE.findall(text) for name, text in texts.items()}
    rooms = {room_of(name) for name in texts} - {None}
    findings += [f"{TABLE}: `{room}` is in the table, and is no folder of src/sema" for room in sorted(set(table) - rooms)]
    findings += [f"src/sema/{room}: this room is not in the table of {TABLE}" for room in sorted(rooms - set(table))]
    used = {(room, kind): set() for room in table for kind in (1, 2)}
    for name, targets in includes.items():
        room = room_of(name)
        if room not in table:
            continue
        kind = 1 if name.endswith(".h") else 2
        for target in targets:
            place = f"src/{name}:{texts[name][:texts[name].index(target)].count(chr(10)) + 1}"
            other = room_of(target)
            if other and other != room:
                used[room, kind].add(other)
                if other not in table[room][kind]:
                    what = "a header" if kind == 1 else "a file"
                    findings.append(f"{place}: {what} of `{room}` includes {target}; {TABLE} does not let it")
            way = [] if table[room][0] else reaches(target, includes, set())
            if way:
                findings.append(f"{place}: `{room}` does not know the context, and reaches it by {' -> '.join(way)}")
    for (room, kind), names in used.items():
        for other in sorted(table[room][kind] - names):
            what = "headers" if kind == 1 else "files"
            findings.append(f"{TABLE}: the {what} of `{room}` may include `{other}`, and none does")
    return finish(findings, len(checked), "files of the checker")


if __name__ == "__main__":
    run(main)
