#!/usr/bin/env python3
"""Times PyTorch's way for the all-gather GEMM of fp8 with scales, one process a GPU; the slowest rank counts.

    mpirun -n 2 python3 torch_fp8_regions.py [--shapes MxNxK,...] [--rounds N] [--scales rows|blocks]

Sizes are of all ranks: N is split over them. NCCL gathers rows and scales, then torch._scaled_mm multiplies, with
results of bf16: with fast accumulation, but for scales of blocks. Those of A are gathered by rank, and then copied to
the order that the product takes.
"""

import argparse

import torch
import torch.distributed as dist

import torch_moe_regions

SHAPES = "8192x14336x4096,8192x28672x8192,512x14336x4096,4096x4096x4096"


def fp8(*sizes):
    return torch.randn(*sizes, device="cuda").to(torch.float8_e4m3fn)


def compare(shape, rounds, blocks):
    """Prints the times of one shape."""
    m, n, k = (int(size) for size in shape.split("x"))
    ranks = dist.get_world_size()
    own = fp8(m // ranks, k)
    of_row = -(-k // 128) if blocks else 1
    own_scales = torch.rand(of_row, m // ranks, device="cuda") + 0.5
    gathered = fp8(m, k)
    by_rank = torch.rand(ranks, of_row, m // ranks, device="cuda") + 0.5
    scales = torch.rand(of_row, m, device="cuda") + 0.5
    weights = fp8(n // ranks, k).t()
    if blocks:
        weight_scales = torch.rand(-(-n // ranks // 128), of_row, device="cuda").t() + 0.5
    else:
        weight_scales = torch.rand(1, n // ranks, device="cuda") + 0.5

    def product():
        return torch._scaled_mm(
            gathered, weights, scales.t(), weight_scales, out_dtype=torch.bfloat16, use_fast_accum=not blocks
        )

    def separate():
        dist.all_gather_into_tensor(gathered.view(torch.uint8), own.view(torch.uint8))
        dist.all_gather_into_tensor(by_rank if blocks else scales, own_scales)
        if blocks:
            scales.view(of_row, ranks, -1).copy_(by_rank.transpose(0, 1))
        return product()

    launches = {"NCCL, _scaled_mm": separate, "_scaled_mm alone": product}
    torch_moe_regions.print_times(f"all-gather of fp8: {m} x {n} x {k}", launches, rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--scales", choices=("rows", "blocks"), default="rows")
    arguments = parser.parse_args()
    torch_moe_regions.join()
    for shape in arguments.shapes.split(","):
        compare(shape, arguments.rounds, arguments.scales == "blocks")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
