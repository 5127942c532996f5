#!/usr/bin/env python3
"""Reads a CTest log: names what was skipped, with the reason that the test printed, and what failed, and closes with
the plain line `N passed, N failed, N skipped`.

    test_summary.py LOG [LastTest.log]      CTest keeps what skipped tests print in LastTest.log only

A test that did not pass and was not skipped has failed, whatever CTest calls it: Failed, Timeout, Not Run, Exception,
`Subprocess aborted`. A log without a test is a failure, too.
"""
import os
import re
import sys

RESULT = re.compile(r"^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*(.*)$", re.M)
# One test in LastTest.log; a reason in what it printed, by us or by GoogleTest or unittest.
OUTPUT = re.compile(r"^\d+/\d+ Testing: (\S+)\n(.*?)^<end of output>", re.M | re.S)
REASON = re.compile(r"^\s*(SKIPPED\b.*)$|Skipped\n(.*)$", re.M)


def text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def reasons(path):
    """The reason for each test of a LastTest.log that gives one."""
    found = ((name, REASON.search(output)) for name, output in OUTPUT.findall(text(path)))
    return {name: "SKIPPED: " + re.sub("^SKIPPED:? *", "", match.group(1) or match.group(2)) for name, match in found if match}


def main(path, last=None) -> int:
    log = text(path)
    why = reasons(last) if last and os.path.exists(last) else {}
    passed, skipped, failed = [], {}, {}
    for match in RESULT.finditer(log):
        name, state = match.group(1), match.group(2).lstrip(" .")
        if re.match(r"\s*Passed\b", state):
            passed.append(name)
        elif "***Skipped" in state:
            skipped.setdefault(why.get(name, "SKIPPED without a reason"), []).append(name)
        else:
            failed[name] = re.sub(r"\s*\d+\.\d+ sec.*", "", state.replace("*", " ")).strip()
    for reason, names in skipped.items():
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        print(f"{reason}\n    {shown}")
    for name, state in failed.items():
        print(f"FAILED {name} ({state or 'no result'})")
    count = sum(len(names) for names in skipped.values())
    print(f"{len(passed)} passed, {len(failed)} failed, {count} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
