#pragma once

/// \file
/// Tells people about a run: in the two logs of its rank, the report, the terminal and the progress callback.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/make_events.hpp"
#include "contextual/record/printer.hpp"
#include "contextual/record/rank_log.hpp"
#include "contextual/record/report_builder.hpp"
#include "contextual/record/timeline_keeper.hpp"
#include "contextual/record/tuning_time.hpp"

#include <contextual/report.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::record {

/// Where a run ended.
struct Ending {
  RunStage stage = RunStage::hello;
  std::int64_t tuning_iteration = 0;
  const policy::TuningState* state = nullptr;  ///< null if the ranks never agreed on a first batch
  std::vector<ProblemView> problems;
};

/// Each run has one recorder, which the thread of `run` calls outside of the region. Only `warning` takes
/// texts made by the engine; everything else is rendered from the state of the policy and the batch.
class Recorder {
 public:
  /// Opens the logs. Throws InvalidArgument if a directory cannot be written that is not the default one; in
  /// that case a warning is all.
  Recorder(const options::ResolvedOptions& options, std::string region);

  /// What comes from now on is no time of this run.
  void work_ends() { time_.stop(); }
  void batch(const detail::BatchPlan& plan, const detail::BatchResult& result,
             const std::vector<ProblemView>& problems, const detail::AgreedTimes& agreed);
  /// `rejection.problem` may be any: `slot` is.
  void rejected(const detail::ProblemSlot& slot, const policy::RejectionOutcome& rejection,
                const detail::BatchPlan& plan);
  void choice(const ProblemView& problem);
  /// Records choices of an earlier process, or of pins, with which the region runs.
  void kept(const std::vector<ProblemReport>& problems);
  /// Records the conditions of the devices, if the timer knows any.
  void conditions(const detail::BatchPlan& plan, const detail::BatchResult& result);
  /// Records the searches that have ended since the last call.
  void searches(const policy::TuningState& state, const std::vector<ProblemView>& problems);
  /// Keeps the timelines of a batch, if there is a log, and the own times of the search. `outcome` is empty
  /// for the final run.
  void note_timelines(const detail::BatchPlan& plan, const detail::BatchResult& result,
                      const std::vector<ProblemView>& problems, const policy::BatchOutcome& outcome);
  /// Records the timelines of the chosen configs and of the defaults. Call it when all is locked in.
  void timelines(const std::vector<ProblemView>& problems);
  /// Records how short the region could be.
  void limit(const LimitReport& limit, std::int64_t round_count);
  void warning(const std::string& text);
  void said(const std::string& text);  ///< a warning that stderr has been told
  /// What making a config ready has brought up. Only the log and who prints every config get it, the same
  /// about the same config once.
  void remark(const detail::CurrentLaunch& config, const std::string& text);
  /// A warning that must be seen without a look into a log: rank 0 also writes it to stderr where nothing is
  /// printed, once a process.
  void loud_warning(const std::string& text);
  void progress(const policy::TuningState& state, Phase phase, std::size_t open_problems);
  /// Records that all ranks have met and agree on what to do. `timer` is null where nothing is timed.
  void hello(const std::string& tuning_id, const Timer* timer);
  /// Call it when this rank is about to tell the others that it failed. Writes the rejections of its launches
  /// and the end of its run at once, because the other ranks may never arrive. `end` then adds nothing to the
  /// log.
  void fails(const detail::BatchFailure& failure, const detail::BatchPlan& plan, const Ending& ending);
  /// `thrown` is null for a run that ended well.
  void end(const std::exception_ptr& thrown, const Ending& ending);

  /// Returns the event of this run with this body.
  Event event_of(EventBody body) const { return {run_id(), rank_, region_, std::move(body)}; }
  /// Returns the logs, for the watchdog's thread.
  const std::optional<RankLog>& log() const noexcept { return log_; }

  std::int64_t elapsed_ns() const { return time_.elapsed_ns(); }  ///< since the run began

  RegionReport& report() noexcept { return builder_.report(); }
  const std::string& run_id() const noexcept { return builder_.report().run_id; }

 private:
  void open_log();
  void warn_of_lone_rank();
  void write(EventBody body);
  /// Adds the row, and if it is a config's last repeat, its average and before it the config's summary.
  void add_launch(std::vector<Event>& events, LaunchRow row, const ProblemView& problem) const;
  /// `event` says what was thrown.
  void write_end(RunEnd event, const Ending& ending);

  const options::ResolvedOptions& options_;
  std::string region_;
  int rank_;
  std::optional<RankLog> log_;
  ReportBuilder builder_;
  TimelineKeeper timelines_;
  Printer printer_;
  TuningTime time_;
  std::set<std::string> remarks_;
  std::size_t searches_written_ = 0;
  bool end_written_ = false;
};

}  // namespace contextual::record
