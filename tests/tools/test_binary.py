"""The programs travel: small, started at once, needing libc and libm only."""
import os
import statistics
import subprocess
import time
import unittest

from support import BIN, ToolTest, run


@unittest.skipIf("asan" in BIN, "sanitizer builds link the sanitizers' libraries")
class Binary(ToolTest):
    def test_needs_only_the_c_library(self):
        for program in ("tesserac", "tessera", "tessera-lsp"):
            needed = subprocess.run(["readelf", "-d", os.path.join(BIN, program)], capture_output=True, text=True, check=True).stdout
            libraries = {line.split("[")[1].rstrip("]") for line in needed.splitlines() if "NEEDED" in line}
            self.assertLessEqual(libraries, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})

    def test_size(self):
        for program in ("tesserac", "tessera", "tessera-lsp"):
            self.assertLess(os.path.getsize(os.path.join(BIN, program)), 27 << 20)

    def test_starts_at_once(self):
        """20 ms on an idle machine; the limit here leaves room for a busy one and still catches a slow start."""
        times = []
        for _ in range(9):
            start = time.perf_counter()
            run("tesserac", "--version")
            times.append(time.perf_counter() - start)
        self.assertLess(min(times), 0.05)
        self.assertLess(statistics.median(times), 0.5)


if __name__ == "__main__":
    unittest.main()
