#!/usr/bin/env python3
"""The rooms of the checker and of the emitter stay apart.

Reads the tables of docs/decisions/0019-rooms-of-the-checker.md and docs/decisions/0054-rooms-of-the-emitter.md: which
rooms the headers of a room include, and which its files. An include that the table does not name is a finding, and so
is a row that names one that nothing uses. A room that does not know the context reaches its header through no other.
"""

import re
from house import arguments, files, finish, run, text_of

# The page with the table, the folder of the rooms, the header of what they share.
HOUSES = [
    ("docs/decisions/0019-rooms-of-the-checker.md", "src/sema", "sema/Context.h"),
    ("docs/decisions/0054-rooms-of-the-emitter.md", "src/transforms/target", "transforms/target/Emission.h"),
]
ROW = re.compile(r"^\|\s*`(\w+)`\s*\|\s*(yes|no)\s*\|([^|]*)\|([^|]*)\|", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def rows(page):
    """{room: (knows the context, rooms that its headers include, rooms that its files include)}"""
    words = re.compile(r"`(\w+)`")
    return {room: (knows == "yes", set(words.findall(h)), set(words.findall(f))) for room, knows, h, f in ROW.findall(page)}


def room_of(path, folder):
    """`sema/calls/Calls.h` is of `calls`; what all rooms use stands above them, and is of none."""
    start = folder.removeprefix("src/") + "/"
    inside = path.removeprefix(start).split("/") if path.startswith(start) else []
    return inside[0] if len(inside) == 2 else None


def reaches(header, context, includes, seen):
    """The headers on the way from this one to the context; nothing if it does not get there."""
    if header == context:
        return [header]
    seen.add(header)
    for other in includes.get(header, []):
        way = [] if other in seen else reaches(other, context, includes, seen)
        if way:
            return [header, *way]
    return []


def check(root, page, folder, context):
    """The findings in one folder of rooms, and how many files it has."""
    checked = files(root, [folder], [".h", ".cpp"])
    if not checked and not (root / page).exists():
        return [], 0
    table = rows(text_of(root / page))
    findings = [] if table else [f"{page}: I found no table of rooms"]
    texts = {path.relative_to(root / "src").as_posix(): text_of(path) for path in checked}
    includes = {name: INCLUDE.findall(text) for name, text in texts.items()}
    rooms = {room_of(name, folder) for name in texts} - {None}
    findings += [f"{page}: `{room}` is in the table, and is no folder of {folder}" for room in sorted(set(table) - rooms)]
    findings += [f"{folder}/{room}: this room is not in the table of {page}" for room in sorted(rooms - set(table))]
    used = {(room, kind): set() for room in table for kind in (1, 2)}
    for name, targets in includes.items():
        room = room_of(name, folder)
        if room not in table:
            continue
        kind = 1 if name.endswith(".h") else 2
        for target in targets:
            place = f"src/{name}:{texts[name][:texts[name].index(target)].count(chr(10)) + 1}"
            other = room_of(target, folder)
            if other and other != room:
                used[room, kind].add(other)
                if other not in table[room][kind]:
                    what = "a header" if kind == 1 else "a file"
                    findings.append(f"{place}: {what} of `{room}` includes {target}; {page} does not let it")
            way = [] if table[room][0] else reaches(target, context, includes, set())
            if way:
                findings.append(f"{place}: `{room}` does not know the context, and reaches it by {' -> '.join(way)}")
    for (room, kind), names in used.items():
        for other in sorted(table[room][kind] - names):
            what = "headers" if kind == 1 else "files"
            findings.append(f"{page}: the {what} of `{room}` may include `{other}`, and none does")
    return findings, len(checked)


def main():
    args = arguments(__doc__).parse_args()
    findings, count = [], 0
    for house in HOUSES:
        found, checked = check(args.root, *house)
        findings += found
        count += checked
    return finish(findings, count, "files of the checker and the emitter")


if __name__ == "__main__":
    run(main)
