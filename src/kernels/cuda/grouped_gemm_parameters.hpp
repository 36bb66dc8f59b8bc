#pragma once

/// \file
/// The parameters of the grouped GEMM. Also compiled by NVRTC.

#include "kernels/cuda/expert_tables.hpp"

#include <contextual/kernels/cuda/activation.hpp>

namespace contextual::kernels::cuda {

constexpr int grouped_store_maps = 7;  ///< of C: boxes of 1, 2, 4, ..., 64 rows

struct GroupedGemmParameters {
  const ExpertTile* tiles;  ///< of a cluster's height
  const int* tile_count;
  const int* rows;  ///< of A, by position; null where A is by position
  const void* a;    ///< dense
  int a_rows;       ///< a routing of more rows reads none behind them
  int n;
  int k;
  bool fp16;
  Activation activation;
};

}  // namespace contextual::kernels::cuda
