"""Several GPUs of one host beside PyTorch: a training step of GPT-2 with the batch shared out, and a perceptron whose hidden units are.

    python3 bench/gpu/devices.py --tesserac build/release/bin/tesserac [--batch 8 32] [--only mlp|gpt2] [--eager]

One process for each GPU, all with one library: examples/gpt2/together.tsr (PyTorch: DistributedDataParallel over the model of train.py), and
`all_reduce(gelu(x @ w1) @ w2, "tp")` in bf16. Both use NCCL. Printed: milliseconds (medians of the slowest device), PyTorch's time over ours, and
what the exchange adds to the work of one device. NCCL comes from PyTorch's packages where the system has none.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist

import common

TOKENS, MODEL, HIDDEN = 4096, 8192, 28672
MLP = """
def together(x: Tensor["B", "D", bf16 @accum(f32)], w1: Tensor["D", "F", bf16 @accum(f32)], w2: Tensor["F", "D", bf16 @accum(f32)]) -> Tensor["B", "D", bf16]:
    return all_reduce(gelu(x @ w1) @ w2, "tp")

def alone(x: Tensor["B", "D", bf16 @accum(f32)], w1: Tensor["D", "F", bf16 @accum(f32)], w2: Tensor["F", "D", bf16 @accum(f32)]) -> Tensor["B", "D", bf16]:
    return gelu(x @ w1) @ w2
"""


def nccl_flags():
    """For nvcc: where NCCL is."""
    if os.path.exists("/usr/include/nccl.h") or os.path.exists("/usr/local/cuda/include/nccl.h"):
        return "-lnccl"
    import nvidia.nccl  # PyTorch's
    folder = list(nvidia.nccl.__path__)[0]
    return f"-I{folder}/include -Xlinker {folder}/lib/libnccl.so.2"


def median_ms(step, repeats, warm=5):
    """Of the slowest device; all begin a step together."""
    times = []
    for i in range(warm + repeats):
        dist.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        spent = torch.tensor(time.perf_counter() - begin, device="cuda", dtype=torch.float64)
        dist.all_reduce(spent, op=dist.ReduceOp.MAX)
        if i >= warm:
            times.append(float(spent) * 1e3)
    return statistics.median(times)


def say(*words):
    if dist.get_rank() == 0:
        print(*words, flush=True)


def perceptron(folder, repeats):
    devices = dist.get_world_size()
    os.environ["TESSERA_MESH"] = f"tp={devices}"
    program = common.Program(os.path.join(folder, "libmlp.so"))
    made = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    same = torch.Generator(device="cuda").manual_seed(99)
    random = lambda *shape, by=made: torch.randn(*shape, device="cuda", generator=by).to(torch.bfloat16)
    x, w1, w2 = random(TOKENS, MODEL, by=same), random(MODEL, HIDDEN // devices) * 0.02, random(HIDDEN // devices, MODEL) * 0.02
    result, own = torch.empty_like(x), torch.empty_like(x)
    call, alone = program.prepare("together", x, w1, w2, result), program.prepare("alone", x, w1, w2, own)
    part = lambda: torch.nn.functional.gelu(x @ w1) @ w2

    def theirs():
        y = part()
        dist.all_reduce(y)
        return y
    call()
    expected = torch.nn.functional.gelu((x[:64].double() @ w1.double())) @ w2.double()
    dist.all_reduce(expected)
    apart = float((result[:64].double() - expected).abs().max() / expected.abs().max())
    times = [median_ms(step, repeats) for step in (call, alone, theirs, part)]
    say(f"mlp {TOKENS} x {MODEL} x {HIDDEN}, {devices} devices: ours {times[0]:.3f} ms (alone {times[1]:.3f}), PyTorch {times[2]:.3f} ({times[3]:.3f}), "
        f"ratio {times[2] / times[0]:.2f}, exchange {100 * (times[0] / times[1] - 1):.0f} % ({100 * (times[2] / times[3] - 1):.0f} %), {apart:.1e} from float64")


def gpt2(folder, batches, repeats, eager):
    import train
    devices, rank = dist.get_world_size(), dist.get_rank()
    for batch in batches:
        torch.manual_seed(batch)
        model = train.Gpt2().cuda()
        for p in model.parameters():
            dist.broadcast(p.data, 0)
        made = torch.Generator(device="cuda").manual_seed(1000 * batch + rank)
        tokens = [torch.randint(0, 50257, (batch, train.T + 1), device="cuda", generator=made, dtype=torch.int32) for _ in range(10)]
        training = train.Training(os.path.join(folder, "libtogether.so"), os.path.join(folder, "together.json"), model.as_tessera())
        ours = [float(training.step(ids)) for ids in tokens]
        seconds = median_ms(lambda: training.step(tokens[0]), repeats)
        del training
        torch.cuda.empty_cache()
        shared = torch.nn.parallel.DistributedDataParallel(model, device_ids=[torch.cuda.current_device()])
        step = train.torch_step(shared, tokens, not eager)
        theirs = []
        for _ in tokens:
            loss = step()
            dist.all_reduce(loss)
            theirs.append(float(loss) / devices)
        other = median_ms(step, repeats)
        apart = max(abs(a - b) for a, b in zip(ours, theirs))
        say(f"gpt2, {batch} pieces on each of {devices} devices: ours {seconds:.2f} ms, PyTorch {other:.2f} ms, ratio {other / seconds:.2f}, "
            f"loss {ours[0]:.4f} -> {ours[-1]:.4f} (PyTorch {theirs[-1]:.4f}, at most {apart:.4f} apart)")
        del shared, step, model
        torch.cuda.empty_cache()


def worker(arguments):
    dist.init_process_group("nccl", device_id=torch.device("cuda", int(os.environ["LOCAL_RANK"])))
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    os.environ["MASTER_PORT"] = str(int(os.environ["MASTER_PORT"]) + 1)  # ours: PyTorch has the other
    if arguments.only == "mlp":
        perceptron(arguments.worker, arguments.repeats)
    else:
        os.environ["TESSERA_MESH"] = f"dp={dist.get_world_size()}"
        gpt2(arguments.worker, arguments.batch, arguments.repeats, arguments.eager)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tesserac", default="build/release/bin/tesserac")
    parser.add_argument("--devices", type=int, default=torch.cuda.device_count())
    parser.add_argument("--batch", type=int, nargs="+", default=[8, 32])
    parser.add_argument("--only", choices=["mlp", "gpt2"])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--eager", action="store_true", help="PyTorch without torch.compile")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return worker(arguments)
    if arguments.devices < 2:
        sys.exit("this needs two GPUs or more")
    os.environ["NVCC_APPEND_FLAGS"] = nccl_flags()
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    with tempfile.TemporaryDirectory() as folder:
        example = lambda name: open(os.path.join(common.ROOT, "examples", "gpt2", name)).read()
        with open(os.path.join(folder, "gpt2.tsr"), "w") as file:
            file.write(example("gpt2.tsr"))
        for name, text, options in (("mlp", MLP, []), ("together", example("together.tsr"), ["--function", "train_step"])):
            wanted = {"mlp": "mlp", "together": "gpt2"}[name]
            if arguments.only in (None, wanted) and isinstance(made := common.build(arguments.tesserac, folder, name, text, "sm_90a", *options), str):
                sys.exit(made)
        for only in ("mlp", "gpt2"):
            if arguments.only not in (None, only):
                continue
            command = [sys.executable, os.path.abspath(__file__), "--worker", folder, "--only", only, "--repeats", str(arguments.repeats),
                       "--batch", *map(str, arguments.batch), *(["--eager"] if arguments.eager else [])]
            processes = [subprocess.Popen(command, env=os.environ | {"RANK": str(i), "LOCAL_RANK": str(i), "WORLD_SIZE": str(arguments.devices),
                                                                     "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29530"}) for i in range(arguments.devices)]
            if any([process.wait() for process in processes]):
                sys.exit(1)


if __name__ == "__main__":
    main()
