#include "contextual/policy/search_scope.hpp"

#include "contextual/policy/far_values.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace contextual::policy {

void SearchScope::begin(SearchTask task, std::vector<std::size_t> members) {
  task_ = std::move(task);
  members_ = std::move(members);
  own_times_.clear();
  for (const std::size_t p : task_.problems) {
    std::vector<Summary>& times = own_times_.emplace_back();
    for (std::size_t config = 0; config < basis_.problems[p].record().configs.size(); ++config) {
      times.push_back(basis_.problems[p].own_time(config));
    }
  }
  base_ = basis_.choice_points.choices();
  base_ = full(of_members(base_));
  order_by_time();
  update();
}

/// First what may only seem longer than a choice because the machine stalled most samples of it. Then one
/// problem at a time takes its next best; what ties with a choice comes first.
void SearchScope::order_by_time() {
  constexpr double noticeable = 0.95;
  constexpr double near = 1.5;
  constexpr int samples_of_near = 14;
  next_by_time_.clear();
  further_samples_ = 0;
  if (!members_.empty()) {
    return;
  }
  double longer_by_ns = 0;
  const bool defaults_are_best = base_ == basis_.choice_points.defaults();
  std::map<std::size_t, std::vector<std::size_t>> left;  // by problem: those behind its choice
  for (const std::size_t p : task_.problems) {
    const ProblemState& problem = basis_.problems[p];
    longer_by_ns += problem.own_time(base_[p]).centre_ns - problem.own_time(0).centre_ns;
    std::vector<std::size_t> configs = problem.by_own_time();
    const auto choice = std::find(configs.begin(), configs.end(), base_[p]);
    if (choice != configs.end() && choice + 1 != configs.end()) {
      const bool is_near = problem.own_time(choice[1]).centre_ns < near * problem.own_time(*choice).centre_ns;
      further_samples_ = std::max(further_samples_, is_near             ? samples_of_near
                                                    : defaults_are_best ? samples_again
                                                                        : 0);
    }
    const auto standard = std::find(configs.begin(), configs.end(), 0U);
    if (choice != configs.end() && (defaults_are_best || choice < standard)) {
      configs.erase(defaults_are_best ? configs.end() : standard, configs.end());
      configs.erase(choice);
      left[p] = std::move(configs);
    }
  }
  for (const std::size_t p : task_.problems) {
    const Summary now = basis_.problems[p].own_time(base_[p]);
    for (const std::size_t config : basis_.problems[p].by_own_time()) {
      const Summary time = basis_.problems[p].own_time(config);
      if (config != base_[p] && time.least_ns < noticeable * now.centre_ns &&
          time.centre_ns > times_of_stalls * time.least_ns) {
        Assignment stalled = base_;
        stalled[p] = config;
        next_by_time_.push_back(
            {basis_.choice_points.normal(std::move(stalled)), longer_by_ns + time.least_ns - now.centre_ns});
      }
    }
  }
  for (Assignment now = base_;;) {
    std::optional<std::size_t> least;
    double least_ns = 0;
    for (const auto& [p, configs] : left) {
      if (configs.empty()) {
        continue;
      }
      const double loss_ns = basis_.problems[p].own_time(configs.front()).centre_ns -
                             basis_.problems[p].own_time(now[p]).centre_ns;
      if (!least || loss_ns < least_ns) {
        least = p;
        least_ns = loss_ns;
      }
    }
    if (!least) {
      return;
    }
    now[*least] = left[*least].front();
    left[*least].erase(left[*least].begin());
    longer_by_ns += least_ns;
    next_by_time_.push_back({basis_.choice_points.normal(now), longer_by_ns});
  }
}

void SearchScope::update() {
  walked_ = basis_.choice_points.choices();
  defaults_ = basis_.choice_points.defaults();
  if (compares_alternatives()) {
    walked_ = full(of_members(walked_));
    defaults_ = full(of_members(defaults_));
  } else {
    walked_ = basis_.choice_points.normal(std::move(walked_));
    defaults_ = basis_.choice_points.normal(std::move(defaults_));
  }
  all_defaults_ = basis_.choice_points.normal(basis_.choice_points.all_defaults());
}

bool SearchScope::base_is_far_shorter(const Assignment& than) const {
  constexpr double far = 2.0 / 3;
  double base_ns = 0;
  double than_ns = 0;
  for (std::size_t i = 0; i < task_.problems.size(); ++i) {
    const std::size_t p = task_.problems[i];
    const Summary& of_base = own_times_[i][base_[p]];
    const Summary& of_than = own_times_[i].at(than[p]);
    if (of_base.count < 2 || of_than.count < 2) {  // a single one may have been stalled
      return false;
    }
    base_ns += of_base.centre_ns;
    than_ns += of_than.least_ns;
  }
  return base_ns < far * than_ns && basis_.feasibility.proven(base_) && allowed(base_);
}

bool SearchScope::has_member(std::size_t problem) const {
  return std::find(members_.begin(), members_.end(), problem) != members_.end();
}

Reference SearchScope::kind_of_defaults() const {
  if (defaults_ == all_defaults_) {
    return Reference::defaults;
  }
  if (compares_alternatives()) {
    return Reference::default_alternative;
  }
  return basis_.choice_points.same_alternatives(defaults_, all_defaults_) ? Reference::defaults
                                                                          : Reference::alternative_defaults;
}

Assignment SearchScope::full(const Assignment& of_members) const {
  Assignment assignment = base_;
  if (compares_alternatives()) {
    const std::size_t choice_point = task_.problems.front();
    const Assignment& best =
        task_.by_alternative.at(members_.empty() ? base_[choice_point] : of_members.at(0));
    std::copy(best.begin(), best.end(), assignment.begin());
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    assignment[members_[i]] = of_members.at(i);
  }
  return basis_.choice_points.normal(std::move(assignment));
}

bool SearchScope::ruled_out(const Assignment& assignment) const {
  const bool out = basis_.options.feasible && !basis_.options.feasible(assignment);
  if (out) {
    basis_.feasibility.rule_out(assignment);
  }
  return out;
}

}  // namespace contextual::policy
