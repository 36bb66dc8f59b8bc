#include "contextual/policy/feasibility.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {
namespace {

constexpr std::size_t most_ruled_out = 100'000;  ///< a search may ask for any number
constexpr std::size_t most_listed = 200;         ///< of those that were ruled out, so that logs stay small

}  // namespace

void Feasibility::succeeded(const Assignment& assignment) {
  if (infeasible(assignment) || has_rejected(assignment) || !proven_.insert(assignment).second) {
    return;
  }
  in_order_.push_back(assignment);
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    if (launches(assignment, p)) {
      succeeded_.insert({p, assignment[p]});
    }
  }
}

Assignment Feasibility::extended(Assignment assignment, std::size_t problem_count) const {
  while (assignment.size() < problem_count) {
    assignment.push_back(0);
    if (launches(assignment, assignment.size() - 1)) {
      assignment.pop_back();
      break;
    }
  }
  return assignment;
}

void Feasibility::extend(std::size_t problem_count) {
  std::set<Assignment> proven;
  for (const Assignment& assignment : proven_) {
    proven.insert(extended(assignment, problem_count));
  }
  proven_ = std::move(proven);
  for (Assignment& assignment : in_order_) {
    assignment = extended(std::move(assignment), problem_count);
  }
  std::map<Assignment, std::string> failures;
  for (auto& [assignment, reason] : failures_) {
    failures.emplace(extended(assignment, problem_count), std::move(reason));
  }
  failures_ = std::move(failures);
  std::set<Assignment> ruled_out;
  for (const Assignment& assignment : ruled_out_) {
    ruled_out.insert(extended(assignment, problem_count));
  }
  ruled_out_ = std::move(ruled_out);
}

void Feasibility::rule_out(const Assignment& assignment) {
  if (ruled_out_.size() < most_ruled_out) {
    ruled_out_.insert(assignment);
  }
}

std::size_t Feasibility::infeasible_count() const {
  return failures_.size() +
         static_cast<std::size_t>(std::count_if(ruled_out_.begin(), ruled_out_.end(),
                                                [this](const Assignment& a) { return !infeasible(a); }));
}

std::map<Assignment, std::string> Feasibility::known_infeasible() const {
  std::map<Assignment, std::string> known = failures_;
  std::size_t listed = 0;
  for (auto each = ruled_out_.begin(); each != ruled_out_.end() && listed < most_listed; ++each) {
    listed += known.try_emplace(*each, "ruled out by `feasible`").second ? 1 : 0;
  }
  return known;
}

void Feasibility::failed(const Assignment& assignment, const std::string& reason) {
  failures_.try_emplace(assignment, reason);
  proven_.erase(assignment);
}

void Feasibility::rejected(std::size_t problem, std::size_t config_id) {
  rejected_.insert({problem, config_id});
  std::erase_if(proven_, [this](const Assignment& assignment) { return has_rejected(assignment); });
}

bool Feasibility::has_rejected(const Assignment& assignment) const {
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    if (rejected_.contains({p, assignment[p]}) && launches(assignment, p)) {
      return true;
    }
  }
  return false;
}

std::optional<Assignment> Feasibility::first_proven(std::size_t problem_count) const {
  const auto first = std::find_if(in_order_.begin(), in_order_.end(), [&](const Assignment& assignment) {
    return assignment.size() == problem_count && proven(assignment);
  });
  return first == in_order_.end() ? std::nullopt : std::optional(*first);
}

std::optional<Assignment> Feasibility::first_proven_like(const Assignment& like) const {
  const auto first = std::find_if(in_order_.begin(), in_order_.end(), [&](const Assignment& assignment) {
    return assignment.size() == like.size() && proven(assignment) &&
           (choice_points_ == nullptr || choice_points_->same_alternatives(assignment, like));
  });
  return first == in_order_.end() ? std::nullopt : std::optional(*first);
}

}  // namespace contextual::policy
