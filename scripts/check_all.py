#!/usr/bin/env python3
"""Runs every check on the project (`./dev check`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "tests"))
import run  # noqa: E402

if __name__ == "__main__":
    sys.exit(run.main(["good"]))
