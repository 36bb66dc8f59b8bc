#pragma once

/// \file
/// NVTX ranges, which show in a profiler's time line what was tuned when.

#include <contextual/timer.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

struct nvtxDomainRegistration_st;

namespace contextual::cuda {

/// Ranges of the domain "contextual". Each tuning iteration has one on the thread of `run`, e.g. "ag_gemm:
/// tuning iteration 12". Each launch has one on the launching thread, e.g. "gemm config-3 (warm-up)", with
/// the config's number as payload. The name of the region is known from launches only, so the first tuning
/// iteration is without it.
///
/// Cost: one comparison per call if there is no tool in the process. With a tool, the calls do not allocate
/// either, apart from what the tool itself does.
class NvtxRanges {
 public:
  /// Makes the domain, once per process, and loads the tool that NVTX_INJECTION64_PATH names.
  NvtxRanges() noexcept;
  NvtxRanges(const NvtxRanges&) = delete;
  NvtxRanges& operator=(const NvtxRanges&) = delete;
  /// Ends the range that is still open if the region threw. Call it on the thread of `run`.
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
  static constexpr std::size_t most_characters = 96;  ///< of a name; longer names are cut

  void push_iteration(std::int64_t tuning_iteration) noexcept;
  void pop_iteration() noexcept;
  void push_launch(const LaunchInfo& launch) noexcept;
  void pop() noexcept;
  void learn_region(std::string_view region) noexcept;

  nvtxDomainRegistration_st* domain_ = nullptr;  ///< null without a tool
  bool in_iteration_ = false;
  std::atomic<bool> knows_region_{false};
  std::mutex learning_;
  char region_[most_characters + 1] = {};
};

}  // namespace contextual::cuda
