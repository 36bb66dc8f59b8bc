#!/usr/bin/env python3
"""Times torch._scaled_mm of fp8 on one GPU, results of bf16, median of rounds in turn.

    torch_fp8.py [--shapes MxNxK,...] [--rounds N]

Scales of tensors and of rows with fast accumulation, scales of blocks (1 x 128, 128 x 128) without.
"""

import torch

from torch_moe import compare_shapes, median_us

SHAPES = "4096x4096x4096,4096x7168x2048,8192x7168x18432,4096x24576x1536,256x7168x18432,64x7168x2048"


def fp8(*sizes):
    return torch.randn(*sizes, device="cuda").to(torch.float8_e4m3fn)


def scales(*sizes):
    return torch.rand(*sizes, device="cuda") + 0.5


def compare(shape, rounds):
    """Prints the times of one shape."""
    m, n, k = (int(size) for size in shape.split("x"))
    a = fp8(m, k)
    b = fp8(n, k).t()
    n_blocks, k_blocks = -(-n // 128), -(-k // 128)
    of = {
        "tensors": (scales(1), scales(1), True),
        "rows": (scales(m, 1), scales(1, n), True),
        "blocks": (scales(k_blocks, m).t(), scales(n_blocks, k_blocks).t(), False),
    }

    def launch(of_a, of_b, fast):
        return lambda: torch._scaled_mm(a, b, of_a, of_b, out_dtype=torch.bfloat16, use_fast_accum=fast)

    launches = {}
    for name, arguments in of.items():
        try:
            launch(*arguments)()
            launches[name] = launch(*arguments)
        except (RuntimeError, ValueError) as error:
            print(f"  scales of {name}: {error}")
    print(f"\n{m} x {n} x {k}")
    for name, us in median_us(launches, rounds).items():
        print(f"  scales of {name:14} {us:10.1f} us", flush=True)


if __name__ == "__main__":
    compare_shapes(__doc__, SHAPES, compare)
