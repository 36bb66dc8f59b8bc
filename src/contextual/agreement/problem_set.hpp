#pragma once

/// \file
/// The tuning problems of a run and the states that decide them.

#include "contextual/launch/run_context.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <contextual/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace contextual::agreement {

/// Who decides a problem, and with whom.
enum class Deciders {
  all_ranks,  ///< the ranks agree on every outcome, and their states are equal
  this_rank,  ///< a `local` kernel: every rank decides for itself
};

/// The tuning problems that one state decides, in the order in which they joined.
class ProblemSet {
 public:
  ProblemSet(Deciders deciders, const policy::PolicyOptions& options);

  bool holds(const detail::ProblemSlot& slot) const noexcept;
  /// Makes the slot's problem one of this set's. Its outcomes are part of the next batch that is observed.
  void join(detail::ProblemSlot& slot);

  const std::vector<detail::ProblemSlot*>& slots() const noexcept { return slots_; }
  policy::TuningState& state() noexcept { return state_; }
  const policy::TuningState& state() const noexcept { return state_; }
  /// Something of this set is still to be tuned.
  bool open() const { return !slots_.empty() && !state_.done(); }

  /// The index in the state of a slot's problem; empty before it has joined, and where it is not of this set.
  std::optional<std::size_t> index_of(const detail::ProblemSlot& slot) const noexcept;
  /// Of a slot that has joined.
  const policy::ProblemRecord& record_of(const detail::ProblemSlot& slot) const;
  /// Every config that is out, with its reason.
  std::vector<Rejection> rejections_of(const detail::ProblemSlot& slot) const;
  /// What launches rejected in the batch that has just run.
  std::vector<policy::RejectionOutcome> rejections_of_batch() const;
  /// Throws TuningFailedError for the first problem of which every config is out.
  void throw_if_failed(const std::string& region) const;

 private:
  Deciders deciders_;
  policy::TuningState state_;
  std::vector<detail::ProblemSlot*> slots_;          ///< by index in the state
  std::vector<std::optional<std::size_t>> indices_;  ///< in the state, by index of the slot
};

/// All tuning problems of a run on this rank.
class Problems {
 public:
  explicit Problems(const policy::PolicyOptions& options);

  ProblemSet shared;  ///< decided by all ranks
  ProblemSet own;     ///< decided by this rank

  /// The set that decides a slot.
  ProblemSet& set_of(const detail::ProblemSlot& slot) noexcept;
  /// In the state that decides it; empty before the slot's problem has joined.
  std::optional<std::size_t> index_of(const detail::ProblemSlot& slot) const noexcept;
  /// Null before the slot's problem has joined.
  const policy::ProblemRecord* record_of(const detail::ProblemSlot& slot) const;
};

/// "{BLOCK: 64}", or a note that only other ranks know the config.
std::string config_text(const detail::ProblemSlot& slot, std::size_t config_id);

}  // namespace contextual::agreement
