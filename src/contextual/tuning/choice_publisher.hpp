#pragma once

/// \file
/// Publishes the choices of a run to its kernels.

#include "contextual/agreement/launched_kernels.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/record/recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace contextual::tuning {

/// Returns how often choices of a region have been published in this process: another number means that some
/// tuner may have changed one. Thread-safe.
std::uint64_t publications_of(std::uint32_t region_id);
/// Choices of a region were published otherwise than by a ChoicePublisher. Thread-safe.
void note_publication(std::uint32_t region_id);
/// Forgets what is locked in for a region, see LaunchRegistry::forget_choices. Thread-safe.
void forget_choices(std::uint32_t region_id);
/// Does so if one of them has failed to launch: for a rank alone, which need not meet others for that. Not
/// while the region runs.
void forget_failed_choices(std::uint32_t region_id);
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
