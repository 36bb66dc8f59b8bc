#pragma once

/// \file
/// C = A * B^T on GPUs from compute capability 8.0 on, in bf16 or fp16: a tunable kernel.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>
#include <contextual/kernels/cuda/gemm.hpp>

namespace contextual::kernels::cuda {

/// Each block computes one tile of C. Sizes are in elements.
struct MmaGemmConfig {
  int block_m = 128;  ///< a tile's rows
  int block_n = 128;  ///< a tile's columns
  int block_k = 64;   ///< how deep a stage is: whoever multiplies meets once a stage
  int stages = 3;     ///< pieces of A and B in shared memory; all but one are loaded ahead
  int warps_m = 2;    ///< warps that share a tile's rows
  int warps_n = 2;    ///< warps that share its columns
  int group = 8;      ///< width of a band of tiles, which run along n
};

/// Tiles from 16 x 32 on, with as many stages as fit into the 99 KB of shared memory that all these devices
/// have.
CONTEXTUAL_API ConfigSpace<MmaGemmConfig> mma_gemm_space();

/// "cuda_mma_gemm". What GemmArgs says, without ready flags. Key: m, n, k and the type. Configs whose tiles
/// would be mostly outside of C are left out.
using MmaGemm = CudaKernel<MmaGemmConfig, GemmArgs>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
CONTEXTUAL_API MmaGemm& mma_gemm();

}  // namespace contextual::kernels::cuda
