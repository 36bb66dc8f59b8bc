#!/usr/bin/env python3
"""Times PyTorch's ways for the regions of a mixture of experts, bf16, one process a GPU; the slowest rank counts.

    mpirun -n 2 python3 torch_moe_regions.py [--shapes MxNxKxEXPERTSxTOP_K,...] [--rounds N]

Sizes are of all ranks: N of the all-gather is split over them, K of the reduce-scatter. NCCL gathers the rows, each row
is copied to its positions, and torch._grouped_mm multiplies; or that multiplies, a compiled sum adds what a row's
experts computed, and NCCL adds the ranks' sums. Beside it a product in Triton, tuned before, with rows by index and
the weights in its epilogue. Rows choose different experts uniformly at random; sorting, offsets and lists of tiles are
outside of the time.
"""

import argparse
import os

import torch
import torch.distributed as dist

import triton_moe
from torch_moe import median_us, random, routing_of, sizes_of, weighted_sum

SUMS = "8192x2048x1536x32x2,8192x4096x14336x8x2,8192x2048x1408x60x4"
SHAPES = "8192x1408x2048x60x4,8192x4096x14336x8x2,8192x2048x1408x64x6,8192x14336x4096x8x2"


def meet():
    torch.cuda.synchronize()
    dist.barrier()


def slowest(us):
    of_all = torch.tensor(us, device="cuda")
    dist.all_reduce(of_all, dist.ReduceOp.MAX)
    return of_all.item()


@torch.compile(dynamic=False)
def plain_sum(y, positions):
    """As `weighted_sum`, of what has its weights already."""
    return y[positions].float().sum(1).to(y.dtype)


def check_close(got, expected):
    """Both are rounded to bf16, before the weights or behind them."""
    torch.testing.assert_close(got.float(), expected.float(), rtol=5e-2, atol=5e-2 * expected.float().abs().mean().item())


def print_times(what, launches, rounds):
    times = median_us(launches, rounds, meet, slowest)
    if dist.get_rank() == 0:
        print(f"\n{what}, {dist.get_world_size()} ranks")
        for name, us in times.items():
            print(f"  {name:28} {us:10.1f} us", flush=True)


def compare_allgather(shape, rounds):
    """Prints the times of one shape."""
    m, n, k, experts, top_k = sizes_of(shape)
    ranks = dist.get_world_size()
    rows, _, offsets = routing_of(m, experts, top_k)
    own = random(m // ranks, k)
    gathered = random(m, k)
    weights = random(experts, n // ranks, k).transpose(1, 2)
    in_place = random(m * top_k, k)

    product = triton_moe.tuned_product(gathered, weights.transpose(1, 2), rows, offsets)

    def separate():
        dist.all_gather_into_tensor(gathered, own)
        return torch._grouped_mm(gathered[rows], weights, offs=offsets)

    def by_triton():
        dist.all_gather_into_tensor(gathered, own)
        return product()

    check_close(by_triton(), separate())
    launches = {
        "NCCL, index, grouped": separate,
        "NCCL, Triton": by_triton,
        "Triton alone": product,
        "grouped alone": lambda: torch._grouped_mm(in_place, weights, offs=offsets),
    }
    print_times(f"all-gather: {m} rows, {n} x {k}, {experts} experts, top {top_k}", launches, rounds)


def compare_reduce_scatter(shape, rounds):
    """Prints the times of one shape."""
    m, n, k, experts, top_k = sizes_of(shape)
    ranks = dist.get_world_size()
    _, positions, offsets = routing_of(m, experts, top_k)
    a = random(m * top_k, k // ranks)
    weights = random(experts, n, k // ranks).transpose(1, 2)
    factors = torch.rand(m, top_k, device="cuda")
    own = random(m // ranks, n)

    by_position = torch.empty(m * top_k, device="cuda")
    by_position[positions] = factors
    in_place = torch.arange(m * top_k, device="cuda")
    product = triton_moe.tuned_product(a, weights.transpose(1, 2), in_place, offsets, by_position)

    def separate():
        y = torch._grouped_mm(a, weights, offs=offsets)
        dist.reduce_scatter_tensor(own, weighted_sum(y, positions, factors))
        return own

    def by_triton():
        dist.reduce_scatter_tensor(own, plain_sum(product(), positions))
        return own

    check_close(by_triton().clone(), separate())
    launches = {
        "grouped, sum, NCCL": separate,
        "Triton, sum, NCCL": by_triton,
        "Triton alone": product,
        "grouped alone": lambda: torch._grouped_mm(a, weights, offs=offsets),
    }
    print_times(f"reduce-scatter: {m} rows, {n} x {k}, {experts} experts, top {top_k}", launches, rounds)


def join():
    """Makes this process a rank, with a GPU of its own."""
    rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
    torch.cuda.set_device(rank)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29501")
    dist.init_process_group("nccl", rank=rank, world_size=int(os.environ["OMPI_COMM_WORLD_SIZE"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--sums", default=SUMS)
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    join()
    for shape in arguments.shapes.split(","):
        compare_allgather(shape, arguments.rounds)
    for shape in arguments.sums.split(","):
        compare_reduce_scatter(shape, arguments.rounds)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
