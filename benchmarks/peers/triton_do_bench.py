#!/usr/bin/env python3
"""How repeatable Triton's do_bench is, on what benchmarks/cuda_do_bench measures with the library's.

Ten calls of triton.testing.do_bench, with its defaults (25 ms of warm-up, 100 ms of runs, the L2 cache cleared), on a bf16
product of cuBLAS, a b^T through torch.matmul, and on the kernel of benchmarks/cuda_short_add.cu, which takes about 2 us and
is compiled by NVRTC through PyTorch, so that both measure the same code.

Needs a GPU, PyTorch and Triton. Prints a table and, last, one line of JSON. Exit code 3: something is missing.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

EXIT_MISSING = 3
try:
    import torch
    import triton
    import triton.testing
except ImportError as error:
    print(f"Triton's figures cannot be taken here: {error}")
    sys.exit(EXIT_MISSING)

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "cuda_short_add.cu"
THREADS = 128


def product_of(extent):
    a = torch.randn(extent, extent, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(extent, extent, device="cuda", dtype=torch.bfloat16)
    c = torch.empty(extent, extent, device="cuda", dtype=torch.bfloat16)
    return lambda: torch.matmul(a, b.t(), out=c)


def short_add_of(elements):
    """None where this PyTorch cannot compile CUDA C++."""
    compile_kernel = getattr(torch.cuda, "_compile_kernel", None)
    if compile_kernel is None:
        return None
    kernel = compile_kernel(SOURCE.read_text(), "short_add")
    x = torch.rand(elements, device="cuda")
    y = torch.rand(elements, device="cuda")
    z = torch.empty(elements, device="cuda")
    grid = ((elements + THREADS - 1) // THREADS, 1, 1)

    def add():
        kernel(grid=grid, block=(THREADS, 1, 1), args=(z, x, y, elements))

    add()
    torch.cuda.synchronize()
    if not torch.equal(z, x + y):
        raise RuntimeError("the short kernel's result is wrong")
    return add


def measure(name, function, calls):
    medians, inner, samples, seconds = [], [], [], []
    for _ in range(calls):
        begin = time.perf_counter()
        times = sorted(triton.testing.do_bench(function, return_mode="all"))
        seconds.append(time.perf_counter() - begin)
        median = statistics.median(times)
        medians.append(1e3 * median)
        samples.append(len(times))
        quarters = statistics.quantiles(times, n=4, method="inclusive")
        inner.append((quarters[2] - quarters[0]) / median)
    middle = statistics.median(medians)
    return {
        "function": name,
        "timer": "CUDA events",
        "medians_us": medians,
        "median_us": middle,
        "min_us": min(medians),
        "max_us": max(medians),
        "spread": (max(medians) - min(medians)) / middle,
        "inner_spread": statistics.mean(inner),
        "samples": statistics.mean(samples),
        "seconds": statistics.mean(seconds),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--extent", type=int, default=4096, help="rows and columns of the bf16 matrices")
    parser.add_argument("--elements", type=int, default=1 << 14, help="of the short kernel")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU to measure on")
        return EXIT_MISSING
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}")
    print("function   timer            median   smallest    largest spread %  inner %  samples  s/call")
    rows = []
    for name, function in (("cublas", product_of(arguments.extent)), ("short_add", short_add_of(arguments.elements))):
        if function is None:
            print(f"{name}: left out, this PyTorch compiles no CUDA C++ (torch.cuda._compile_kernel)")
            continue
        row = measure(name, function, arguments.calls)
        rows.append(row)
        print(f"{row['function']:<10} {row['timer']:<12} {row['median_us']:10.3f} {row['min_us']:10.3f} "
              f"{row['max_us']:10.3f} {100 * row['spread']:8.2f} {100 * row['inner_spread']:8.2f} "
              f"{row['samples']:8.0f} {row['seconds']:8.3f}", flush=True)
    print(json.dumps({"triton_do_bench": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
