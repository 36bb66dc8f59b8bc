#pragma once

/// \file
/// Publishes the choices of a run to its kernels.

#include "contextual/agreement/launched_kernels.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/record/recorder.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace contextual::tuning {

/// The published choices of one run.
class ChoicePublisher {
 public:
  /// `search`: that the run asks for.
  ChoicePublisher(detail::RunContext& context, record::Recorder& recorder, SearchLevel search)
      : context_(context), recorder_(recorder), search_(search) {}

  /// Publishes the choices of finished problems that are new or have changed. A provisional choice applies to
  /// this region only; a warning in the report says so.
  void publish(const agreement::ProblemSet& problems);

  /// Notes which choices no other rank uses: these may fall back by themselves, see detail::falls_back.
  void note_who_uses(const agreement::LaunchedKernels& launched, int rank);

  /// Returns the number of problems without a published choice.
  std::size_t open_count() const;
  /// Returns true if no choice of this run is provisional.
  bool lasting() const noexcept { return lasting_; }

 private:
  struct Published {
    std::size_t config_id = 0;
    bool provisional = false;
    /// Of the first provisional choice of a run, for the others.
    std::optional<detail::ChoiceFinality> finality{};
  };
  void publish(detail::ProblemSlot& slot, const policy::ProblemRecord& record, Published choice);
  detail::ChoiceFinality count_attempt(const detail::ProblemSlot& slot) const;

  detail::RunContext& context_;
  record::Recorder& recorder_;
  SearchLevel search_;
  std::vector<std::optional<Published>> published_;  ///< by slot
  bool lasting_ = true;
};

}  // namespace contextual::tuning
