#include "contextual/policy/checked_search.hpp"

#include "contextual/policy/options_check.hpp"

#include <utility>

namespace contextual::policy {
namespace {

const std::string see_check = "; see check_search";

}  // namespace

CheckedSearch::CheckedSearch(const SearchRequest& request, std::unique_ptr<Search> search,
                             std::function<bool(const Assignment&)> has_run)
    : search_(std::move(search)),
      max_runs_(request.max_runs),
      feasible_(request.feasible),
      has_run_(std::move(has_run)) {
  for (const SearchProblem& problem : request.problems) {
    std::vector<bool>& candidates = candidates_.emplace_back();
    for (const SearchConfig& config : problem.configs) {
      candidates.push_back(config.candidate);
    }
  }
  for (const SearchSample& sample : request.walked) {
    if (sample.runs.empty()) {
      infeasible_.insert(sample.assignment);
    }
  }
}

void CheckedSearch::require_candidates(const Assignment& assignment, const std::string& what) const {
  require(assignment.size() == candidates_.size(),
          what + " an assignment of " + std::to_string(assignment.size()) + " problems; there are " +
              std::to_string(candidates_.size()) + see_check);
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    const bool known = assignment[p] < candidates_[p].size();
    if (!known || !candidates_[p][assignment[p]]) {
      std::string complaint = what;
      complaint.append(" config-").append(std::to_string(assignment[p]));
      complaint.append(known ? ", which is no candidate"
                             : " of a problem with " + std::to_string(candidates_[p].size()) + " configs");
      require(false, complaint + see_check);
    }
  }
}

std::vector<SearchTrial> CheckedSearch::plan() const {
  std::vector<SearchTrial> trials = search_->plan();
  for (const SearchTrial& trial : trials) {
    require_candidates(trial.assignment, "the search planned");
    require(!infeasible_.contains(trial.assignment),
            "the search planned an infeasible assignment again" + see_check);
    require(!lost_.contains(trial.assignment), "the search planned an assignment that has lost" + see_check);
    require(trial.samples >= 0 && trial.samples <= max_runs_,
            "the search planned " + std::to_string(trial.samples) + " samples of a trial, and may plan " +
                std::to_string(max_runs_) + " runs" + see_check);
  }
  return trials;
}

void CheckedSearch::observe(const SearchObservation& observation) {
  if (observation.infeasible) {
    infeasible_.insert(observation.trial.assignment);
  }
  search_->observe(observation);
}

void CheckedSearch::reject(std::size_t problem, std::size_t config_id) {
  candidates_[problem][config_id] = false;
  search_->reject(problem, config_id);
}

void CheckedSearch::lost(const Assignment& assignment) {
  lost_.insert(assignment);
  search_->lost(assignment);
}

std::optional<Assignment> CheckedSearch::best() const {
  std::optional<Assignment> best = search_->best();
  if (best) {
    require_candidates(*best, "the search chose");
    require(!infeasible_.contains(*best) && feasible_(*best),
            "the search chose an infeasible assignment" + see_check);
    require(!lost_.contains(*best), "the search chose an assignment that has lost" + see_check);
    require(has_run_(*best), "the search chose an assignment that has never been run" + see_check);
  }
  return best;
}

}  // namespace contextual::policy
