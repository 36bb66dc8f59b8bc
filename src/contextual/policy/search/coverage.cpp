#include "contextual/policy/search/coverage.hpp"

#include <algorithm>

namespace contextual::policy::search {

namespace {

constexpr std::size_t enough_failures = 3;  ///< beside different neighbours; the belief goes on from there
constexpr int attempts = 8;                 ///< at an assignment that has not been run yet

}  // namespace

std::vector<std::vector<Coverage::Uses>> Coverage::count() const {
  std::vector<std::vector<Uses>> uses(space_->problem_count());
  for (std::size_t p = 0; p < uses.size(); ++p) {
    uses[p].resize(space_->config_count(p));
  }
  for (const Assignment& assignment : ledger_->proven()) {
    for (std::size_t p = 0; p < uses.size(); ++p) {
      ++uses[p][assignment[p]].successes;
    }
  }
  for (const Assignment& assignment : ledger_->infeasible()) {
    for (std::size_t p = 0; p < uses.size(); ++p) {
      ++uses[p][assignment[p]].failures;
    }
  }
  return uses;
}

std::optional<Assignment> Coverage::next() {
  if (space_->size(1) == 0) {
    return std::nullopt;
  }
  const std::vector<std::vector<Uses>> uses = count();
  std::vector<std::pair<std::size_t, std::size_t>> uncovered;
  std::size_t most = 0;
  for (std::size_t p = 0; p < uses.size(); ++p) {
    std::vector<std::pair<std::size_t, std::size_t>> of_problem;
    for (std::size_t config = 0; config < uses[p].size(); ++config) {
      if (space_->candidate(p, config) && uses[p][config].successes == 0 &&
          uses[p][config].failures < enough_failures) {
        of_problem.emplace_back(p, config);
      }
    }
    if (of_problem.size() > most) {
      most = of_problem.size();
      uncovered = of_problem;
    }
  }
  if (uncovered.empty()) {
    return std::nullopt;
  }
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto [problem, config] = uncovered[random_.below(uncovered.size())];
    Assignment assignment;
    for (std::size_t p = 0; p < uses.size(); ++p) {
      assignment.push_back(p == problem ? config : least_used(p, uses[p]));
    }
    if (!ledger_->infeasible(assignment) && !ledger_->proven(assignment)) {
      return assignment;
    }
  }
  return std::nullopt;
}

/// Any of the candidates with the fewest uses. A config that has only failed waits for the belief.
std::size_t Coverage::least_used(std::size_t problem, const std::vector<Uses>& uses) {
  std::vector<std::size_t> least;
  for (std::size_t config = 0; config < uses.size(); ++config) {
    if (!space_->candidate(problem, config)) {
      continue;
    }
    const auto rank = [&](std::size_t c) { return uses[c].successes + 2 * uses[c].failures; };
    if (!least.empty() && rank(config) < rank(least.front())) {
      least.clear();
    }
    if (least.empty() || rank(config) == rank(least.front())) {
      least.push_back(config);
    }
  }
  return least[random_.below(least.size())];
}

std::optional<Assignment> Coverage::any_untried(std::size_t most) {
  std::vector<Assignment> untried;
  std::optional<Assignment> place = space_->first();
  for (bool more = place.has_value(); more && untried.size() <= most; more = space_->advance(*place)) {
    if (!ledger_->proven(*place) && !ledger_->infeasible(*place)) {
      untried.push_back(*place);
    }
  }
  if (untried.empty() || untried.size() > most) {
    return std::nullopt;
  }
  return untried[random_.below(untried.size())];
}

}  // namespace contextual::policy::search
