"""tessera run --mesh and tessera launch: a process for each device of a mesh."""
import json
import os
import signal
import subprocess
import time
import unittest

from support import BIN, ToolTest, read, read_npy, run, write_npy

PROGRAM = """
def doubled[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return x * 2.0

def main(n: int = 7, wrong: int = -1):
    assert n != wrong
    print(f"n {n}")
"""


ALONG_AXES = """
def added[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return all_reduce(x, "dp2")

def shared[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return x / f32(axis_size("tp"))

def main():
    print(axis_size("tp"), added(ones((2,))))
"""


def lines(text):
    return sorted(text.splitlines())


class Launch(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("p.tsr", PROGRAM)

    def tessera(self, *words, **environment):
        return run("tessera", *words, cwd=self.folder, **environment)

    def shell(self, script, mesh="dp=2", **environment):
        return self.tessera("launch", "--mesh", mesh, "sh", "-c", script, **environment)

    def test_main_runs_once_for_each_device(self):
        result = self.tessera("run", "p.tsr", "--mesh", "dp=2,tp=2", "--arg", "n={rank}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(lines(result.stdout), ["[1] n 1", "[2] n 2", "[3] n 3", "n 0"])
        self.assertEqual(result.stderr, "")

    def test_the_program_is_compiled_once(self):
        path = self.write("compiler.sh", f'#!/bin/sh\ncase "$*" in *.cpp*) echo once >>{self.path("compiled")} ;; esac\nexec g++ "$@"\n')
        os.chmod(path, 0o755)
        for words in (["main"], ["doubled", "--random", "N=3"]):
            result = self.tessera("run", "p.tsr", *words, "--mesh", "dp=3", TESSERA_CXX=path, TESSERA_CACHE=self.path("cache"))
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read(self.path("compiled")), "once\n" * 3)  # two programs, and what all programs share

    def test_each_device_reads_and_writes_its_own_files(self):
        for rank in range(3):
            write_npy(self.path(f"x{rank}.npy"), [float(rank), 10.0], [2])
        result = self.tessera("run", "p.tsr", "doubled", "--mesh=dp=3", "--arg", "x=x{rank}.npy", "--out", "y{rank}.npy")
        self.assertEqual(result.returncode, 0, result.stderr)
        for rank in range(3):
            self.assertEqual(read_npy(self.path(f"y{rank}.npy")), ([2], [2.0 * rank, 20.0]))
        self.assertIn("[1] result: f32[2]\n", result.stdout)

    def test_lines_of_runs_have_the_number_too(self):
        for rank in range(2):
            write_npy(self.path(f"x{rank}.npy"), [float(rank)], [1])
        self.write("runs.txt", "doubled --arg x=x{rank}.npy --out y{rank}.npy\ndoubled --random N=3\n")
        result = self.tessera("run", "p.tsr", "--runs", "runs.txt", "--mesh", "dp=2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("[1] 2 passed, 0 failed\n", result.stdout)
        self.assertEqual(read_npy(self.path("y1.npy"))[1], [2.0])

    def test_devices_that_would_write_one_file_are_refused(self):
        result = self.tessera("run", "p.tsr", "doubled", "--random", "N=3", "--mesh", "dp=2", "--out", "y.npy")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("each device would write its result to `y.npy`", result.stderr)
        self.assertEqual(self.tessera("run", "p.tsr", "doubled", "--random", "N=3", "--mesh", "dp=1", "--out", "y.npy").returncode, 0)

    def test_warnings_are_shown_once(self):
        self.write("p.tsr", PROGRAM + "    for i in range(5, 2):\n        print(i)\n")
        alone = self.tessera("run", "p.tsr")
        self.assertIn("warning", alone.stderr)
        self.assertEqual(self.tessera("run", "p.tsr", "--mesh", "dp=2").stderr, alone.stderr)

    def test_meshes_that_cannot_be(self):
        for mesh, said in [("dp", "`dp` has no size: I expected dp=2"), ("dp=0", "the size of `dp` is `0`, and I expected a whole number from 1 on"),
                           ("dp=2,dp=2", "the axis `dp` is there twice"), ("dp=two", "the size of `dp` is `two`"), ("=2", "an axis has no name"),
                           ("dp=2,,tp=2", "an axis has no name"), ("dp=70000", "it has more than 65536 devices"),
                           ("dp=2000", "it has 2000 devices, and 1024 processes are the most that I start"), ("a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", "it has 9 axes, and 8 are the most")]:
            for command in (["run", "p.tsr", "--mesh", mesh], ["launch", "--mesh", mesh, "touch", "started"]):
                result = self.tessera(*command)
                self.assertEqual(result.returncode, 2, (mesh, result.stderr))
                self.assertIn(f"error[E0806]: `--mesh {mesh}`: {said}", result.stderr)
        self.assertFalse(os.path.exists(self.path("started")))

    def test_an_axis_that_the_mesh_lacks_is_refused(self):
        self.write("p.tsr", ALONG_AXES)
        self.assertEqual(self.tessera("run", "p.tsr").stdout, "1 [1.0, 1.0]\n")
        result = self.tessera("run", "p.tsr", "--mesh", "dp=2")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn("error[E0806]: `--mesh dp=2`: the program goes along the axis `dp2`, and the mesh `dp=2` has none of this name: "
                      "`dp` is like it, and `dp=2,dp2=1` has it, with one device", result.stderr)
        self.assertIn("p.tsr:3:12", result.stderr)
        self.assertEqual(result.stderr.count("error["), 1)
        said = "the program goes along the axis `tp`, and the mesh `dp2=2` has none of this name: `dp2=2,tp=1` has it, with one device"
        for words in (["main"], ["shared", "--random", "N=3"]):  # a size alone is asked for when it runs
            result = self.tessera("run", "p.tsr", *words, "--mesh", "dp2=2")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(said, result.stderr)
        self.assertEqual(self.tessera("build", "p.tsr", "-o", "p").returncode, 0)
        result = self.tessera("launch", "--mesh", "dp=2,tp=1", "./p")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("the mesh `dp=2,tp=1` has none of this name: `dp` is like it", result.stderr)
        self.assertEqual(self.tessera("launch", "--mesh", "dp2=1,tp=1", "./p").stdout, "1 [1.0, 1.0]\n")

    def test_more_devices_than_gpus(self):
        for target in ("cuda", "hip:gfx942"):
            result = self.tessera("run", "p.tsr", "--mesh", "dp=1000", "--target", target)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertRegex(result.stderr, r"error\[E0806\]: `--mesh dp=1000`: it has 1000 devices, and there (is|are) .*GPU")
            self.assertIn("--target cpu", result.stderr)

    def test_the_reference_is_one_device(self):
        result = self.tessera("run", "p.tsr", "--mesh", "dp=2", "--target", "reference")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("error[E0806]: `--mesh dp=2`: it has 2 devices, and the reference interpreter is one", result.stderr)
        result = self.tessera("run", "p.tsr", "--mesh", "dp=2", "--check")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("`--check` compares with the reference interpreter, which is one device", result.stderr)
        self.assertEqual(self.tessera("run", "p.tsr", "--mesh", "dp=1", "--target", "reference").returncode, 0)

    def test_the_environment_is_that_of_torchrun(self):
        result = self.shell('echo $TESSERA_MESH $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $MASTER_ADDR {rank}; test $MASTER_PORT -gt 1023', "dp=2, tp=1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(lines(result.stdout), ["[1] dp=2,tp=1 1 2 1 2 127.0.0.1 1", "dp=2,tp=1 0 2 0 2 127.0.0.1 0"])

    def test_another_launcher_does_as_well(self):
        processes = [subprocess.Popen([os.path.join(BIN, "tessera"), "run", "p.tsr", "--arg", "n={rank}"], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                      env={**os.environ, "TESSERA_MESH": "dp=2", "RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank)}) for rank in range(2)]
        self.assertEqual([process.communicate(timeout=300)[0] for process in processes], ["n 0\n", "n 1\n"])

    def test_programs_that_were_built(self):
        built = self.tessera("build", "p.tsr", "-o", "p")
        self.assertEqual(built.returncode, 0, built.stderr)
        result = self.tessera("launch", "--mesh", "dp=2", "./p", "--n", "{rank}1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(lines(result.stdout), ["[1] n 11", "n 1"])

    def test_lines_stay_whole(self):
        result = self.shell('for i in $(seq 2000); do echo "{rank} $i abcdefghijklmnopqrstuvwxyz"; done; test {rank} = 0 || printf end; echo problem >&2', "dp=3")
        self.assertEqual(result.returncode, 0)
        for rank in (1, 2):
            mine = [line for line in result.stdout.split("\n") if line.startswith(f"[{rank}] ")]
            self.assertEqual(mine, [f"[{rank}] {rank} {i} abcdefghijklmnopqrstuvwxyz" for i in range(1, 2001)] + [f"[{rank}] end"])
        self.assertEqual(lines(result.stderr), ["[1] problem", "[2] problem", "problem"])

    def test_a_device_that_fails_ends_the_others(self):
        start = time.monotonic()
        result = self.shell('test {rank} = 2 && { sleep 0.5; echo why >&2; exit 3; }; sleep 60', "dp=2,tp=2")
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(result.returncode, 3)
        self.assertIn("[2] why\n", result.stderr)
        self.assertIn("error[E0807]: device 2 (dp 1, tp 0) ended with status 3", result.stderr)
        self.assertIn("I have ended the others, which would wait for it", result.stderr)
        self.assertEqual(result.stderr.count("error["), 1)

    def test_a_device_that_a_signal_ends(self):
        result = self.shell("test {rank} = 1 && kill -9 $$; sleep 60")
        self.assertEqual(result.returncode, 137)
        self.assertIn("error[E0807]: device 1 (dp 1) ended with signal 9 (Killed)", result.stderr)
        result = self.shell("test {rank} = 0 && exit 4; exit 0")
        self.assertEqual(result.returncode, 4)
        self.assertIn("device 0 (dp 0) ended with status 4", result.stderr)

    def test_a_program_that_fails(self):
        result = self.tessera("run", "p.tsr", "--mesh", "dp=2", "--arg", "n={rank}", "--arg", "wrong=1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("[1] ", result.stderr)
        self.assertIn("device 1 (dp 1) ended with status 1", result.stderr)

    def test_devices_that_do_not_want_to_end_are_ended(self):
        start = time.monotonic()
        result = self.shell('test {rank} = 1 && { sleep 0.3; exit 5; }; trap "" TERM; for i in $(seq 60); do sleep 1; done')
        self.assertEqual(result.returncode, 5)
        self.assertLess(time.monotonic() - start, 20)

    def started(self, first):
        """A launch of two devices whose processes have written their numbers."""
        process = subprocess.Popen([os.path.join(BIN, "tessera"), "launch", "--mesh", "dp=2", "sh", "-c", first + "echo $$ >{rank}.part; mv {rank}.part {rank}.pid; while true; do sleep 0.05; done"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        names = [self.path(f"{rank}.pid") for rank in range(2)]
        end = time.monotonic() + 60
        while not all(map(os.path.exists, names)) and time.monotonic() < end:
            time.sleep(0.02)
        return process, [int(read(name)) for name in names]

    def ended(self, numbers):
        """Whether processes have ended; one that nobody has waited for has."""
        def lives(number):
            try:
                return read(f"/proc/{number}/stat").rsplit(")", 1)[1].split()[0] != "Z"
            except OSError:
                return False
        end = time.monotonic() + 10
        while any(map(lives, numbers)) and time.monotonic() < end:
            time.sleep(0.05)
        return not any(map(lives, numbers))

    def test_a_signal_to_the_launcher_ends_all(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process, devices = self.started("trap 'echo asked; exit 0' INT TERM; ")
            process.send_signal(number)
            output, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number)
            self.assertEqual(lines(output), ["[1] asked", "asked"])
            self.assertNotIn("error", errors)
            self.assertTrue(self.ended(devices))
            for rank in range(2):
                os.remove(self.path(f"{rank}.pid"))

    def test_devices_end_with_their_launcher(self):
        process, devices = self.started("")
        process.kill()
        process.communicate(timeout=60)
        self.assertTrue(self.ended(devices))

    def test_a_program_that_is_not_there(self):
        result = self.tessera("launch", "--mesh", "dp=2", "./none", "--n", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("error[E0803]: running `./none` failed: it could not be started: No such file or directory", result.stderr)
        self.assertEqual(self.tessera("launch", "--mesh", "dp=2").returncode, 2)
        self.assertEqual(self.tessera("launch", "./p").returncode, 2)

    def test_results_as_json(self):
        result = self.tessera("run", "p.tsr", "doubled", "--random", "N=3", "--mesh", "dp=2", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        first, second = sorted(result.stdout.splitlines(), reverse=True)
        self.assertEqual(json.loads(first), json.loads(second.removeprefix("[1] ")))


if __name__ == "__main__":
    unittest.main()
