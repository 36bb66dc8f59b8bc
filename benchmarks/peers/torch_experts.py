#!/usr/bin/env python3
"""Times PyTorch's grouped product of a mixture of experts on one GPU, bf16, median of rounds in turn.

    torch_experts.py [--shapes MxNxKxEXPERTSxTOP_K,...] [--rounds N]

Rows choose different experts uniformly at random; sorting and offsets are outside of the time. `index` copies each
row to its positions, `grouped` is torch._grouped_mm of rows in place, `sum` the compiled weighted sum over the experts
of a row.
"""

import torch

from torch_moe import compare_shapes, median_us, random, routing_of, sizes_of, weighted_sum

SHAPES = "8192x704x2048x60x4,8192x2048x14336x8x2,8192x1024x1408x64x6,8192x7168x4096x8x2"


def compare(shape, rounds):
    """Prints the times of one shape."""
    m, n, k, experts, top_k = sizes_of(shape)
    rows, positions, offsets = routing_of(m, experts, top_k)
    a = random(m, k)
    weights = random(experts, n, k).transpose(1, 2)
    factors = torch.rand(m, top_k, device="cuda")
    in_place = a[rows]
    y = torch._grouped_mm(in_place, weights, offs=offsets)
    launches = {
        "index": lambda: a[rows],
        "index, then grouped": lambda: torch._grouped_mm(a[rows], weights, offs=offsets),
        "grouped": lambda: torch._grouped_mm(in_place, weights, offs=offsets),
        "sum": lambda: weighted_sum(y, positions, factors),
    }
    print(f"\n{m} rows, {n} x {k}, {experts} experts, top {top_k}")
    for name, us in median_us(launches, rounds).items():
        print(f"  {name:24} {us:10.1f} us")


if __name__ == "__main__":
    compare_shapes(__doc__, SHAPES, compare)
