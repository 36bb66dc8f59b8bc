#include "contextual/policy/feasibility.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {
namespace {

constexpr std::size_t most_ruled_out = 100'000;  ///< a search may ask for any number
constexpr std::size_t most_listed = 200;         ///< of those that were ruled out, so that logs stay small

}  // namespace

void Feasibility::succeeded(const Assignment& assignment) {
  if (infeasible(assignment) || !proven_.insert(assignment).second) {
    return;
  }
  in_order_.push_back(assignment);
  succeeded_.resize(std::max(succeeded_.size(), assignment.size()));
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    if (launches(assignment, p)) {
      std::vector<bool>& configs = succeeded_[p];
      configs.resize(std::max(configs.size(), assignment[p] + 1));
      configs[assignment[p]] = true;
    }
  }
}

bool Feasibility::extendable(const Assignment& assignment, std::size_t problem_count) const {
  return assignment.size() < problem_count && !launches(assignment, assignment.size());
}

void Feasibility::extend(Assignment& assignment, std::size_t problem_count) const {
  while (extendable(assignment, problem_count)) {
    assignment.push_back(0);
  }
}

/// Nobody asks again whether an assignment is proven that launches a newer problem. Where a key changes in
/// every run, that is all that was proven before.
void Feasibility::extend(std::size_t problem_count) {
  std::vector<Assignment> in_order;
  std::set<Assignment> still_proven;
  for (Assignment& assignment : in_order_) {
    const bool was_proven = proven(assignment);
    extend(assignment, problem_count);
    if (was_proven && assignment.size() == problem_count) {
      still_proven.insert(assignment);
      in_order.push_back(std::move(assignment));
    }
  }
  in_order_ = std::move(in_order);
  proven_ = std::move(still_proven);
  for (auto next = failures_.begin(); next != failures_.end();) {
    const auto failure = next++;
    if (extendable(failure->first, problem_count)) {
      auto node = failures_.extract(failure);
      extend(node.key(), problem_count);
      failures_.insert(std::move(node));
    }
  }
  for (auto next = ruled_out_.begin(); next != ruled_out_.end();) {
    const auto out = next++;
    if (extendable(*out, problem_count)) {
      auto node = ruled_out_.extract(out);
      extend(node.value(), problem_count);
      ruled_out_.insert(std::move(node));
    }
  }
}

void Feasibility::rule_out(const Assignment& assignment) {
  if (ruled_out_.size() < most_ruled_out) {
    ruled_out_.insert(assignment);
  }
}

std::size_t Feasibility::infeasible_count() const {
  return failures_.size() + static_cast<std::size_t>(std::count_if(
                                ruled_out_.begin(), ruled_out_.end(),
                                [this](const Assignment& a) { return !failures_.contains(a); }));
}

std::map<Assignment, Reason> Feasibility::known_infeasible() const {
  std::map<Assignment, Reason> known = failures_;
  std::size_t listed = 0;
  for (auto each = ruled_out_.begin(); each != ruled_out_.end() && listed < most_listed; ++each) {
    listed += known.try_emplace(*each, Why::ruled_out).second ? 1 : 0;
  }
  return known;
}

void Feasibility::failed(const Assignment& assignment, const Reason& reason) {
  failures_.try_emplace(assignment, reason);
}

std::optional<Assignment> Feasibility::first_proven(
    std::size_t problem_count, const std::function<bool(const Assignment&)>& fits) const {
  const auto first = std::find_if(in_order_.begin(), in_order_.end(), [&](const Assignment& assignment) {
    return assignment.size() == problem_count && proven(assignment) && (!fits || fits(assignment));
  });
  return first == in_order_.end() ? std::nullopt : std::optional(*first);
}

}  // namespace contextual::policy
