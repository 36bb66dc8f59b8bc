#include "contextual/policy/choice_replacement.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace contextual::policy {

bool ChoiceReplacement::by_next_best(const Assignment& chosen, const Reason& reason) {
  struct Candidate {
    std::size_t problem;
    std::size_t config_id;
    double loss_ns;
  };
  std::optional<Candidate> least;
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    if (problems_[p].request().choice_point || !choice_points_.active(p, chosen)) {
      continue;
    }
    const std::vector<std::size_t> configs = problems_[p].by_own_time();
    const auto next = std::find_if(configs.begin(), configs.end(), [&](std::size_t config_id) {
      Assignment other = chosen;
      other[p] = config_id;
      return config_id != chosen[p] && feasibility_.allows(other);
    });
    if (next == configs.end()) {
      continue;
    }
    const double loss_ns =
        problems_[p].own_time(*next).centre_ns - problems_[p].own_time(chosen[p]).centre_ns;
    if (!least || loss_ns < least->loss_ns) {
      least = {p, *next, loss_ns};
    }
  }
  if (least) {
    problems_[least->problem].replace_choice(least->config_id, reason);
  }
  return least.has_value();
}

bool ChoiceReplacement::by_first_run(const Assignment& chosen, const Reason& reason) {
  const std::optional<Assignment> first = feasibility_.first_proven(
      chosen.size(),
      [&](const Assignment& other) { return choice_points_.same_alternatives(other, chosen); });
  bool replaced = false;
  for (std::size_t p = 0; first && p < chosen.size(); ++p) {
    if ((*first)[p] != chosen[p] && choice_points_.active(p, chosen)) {
      problems_[p].replace_choice((*first)[p], reason);
      replaced = true;
    }
  }
  return replaced;
}

bool ChoiceReplacement::by_any_first_run(const Reason& reason) {
  const std::optional<Assignment> first = feasibility_.first_proven(problems_.size());
  for (std::size_t p = 0; first && p < problems_.size(); ++p) {
    if (problems_[p].record().choice != (*first)[p] && !problems_[p].request().locked_config &&
        choice_points_.active(p, *first)) {
      problems_[p].replace_choice((*first)[p], reason);
      problems_[p].make_provisional(reason);
    }
  }
  return first.has_value();
}

}  // namespace contextual::policy
