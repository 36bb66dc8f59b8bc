"""A mixture of experts in PyTorch, bf16, and the times of ways to compute it."""

import argparse

import torch


@torch.compile(dynamic=False)
def weighted_sum(y, positions, weights):
    """Returns the sum for each row, [rows, n], in float and rounded once."""
    return (y[positions].float() * weights[..., None]).sum(1).to(y.dtype)


def routing_of(m, experts, top_k):
    """Returns the row of each position, the positions of each row, and where each expert's positions end."""
    torch.manual_seed(1)
    ids = torch.rand(m, experts, device="cuda").topk(top_k).indices
    order = ids.flatten().argsort(stable=True)
    positions = torch.empty_like(order)
    positions[order] = torch.arange(m * top_k, device="cuda")
    offsets = torch.bincount(ids.flatten(), minlength=experts).cumsum(0).int()
    return order // top_k, positions.view(m, top_k), offsets


def random(*sizes):
    return torch.randn(*sizes, device="cuda", dtype=torch.bfloat16)


def sizes_of(shape):
    """Returns m, n, k, the number of experts and top k."""
    return (int(size) for size in shape.split("x"))


def median_us(launches, rounds, meet=lambda: None, slowest=lambda us: us):
    """Returns the median time of one call of each, in turn, five calls a turn, by name.

    meet: what all ranks do before a turn. slowest: of a time, that of the slowest rank.
    """
    times = {name: [] for name in launches}
    for turn in range(rounds + 1):
        for name, launch in launches.items():
            meet()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(5):
                launch()
            end.record()
            end.synchronize()
            us = slowest(begin.elapsed_time(end) * 200)
            if turn > 0:
                times[name].append(us)
    return {name: sorted(of_launch)[len(of_launch) // 2] for name, of_launch in times.items()}


def compare_shapes(documentation, shapes, compare):
    """Calls `compare(shape, rounds)` for the shapes of the command line, or for these."""
    parser = argparse.ArgumentParser(description=documentation.splitlines()[0])
    parser.add_argument("--shapes", default=shapes)
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    for shape in arguments.shapes.split(","):
        compare(shape, arguments.rounds)
