"""What the checks share: the files of the project, and how findings are reported."""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = {"third_party", "node_modules", "__pycache__", "out", "bad"}


def arguments(description):
    """Options of every check: which tree to look at (a bad example is a tree of its own)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to check")
    return parser


def files(root, folders, suffixes):
    """Files of these folders by suffix or by name, in order; build trees, hidden folders and bad examples left out."""
    found = []
    for folder in folders:
        top = root / folder
        if top.is_file():
            found.append(top)
            continue
        for place, names, entries in os.walk(top):
            names[:] = sorted(
                n for n in names if not n.startswith(".") and not n.startswith("build") and n not in SKIPPED
            )
            for entry in sorted(entries):
                if entry.endswith(tuple(suffixes)):
                    found.append(Path(place) / entry)
    return found


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


def finish(findings, checked, what):
    """Prints findings (`place: sentence`) and returns the exit status."""
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} finding{'s' if len(findings) != 1 else ''}")
        return 1
    if not checked:
        print(f"nothing was checked: no {what} found")
        return 1
    print(f"ok: {checked} {what}")
    return 0


def run(main):
    sys.exit(main())
