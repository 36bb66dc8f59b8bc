#pragma once

/// \file
/// What a launch knows of the alternatives in whose calls it is made.

#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/export.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>

namespace contextual::detail {

/// The parameter of a choice point's configs, whose value is the name of the alternative.
inline constexpr const char* alternative_parameter = "alternative";

/// Returns the word that stands for an alternative of a choice point, which itself stands in `scope`. It is
/// equal on all ranks and never 0. `name_hash` is KernelCore::name_hash of the choice point.
inline std::uint64_t scope_of(std::uint64_t scope, std::uint64_t name_hash, const Key& key,
                              std::size_t alternative) noexcept {
  std::uint64_t word = scope;
  for (const std::uint64_t part : {name_hash, key.hash(), static_cast<std::uint64_t>(alternative)}) {
    word = (word ^ part) * 0x9e3779b97f4a7c15ULL;
    word ^= word >> 29U;
  }
  return word == 0 ? 1 : word;
}

/// Makes the calling thread launch in an alternative as long as it lives.
class AlternativeScope {
 public:
  AlternativeScope(const KernelCore& choice_point, const Key& key, std::size_t alternative) noexcept
      : thread_(thread_state()), outer_(thread_.scope) {
    thread_.scope = scope_of(outer_, choice_point.name_hash(), key, alternative);
  }
  AlternativeScope(const AlternativeScope&) = delete;
  AlternativeScope& operator=(const AlternativeScope&) = delete;
  ~AlternativeScope() { thread_.scope = outer_; }

 private:
  ThreadState& thread_;
  std::uint64_t outer_;
};

/// Returns the number of launches that the calling thread has completed in this batch of a tuning run.
CONTEXTUAL_API std::size_t launches_of_thread() noexcept;

}  // namespace contextual::detail
