#!/usr/bin/env python3
"""Compiles the sources that changed, each by itself: a build with the preset `ci` compiles a dozen of a folder together, so that a file
may lack an include that one before it has.

    compile_alone.py [--since COMMIT] [BUILD]      build/ci without BUILD; without --since, all sources

Needs a build by that preset. Nothing is written; what does not compile is printed, and the exit code is 1.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def output(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, check=True, **how).stdout


def commands(build):
    """For each source that is compiled with others, the command that does it, and the file with their names."""
    found = {}
    for entry in json.loads(output("ninja", "-t", "compdb", cwd=build)):
        if "/Unity/" not in entry["file"] or not entry["file"].endswith("_cxx.cxx"):
            continue
        with open(entry["file"]) as text:
            for source in re.findall(r'^#include "([^"]+)"', text.read(), re.M):
                found[os.path.realpath(source)] = entry["command"], entry["file"]
    return found


def compiled(build, source, command, together):
    command = re.sub(r" -o \S+", "", command.replace(together, source))
    command = re.sub(r" -M(D|T \S+|F \S+|Q \S+)", "", command).replace(" -c ", " -fsyntax-only ")
    return subprocess.run(command, shell=True, cwd=build, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", metavar="COMMIT", help="only what changed since this commit")
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build", "ci"))
    arguments = parser.parse_args()
    known = commands(arguments.build)
    names = output("git", "-C", ROOT, "diff", "--name-only", arguments.since, "--", "src").split() if arguments.since else None
    sources = sorted(s for s in known if names is None or os.path.relpath(s, ROOT) in names)
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, done in zip(sources, pool.map(lambda s: compiled(arguments.build, s, *known[s]), sources)):
            if done.returncode:
                wrong += 1
                print("".join(line + "\n" for line in done.stderr.splitlines() if "error:" in line) or done.stderr, end="", flush=True)
    print(f"{len(sources)} sources, {wrong} do not compile alone")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
