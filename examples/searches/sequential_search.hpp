#pragma once

/// \file
/// What the example searches have in common: they plan one visit at a time, and keep what it measured.
///
/// A derived class only says which assignment comes next, and which one is the best. This class keeps the
/// rest of the contract of `contextual::Search`: it plans nothing that is infeasible or rejected and nothing
/// for which no runs are left, and it plans a visit again that was cut short.

#include <contextual/search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace examples {

using contextual::Assignment;

class SequentialSearch : public contextual::Search {
 public:
  std::vector<contextual::SearchTrial> plan() const final {
    return next_ ? std::vector<contextual::SearchTrial>{{*next_, samples_}}
                 : std::vector<contextual::SearchTrial>{};
  }

  void observe(const contextual::SearchObservation& observation) final {
    const Assignment& assignment = observation.trial.assignment;
    runs_left_ -= static_cast<std::int64_t>(std::max<std::size_t>(1, observation.runs.size()));
    if (observation.infeasible) {
      unusable_.insert(assignment);
    } else {
      has_run_.insert(assignment);
      keep_samples(observation);
    }
    const bool whole = observation.trial.samples >= samples_;  // else it was a first run, or was cut short
    if (next_ && (whole || !usable(*next_) || cost(*next_) > runs_left_)) {
      advance();
    }
  }

  void reject(std::size_t problem, std::size_t config_id) final {
    request_.problems[problem].configs[config_id].candidate = false;
    if (next_ && !usable(*next_)) {
      advance();
    }
  }

  void lost(const Assignment& assignment) final {
    unusable_.insert(assignment);
    if (next_ && !usable(*next_)) {
      advance();
    }
  }

  std::size_t remaining_runs() const final { return next_ ? static_cast<std::size_t>(runs_left_) : 0; }

 protected:
  /// A visit is a lead-in, which is never a sample, and then `samples` runs.
  explicit SequentialSearch(contextual::SearchRequest request, int samples = 1)
      : request_(std::move(request)), samples_(samples), runs_left_(request_.max_runs) {
    for (const contextual::SearchSample& walked : request_.walked) {
      (walked.runs.empty() ? unusable_ : has_run_).insert(walked.assignment);
    }
  }

  /// Returns the assignment to visit next, or nothing if the search is complete. What cannot be run is left
  /// out, and the next one is asked for. Whatever was returned before has been observed.
  virtual std::optional<Assignment> next_visit() = 0;

  /// Plans the first visit. The constructor of each derived class ends with it.
  void begin() { advance(); }

  /// The request, whose configs are no candidates any more once they are rejected.
  const contextual::SearchRequest& request() const { return request_; }

  bool usable(const Assignment& assignment) const {
    for (std::size_t problem = 0; problem < assignment.size(); ++problem) {
      if (!request_.problems[problem].configs[assignment[problem]].candidate) {
        return false;
      }
    }
    return !unusable_.contains(assignment);
  }

  bool sampled(const Assignment& assignment) const { return medians_ns_.contains(assignment); }

  /// Returns the median of the samples of the latest visit to an assignment, or nothing without samples.
  std::optional<std::int64_t> latest_ns(const Assignment& assignment) const {
    const auto found = medians_ns_.find(assignment);
    return found == medians_ns_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Returns the usable assignment whose latest visit was the shortest, or nothing if none has samples.
  std::optional<Assignment> shortest() const {
    std::optional<Assignment> best;
    for (const auto& [assignment, median_ns] : medians_ns_) {
      if (usable(assignment) && (!best || median_ns < medians_ns_.at(*best))) {
        best = assignment;
      }
    }
    return best;
  }

 private:
  void keep_samples(const contextual::SearchObservation& observation) {
    std::vector<std::int64_t> samples_ns;
    for (std::size_t run = 1; run < observation.runs.size(); ++run) {
      if (observation.runs[run].makespan_ns) {
        samples_ns.push_back(*observation.runs[run].makespan_ns);
      }
    }
    if (!samples_ns.empty()) {
      std::sort(samples_ns.begin(), samples_ns.end());
      medians_ns_[observation.trial.assignment] = samples_ns[samples_ns.size() / 2];
    }
  }

  /// An assignment that has not run yet costs one run more, by which the tuner finds out whether it can.
  std::int64_t cost(const Assignment& assignment) const {
    return (has_run_.contains(assignment) ? 1 : 2) + samples_;
  }

  void advance() {
    do {
      next_ = next_visit();
    } while (next_ && !usable(*next_));
    if (next_ && cost(*next_) > runs_left_) {
      next_.reset();
    }
  }

  contextual::SearchRequest request_;
  int samples_;
  std::int64_t runs_left_;
  std::optional<Assignment> next_;  ///< empty if the search is complete
  std::set<Assignment> unusable_;   ///< infeasible, or not shown to be shorter than the defaults
  std::set<Assignment> has_run_;
  std::map<Assignment, std::int64_t> medians_ns_;  ///< of the latest visit with samples
};

}  // namespace examples
