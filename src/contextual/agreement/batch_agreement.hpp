#pragma once

/// \file
/// The exchange after a batch: first the header, then the payload if all is well. Details follow only if the
/// header asks for them.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/failure_exchange.hpp"
#include "contextual/agreement/launched_kernels.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/agreement/rejections.hpp"
#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::agreement {

/// Finds out what the ranks agree on. Every member function is collective but those that are `const` and
/// public. If the ranks cannot go on, it throws on all of them: the region's exception, RegionFailedError,
/// TuningFailedError or RankMismatchError. It throws CommunicationError if the ranks cannot be reached.
class BatchAgreement {
 public:
  BatchAgreement(Exchange& exchange, detail::RunContext& context, ProblemSet& problems)
      : exchange_(exchange), context_(context), problems_(problems), failures_(exchange, context, problems) {}

  struct Agreed {
    policy::BatchOutcome outcome;
    detail::AgreedTimes times;
    std::chrono::nanoseconds head_start{0};  ///< of the next batch, see BatchStart
  };
  /// Agrees on the outcome of a batch; new problems join. If only this rank had a choice for a
  /// problem, the times of that choice are removed from `result`.
  Agreed agree(const detail::BatchPlan& plan, detail::BatchResult& result);

  struct Preparing {
    bool everywhere = false;  ///< there was something to prepare, which all ranks know from the plan
    std::vector<policy::RejectionOutcome> rejections;  ///< what this rank could not prepare
  };
  /// Returns the configs that some rank could not prepare. `own` is what has failed on this rank beside that:
  /// all ranks throw then. If no rank had anything to prepare, they do not meet, and nothing is told.
  std::vector<policy::RejectionOutcome> agree_on_preparing(const detail::BatchPlan& plan,
                                                           const Preparing& preparing,
                                                           const detail::BatchFailure& own);

  struct FinalRun {
    bool rejected_anywhere = false;  ///< true if any choice failed on some rank
    std::vector<policy::RejectionOutcome> rejections;
    std::string wrong;           ///< why its results were, on some rank; empty if they were not
    bool outputs_repeat = true;  ///< false if the same configs have written others on some rank
  };
  FinalRun agree_on_final_run(const detail::BatchPlan& plan, const detail::BatchResult& result,
                              bool outputs_repeat);

  /// Meets the others at whichever of these exchanges they come to next, and tells them what failed on this
  /// rank before it knew which. Throws `own` when they know.
  [[noreturn]] void tell(const detail::BatchPlan& plan, const detail::BatchFailure& own);
  /// The exchange before all ranks end the run for a reason that all of them know. Throws if a rank tells a
  /// failure of its own instead.
  void agree_on_failed_tuning(const detail::BatchPlan& plan, const detail::BatchFailure& own);

  /// Returns true if all ranks have launched the same kernels, as of the first batch or, if there was one, of
  /// the last final run.
  bool launched_alike() const noexcept { return launched_alike_; }
  /// Returns what they have launched, as of the same batch.
  LaunchedKernels launched() const;

  /// Returns true if the other ranks know what failed on this rank.
  bool told() const noexcept { return failures_.told(); }
  /// Returns true if a rank's device has failed, as all ranks know.
  bool failed_by_device() const noexcept { return failures_.by_device(); }

 private:
  struct Joining {
    std::vector<detail::ProblemSlot*> problems;
    bool rejections_anywhere = false;
  };
  Header header_of(Stage stage, const detail::BatchPlan& plan) const;
  void note_launched(const Agreement& agreement);
  Agreement exchange(Stage stage, const detail::BatchPlan& plan, const Header& header);
  Joining agree_on_header(const detail::BatchPlan& plan, const detail::BatchResult& result);
  void throw_if_apart(const Agreement& agreement, const detail::BatchPlan& plan,
                      const detail::BatchFailure& own);
  Rejected rejected_here(const detail::BatchResult& result) const;
  bool launches_rejected() const;
  bool alternative_rejected() const;
  void throw_if_different(const Agreement& agreement, const detail::BatchPlan& plan);
  std::vector<std::int64_t> words_of(const detail::BatchPlan& plan, const detail::BatchResult& result) const;
  void read_words(const std::vector<std::int64_t>& words, Agreed& agreed) const;

  Exchange& exchange_;
  detail::RunContext& context_;
  ProblemSet& problems_;
  FailureExchange failures_;
  bool launched_alike_ = false;
  std::vector<std::string> launched_texts_;  ///< of all ranks, where they have not launched alike
};

}  // namespace contextual::agreement
