#pragma once

/// \file
/// Loads and prepares what the next batch launches while no region work is in flight. A config that one rank
/// cannot prepare is launched on no rank.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/tuning/continuation.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <exception>
#include <map>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Calls the kernels' `load` for their defaults at most once per run, and at most once per config,
/// tuning problem and run.
class Preparation {
 public:
  /// `continuation` knows what must not be made ready, and learns what is.
  Preparation(detail::RunContext& context, const agreement::ProblemSet& problems,
              const Watchdog::Watch& watch, Continuation& continuation)
      : context_(context), problems_(problems), watch_(watch), continuation_(continuation) {}

  /// Loads the default of every living kernel, because it is not known yet which of them the region launches.
  void load_defaults();

  /// What `load` says of a config that it accepts.
  struct Remark {
    detail::CurrentLaunch config;
    std::string text;
  };

  struct Result {
    bool everywhere = false;  ///< true if some rank had something to prepare; equal on all ranks
    bool more = false;  ///< true if it has to be called again when the ranks have met; equal on all ranks
    std::vector<policy::RejectionOutcome> rejections;  ///< configs that could not be prepared
    std::exception_ptr device_failure;  ///< set if the device was lost, so no config is to blame
    std::vector<Remark> remarks;        ///< of this rank
  };
  /// Prepares the configs of the slots' cells and their fallbacks. If this rank launches a problem only after
  /// the others have prepared its configs, a config that it cannot prepare counts as rejected by a launch of
  /// the batch. A suspect is prepared alone, so that it is known what a process dies of. Launches go by what
  /// is prepared then.
  Result prepare(const detail::BatchPlan& plan);

  /// Loads the chosen configs once more where something scarce was taken for those that were tried: see
  /// LoadNotes::tries. To be called by the thread of `run` at its end, whatever that is.
  void keep_chosen() noexcept;

  /// Sets what launches go by during the batch.
  void fix_views(const detail::BatchPlan& plan);

 private:
  /// By config.
  struct Prepared {
    std::vector<bool> anywhere;  ///< on all ranks that launch it
    std::vector<bool> here;
  };
  Prepared& prepared(const detail::ProblemSlot& slot);
  void prepare_late(const DueConfig& due, const detail::BatchPlan& plan);
  /// Of the defaults of the problems that the region has turned out to launch.
  void add_remarks_on_defaults(std::vector<Remark>& remarks);
  /// Returns why that is impossible on this rank, or an empty text.
  std::string prepare_here(const DueConfig& due, const detail::BatchPlan& plan);

  detail::RunContext& context_;
  const agreement::ProblemSet& problems_;
  const Watchdog::Watch& watch_;
  Continuation& continuation_;
  std::vector<Prepared> prepared_;  ///< by slot
  std::vector<Remark> remarks_;
  std::map<std::string, std::vector<Remark>> on_defaults_;  ///< by kernel
  std::exception_ptr device_failure_;
  bool tried_ = false;  ///< something scarce was taken
};

}  // namespace contextual::tuning
