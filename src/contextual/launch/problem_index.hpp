#pragma once

/// \file
/// The problems of a run, found by what tells them apart on every rank.

#include <contextual/key.hpp>

#include <cstddef>
#include <string_view>
#include <unordered_set>

namespace contextual::detail {

struct ProblemSlot;

/// A run has one problem of this name, whichever kernel object, thread or rank launches it.
struct ProblemName {
  std::string_view name;      ///< of the kernel, or of the coupling
  std::string_view coupling;  ///< empty: not coupled
  const Key& key;
};

/// Finds a problem in constant time. Not thread-safe while it grows; any number of threads may read it while
/// nobody adds to it.
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
