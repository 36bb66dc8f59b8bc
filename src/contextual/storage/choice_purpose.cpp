#include "contextual/storage/choice_purpose.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <string_view>

namespace contextual::storage {
namespace {

using detail::StableHash;

/// Of the ranks that the choice is for.
std::uint64_t ranks_digest(const KeptChoice& choice) {
  StableHash hash;
  for (const std::size_t rank : choice.ranks) {
    hash.add(std::uint64_t{rank});
  }
  return hash.value();
}

/// Ranks may have told the kernels of a coupling in another order.
std::uint64_t kernels_digest(const KeptChoice& choice) {
  std::uint64_t digest = 0;
  for (const ChosenKernel& kernel : choice.launched) {
    digest += StableHash().add(std::string_view(kernel.name)).add(kernel.table_digest).value();
  }
  return digest;
}

/// One kernel more or less in a coupling makes it another one: where all its kernels exist, a choice counts
/// only if it knows all of them.
std::uint64_t coupling_digest(const KeptChoice& choice) {
  return StableHash()
      .add(std::string_view(choice.coupling))
      .add(kernels_digest(choice))
      .add(ranks_digest(choice))
      .value();
}

std::uint64_t problem_with_kernels(const KeptChoice& choice) {
  return StableHash().add(problem_digest(choice)).add(kernels_digest(choice)).value();
}

std::uint64_t problem_on_ranks(const KeptChoice& choice) {
  return StableHash().add(problem_with_kernels(choice)).add(ranks_digest(choice)).value();
}

}  // namespace

std::uint64_t problem_digest(const KeptChoice& choice) {
  return StableHash().add(std::string_view(choice.kernel)).add(choice.key.hash()).add(choice.scope).value();
}

std::uint64_t choice_digest(const KeptChoice& choice) {
  return StableHash().add(problem_with_kernels(choice)).add(std::uint64_t{choice.config_id}).value();
}

ChoicePurpose::ChoicePurpose(const ChoiceEntry& entry) : pins_(entry.beside_pins) {
  StableHash all;
  for (const std::string& machine : entry.machines) {
    all.add(std::string_view(machine));
  }
  machines_ = all.value();
  for (const KeptChoice& choice : entry.choices) {
    problems_.push_back(problem_on_ranks(choice));
    chosen_.emplace_back(problem_digest(choice), choice_digest(choice));
    if (!choice.coupling.empty()) {
      kernels_.push_back(coupling_digest(choice));
      continue;
    }
    for (const ChosenKernel& kernel : choice.launched) {
      kernels_.push_back(StableHash()
                             .add(std::string_view(kernel.name))
                             .add(kernel.table_digest)
                             .add(ranks_digest(choice))
                             .value());
    }
  }
  std::sort(problems_.begin(), problems_.end());
  std::sort(chosen_.begin(), chosen_.end());
  std::sort(kernels_.begin(), kernels_.end());
  kernels_.erase(std::unique(kernels_.begin(), kernels_.end()), kernels_.end());
}

bool ChoicePurpose::covers(const ChoicePurpose& older) const {
  return counts_where(older) &&
         std::includes(problems_.begin(), problems_.end(), older.problems_.begin(), older.problems_.end());
}

bool ChoicePurpose::contradicts(const ChoicePurpose& other) const {
  auto theirs = other.chosen_.begin();
  return std::any_of(chosen_.begin(), chosen_.end(), [&](const auto& own) {
    theirs = std::find_if(theirs, other.chosen_.end(),
                          [&](const auto& candidate) { return candidate.first >= own.first; });
    return theirs != other.chosen_.end() && theirs->first == own.first && theirs->second != own.second;
  });
}

bool ChoicePurpose::replaces(const ChoicePurpose& older) const {
  return covers(older) ||
         (counts_where(older) && contradicts(older) &&
          std::includes(older.kernels_.begin(), older.kernels_.end(), kernels_.begin(), kernels_.end()));
}

}  // namespace contextual::storage
