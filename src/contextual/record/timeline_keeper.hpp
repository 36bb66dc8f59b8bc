#pragma once

/// \file
/// Keeps timelines of tuning iterations, and own times, until it is known which assignment of configs is
/// chosen.

#include "contextual/launch/batch.hpp"
#include "contextual/policy/batch_outcome.hpp"
#include "contextual/record/events.hpp"
#include "contextual/record/make_events.hpp"

#include <contextual/report.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace contextual::record {

/// Keeps one timeline for each assignment of configs: that of the last iteration which measured it and has
/// times of launches. An iteration of the search is preferred to one of the walk, and that to the final run,
/// which has no warm-up.
/// The kept iterations of all ranks are the same, because the plan and what was agreed on decide.
///
/// Of each assignment that the search has run it also keeps the own times of all problems.
///
/// Memory: the spans of one iteration, and the own times, for each assignment that was measured.
class TimelineKeeper {
 public:
  /// Takes the timelines of a batch. `outcome` is what the ranks agreed on; it is empty for the final run.
  void note(const detail::BatchPlan& plan, const detail::BatchResult& result,
            const std::vector<ProblemView>& problems, const policy::BatchOutcome& outcome);

  /// Returns the event of the chosen assignment, then that of the defaults, as far as they are known: there
  /// is none for defaults that did not run together, or if nothing was tuned. Problems that were locked in
  /// before have the same config in both.
  std::vector<Timeline> events(const std::vector<ProblemView>& problems) const;

  /// Own times of one problem in the search, see ProblemReport.
  struct OwnTimes {
    TimeSummary in_choice;
    TimeSummary in_defaults;
  };
  /// Returns those of all problems, by their index in the state.
  std::vector<OwnTimes> own_times(const std::vector<ProblemView>& problems) const;

 private:
  enum class Origin { final_run, walk, search };
  /// The config of every problem, by its index in the state; empty where no rank launched it.
  using Launched = std::vector<std::optional<std::size_t>>;
  struct Kept {
    Origin origin = Origin::final_run;
    Timeline event;  ///< without side and intervals
    detail::IterationTimeline timeline;
    std::vector<std::vector<std::int64_t>> own_times_ns{};  ///< of the search, by problem
  };
  /// What ran with everything that is locked in, and with all defaults; null if that did not run.
  struct Sides {
    const Kept* chosen = nullptr;
    const Kept* defaults = nullptr;
    bool tuned = false;  ///< something was not locked in before
  };
  Sides sides_of(const std::vector<ProblemView>& problems) const;

  static std::optional<Origin> origin_of(const detail::BatchPlan& plan, std::size_t iteration);
  static Launched launched(const detail::BatchPlan& plan, const detail::BatchResult& result,
                           const std::vector<ProblemView>& problems, const policy::BatchOutcome& outcome,
                           std::size_t iteration);
  const Kept* find(const std::vector<std::size_t>& assignment) const;

  std::map<Launched, Kept> kept_;
};

}  // namespace contextual::record
