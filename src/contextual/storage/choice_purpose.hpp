#pragma once

/// \file
/// What a set of kept choices is for, to compare sets with one another. Pure.

#include "contextual/storage/choice_set.hpp"

#include <cstdint>
#include <map>
#include <set>

namespace contextual::storage {

/// The digest of a choice's problem: the same for all configs of it, however its kernels look.
std::uint64_t problem_digest(const KeptChoice& choice);
/// The digest of a choice's problem, its kernels as they looked, and its config.
std::uint64_t choice_digest(const KeptChoice& choice);

/// What an entry is for.
class ChoicePurpose {
 public:
  explicit ChoicePurpose(const ChoiceSet& entry);

  /// Returns true if both have a problem in common and differ about it: in its config, or in how its kernels
  /// looked. What was chosen beside the one does not belong to the other.
  bool contradicts(const ChoicePurpose& other) const;

  /// Returns true if an older entry can never be used beside this one, which is of the same machines and was
  /// chosen beside the same pins: this one has all of its problems on the same ranks, with the kernels as
  /// they were; or it contradicts the older one and counts wherever that does, because it has no other
  /// kernels.
  bool replaces(const ChoicePurpose& older) const;

  /// Returns true if both are of the same machines and pins, and no program uses both: they are of two
  /// programs, or of two builds of one.
  bool competes_with(const ChoicePurpose& other) const {
    return where_ == other.where_ && contradicts(other);
  }

 private:
  std::uint64_t where_ = 0;                          ///< a digest of the machines and the pins
  std::set<std::uint64_t> problems_;                 ///< with their kernels and ranks
  std::set<std::uint64_t> kernels_;                  ///< as they looked, with ranks
  std::map<std::uint64_t, std::uint64_t> chosen_{};  ///< by problem
};

}  // namespace contextual::storage
