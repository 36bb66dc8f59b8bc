#pragma once

/// \file
/// What a set of kept choices is for, to compare sets with one another. Pure.

#include "contextual/storage/choice_entry.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace contextual::storage {

/// The digest of a choice's problem: the same for all configs of it, however its kernels look.
std::uint64_t problem_digest(const KeptChoice& choice);
/// The digest of a choice's problem, its kernels as they looked, and its config.
std::uint64_t choice_digest(const KeptChoice& choice);

/// What an entry is for.
class ChoicePurpose {
 public:
  explicit ChoicePurpose(const ChoiceEntry& entry);

  /// Returns true if the entry makes an older one superfluous: it is of the same machines, was chosen beside
  /// the same pins, and has all of its problems on the same ranks, with the kernels as they were.
  bool covers(const ChoicePurpose& older) const;

  /// Returns true if both have a problem in common and differ about it: in its config, or in how its kernels
  /// looked. What was chosen beside the one does not belong to the other.
  bool contradicts(const ChoicePurpose& other) const;

  /// Returns true if an older entry does not count beside this one: it is covered; or it is contradicted by
  /// this one, which is of the same machines and counts wherever the older one does, because it has no other
  /// kernels.
  bool replaces(const ChoicePurpose& older) const;

  bool same_machines(const ChoicePurpose& other) const { return machines_ == other.machines_; }

 private:
  /// It counts where the older one does, as far as kernels do not decide it.
  bool counts_where(const ChoicePurpose& older) const {
    return machines_ == older.machines_ && pins_ == older.pins_;
  }

  std::uint64_t machines_ = 0;           ///< a digest
  std::string pins_;                     ///< a digest
  std::vector<std::uint64_t> problems_;  ///< with their kernels and ranks, sorted
  std::vector<std::uint64_t> kernels_;   ///< as they looked, with ranks, couplings as one, sorted
  std::vector<std::pair<std::uint64_t, std::uint64_t>> chosen_;  ///< problem and choice, sorted
};

}  // namespace contextual::storage
