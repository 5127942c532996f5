"""The archive of scripts/package.sh: unpacked elsewhere, it compiles programs with this machine's compilers and nothing of the build."""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

BUILD, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
del sys.argv[1:3]
# What a program of the archive may need of this machine: its compilers, and a place for its cache.
MAIN = """#include "softmax.h"
#include <cmath>
#include <cstdio>
#include <vector>
int main() {
  const int64_t shape[2] = {3, 1009};
  std::vector<float> x(3 * 1009), y(x.size(), NAN);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.7f * static_cast<float>(i));
  TessTensor in{x.data(), {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, shape, nullptr, 0}, out = in;
  out.data = y.data();
  if (softmax(&in, &out, nullptr) != TESS_OK) return std::puts(tessLastErrorText()), 1;
  for (int r = 0; r < 3; ++r) {
    double sum = 0;
    for (int c = 0; c < 1009; ++c) sum += std::exp(static_cast<double>(x[r * 1009 + c]));
    for (int c = 0; c < 1009; ++c)
      if (!(std::fabs(y[r * 1009 + c] - std::exp(static_cast<double>(x[r * 1009 + c])) / sum) < 1e-8)) return std::printf("%d, %d\\n", r, c), 1;
  }
  return 0;
}
"""


class Archive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._work.cleanup)
        cls.work = cls._work.name
        cls.archive = cls.made("one")
        cls.root = os.path.join(cls.work, "unpacked")
        with tarfile.open(cls.archive) as archive:
            cls.members = archive.getmembers()
            archive.extractall(cls.root)
        cls.environment = {"PATH": os.path.join(cls.root, "bin") + ":/usr/bin:/bin", "HOME": os.path.join(cls.work, "home"), "LANG": "C.UTF-8"}
        os.mkdir(cls.environment["HOME"])

    @classmethod
    def made(cls, folder):
        out = os.path.join(cls.work, folder)
        subprocess.run([os.path.join(SOURCE, "scripts", "package.sh"), BUILD, out], check=True, capture_output=True)
        (name,) = [name for name in os.listdir(out) if name.endswith(".tar.gz")]
        return os.path.join(out, name)

    def run_there(self, *command, cwd=None):
        done = subprocess.run(command, cwd=cwd or self.work, env=self.environment, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_the_same_build_gives_the_same_bytes(self):
        digests = []
        for path in (self.archive, self.made("two")):
            with open(path, "rb") as file:
                digests.append(hashlib.sha256(file.read()).hexdigest())
            with open(path + ".sha256", encoding="utf-8") as file:
                self.assertEqual(file.read(), f"{digests[-1]}  {os.path.basename(path)}\n")
        self.assertEqual(digests[0], digests[1])

    def test_it_holds_what_it_says(self):
        names = {member.name for member in self.members}
        for name in ("bin/tesserac", "bin/tessera", "bin/tessera-lsp", "include/tessera/tessera.h", "include/tessera/device/platform.h", "lib/libtessera_runtime.a",
                     "lib/cmake/Tessera/TesseraConfig.cmake", "share/tessera/stdlib/tessera/prelude.tsr", "LICENSE", "share/doc/tessera/notices/llvm-19-dev"):
            self.assertIn("./" + name, names)
        for member in self.members:
            self.assertTrue(member.isfile() or member.isdir(), member.name)
            self.assertEqual((member.uid, member.gid), (0, 0), member.name)
            if not member.isfile() or member.name.startswith("./bin/") or member.name.endswith(".a"):
                continue
            with open(os.path.join(self.root, member.name), "rb") as file:  # with the playground there are fonts
                content = file.read()
            for folder in (BUILD, SOURCE):
                self.assertNotIn(folder.encode(), content, member.name)

    def test_emitted_text_compiles_with_the_headers_of_the_archive(self):
        shutil.copy(os.path.join(SOURCE, "examples", "softmax.tsr"), self.work)
        self.run_there("tesserac", "softmax.tsr", "-o", "softmax.cpp")
        with open(os.path.join(self.work, "main.cpp"), "w", encoding="utf-8") as file:
            file.write(MAIN)
        self.run_there("g++", "-std=c++17", "-O2", "-fopenmp", "-I", os.path.join(self.root, "include"), "main.cpp", "softmax.cpp", "-o", "from_archive")
        self.run_there(os.path.join(self.work, "from_archive"))

    def test_a_new_project_builds_and_runs(self):
        self.run_there("tessera", "new", "fresh")
        self.assertIn("row 1: ", self.run_there("tessera", "run", "fresh/main.tsr"))
        project = os.path.join(self.work, "fresh")
        self.run_there("cmake", "-B", "build", "-D", f"CMAKE_PREFIX_PATH={self.root}", "-D", "CMAKE_CXX_COMPILER=g++", "-D", "CMAKE_C_COMPILER=gcc", cwd=project)
        self.run_there("cmake", "--build", "build", cwd=project)
        self.run_there("ctest", "--test-dir", "build", "--output-on-failure", cwd=project)


if __name__ == "__main__":
    unittest.main()
