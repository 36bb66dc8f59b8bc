"""A product of a mixture of experts in Triton, bf16, as frameworks for inference have it: rows by index, and the weights
in top-k in the epilogue. Tiles belong to one expert each; their list is made beside the routing.
"""

import dataclasses

import torch
import triton
import triton.language as tl


@triton.jit
def multiply_experts(
    a, weights, c, rows, factors, experts, first, end, tiles_down, n, k,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, HAS_FACTORS: tl.constexpr,
    HAS_REST_OF_K: tl.constexpr,
):  # fmt: skip
    tiles_across = tl.cdiv(n, BLOCK_N)
    group = tl.program_id(0) // (GROUP * tiles_across)
    height = min(tiles_down - group * GROUP, GROUP)
    in_group = tl.program_id(0) % (GROUP * tiles_across)
    tile = group * GROUP + in_group % height
    column = in_group // height * BLOCK_N + tl.arange(0, BLOCK_N)
    position = tl.load(first + tile) + tl.arange(0, BLOCK_M)
    inside = position < tl.load(end + tile)
    row = tl.load(rows + position, mask=inside, other=0).to(tl.int64)
    depth = tl.arange(0, BLOCK_K)
    of_a = a + row[:, None] * k + depth[None, :]
    of_b = weights + tl.load(experts + tile).to(tl.int64) * n * k + column[None, :].to(tl.int64) * k + depth[:, None]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first_k in range(0, k, BLOCK_K):
        if HAS_REST_OF_K:
            in_k = depth < k - first_k
            block_of_a = tl.load(of_a, mask=in_k[None, :], other=0.0)
            block_of_b = tl.load(of_b, mask=(column[None, :] < n) & in_k[:, None], other=0.0)
        else:
            block_of_a = tl.load(of_a)
            block_of_b = tl.load(of_b, mask=column[None, :] < n, other=0.0)
        sums = tl.dot(block_of_a, block_of_b, sums)
        of_a += BLOCK_K
        of_b += BLOCK_K
    if HAS_FACTORS:
        sums *= tl.load(factors + position, mask=inside, other=0.0)[:, None]
    place = c + position[:, None].to(tl.int64) * n + column[None, :]
    tl.store(place, sums.to(tl.bfloat16), mask=inside[:, None] & (column[None, :] < n))


@dataclasses.dataclass(frozen=True)
class Config:
    """Of `multiply_experts`."""

    m: int
    n: int
    k: int
    group: int
    warps: int
    stages: int


CONFIGS = [
    Config(m, n, 64, group, warps, stages)
    for m, n, warps, stages in ((64, 128, 4, 4), (128, 128, 4, 4), (128, 128, 8, 4), (64, 256, 8, 4), (128, 256, 8, 3))
    for group in (1, 8)
]


def tiles_of(ends, height):
    """Returns the expert, the first position and the end of each tile."""
    experts, firsts, tile_ends = [], [], []
    begin = 0
    for expert, end in enumerate(ends.tolist()):
        for first in range(begin, end, height):
            experts.append(expert)
            firsts.append(first)
            tile_ends.append(end)
        begin = end
    return [torch.tensor(values, dtype=torch.int32, device="cuda") for values in (experts, firsts, tile_ends)]


def tuned_product(a, weights, rows, ends, factors=None):
    """Returns a function without arguments that computes and returns C, [positions, n], with the fastest config.

    a: [rows, k]; weights: [experts, n, k]; rows: by position; ends: of each expert's positions; factors: by position.
    """
    _, n, k = weights.shape
    c = torch.empty(rows.numel(), n, device="cuda", dtype=a.dtype)
    index = rows.int()

    def with_config(config):
        experts, first, end = tiles_of(ends, config.m)
        grid = (experts.numel() * triton.cdiv(n, config.n),)

        def product():
            multiply_experts[grid](
                a, weights, c, index, factors, experts, first, end, experts.numel(), n, k, config.m, config.n, config.k,
                config.group, factors is not None, k % config.k != 0, num_warps=config.warps, num_stages=config.stages,
            )  # fmt: skip
            return c

        return product

    products = [with_config(config) for config in CONFIGS]
    times = [triton.testing.do_bench(product, warmup=5, rep=20) for product in products]
    return products[times.index(min(times))]
