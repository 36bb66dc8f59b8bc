#!/usr/bin/env python3
"""Compiles the GEMMs as on a machine with a GPU, without a warning, for the smallest and the largest tiles.

    compiles_test.py LIBNVRTC REPOSITORY [--registers]    # prints what ptxas says of registers and spills
"""

import ctypes
import pathlib
import re
import sys

TILES = ((64, 128, 1), (256, 128, 1), (128, 240, 1), (128, 256, 2))  # rows, columns, blocks of a cluster
LOW_TILES = ((64, 128, 1), (128, 256, 2))
GATED_TILES = ((64, 256, 1), (256, 128, 1), (128, 256, 2))
KERNELS = ("gemm.cu", "gemm_gather.cu", "gemm_remainder.cu", "gemm_scatter.cu", "gemm_split.cu")
PROGRAMS = [(kernel, {}, TILES) for kernel in KERNELS] + [
    ("gemm_scatter.cu", {"SPLIT_K": 1}, TILES[-1:]),
    ("gemm.cu", {"GATED": 1}, GATED_TILES),
    ("gemm_gather.cu", {"GATED": 1}, GATED_TILES),
    ("grouped_gemm.cu", {}, LOW_TILES),
    ("grouped_gemm.cu", {"GATED": 1}, (LOW_TILES[1],)),
    ("moe_gather.cu", {}, LOW_TILES),
    ("moe_gather.cu", {"GATED": 1}, (LOW_TILES[1],)),
    ("expert_routing.cu", {}, TILES[:1]),
    ("routing_gather.cu", {}, TILES[:1]),
    ("expert_sum.cu", {"THREADS": 128, "VECTORS": 4}, TILES[:1]),
    ("expert_sum_scatter.cu", {"THREADS": 128}, TILES[:1]),
    ("gemm.cu", {"FP8": 1}, TILES),
    ("gemm_gather.cu", {"FP8": 1}, TILES),
    ("gemm_gather.cu", {"FP8": 1, "BLOCK_SCALES": 1}, ((128, 64, 1), (64, 256, 1), (128, 112, 2), (128, 192, 2), (256, 128, 2))),
    ("gemm.cu", {"FP8": 1, "PROMOTES": 1}, ((64, 128, 1), (128, 128, 2), (256, 128, 2))),
    ("gemm.cu", {"FP8": 1, "PROMOTES": 1, "BLOCK_SCALES": 1}, ((64, 256, 1), (128, 112, 1), (128, 128, 2), (128, 192, 2), (256, 128, 2))),
    ("mma_gemm.cu", {"BLOCK_K": 256, "WARPS_M": 1, "WARPS_N": 2, "ARCHITECTURE": "sm_80"}, ((16, 32, 1),)),
    ("mma_gemm.cu", {"BLOCK_K": 64, "WARPS_M": 2, "WARPS_N": 4, "ARCHITECTURE": "sm_90a"}, ((128, 256, 1),)),
]


def log_of(nvrtc, path, defines, further=()):
    """Returns whether it compiles, and what the compiler says."""
    folders = (path.parent, path.parent / "peers", path.parents[2], path.parents[3] / "include")
    architecture = defines.pop("ARCHITECTURE", "sm_90a")
    options = [f"--gpu-architecture={architecture}"] + [f"-I{folder}" for folder in folders]
    options = [option.encode() for option in options + list(further) + [f"-D{name}={value}" for name, value in defines.items()]]
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), path.read_bytes(), path.name.encode(), 0, None, None)
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return status == 0, log.value.decode()


def main():
    nvrtc = ctypes.CDLL(sys.argv[1])
    prints_registers = "--registers" in sys.argv[3:]
    failed = False
    for kernel, variant, tiles in PROGRAMS:
        for rows, columns, cluster in tiles:
            defines = {"BLOCK_M": rows, "BLOCK_N": columns, "CLUSTER": cluster, "STAGES": 3, "GROUP": 1, "ALONG_N": 1}
            defines.update(variant)
            defines["STORE_BUFFERS"] = -(-rows * columns // 8192) if kernel == "gemm_scatter.cu" else 2
            path = pathlib.Path(sys.argv[2]) / "src" / "kernels" / "cuda" / kernel
            compiled, log = log_of(nvrtc, path, defines, ["--ptxas-options=-v"] if prints_registers else [])
            if not compiled or (log and not prints_registers):
                failed = True
                print(f"{kernel} {variant} with tiles of {rows} x {columns}:\n{log or 'it fails without a word'}")
            elif prints_registers:
                used = ", ".join(re.findall(r"Used (\d+) registers", log))
                spilled = ", ".join(re.findall(r"(\d+) bytes spill stores", log))
                print(f"{kernel} {variant} {rows} x {columns}: {used} registers, {spilled} bytes spilled")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
