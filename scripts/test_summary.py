#!/usr/bin/env python3
"""Reads a CTest log and prints its plain closing line: `N passed, N failed, N skipped`."""
import re
import sys


def main() -> int:
    log = open(sys.argv[1], encoding="utf-8", errors="replace").read()
    results = re.findall(r"^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*\**\s*(Passed|Failed|Skipped|Timeout|Not Run|Exception)", log, re.M)
    # Exceptions are printed as `***Exception: SegFault`, failures as `***Failed`.
    passed = sum(state == "Passed" for _, state in results)
    skipped = sum(state == "Skipped" for _, state in results)
    failed = len(results) - passed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
