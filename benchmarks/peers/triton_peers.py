#!/usr/bin/env python3
"""What Triton and cuBLAS (through PyTorch) take for what the GPU benchmarks here measure.

launch   host cost of a launch: a plain kernel, and one that was autotuned
matmul   bf16 matrix products, a b^T: triton.autotune's best beside torch.matmul, in turn

Needs a GPU, PyTorch and Triton. Prints a table and, last, one line of JSON. Exit code 3: something is missing.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import time

EXIT_MISSING = 3
try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"Triton's figures cannot be taken here: {error}")
    sys.exit(EXIT_MISSING)


@triton.jit
def nothing_kernel(y, x, a, n, BLOCK: tl.constexpr):
    pass


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=1) for b in (32, 64)], key=["n"])
@triton.jit
def tuned_nothing_kernel(y, x, a, n, BLOCK: tl.constexpr):
    pass


def product_of(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
               BAND: tl.constexpr):
    """c = a b^T for row-major a (M x K), b (N x K), c (M x N). Tiles are taken in bands of BAND rows of tiles, so that
    those under way share their operands in the L2 cache."""
    tile = tl.program_id(0)
    rows_of_tiles = tl.cdiv(M, BLOCK_M)
    columns_of_tiles = tl.cdiv(N, BLOCK_N)
    band = tile // (BAND * columns_of_tiles)
    band_rows = tl.minimum(rows_of_tiles - band * BAND, BAND)
    in_band = tile % (BAND * columns_of_tiles)
    rows = (band * BAND + in_band % band_rows) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = (in_band // band_rows) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_at = a + (rows % M)[:, None].to(tl.int64) * K + depth[None, :]
    b_at = b + (columns % N)[None, :].to(tl.int64) * K + depth[:, None]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        inside = depth < K - k
        total = tl.dot(tl.load(a_at, mask=inside[None, :], other=0.0),
                       tl.load(b_at, mask=inside[:, None], other=0.0), total)
        a_at += BLOCK_K
        b_at += BLOCK_K
    c_at = c + rows[:, None].to(tl.int64) * N + columns[None, :]
    tl.store(c_at, total.to(tl.bfloat16), mask=(rows[:, None] < M) & (columns[None, :] < N))


def product_config(m, n, k, stages, warps, band=8):
    return triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "BAND": band}, num_stages=stages, num_warps=warps)


# What usually wins on Hopper, large tiles with 8 warps, and smaller ones.
LARGE_CONFIGS = [
    product_config(m, n, 64, stages, warps)
    for (m, n, warps), stages in itertools.product(
        ((128, 256, 8), (256, 128, 8), (128, 128, 4), (128, 128, 8), (64, 256, 4), (128, 64, 4)), (3, 4))
]
large_product = triton.autotune(configs=LARGE_CONFIGS, key=["M", "N", "K"])(triton.jit(product_of))


def launch_product(kernel, c, a, b):
    m, k = a.shape
    n = b.shape[0]
    kernel[lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]), )](c=c, a=a, b=b, M=m, N=n,
                                                                                             K=k)


def relative_error(value, reference):
    return ((value - reference).norm() / reference.norm()).item()


def measure_launches(rounds=400, batch=50):
    """Host ns a launch, median over rounds; kinds in turn, the stream drained before each batch."""
    y = torch.zeros(1, device="cuda")
    kinds = {
        "plain": lambda: nothing_kernel[(1, )](y, y, 2.0, 1 << 20, BLOCK=32, num_warps=1),
        "autotuned": lambda: tuned_nothing_kernel[(1, )](y, y, 2.0, 1 << 20),
    }
    for launch in kinds.values():
        launch()
    times = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind, launch in kinds.items():
            torch.cuda.synchronize()
            begin = time.perf_counter_ns()
            for _ in range(batch):
                launch()
            times[kind].append((time.perf_counter_ns() - begin) / batch)
    return {f"launch_{kind}_ns": statistics.median(values) for kind, values in times.items()}


def event_ms(work):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    work()
    end.record()
    return begin, end


def measure_matmul(m, n, k, rounds=30):
    """Medians of single products, in turn; three sets of operands, so that none stays in the L2 cache."""
    operands = [(torch.randn(m, k, device="cuda", dtype=torch.bfloat16),
                 torch.randn(n, k, device="cuda", dtype=torch.bfloat16),
                 torch.empty(m, n, device="cuda", dtype=torch.bfloat16)) for _ in range(3)]
    kinds = {
        "triton": lambda a, b, c: launch_product(large_product, c, a, b),
        "cublas": lambda a, b, c: torch.matmul(a, b.t(), out=c),
    }
    a, b, c = operands[0]
    results = {}
    for kind, product in kinds.items():
        c.fill_(float("nan"))
        product(a, b, c)
        results[kind] = c.clone()
    pairs = {kind: [] for kind in kinds}
    for i in range(rounds + 5):
        for kind, product in kinds.items():
            pairs[kind].append(event_ms(lambda product=product: product(*operands[i % 3])))
    torch.cuda.synchronize()
    ms = {kind: statistics.median(begin.elapsed_time(end) for begin, end in p[5:]) for kind, p in pairs.items()}
    return {
        "shape": f"{m}x{n}x{k}",
        "triton_ms": ms["triton"],
        "cublas_ms": ms["cublas"],
        "triton_over_cublas": ms["cublas"] / ms["triton"],  # of the speeds
        "error": max(relative_error(result[:64].double(), a[:64].double() @ b.double().t())
                     for result in results.values()),
        "triton_config": str(large_product.best_config),
    }


def print_table(result):
    print(f"{result['device']}, driver {result['driver']}, PyTorch {result['torch']}, Triton {result['triton']}")
    labels = {
        "launch_plain_ns": "host cost of a launch, plain, ns",
        "launch_autotuned_ns": "host cost of a launch, autotuned, ns",
    }
    for key, label in labels.items():
        if key in result:
            print(f"{label:<52}{result[key]:>12.4g}")
    for product in result.get("matmul", []):
        print(f"bf16 matmul {product['shape']:<20} Triton {product['triton_ms']:8.4f} ms   "
              f"cuBLAS {product['cublas_ms']:8.4f} ms   speed over cuBLAS {product['triton_over_cublas']:.3f}   "
              f"error {product['error']:.1e}")


def say(text):
    print(text, file=sys.stderr, flush=True)


def driver_version():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="launch, matmul; both unless given")
    arguments = parser.parse_args()
    parts = arguments.parts or ["launch", "matmul"]
    unknown = set(parts) - {"launch", "matmul"}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if not torch.cuda.is_available():
        print("no GPU to measure on")
        return EXIT_MISSING
    result = {
        "device": torch.cuda.get_device_name(),
        "driver": driver_version(),
        "torch": torch.__version__,
        "triton": triton.__version__,
    }
    if "launch" in parts:
        say("launches")
        result.update(measure_launches())
    if "matmul" in parts:
        shapes = ((4096, 4096, 4096), (8192, 28672, 8192), (8192, 11008, 4096))
        result["matmul"] = []
        for shape in shapes:
            say(f"matmul {shape}")
            result["matmul"].append(measure_matmul(*shape))
    print_table(result)
    print(json.dumps(result))
    return 0 if all(p["error"] < 1e-2 for p in result.get("matmul", [])) else 1


if __name__ == "__main__":
    sys.exit(main())
