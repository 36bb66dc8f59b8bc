#!/usr/bin/env python3
"""Times PyTorch's grouped product of a mixture of experts on one GPU, bf16, median of rounds in turn.

    torch_experts.py [--shapes MxNxKxEXPERTSxTOP_K,...] [--rounds N]

Rows choose different experts uniformly at random; sorting and offsets are outside of the time. `index` copies each
row to its positions, `grouped` is torch._grouped_mm of rows in place, `sum` the compiled weighted sum over the experts
of a row.
"""

import argparse

import torch

SHAPES = "8192x704x2048x60x4,8192x2048x14336x8x2,8192x1024x1408x64x6,8192x7168x4096x8x2"


@torch.compile(dynamic=False)
def weighted_sum(y, positions, weights):
    """Returns the sum for each row, [rows, n], in float and rounded once."""
    return (y[positions].float() * weights[..., None]).sum(1).to(y.dtype)


def median_ms(launches, rounds):
    """Returns the median time of one call of each, in turn, five calls a turn."""
    times = [[] for _ in launches]
    for turn in range(rounds + 1):
        for launch, of_launch in zip(launches, times):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(5):
                launch()
            end.record()
            end.synchronize()
            if turn > 0:
                of_launch.append(begin.elapsed_time(end) / 5)
    return [sorted(of_launch)[len(of_launch) // 2] for of_launch in times]


def compare(shape, rounds):
    """Prints the times of one shape."""
    m, n, k, experts, top_k = (int(size) for size in shape.split("x"))
    torch.manual_seed(1)
    ids = torch.rand(m, experts, device="cuda").topk(top_k).indices
    order = ids.flatten().argsort(stable=True)
    rows = order // top_k
    positions = torch.empty_like(order)
    positions[order] = torch.arange(m * top_k, device="cuda")
    positions = positions.view(m, top_k)
    offsets = torch.bincount(ids.flatten(), minlength=experts).cumsum(0).int()
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    weights = torch.randn(experts, n, k, device="cuda", dtype=torch.bfloat16).transpose(1, 2)
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
    for name, ms in zip(launches, median_ms(list(launches.values()), rounds)):
        print(f"  {name:24} {1000 * ms:10.1f} us")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    for shape in arguments.shapes.split(","):
        compare(shape, arguments.rounds)


if __name__ == "__main__":
    main()
