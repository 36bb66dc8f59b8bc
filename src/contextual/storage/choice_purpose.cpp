#include "contextual/storage/choice_purpose.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <string_view>

namespace contextual::storage {
namespace {

using detail::StableHash;

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
std::uint64_t kernels_on_ranks(const KeptChoice& choice) {
  StableHash hash;
  hash.add(std::string_view(choice.coupling)).add(kernels_digest(choice));
  for (const std::size_t rank : choice.ranks) {
    hash.add(std::uint64_t{rank});
  }
  return hash.value();
}

}  // namespace

std::uint64_t problem_digest(const KeptChoice& choice) {
  return StableHash().add(std::string_view(choice.kernel)).add(choice.key.hash()).add(choice.scope).value();
}

std::uint64_t choice_digest(const KeptChoice& choice) {
  StableHash hash;
  hash.add(problem_digest(choice)).add(kernels_digest(choice));
  return choice.meaning.empty() ? hash.add(std::uint64_t{choice.config_id}).value()
                                : hash.add(std::string_view(choice.meaning)).value();
}

ChoicePurpose::ChoicePurpose(const ChoiceSet& entry) {
  StableHash where;
  for (const std::string& machine : entry.machines) {
    where.add(std::string_view(machine));
  }
  where_ = where.add(std::string_view(entry.beside_pins)).value();
  for (const KeptChoice& choice : entry.choices) {
    problems_.insert(StableHash().add(problem_digest(choice)).add(kernels_on_ranks(choice)).value());
    kernels_.insert(kernels_on_ranks(choice));
    chosen_.emplace(problem_digest(choice), choice_digest(choice));
  }
}

bool ChoicePurpose::contradicts(const ChoicePurpose& other) const {
  return std::any_of(chosen_.begin(), chosen_.end(), [&](const auto& own) {
    const auto theirs = other.chosen_.find(own.first);
    return theirs != other.chosen_.end() && theirs->second != own.second;
  });
}

bool ChoicePurpose::replaces(const ChoicePurpose& older) const {
  const auto includes = [](const auto& all, const auto& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  return where_ == older.where_ &&
         (includes(problems_, older.problems_) || (contradicts(older) && includes(older.kernels_, kernels_)));
}

}  // namespace contextual::storage
