#!/usr/bin/env python3
"""Times PyTorch's ways for the regions of a mixture of experts, bf16, one process a GPU; the slowest rank counts.

    mpirun -n 2 python3 torch_moe_regions.py [--shapes MxNxKxEXPERTSxTOP_K,...] [--rounds N]

Sizes are of all ranks: N is split over them. NCCL gathers the rows, each row is copied to its positions, and
torch._grouped_mm multiplies. Rows choose different experts uniformly at random; sorting and offsets are outside of the
time.
"""

import argparse
import os

import torch
import torch.distributed as dist

SHAPES = "8192x1408x2048x60x4,8192x4096x14336x8x2,8192x2048x1408x64x6,8192x14336x4096x8x2"


def median_us(launches, rounds):
    """Returns the median time of one call of each, in turn, five calls a turn."""
    times = [[] for _ in launches]
    for turn in range(rounds + 1):
        for launch, of_launch in zip(launches, times):
            torch.cuda.synchronize()
            dist.barrier()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(5):
                launch()
            end.record()
            end.synchronize()
            slowest = torch.tensor(begin.elapsed_time(end) * 200, device="cuda")
            dist.all_reduce(slowest, dist.ReduceOp.MAX)
            if turn > 0:
                of_launch.append(slowest.item())
    return [sorted(of_launch)[len(of_launch) // 2] for of_launch in times]


def compare(shape, rounds):
    """Prints the times of one shape."""
    m, n, k, experts, top_k = (int(size) for size in shape.split("x"))
    ranks = dist.get_world_size()
    torch.manual_seed(1)
    ids = torch.rand(m, experts, device="cuda").topk(top_k).indices
    rows = ids.flatten().argsort(stable=True) // top_k
    offsets = torch.bincount(ids.flatten(), minlength=experts).cumsum(0).int()
    own = torch.randn(m // ranks, k, device="cuda", dtype=torch.bfloat16)
    gathered = torch.empty(m, k, device="cuda", dtype=torch.bfloat16)
    weights = torch.randn(experts, n // ranks, k, device="cuda", dtype=torch.bfloat16).transpose(1, 2)
    in_place = torch.randn(m * top_k, k, device="cuda", dtype=torch.bfloat16)

    def separate():
        dist.all_gather_into_tensor(gathered, own)
        torch._grouped_mm(gathered[rows], weights, offs=offsets)

    launches = {
        "NCCL, index, grouped": separate,
        "grouped alone": lambda: torch._grouped_mm(in_place, weights, offs=offsets),
    }
    times = median_us(list(launches.values()), rounds)
    if dist.get_rank() == 0:
        print(f"\nall-gather: {m} rows, {n} x {k}, {experts} experts, top {top_k}, {ranks} ranks")
        for name, us in zip(launches, times):
            print(f"  {name:24} {us:10.1f} us", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
    torch.cuda.set_device(rank)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29501")
    dist.init_process_group("nccl", rank=rank, world_size=int(os.environ["OMPI_COMM_WORLD_SIZE"]))
    for shape in arguments.shapes.split(","):
        compare(shape, arguments.rounds)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
