#pragma once

/// \file
/// The loop of one tuning run: assign, prepare, run, settle, exchange, observe, lock in, log.

#include "contextual/autotuner/batch.hpp"
#include "contextual/autotuner/recorder.hpp"
#include "contextual/autotuner/resolved_options.hpp"
#include "contextual/autotuner/run_context.hpp"
#include "contextual/autotuner/watchdog.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/sync/exchange.hpp"

#include <contextual/error.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual::autotuner {

/// A hash that all ranks compute alike, for the exchange.
std::uint64_t text_digest(std::string_view text);

/// One `run` in mode tune. Every decision is taken by the replicated state from agreed outcomes; this class
/// only carries out and carries around.
class RegionRun {
 public:
  RegionRun(const ResolvedOptions& options, std::string region, std::uint32_t region_id,
            sync::Exchange& exchange, Recorder& recorder);
  ~RegionRun();

  /// Throws what ended the run. Problems locked in by then stay.
  void execute(const std::function<void()>& region);

  /// The run is over, but a thread may still launch into it: ends what would go on for ever.
  void retire() { watchdog_.reset(); }

  /// For the report, also after an error.
  std::vector<ProblemView> problems() const;
  const policy::TuningState& state() const noexcept { return shared_; }
  const detail::RunContext& context() const noexcept { return context_; }
  const Timer& timer() const noexcept { return *timer_; }
  /// Of the last batch that was begun.
  policy::Phase phase() const noexcept { return phase_; }

 private:
  // Each step of the loop.
  bool finished() const;
  Batch plan_batch();
  void preload();
  bool prepare(Batch& batch);
  void agree(Batch& batch);
  void lock_in_finished();
  void final_run(const std::function<void()>& region);
  void agree_final(const Batch& batch);

  void warn_of_loading();
  void tell_notes(const Batch& batch);

  // Parts of `prepare`.
  std::vector<policy::RejectionOutcome> prepare_slot(detail::ProblemSlot& slot,
                                                     const std::vector<std::size_t>& configs);

  // Parts of `agree`.
  void agree_header(const Batch& batch, std::vector<detail::ProblemSlot*>& joining);
  void throw_failures(const Batch& batch);
  /// In a handler: what this rank threw itself goes before that the others could not be told of it.
  [[noreturn]] void rethrow(const Batch& batch);
  nlohmann::json failure_details(const Batch& batch);
  [[noreturn]] void throw_tuning_failed(const Batch& batch);
  [[noreturn]] void throw_mismatch(const sync::Agreement& agreement, const Batch& batch);
  void join(policy::TuningState& state, const std::vector<detail::ProblemSlot*>& problems);
  void observe_local(Batch& batch);
  void observe_shared(Batch& batch);
  std::vector<policy::RejectionOutcome> local_rejections(bool shared);
  std::vector<policy::RejectionOutcome> gather_rejections(std::vector<policy::RejectionOutcome> own);
  void apply_rejections(bool shared, const std::vector<policy::RejectionOutcome>& rejections,
                        const Batch& batch);
  void check_coupled_members(Batch& batch);
  void keep_local_failure(Batch& batch);
  void throw_if_failed(bool shared);

  std::vector<detail::ProblemSlot*> slots_of(bool shared);
  const policy::ProblemRecord* record_of(const detail::ProblemSlot& slot) const;
  std::vector<Rejection> rejections_of(const detail::ProblemSlot& slot) const;
  static std::string config_text(const detail::ProblemSlot& slot, std::size_t config_id);

  const ResolvedOptions& options_;
  sync::Exchange& exchange_;
  Recorder& recorder_;
  std::unique_ptr<Timer> timer_;
  detail::RunContext context_;
  std::optional<Watchdog> watchdog_;  ///< during the run
  policy::TuningState shared_;        ///< the replicated state
  policy::TuningState local_;         ///< of this rank's `local` kernels: walk only
  BatchRunner runner_;
  Recorder::AgreedTimes agreed_;
  std::int64_t iterations_ = 0;
  policy::Phase phase_ = policy::Phase::walk;
  bool local_open_anywhere_ = false;
  bool rejections_anywhere_ = false;
  bool first_batch_ = true;
  bool told_ = false;  ///< the other ranks know what failed on this one
  std::uint64_t plan_digest_ = 0;
  std::exception_ptr device_failure_;  ///< thrown by a `prepare`
};

}  // namespace contextual::autotuner
