#!/usr/bin/env python3
"""All-gather GEMM and GEMM reduce-scatter in PyTorch: NCCL and cuBLAS one after the other, and async-TP.

    python3 torch_async_tp.py --region allgather --m 8192 --n 14336 --k 4096

async-TP is PyTorch's own overlap over symmetric memory (torch.ops.symm_mem.fused_all_gather_matmul and
fused_matmul_reduce_scatter). bf16, one process a GPU, NVLink's multicast off. A time is that of some calls in a row divided
by their number, on the slower rank, as cuda_regions takes it; both ways take turns.
"""

import argparse
import os
import statistics
import sys


def sides_of(args, rank, ranks, torch, dist):
    """Returns the ways of computing the region, by name."""
    group = dist.group.WORLD
    device = torch.device("cuda", rank)

    def random(rows, columns):
        return (torch.randn(rows, columns, device=device) * 0.1).to(torch.bfloat16)

    if args.region == "allgather":
        own_rows = random(args.m // ranks, args.k)
        weights = random(args.n // ranks, args.k)
        gathered = torch.empty(args.m, args.k, device=device, dtype=torch.bfloat16)
        result = torch.empty(args.m, args.n // ranks, device=device, dtype=torch.bfloat16)

        def separate():
            dist.all_gather_into_tensor(gathered, own_rows)
            torch.matmul(gathered, weights.t(), out=result)

        def overlapped():
            torch.ops.symm_mem.fused_all_gather_matmul(own_rows, [weights.t()], 0, group.group_name)

    else:
        rows = random(args.m, args.k // ranks)
        weights = random(args.n, args.k // ranks)
        partial = torch.empty(args.m, args.n, device=device, dtype=torch.bfloat16)
        result = torch.empty(args.m // ranks, args.n, device=device, dtype=torch.bfloat16)

        def separate():
            torch.matmul(rows, weights.t(), out=partial)
            dist.reduce_scatter_tensor(result, partial)

        def overlapped():
            torch.ops.symm_mem.fused_matmul_reduce_scatter(rows, weights.t(), "sum", 0, group.group_name)

    return {"NCCL and cuBLAS": separate, "async-TP": overlapped}


def time_ms(body, calls, torch, dist):
    """Of one call, on the slowest rank."""
    begin = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    dist.barrier()
    body()
    begin.record()
    for _ in range(calls):
        body()
    end.record()
    torch.cuda.synchronize()
    slowest = torch.tensor([begin.elapsed_time(end) / calls], device="cuda")
    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
    return slowest.item()


def work(rank, args):
    import torch
    import torch.distributed as dist
    import torch.distributed._symmetric_memory as symmetric_memory

    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{args.port}", rank=rank, world_size=args.ranks,
                            device_id=torch.device("cuda", rank))
    symmetric_memory.enable_symm_mem_for_group(dist.group.WORLD.group_name)
    sides = sides_of(args, rank, args.ranks, torch, dist)
    times = {name: [] for name in sides}
    for round_number in range(-3, args.rounds):
        for name, body in sides.items():
            ms = time_ms(body, args.calls, torch, dist)
            if round_number >= 0:
                times[name].append(ms)
    if rank == 0:
        print(f"{args.region} {args.m} x {args.n} x {args.k}, {args.rounds} rounds of {args.calls} calls, PyTorch "
              f"{torch.__version__}, ms of the slower rank")
        for name, values in times.items():
            low, _, high = statistics.quantiles(values, n=4)
            print(f"  {name:<16} {statistics.median(values):8.4f} (middle half {low:.4f} to {high:.4f})")
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--region", choices=["allgather", "reduce_scatter"], default="allgather")
    parser.add_argument("--m", type=int, default=8192)
    parser.add_argument("--n", type=int, default=14336)
    parser.add_argument("--k", type=int, default=4096)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--port", type=int, default=29571)
    args = parser.parse_args()
    os.environ["NCCL_NVLS_ENABLE"] = "0"
    os.environ["TORCH_SYMM_MEM_DISABLE_MULTICAST"] = "1"
    os.environ["NVSHMEM_DISABLE_NVLS"] = "1"
    try:
        import torch
    except ImportError as error:
        print(f"left out: {error}", file=sys.stderr)
        return 3
    if torch.cuda.device_count() < args.ranks:
        print(f"left out: there are {torch.cuda.device_count()} GPUs for {args.ranks} ranks", file=sys.stderr)
        return 3
    torch.multiprocessing.spawn(work, args=(args,), nprocs=args.ranks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
