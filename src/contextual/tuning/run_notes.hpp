#pragma once

/// \file
/// What a tuning run has to say beyond times and choices.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/unguarded_launches.hpp"

#include <contextual/timer.hpp>

#include <cstddef>

namespace contextual::tuning {

/// Tells the recorder what disturbed the measurements and what the user can do about it. Used by the thread
/// of `run`.
class RunNotes {
 public:
  /// All outlive the object.
  RunNotes(detail::RunContext& context, const Timer& timer, const options::ResolvedOptions& options,
           record::Recorder& recorder)
      : context_(context), timer_(timer), options_(options), recorder_(recorder) {}

  /// After each batch: the conditions in which it ran, and what launches have noted.
  void tell_batch(const detail::BatchPlan& plan, const detail::BatchResult& result);
  /// When the run is over. `unjoined_count` is the number of problems that only the final run has met.
  void tell_end(std::size_t unjoined_count);

 private:
  void note_loading();
  void note_kept_configs();
  void note_timer();

  detail::RunContext& context_;
  const Timer& timer_;
  const options::ResolvedOptions& options_;
  record::Recorder& recorder_;
  UnguardedLaunches unguarded_;
};

}  // namespace contextual::tuning
