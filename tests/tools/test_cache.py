"""The cache of compiled programs: whose it is, what an entry is found by, damage, its size, many writers at once."""
import os
import shutil
import stat
import subprocess
import unittest

from support import BIN, ToolTest, read_npy, run, write_npy

PROGRAM = "def double[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * {}.0\n"


class Cache(ToolTest):
    def setUp(self):
        super().setUp()
        self.cache = self.path("cache")
        write_npy(self.path("x.npy"), [1.0, -2.5, 3.0], [3])

    def compute(self, factor=2, code="", **environment):
        """Runs a program that multiplies by `factor`; its messages."""
        program = self.write(f"p{factor}.tsr", PROGRAM.format(factor))
        result = run("tessera", "run", program, "--arg", "x=" + self.path("x.npy"), "--out", self.path("y.npy"),
                     **{"TESSERA_CACHE": self.cache, **environment})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read_npy(self.path("y.npy"))[1], [factor * 1.0, factor * -2.5, factor * 3.0])
        os.remove(self.path("y.npy"))
        self.assertEqual(result.stderr.count("warning["), 1 if code else 0, result.stderr)
        self.assertIn(f"warning[{code}]" if code else "", result.stderr)
        return result.stderr

    def libraries(self):
        folder = os.path.join(self.cache, "compiled")
        return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".so"))

    def test_the_folder_is_the_users_alone(self):
        self.compute()
        self.assertEqual(stat.S_IMODE(os.stat(self.cache).st_mode), 0o700)
        self.assertEqual(len(self.libraries()), 1)
        self.compute()
        self.assertEqual(len(self.libraries()), 1)

    def test_where_others_may_write_nothing_is_kept(self):
        os.mkdir(self.cache)
        temporary = self.path("tmp")
        os.mkdir(temporary)
        for mode in (0o777, 0o770, 0o1777):
            os.chmod(self.cache, mode)
            self.assertIn("other users may write to it", self.compute(code="E0703", TMPDIR=temporary))
            self.assertEqual(os.listdir(self.cache) + os.listdir(temporary), [])
        main = self.write("main.tsr", "def main():\n    print(1 + 1)\n")
        result = run("tessera", "run", main, TESSERA_CACHE=self.cache, TMPDIR=temporary)
        self.assertEqual((result.returncode, result.stdout.strip()), (0, "2"), result.stderr)
        self.assertIn("warning[E0703]", result.stderr)
        self.assertEqual(os.listdir(self.cache) + os.listdir(temporary), [])

    @unittest.skipUnless(os.geteuid() == 0, "only root can make a folder of another user")
    def test_a_folder_of_another_user(self):
        os.mkdir(self.cache, 0o700)
        os.chown(self.cache, 12345, 12345)
        self.assertIn("it belongs to another user", self.compute(code="E0703"))
        self.assertEqual(os.listdir(self.cache), [])

    def test_without_a_home_there_is_no_cache(self):
        environment = {name: "" for name in ("HOME", "XDG_CACHE_HOME", "TESSERA_CACHE")}
        os.mkdir(self.path("temporary"))  # of this run alone: other programs make folders in that of the machine
        self.assertIn("no home folder is known", self.compute(code="E0703", TMPDIR=self.path("temporary"), **environment))
        self.assertEqual(os.listdir(self.path("temporary")), [])

    def test_a_damaged_entry_is_built_again(self):
        self.compute(3)
        (other,) = self.libraries()
        self.compute()
        (library,) = [path for path in self.libraries() if path != other]
        with open(library, "rb") as file:
            good = file.read()
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 4
        with open(other, "rb") as file:
            foreign = file.read()
        outside = self.path("outside.so")
        for name, damage in {
            "empty": lambda: open(library, "wb").close(),
            "cut": lambda: self.put(library, good[:1000]),
            "cut in the seal": lambda: self.put(library, good[:-1]),
            "longer": lambda: self.put(library, good + b"x"),
            "a bit": lambda: self.put(library, bytes(flipped)),
            "another entry": lambda: self.put(library, foreign),
            "a pipe": lambda: os.mkfifo(library),
            "a folder": lambda: os.mkdir(library),
            "a link": lambda: (self.put(outside, good), os.symlink(outside, library)),
        }.items():
            with self.subTest(name):
                os.rmdir(library) if os.path.isdir(library) else os.remove(library)
                damage()
                self.compute(code="E0700")
                self.assertTrue(stat.S_ISREG(os.lstat(library).st_mode))
                self.compute()

    def put(self, path, data):
        with open(path, "wb") as file:
            file.write(data)

    def test_headers_that_were_damaged_are_written_again(self):
        self.compute()
        (include,) = [name for name in os.listdir(self.cache) if name.startswith("include-")]
        for folder, _, files in os.walk(os.path.join(self.cache, include)):
            for file in files:
                self.put(os.path.join(folder, file), b"#error damaged\n")
        self.compute(3)

    def test_an_entry_is_found_by_all_that_it_was_made_from(self):
        self.compute()
        count = 1
        for environment in ({"CPATH": self.folder}, {"TESSERA_CXX": shutil.which("clang++-19") or self.compiler()}, {"LIBRARY_PATH": self.folder}):
            self.compute(**environment)
            count += 1
            self.assertEqual(len(self.libraries()), count, environment)

    def compiler(self):
        """Another compiler: the same one under a name of its own."""
        path = self.write("other-g++", "#!/bin/sh\nexec g++ \"$@\"\n")
        os.chmod(path, 0o755)
        return path

    def test_its_size_is_bounded(self):
        self.compute()
        theirs = os.path.join(self.cache, "compiled", "notes.txt")
        self.put(theirs, b"n" * 100000)
        os.utime(theirs, (0, 0))
        for factor in range(3, 8):
            self.compute(factor, TESSERA_CACHE_BYTES="60000")
            folder = os.path.join(self.cache, "compiled")
            kept = [name for name in os.listdir(folder) if name != "notes.txt"]
            self.assertLessEqual(sum(os.path.getsize(os.path.join(folder, name)) for name in kept), 60000)
        self.assertEqual(os.path.getsize(theirs), 100000)

    def test_many_writers_at_once(self):
        program = self.write("p.tsr", PROGRAM.format(2))
        command = [os.path.join(BIN, "tessera"), "run", program, "--arg", "x=" + self.path("x.npy"), "--out"]
        started = [subprocess.Popen([*command, self.path(f"y{i}.npy")], env={**os.environ, "TESSERA_CACHE": self.cache},
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for i in range(12)]
        for i, process in enumerate(started):
            said, _ = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, said)
            self.assertNotIn("warning[", said)
            self.assertEqual(read_npy(self.path(f"y{i}.npy"))[1], [2.0, -5.0, 6.0])
        self.assertEqual(len(self.libraries()), 1)
        self.assertEqual([name for name in os.listdir(os.path.join(self.cache, "compiled")) if ".tmp-" in name], [])


if __name__ == "__main__":
    unittest.main()
