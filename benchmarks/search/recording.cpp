#include "search/recording.hpp"

#include "search/quantile.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace search_replay {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double median_makespan_ns(const std::vector<Sample>& samples) {
  std::vector<double> makespans;
  for (const Sample& sample : samples) {
    makespans.push_back(static_cast<double>(sample.makespan_ns));
  }
  return median(std::move(makespans));
}

/// The feasible assignments of the visits in the order of their first visit, by which ties are decided.
std::vector<Assignment> feasible_in_order(const Recording& recording,
                                          const std::vector<RecordedVisit>& visits) {
  std::vector<Assignment> order;
  std::set<Assignment> seen;
  for (const RecordedVisit& visit : visits) {
    if (recording.feasible(visit.assignment) && seen.insert(visit.assignment).second) {
      order.push_back(visit.assignment);
    }
  }
  return order;
}

}  // namespace

Recording::Recording(std::vector<ReplayedProblem> problems, const std::vector<RecordedVisit>& visits)
    : problems_(std::move(problems)) {
  take(visits);
  find_truth();
  find_best(feasible_in_order(*this, visits));
}

std::size_t Recording::index_of(const Assignment& assignment) const {
  if (assignment.size() != problems_.size()) {
    throw contextual::InvalidArgument("an assignment to " + std::to_string(assignment.size()) +
                                      " problems of a recording with " + std::to_string(problems_.size()));
  }
  std::size_t index = 0;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    const std::size_t count = problems_[p].configs.size();
    if (assignment[p] >= count) {
      throw contextual::InvalidArgument(problems_[p].kernel + " has no config " +
                                        std::to_string(assignment[p]));
    }
    index = index * count + assignment[p];
  }
  return index;
}

void Recording::take(const std::vector<RecordedVisit>& visits) {
  std::size_t assignment_count = 1;
  for (const ReplayedProblem& problem : problems_) {
    assignment_count *= problem.configs.size();
  }
  std::vector<bool> visited(assignment_count);
  std::vector<bool> infeasible(assignment_count);
  for (const RecordedVisit& visit : visits) {
    const std::size_t index = index_of(visit.assignment);
    visited[index] = true;
    infeasible[index] = infeasible[index] || visit.samples.empty();
    if (!visit.samples.empty()) {
      pass_count_ = std::max(pass_count_, visit.pass + 1);
    }
  }
  if (pass_count_ < 2 || std::find(visited.begin(), visited.end(), false) != visited.end()) {
    throw contextual::InvalidArgument("a recording needs two passes and a visit to every assignment");
  }
  infeasible_count_ = static_cast<std::size_t>(std::count(infeasible.begin(), infeasible.end(), true));
  passes_.resize(assignment_count);
  for (const RecordedVisit& visit : visits) {
    const std::size_t index = index_of(visit.assignment);
    if (!infeasible[index]) {
      passes_[index].resize(pass_count_);
      passes_[index][visit.pass] = Pass{visit.samples, median_makespan_ns(visit.samples)};
    }
  }
}

const std::vector<Sample>& Recording::samples(const Assignment& assignment, std::size_t pass) const {
  const Passes& passes = passes_of(assignment);
  if (pass < passes.size() && passes[pass]) {
    return passes[pass]->samples;
  }
  const auto last = std::find_if(passes.rbegin(), passes.rend(), [](const auto& p) { return p.has_value(); });
  if (last == passes.rend()) {
    throw contextual::InvalidArgument("samples of an infeasible assignment");
  }
  return (*last)->samples;
}

void Recording::find_truth() {
  std::vector<double> levels_ns;
  for (std::size_t p = 0; p < pass_count_; ++p) {
    std::vector<double> makespans;
    for (const Passes& passes : passes_) {
      if (!passes.empty() && passes[p]) {
        makespans.push_back(passes[p]->median_ns);
      }
    }
    levels_ns.push_back(median(std::move(makespans)));
  }
  for (const Passes& passes : passes_) {
    std::vector<double> relative;
    for (std::size_t p = 1; p < passes.size(); ++p) {
      if (passes[p]) {
        relative.push_back(passes[p]->median_ns / levels_ns[p]);
      }
    }
    truth_ns_.push_back(passes.empty() ? infinity : median(std::move(relative)) * levels_ns.back());
  }
}

void Recording::find_best(const std::vector<Assignment>& order) {
  const auto least = [&](const auto& makespan_ns) {
    return *std::min_element(order.begin(), order.end(), [&](const Assignment& a, const Assignment& b) {
      return makespan_ns(a) < makespan_ns(b);
    });
  };
  best_ = least([&](const Assignment& assignment) { return *truth_ns(assignment); });
  double largest_ns = 0;
  for (std::size_t p = 1; p < pass_count_; ++p) {
    const Assignment best_of_pass = least([&](const Assignment& assignment) {
      const std::optional<Pass>& pass = passes_of(assignment)[p];
      return pass ? pass->median_ns : infinity;
    });
    largest_ns = std::max(largest_ns, *truth_ns(best_of_pass));
  }
  resolution_ = largest_ns / best_ns() - 1;
}

std::optional<double> Recording::truth_ns(const Assignment& assignment) const {
  return feasible(assignment) ? std::optional(truth_ns_[index_of(assignment)]) : std::nullopt;
}

double Recording::best_ns() const {
  return truth_ns_[index_of(best_)];
}

}  // namespace search_replay
