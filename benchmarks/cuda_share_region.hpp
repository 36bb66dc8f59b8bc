#pragma once

/// \file
/// A region of two persistent kernels on two streams that divide the multiprocessors of a GPU.

#include "cuda_common.hpp"

#include <contextual/cuda.hpp>

#include <cstddef>
#include <utility>

namespace contextual::benchmarks {

/// A block keeps a multiprocessor for itself.
struct ShareConfig {
  int blocks = 0;
};

/// What the kernels do: each block spins for the prologue, and then for a round for each of its items.
struct ShareWork {
  int prologue_ns = 0;
  int round_ns = 0;
  unsigned items_of_first = 0;
  unsigned items_of_second = 0;
};

enum class Order { first_first, second_first };

/// The number of multiprocessors of the current device.
int multiprocessors();

class ShareRegion {
 public:
  using Pair = std::pair<std::size_t, std::size_t>;  ///< config ids of the two kernels

  /// Compiles and loads all configs.
  ShareRegion(const ConfigSpace<ShareConfig>& space, const ShareWork& work);
  ShareRegion(const ShareRegion&) = delete;
  ShareRegion& operator=(const ShareRegion&) = delete;
  ~ShareRegion();

  /// Launches both kernels, each on its stream, tuned or as they are locked in.
  void launch(Order order);
  void wait() const;

  /// us from the begin of both streams' work to its end, without the tuner.
  double time(const Pair& pair, Order order);

  const ConfigSpace<ShareConfig>& space() const { return first_.space(); }

 private:
  using ShareKernel = CudaKernel<ShareConfig, unsigned>;
  static ShareKernel::Definition definition(const ShareWork& work);

  ShareWork work_;
  ShareKernel first_;
  ShareKernel second_;
  Stream first_stream_;
  Stream second_stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t joined_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace contextual::benchmarks
