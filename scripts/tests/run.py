#!/usr/bin/env python3
"""Runs the checks: each must accept the project, and must reject each of its bad examples for the right reason.

`run.py` runs all of it; `run.py good NAME` and `run.py bad NAME` one half for one check. A bad example is a
small tree in bad/<check>/<case>/ with the sentences that the check must print in expected.txt.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE.parent
CHECKS = {
    "check_layers": [],
    "check_rooms": [],
    "check_rules": [],
    "check_sizes": [],
    "check_tests": [],
    "check_diagnostics": [],
    "check_words": [],
    "check_adding": [],
    "check_links": [],
    "make_grammar_page": ["--check"],
    "make_library_page": ["--check"],
    "make_examples_page": ["--check"],
    "make_editor_grammars": ["--check"],
}


def call(check, *options):
    command = [sys.executable, SCRIPTS / f"{check}.py", *CHECKS[check], *options]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def good(check):
    """Whether the project passes."""
    status, output = call(check)
    print(f"{'ok  ' if status == 0 else 'FAIL'} {check}")
    if status != 0:
        print(output)
    return status == 0


def bad(check):
    """Whether every bad example is rejected, with what its expected.txt says."""
    cases = sorted(p for p in (HERE / "bad" / check).iterdir() if p.is_dir())
    passed = bool(cases)
    if not cases:
        print(f"FAIL {check}: it has no bad example")
    for case in cases:
        status, output = call(check, "--root", case)
        wanted = (case / "expected.txt").read_text().splitlines()
        missing = [line for line in wanted if line not in output]
        rejected = status == 1 and wanted and not missing
        print(f"{'ok  ' if rejected else 'FAIL'} {check} rejects {case.name}")
        if not rejected:
            passed = False
            print(f"exit status {status}; missing: {missing}; it printed:\n{output}")
    return passed


def main(arguments):
    halves = {"good": [good], "bad": [bad]}.get(arguments[0] if arguments else "", [good, bad])
    names = arguments[1:] or list(CHECKS)
    results = [half(name) for half in halves for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
