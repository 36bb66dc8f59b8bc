#!/usr/bin/env python3
"""The benchmark of regions with PyTorch's ways as further sides: one process a GPU, in turn with ours.

    mpirun -n 2 python3 torch_regions.py build/cuda/benchmarks/libcuda_regions_module.so --region allgather --m 8192

What follows the library is cuda_regions' command line. PyTorch's ways are: NCCL and cuBLAS one after the other; async-TP,
its overlap over symmetric memory (torch.ops.symm_mem.fused_all_gather_matmul and fused_matmul_reduce_scatter); a product
and symm_mem's reduce-scatter; for few rows a product and one_shot_all_reduce, whose result is on all ranks. bf16, NVLink's
multicast off, rows padded to the ranks. A way that this PyTorch does not have, or that fails, is left out by name.
"""

import argparse
import ctypes
import os
import sys
import traceback

MOST_ROWS_ALL_REDUCE = 64


def padded(rows, ranks):
    return (rows + ranks - 1) // ranks * ranks


def random(torch, rows, columns):
    return (torch.randn(rows, columns, device="cuda") * 0.1).to(torch.bfloat16)


def allgather_sides(args, ranks, torch, dist):
    m = padded(args.m, ranks)
    own_rows = random(torch, m // ranks, args.k)
    weights = random(torch, args.n // ranks, args.k)
    gathered = torch.empty(m, args.k, device="cuda", dtype=torch.bfloat16)
    result = torch.empty(m, args.n // ranks, device="cuda", dtype=torch.bfloat16)

    def separate():
        dist.all_gather_into_tensor(gathered, own_rows)
        torch.matmul(gathered, weights.t(), out=result)

    def async_tp():
        torch.ops.symm_mem.fused_all_gather_matmul(own_rows, [weights.t()], 0, dist.group.WORLD.group_name)

    return {"PyTorch NCCL and cuBLAS": separate, "PyTorch async-TP": async_tp}


def reduce_scatter_sides(args, ranks, torch, dist):
    group = dist.group.WORLD.group_name
    m = padded(args.m, ranks)
    rows = random(torch, m, args.k // ranks)
    weights = random(torch, args.n, args.k // ranks)
    partial = torch.empty(m, args.n, device="cuda", dtype=torch.bfloat16)
    shared = torch.distributed._symmetric_memory.empty(m, args.n, device="cuda", dtype=torch.bfloat16)
    torch.distributed._symmetric_memory.rendezvous(shared, group=group)
    result = torch.empty(m // ranks, args.n, device="cuda", dtype=torch.bfloat16)

    def separate():
        torch.matmul(rows, weights.t(), out=partial)
        dist.reduce_scatter_tensor(result, partial)

    def async_tp():
        torch.ops.symm_mem.fused_matmul_reduce_scatter(rows, weights.t(), "sum", 0, group)

    def symmetric():
        torch.matmul(rows, weights.t(), out=shared)
        torch.ops.symm_mem.reduce_scatter_out(shared.view(-1), group, False, result.view(-1))

    def all_reduce():
        torch.matmul(rows, weights.t(), out=shared)
        torch.ops.symm_mem.one_shot_all_reduce(shared, "sum", group)

    sides = {"PyTorch NCCL and cuBLAS": separate, "PyTorch async-TP": async_tp, "PyTorch symmetric": symmetric}
    if args.m <= MOST_ROWS_ALL_REDUCE:
        sides["PyTorch all-reduce (to all)"] = all_reduce
    return sides


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--region", choices=["allgather", "reduce_scatter"], default="allgather")
    parser.add_argument("--m", type=int, default=8192)
    parser.add_argument("--n", type=int, default=14336)
    parser.add_argument("--k", type=int, default=4096)
    args, others = parser.parse_known_args()
    os.environ["NCCL_NVLS_ENABLE"] = "0"
    os.environ["TORCH_SYMM_MEM_DISABLE_MULTICAST"] = "1"
    os.environ["NVSHMEM_DISABLE_NVLS"] = "1"
    try:
        import torch
        import torch.distributed as dist
        import torch.distributed._symmetric_memory  # which brings the operations along
    except ImportError as error:
        print(f"left out: {error}", file=sys.stderr)
        return 3
    rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
    ranks = int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
    if torch.cuda.device_count() < ranks:
        print(f"left out: there are {torch.cuda.device_count()} GPUs for {ranks} ranks", file=sys.stderr)
        return 3
    torch.cuda.set_device(rank)
    port = os.environ.get("MASTER_PORT", "29571")
    dist.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks,
                            device_id=torch.device("cuda", rank))
    make = allgather_sides if args.region == "allgather" else reduce_scatter_sides
    sides = make(args, ranks, torch, dist)
    torch.cuda.synchronize()
    bodies = list(sides.values())
    streams = {}

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
    def call(side, stream):
        try:
            if stream not in streams:
                streams[stream] = torch.cuda.ExternalStream(stream)
                torch.cuda.set_stream(streams[stream])
            bodies[side]()
            return 0
        except Exception:
            traceback.print_exc()
            return 1

    names = (ctypes.c_char_p * len(sides))(*[name.encode() for name in sides])
    words = ["torch_regions", "--region", args.region, "--m", str(args.m), "--n", str(args.n), "--k", str(args.k),
             *others]
    argv = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
    library = ctypes.CDLL(args.library, mode=ctypes.RTLD_GLOBAL)
    status = library.contextual_cuda_regions(len(words), argv, len(sides), names, call)
    dist.destroy_process_group()
    return status


if __name__ == "__main__":
    sys.exit(main())
