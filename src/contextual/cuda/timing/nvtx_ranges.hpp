#pragma once

/// \file
/// NVTX ranges, by which a profiler's time line shows what was tuned when.

#include <contextual/timer.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

struct nvtxDomainRegistration_st;

namespace contextual::cuda {

/// Ranges of the domain "contextual": one a tuning iteration, "ag_gemm: tuning iteration 12", on the thread
/// of `run`, and one a launch, "gemm config-3 (warm-up)" with the config's number as payload, on the
/// launching thread. A tuning iteration learns its region's name from its launches, so the first has none.
///
/// Without a tool in the process a call costs one comparison. It allocates nothing with one either; what the
/// tool does is its own.
class NvtxRanges {
 public:
  /// The domain is made once a process. Loads the tool that NVTX_INJECTION64_PATH names.
  NvtxRanges() noexcept;
  NvtxRanges(const NvtxRanges&) = delete;
  NvtxRanges& operator=(const NvtxRanges&) = delete;
  /// On the thread of `run`: ends a range that a region which threw left open.
  ~NvtxRanges();

  void begin_iteration(std::int64_t tuning_iteration) noexcept {
    if (domain_ != nullptr) {
      push_iteration(tuning_iteration);
    }
  }
  void end_iteration() noexcept {
    if (domain_ != nullptr) {
      pop_iteration();
    }
  }
  void begin_launch(const LaunchInfo& launch) noexcept {
    if (domain_ != nullptr) {
      push_launch(launch);
    }
  }
  void end_launch() noexcept {
    if (domain_ != nullptr) {
      pop();
    }
  }

 private:
  static constexpr std::size_t most_characters = 96;  ///< of a name; longer ones are cut

  void push_iteration(std::int64_t tuning_iteration) noexcept;
  void pop_iteration() noexcept;
  void push_launch(const LaunchInfo& launch) noexcept;
  void pop() noexcept;
  void learn_region(std::string_view region) noexcept;

  nvtxDomainRegistration_st* domain_ = nullptr;  ///< null: no tool
  bool in_iteration_ = false;
  std::atomic<bool> knows_region_{false};
  std::mutex learning_;
  char region_[most_characters + 1] = {};
};

}  // namespace contextual::cuda
