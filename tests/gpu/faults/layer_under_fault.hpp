#pragma once

/// \file
/// The layers of all ranks in which something goes wrong, each with its data and what is expected of it.

#include "gpu/gpu_rank.hpp"

#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <cstddef>

namespace contextual::test::gpu_test {

class LayerUnderFault {
 public:
  virtual ~LayerUnderFault() = default;

  /// `run`: a number that is equal on all ranks, so that they take the same set of data.
  virtual void call(cudaStream_t stream, int run) = 0;

  /// Results are looked at in stream order; else after each run that has settled, before the next one.
  virtual bool looks_in_stream() const { return false; }

  /// Returns how many elements were wrong, NaN among them: of all calls since the last look, or of the last
  /// call.
  virtual std::size_t wrong() = 0;
};

/// An all-gather GEMM, a GEMM reduce-scatter, one of few rows that all ranks get, whose k is split, the two
/// halves of a mixture of experts, and a reduce-scatter by the way "one_shot".
constexpr int layers_under_fault = 6;

/// Of the layer with this index: the way that it is to take. Null for all those with equal bits.
const char* way_under_fault(int index);

/// Returns how large a workspace must be for any of them, in bytes.
std::size_t workspace_bytes_under_fault(int ranks);

/// Collective, as far as the workspace is. `index`: of the layers, from 0 on.
std::unique_ptr<LayerUnderFault> make_layer_under_fault(
    int index, const Rank& rank, const std::shared_ptr<kernels::cuda::PeerWorkspace>& workspace);

}  // namespace contextual::test::gpu_test
