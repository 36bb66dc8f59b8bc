#pragma once

/// \file
/// The region that is tuned: a tunable kernel of its own, and a layer of all ranks on the same stream. The
/// fault happens between the two.

#include "gpu/gathered_problem.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/reduced_problem.hpp"
#include "gpu/scale_kernel.hpp"
#include "mpi/faults/injector.hpp"

#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gpu_test {

/// An all-gather GEMM, a GEMM reduce-scatter, or one of few rows that all ranks get, whose k is split.
enum class Layer : std::uint8_t { gather, scatter, split };
constexpr int layers = 3;

/// The results of one rank: wrong elements of the layer.
struct RegionResults {
  std::size_t while_tuning = 0;
  std::size_t afterwards = 0;  ///< of some calls outside of tuning
  std::size_t own_kernel = 0;  ///< elements that show an extra or a missing effect of the own kernel
};

/// Its kernels live as long as it does.
///
/// Kinds of faults, all of them right before the layer: `throw`, `kill` and `stop` of the injector's point
/// `before_layer`; `skip`, which leaves the layer out; `hold`, which occupies the stream; and `config`, with
/// which the config of the own kernel asks for more shared memory than there is.
class RegionUnderFault {
 public:
  using Workspace = std::shared_ptr<contextual::kernels::cuda::PeerWorkspace>;

  /// Returns how large a workspace must be for any of the layers, in bytes.
  static std::size_t workspace_bytes(int ranks);

  /// Collective, as far as the workspace is. `hold`: how long the stream is occupied by the fault `hold`.
  RegionUnderFault(const Rank& rank, Layer layer, const Workspace& workspace, faults::Injector& injector,
                   std::chrono::nanoseconds hold);

  /// One run of the region, which compares its result with what is expected.
  void operator()();

  /// After each run that has settled: a reduce-scatter looks at its result before the next call.
  void check_run();

  /// Waits for the device, and calls the layer a few times more, on all ranks.
  RegionResults results();

 private:
  Scale::Definition own_definition();
  void call_layer(int set);
  std::size_t wrong_of_layer();

  faults::Injector& injector_;
  std::chrono::nanoseconds hold_;
  bool config_failed_ = false;
  int runs_ = 0;  ///< equal on all ranks, so that they take the same set of data
  Stream stream_;
  int ranks_;
  std::unique_ptr<contextual::kernels::cuda::AllGatherGemm> gather_;
  std::unique_ptr<GatheredProblem> gathered_;
  std::unique_ptr<contextual::kernels::cuda::GemmReduceScatter> scatter_;  ///< this or the other
  std::unique_ptr<ReducedProblem> reduced_;
  int last_set_ = 0;
  std::size_t wrong_while_tuning_ = 0;
  DeviceArray<float> values_;  ///< 1 or -1, for an even or odd number of runs
  Scale own_;
};

}  // namespace gpu_test
