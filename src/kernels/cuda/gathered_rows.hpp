#pragma once

/// \file
/// A rank's own rows in one call of a region that gathers the rows of all ranks.

#include "kernels/cuda/peers/gather_parameters.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/kernels/cuda/allgather_gemm.hpp>

#include <cuda.h>

#include <array>
#include <cstddef>

namespace contextual::kernels::cuda {

/// Of one call: own rows, and where they belong in the gathered matrix, [m, k], of 16-bit values.
class OwnRows {
 public:
  /// `m` is that of the call.
  OwnRows(PeerWorkspace::Parts& workspace, const GatheredRows& rows, int m, int k);

  bool empty() const noexcept { return own_.empty(); }
  /// Throws InvalidArgument, whose text begins with `who`.
  void check(const char* who) const;
  /// Copies them to their place, unless they are there.
  void bring(CUstream stream) const;
  /// Gathers all ranks' rows by NCCL.
  void gather(CUstream stream) const;

 private:
  std::size_t row_bytes() const noexcept;
  void copy(CUstream stream) const;

  PeerWorkspace::Parts* workspace_;
  const void* rows_;
  int pitch_;
  int m_;
  int k_;
  Rows own_;
  std::byte* place_;
};

/// Returns what a kernel needs that fetches the other ranks' rows, without scales.
GatherParameters gather_parameters(const PeerWorkspace::Parts& workspace, int m, int k);

/// As gather_rows.cuh has them.
struct FetchMaps {
  std::array<CUtensorMap, PeerControl::most_ranks> from;
  std::array<CUtensorMap, PeerControl::most_ranks> to;
};
FetchMaps fetch_maps(const PeerWorkspace::Parts& workspace, int m, int k, bool bf16);

/// Returns a source with the headers of gather_rows.cuh.
CudaSource with_gather_headers(CudaSource source);

}  // namespace contextual::kernels::cuda
