#pragma once

/// \file
/// A region of two persistent kernels on two streams that divide the multiprocessors of a GPU, and its
/// tuning.

#include "cuda_common.hpp"

#include <contextual/cuda.hpp>
#include <contextual/options.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace contextual::benchmarks {

/// A block keeps a multiprocessor for itself.
struct ShareConfig {
  int blocks = 0;
};

/// What a kernel does: each block spins for the prologue, and then for a round for each of its items.
struct WorkOfKernel {
  int prologue_ns = 0;
  int round_ns = 0;
  unsigned items = 0;
  /// Blocks take item after item, and one that finds none ends at once. Else each block has its share.
  bool handed_out = false;
};

struct ShareWork {
  WorkOfKernel first;
  WorkOfKernel second;
};

enum class Order { first_first, second_first };

/// The number of multiprocessors of the current device.
int multiprocessors();
/// Configs on so many multiprocessors; the first one is the default.
ConfigSpace<ShareConfig> on_multiprocessors(const std::vector<int>& numbers);

class ShareRegion {
 public:
  using Pair = std::pair<std::size_t, std::size_t>;  ///< config ids of the two kernels

  /// Compiles and loads all configs.
  ShareRegion(const ConfigSpace<ShareConfig>& space, const ShareWork& work);

  /// Launches both kernels, tuned or as they are locked in, each on its stream, between a fork of both
  /// streams from a third one and their join.
  void launch(Order order);
  void wait() const;

  /// us a call, of so many calls in a row that begin on an idle device, without the tuner.
  double time_in_a_row(const Pair& pair, Order order, int calls);

  const ConfigSpace<ShareConfig>& space() const { return first_.space(); }
  std::vector<Pair> pairs() const;  ///< all, the first kernel's default in front

 private:
  using ShareKernel = CudaKernel<ShareConfig, unsigned>;
  static ShareKernel::Definition definition(const WorkOfKernel& work);

  void launch_pair(const Pair& pair, Order order);  ///< as `launch`
  void fork();
  void join();

  ShareWork work_;
  ShareKernel first_;
  ShareKernel second_;
  Stream first_stream_;
  Stream second_stream_;
  Stream main_stream_;
  Event begin_;
  Event end_;
  Event forked_{cudaEventDisableTiming};
  Event first_done_{cudaEventDisableTiming};
  Event second_done_{cudaEventDisableTiming};
};

struct ShareTuning {
  ShareRegion::Pair choice;
  long runs = 0;
  double wall_us = 0;
};
/// By a tuner of its own, from nothing.
ShareTuning tune(ShareRegion& region, Order order, Options options);

}  // namespace contextual::benchmarks
