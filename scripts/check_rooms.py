#!/usr/bin/env python3
"""The rooms of the checker and of the emitter stay apart.

Reads the tables of docs/decisions/0019-rooms-of-the-checker.md and docs/decisions/0054-rooms-of-the-emitter.md: which
rooms the headers of a room include, and which its files. An include that the table does not name is a finding, and so
is a row that names one that nothing uses. A room that does not know the context reaches its header through no other.
Where the table has a last column, a room shows the headers that stand there, two at most: others are its own, and no file
of the compiler outside of the room includes them.
"""

import re
from house import arguments, files, finish, run, text_of

# The page with the table, the folder of the rooms, the header of what they share.
HOUSES = [
    ("docs/decisions/0019-rooms-of-the-checker.md", "src/sema", "sema/Context.h"),
    ("docs/decisions/0054-rooms-of-the-emitter.md", "src/transforms/target", "transforms/target/Emission.h"),
]
ROW = re.compile(r"^\|\s*`(\w+)`\s*\|\s*(yes|no)\s*\|([^|]*)\|([^|]*)\|(?:([^|\n]*)\|)?", re.M)
MOST_SHOWN = 2
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def rows(page):
    """{room: (knows the context, rooms that its headers include, rooms that its files include)}, {room: headers that it shows}"""
    words, names = re.compile(r"`(\w+)`"), re.compile(r"`([\w.]+)`")
    found = ROW.findall(page)
    return ({room: (knows == "yes", set(words.findall(h)), set(words.findall(f))) for room, knows, h, f, _ in found},
            {room: set(names.findall(shown)) for room, _, _, _, shown in found if shown.strip()})


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


def shown(root, page, folder, shows):
    """The findings about headers that files outside of their room include."""
    findings, used = [], {room: set() for room in shows}
    for path in files(root, ["src"], [".h", ".cpp"]):
        name, text = path.relative_to(root / "src").as_posix(), text_of(path)
        for target in INCLUDE.findall(text):
            room = room_of(target, folder)
            if room not in shows or room_of(name, folder) == room:
                continue
            header = target.rsplit("/", 1)[1]
            used[room].add(header)
            if header not in shows[room]:
                place = f"src/{name}:{text[:text.index(target)].count(chr(10)) + 1}"
                findings.append(f"{place}: {target} is a header of `{room}` alone; {page} shows {', '.join(sorted(shows[room]))}")
    for room, headers in shows.items():
        if len(headers) > MOST_SHOWN:
            findings.append(f"{page}: `{room}` shows {len(headers)} headers, and {MOST_SHOWN} are the most")
        findings += [f"{page}: `{room}` shows {header}, and nothing outside includes it" for header in sorted(headers - used[room])]
    return findings


def check(root, page, folder, context):
    """The findings in one folder of rooms, and how many files it has."""
    checked = files(root, [folder], [".h", ".cpp"])
    if not checked and not (root / page).exists():
        return [], 0
    table, shows = rows(text_of(root / page))
    findings = shown(root, page, folder, shows) if table else [f"{page}: I found no table of rooms"]
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
