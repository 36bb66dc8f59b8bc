#pragma once

/// \file
/// Finds the problems of a run by the name that identifies them on every rank.

#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace contextual::detail {

struct ProblemSlot;

/// The name of a problem in a run, regardless of the kernel object, thread or rank that launches it.
struct ProblemName {
  std::string_view name;      ///< of the kernel, or of the coupling
  std::string_view coupling;  ///< empty if the kernel is not coupled
  const Key& key;
  std::uint64_t scope = 0;  ///< see Problem::scope
};

/// Finds a problem in constant time. Any number of threads may read it while no thread adds to it.
class ProblemIndex {
 public:
  void add(ProblemSlot& slot) { slots_.insert(&slot); }
  ProblemSlot* find(const ProblemName& wanted) const;

 private:
  struct Hash {
    // NOLINTNEXTLINE(readability-identifier-naming): the standard library looks for this name
    using is_transparent = void;
    std::size_t operator()(const ProblemName& name) const;
    std::size_t operator()(const ProblemSlot* slot) const;
  };
  struct Equal {
    // NOLINTNEXTLINE(readability-identifier-naming): the standard library looks for this name
    using is_transparent = void;
    bool operator()(const ProblemSlot* a, const ProblemSlot* b) const { return a == b; }
    bool operator()(const ProblemName& name, const ProblemSlot* slot) const;
  };

  std::unordered_set<ProblemSlot*, Hash, Equal> slots_;
};

}  // namespace contextual::detail
