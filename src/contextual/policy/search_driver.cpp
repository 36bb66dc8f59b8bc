#include "contextual/policy/search_driver.hpp"

#include "contextual/policy/checked_search.hpp"
#include "contextual/policy/search_request.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <utility>

namespace contextual::policy {

void SearchDriver::begin(std::int64_t iterations, std::int64_t max_runs) {
  const Assignment& base = scope_.base();
  SearchRequest request = request_for(basis_.problems, scope_.members(), scope_.of_members(base), iterations);
  const auto has_run = [this](const Assignment& of_members) {
    return basis_.feasibility.proven(scope_.full(of_members));
  };
  if (!scope_.compares_alternatives()) {
    request.walked = basis_.walk.samples_of(scope_.members(), base);
    std::erase_if(request.walked, [&](const SearchSample& sample) { return !has_run(sample.assignment); });
  }
  for (const auto& [assignment, reason] : basis_.feasibility.failures()) {
    if (assignment.size() == base.size() && scope_.full(scope_.of_members(assignment)) == assignment) {
      request.walked.push_back({scope_.of_members(assignment), {}});
    }
  }
  max_runs_ = request.max_runs = max_runs;
  request.tie_margin = basis_.options.tie_margin;
  if (basis_.options.feasible) {
    request.feasible = [this](const Assignment& of_members) {
      return !scope_.ruled_out(scope_.full(of_members));
    };
  }
  std::unique_ptr<Search> search =
      basis_.options.search_factory ? basis_.options.search_factory(request) : joint_search(request);
  if (search == nullptr) {
    throw InvalidArgument("the search factory returned null; it must return a search for every request");
  }
  // The built-in search has chosen what never ran where nothing else is left: nobody's mistake, see `best`.
  const bool accuses = basis_.options.search_factory != nullptr;
  search_ = std::make_unique<CheckedSearch>(
      request, std::move(search), [=](const Assignment& chosen) { return !accuses || has_run(chosen); });
}

std::vector<SearchTrial> SearchDriver::trials() const {
  std::vector<SearchTrial> trials = search_->plan();
  for (SearchTrial& trial : trials) {
    trial.assignment = scope_.full(trial.assignment);
  }
  return trials;
}

void SearchDriver::observe(SearchObservation observation) {
  observation.trial.assignment = scope_.of_members(observation.trial.assignment);
  search_->observe(observation);
}

void SearchDriver::reject(std::size_t problem, std::size_t config_id) {
  const std::vector<std::size_t>& members = scope_.members();
  const auto member = std::find(members.begin(), members.end(), problem);
  if (search_ && member != members.end()) {
    search_->reject(static_cast<std::size_t>(member - members.begin()), config_id);
  }
}

std::optional<Assignment> SearchDriver::best() const {
  const std::optional<Assignment> best = search_ ? search_->best() : std::nullopt;
  const bool has_run = best && basis_.feasibility.proven(scope_.full(*best));
  return has_run ? std::optional(scope_.full(*best)) : std::nullopt;
}

std::int64_t SearchDriver::most_runs_left(std::int64_t runs) const {
  return std::clamp<std::int64_t>(max_runs_ - runs, 0, static_cast<std::int64_t>(search_->remaining_runs()));
}

}  // namespace contextual::policy
