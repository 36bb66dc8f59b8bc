#pragma once

/// \file
/// What a tuning run has to say beyond times and choices.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/policy/far_values.hpp"
#include "contextual/record/recorder.hpp"

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/timer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Tells the recorder what disturbed the measurements and what the user can do about it. Used by the thread
/// of `run`.
class RunWarnings {
 public:
  /// All outlive the object.
  RunWarnings(detail::RunContext& context, const options::ResolvedOptions& options,
              record::Recorder& recorder);

  /// After each batch: the conditions in which it ran, and what launches have noted.
  void tell_batch(const detail::BatchPlan& plan, const detail::BatchResult& result);
  /// When the run is over. `unjoined_count` is the number of problems that only the final run has met.
  void tell_end(std::size_t unjoined_count, const policy::FarShare& stalls);
  /// Before that: what the user's checks say of all results, which are worth nothing then.
  void tell_of_results(const std::vector<std::string>& notes);

 private:
  void note_loading();
  void note_kept_configs();
  void note_timer();
  void tell_unguarded();
  void tell_stalls(const policy::FarShare& stalls);

  detail::RunContext& context_;
  const options::ResolvedOptions& options_;
  record::Recorder& recorder_;
  bool timer_noted_ = false;
  /// By kernel: its launches by threads without a region's context before this run.
  std::vector<std::pair<std::shared_ptr<detail::KernelCore>, std::uint64_t>> unguarded_before_;
};

}  // namespace contextual::tuning
