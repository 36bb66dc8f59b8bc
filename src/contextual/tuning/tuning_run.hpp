#pragma once

/// \file
/// The loop of one tuning run: plan, prepare, run, settle, agree, observe, log, lock in.

#include "contextual/agreement/batch_agreement.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/assignment_checks.hpp"
#include "contextual/tuning/batch_runner.hpp"
#include "contextual/tuning/choice_publisher.hpp"
#include "contextual/tuning/continuation.hpp"
#include "contextual/tuning/paired_timing.hpp"
#include "contextual/tuning/preparation.hpp"
#include "contextual/tuning/region_call.hpp"
#include "contextual/tuning/rejected_configs.hpp"
#include "contextual/tuning/run_warnings.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/report.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// A batch on its way through the loop.
struct Batch {
  detail::BatchPlan plan{detail::BatchKind::discovery, 0, {Phase::walk}, {}};
  std::size_t joined_before = 0;  ///< problems known before the batch
  bool launched = false;          ///< the region has been run, or tried to be
  detail::BatchResult result{};
  agreement::BatchAgreement::Agreed agreed{};
  agreement::BatchAgreement::FinalRun final_run{};
};

/// One `run` in mode tune, after the ranks have met. The replicated state takes every decision, from agreed
/// outcomes. This class only executes its plans and passes the outcomes on. One thread uses it.
///
/// Make it by TuningSetup and execute it only when the ranks have met. When it is over, with or without an
/// error, call `end` of the recorder. Choices that are locked in by then stay. `watch` is how its timer's
/// making is watched. The options, the exchange, the watchdog and the recorder must outlive it.
class TuningRun {
 public:
  TuningRun(const options::ResolvedOptions& options, std::string region, std::uint32_t region_id,
            Origin origin, agreement::Exchange& exchange, const Watchdog::Watch& watch,
            record::Recorder& recorder);
  TuningRun(const TuningRun&) = delete;
  TuningRun& operator=(const TuningRun&) = delete;
  /// Ends the timer, which is watched.
  ~TuningRun();

  /// Takes the timer's substitute in its place. Give it before `execute`.
  void give_way();

  /// What it takes over from an earlier process, and where it writes what another one needs. Give it before
  /// `execute`; without it, nothing is taken over or written.
  Continuation& continuation() noexcept { return continuation_; }
  /// What this rank says when the ranks meet, and what all of them know then. Call the latter before
  /// `execute`.
  bool copies_buffers() const { return checks_.copies_buffers(); }
  void note_copies(bool anywhere) noexcept { copies_anywhere_ = anywhere; }
  /// Where the search is to look, too. Give it before `execute`, equal on all ranks.
  void start_also_from(std::vector<agreement::StartingPoint> points) {
    problems_.start_also_from(std::move(points));
  }
  /// Call it when the run is over, with what it has thrown or null, and whether its choices are kept as far
  /// as they are to be. Else another run can go on with it.
  void end_journal(const std::exception_ptr& thrown, bool kept);

  /// Runs the region until everything is locked in, and once more: the final run. Throws the error that ends
  /// the run, including an exception of the region.
  void execute(const std::function<void()>& region);

  /// Returns what times the region with everything locked in. Call it after `execute`; one for all that is to
  /// be timed, because the ranks count its turns.
  PairedTiming paired_timing();
  /// Returns false if the user rules out the defaults of what is not pinned.
  bool allows_defaults() const { return checks_.allow_defaults(); }

  /// Returns false if the region has not repeated its outputs on some rank, so that none could be judged.
  bool outputs_repeat() const noexcept { return batch_.final_run.outputs_repeat; }

  /// Returns true if the final run rejected nothing and every choice is lasting, so that the region has
  /// nothing left to tune.
  bool nothing_left() const noexcept;

  /// Returns true if all ranks have launched the same kernels. Equal on all ranks, as `launched` is.
  bool launched_alike() const noexcept { return agreement_.launched_alike(); }
  agreement::LaunchedKernels launched() const { return agreement_.launched(); }

  // For the report; valid after an error, too.
  record::Ending ending() const;
  std::vector<record::ProblemView> problems() const { return problems_.views(context_); }
  const policy::TuningState& state() const noexcept { return problems_.state(); }
  const detail::RunContext& context() const noexcept { return context_; }
  const Timer& timer() const noexcept { return *timer_; }
  Phase phase() const noexcept { return batch_.plan.phase(); }

 private:
  // The steps of the loop.
  void plan();
  bool prepare();
  void run(const std::function<void()>& region);
  void agree();
  void observe();
  void log();
  void lock_in();

  void end_timer() noexcept;
  policy::PolicyOptions policy_of(const options::ResolvedOptions& options);
  bool answered();
  void observe_batch();
  void decide(const std::function<void()>& step);
  void fail(const std::exception_ptr& thrown);
  void log_failure();
  void throw_failure();
  void throw_if_tuning_failed();
  std::vector<policy::RejectionOutcome> meet_before_batch(
      const agreement::BatchAgreement::Preparing& prepared);
  void check_launches();
  void name_rejections();
  std::size_t unjoined_count() const;
  [[noreturn]] void end_disagreed();
  [[noreturn]] void rethrow();

  const options::ResolvedOptions& options_;
  agreement::Exchange& exchange_;
  record::Recorder& recorder_;
  std::unique_ptr<Timer> timer_;
  detail::RunContext context_;
  Watchdog::Watch watch_;
  AssignmentChecks checks_;
  agreement::ProblemSet problems_;
  RejectedConfigs rejected_;
  Preparation preparation_;
  BatchRunner runner_;
  agreement::BatchAgreement agreement_;
  ChoicePublisher choice_publisher_;
  RunWarnings warnings_;
  Continuation continuation_;

  Batch batch_;                             ///< the current one, or the last
  std::chrono::nanoseconds head_start_{0};  ///< of the next batch, agreed
  bool copies_anywhere_ = false;            ///< some rank copies buffers
  std::optional<std::size_t> met_with_;     ///< so many problems were known in the last such meeting
  bool finished_ = false;
};

}  // namespace contextual::tuning
