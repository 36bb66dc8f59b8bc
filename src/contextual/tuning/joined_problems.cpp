#include "contextual/tuning/joined_problems.hpp"

#include "contextual/agreement/joining.hpp"

#include <vector>

namespace contextual::tuning {

journal::Joined joined_problems(const agreement::ProblemSet& set, std::size_t before) {
  const std::vector<detail::ProblemSlot*>& all = set.slots();
  const std::vector<detail::ProblemSlot*> joined(all.begin() + static_cast<std::ptrdiff_t>(before),
                                                 all.end());
  journal::Joined described{joined.size(), agreement::problems_digest(joined), {}};
  for (const detail::ProblemSlot* slot : joined) {
    described.names.append(described.names.empty() ? "" : "; ")
        .append(slot->problem.name)
        .append(" ")
        .append(slot->problem.key_text);
  }
  return described;
}

}  // namespace contextual::tuning
