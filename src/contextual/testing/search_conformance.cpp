#include "contextual/testing/search_scenario.hpp"
#include "contextual/testing/violations.hpp"

#include <contextual/testing/search_conformance.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <utility>

namespace contextual::testing {
namespace {

/// Feeds one search, and a second instance of it, until the search is complete.
class SearchCheck {
 public:
  SearchCheck(const SearchFactory& factory, const SearchScenario& scenario, Violations& violations)
      : scenario_(scenario),
        search_(factory(scenario.request)),
        twin_(factory(scenario.request)),
        violations_(violations),
        bound_(scenario.request.max_runs) {
    for (const SearchProblem& problem : scenario.request.problems) {
      std::vector<bool>& candidates = candidates_.emplace_back();
      for (const SearchConfig& config : problem.configs) {
        candidates.push_back(config.candidate);
      }
    }
    for (const SearchSample& sample : scenario.request.walked) {
      (sample.runs.empty() ? infeasible_ : proven_).insert(sample.assignment);
    }
  }

  void run() {
    if (!expect(search_ != nullptr && twin_ != nullptr, "the factory makes no search")) {
      return;
    }
    for (std::size_t batch = 0;; ++batch) {
      reject_if_due(batch);
      if (batch == scenario_.lose_after_batches) {
        lose_best();
      }
      const std::vector<SearchTrial> trials = next_batch();
      expect_choice();
      if (trials.empty() || !run_batch(trials, batch)) {
        break;
      }
    }
    expect(runs_ <= bound_, "remaining_runs() is less than the runs that came");
    constexpr int candidates = 3;  // of closing comparisons
    for (int i = 0; i < candidates; ++i) {
      lose_best();
      expect(twin_->best() == search_->best(),
             "two instances choose differently after the same observations");
      expect_choice();
    }
  }

 private:
  bool expect(bool holds, const std::string& text) {
    return holds || violations_.expect(false, text, " [" + scenario_.describe() + "]");
  }

  bool has_runs_left() const { return runs_ < scenario_.request.max_runs; }

  bool exists(const Assignment& assignment) const {
    if (assignment.size() != candidates_.size()) {
      return false;
    }
    for (std::size_t p = 0; p < assignment.size(); ++p) {
      if (assignment[p] >= candidates_[p].size()) {
        return false;
      }
    }
    return true;
  }

  bool candidate(const Assignment& assignment) const {
    for (std::size_t p = 0; p < assignment.size(); ++p) {
      if (!candidates_[p][assignment[p]]) {
        return false;
      }
    }
    return true;
  }

  void reject_if_due(std::size_t batch) {
    if (batch != scenario_.reject_after_batches) {
      return;
    }
    for (const auto& [problem, config] : scenario_.rejected) {
      for (int twice = 0; twice < 2; ++twice) {
        search_->reject(problem, config);
        twin_->reject(problem, config);
      }
      candidates_[problem][config] = false;
    }
  }

  void lose_best() {
    if (const std::optional<Assignment> best = search_->best()) {
      lost_.insert(*best);
      search_->lost(*best);
      twin_->lost(*best);
    }
  }

  /// The next batch after all checks of the plan; empty when the search is complete or cannot go on.
  std::vector<SearchTrial> next_batch() {
    std::vector<SearchTrial> trials = search_->plan();
    const std::size_t remaining = search_->remaining_runs();
    expect(search_->plan() == trials, "plan() changes without an observation");
    expect(twin_->plan() == trials, "two instances plan differently after the same observations");
    expect(twin_->best() == search_->best(), "two instances choose differently after the same observations");
    expect(trials.empty() == (remaining == 0),
           "plan() is empty and remaining_runs() is not 0, or the reverse");
    bound_ = std::min(bound_, runs_ + static_cast<std::int64_t>(remaining));
    for (const SearchTrial& trial : trials) {
      if (!expect_possible(trial)) {
        return {};
      }
    }
    return trials;
  }

  bool expect_possible(const SearchTrial& trial) {
    if (!expect(exists(trial.assignment),
                "an assignment of a wrong size or of a config that does not exist")) {
      return false;
    }
    if (!expect(trial.samples >= 0, "a trial with a negative number of samples is planned")) {
      return false;
    }
    expect(candidate(trial.assignment), "a config that is left out or rejected is planned");
    expect(!lost_.contains(trial.assignment), "an assignment that has lost is planned");
    return expect(!infeasible_.contains(trial.assignment), "an infeasible assignment is planned again");
  }

  void expect_choice() {
    const std::optional<Assignment> best = search_->best();
    if (!best) {
      const bool none = std::none_of(sampled_.begin(), sampled_.end(), [this](const Assignment& assignment) {
        return candidate(assignment) && !infeasible_.contains(assignment) && !lost_.contains(assignment);
      });
      expect(none, "best() is empty although a feasible assignment has samples");
      return;
    }
    if (expect(exists(*best), "best() has a wrong size or a config that does not exist")) {
      expect(candidate(*best), "best() has a config that is left out or rejected");
      expect(!infeasible_.contains(*best), "best() is infeasible");
      expect(!lost_.contains(*best), "best() is an assignment that has lost");
      expect(infeasible_.contains(*best) || proven_.contains(*best), "best() has never been run");
    }
  }

  /// Returns false if the search cannot go on.
  bool run_batch(const std::vector<SearchTrial>& trials, std::size_t batch) {
    const auto unproven = std::find_if(trials.begin(), trials.end(), [this](const SearchTrial& trial) {
      return !proven_.contains(trial.assignment);
    });
    if (unproven != trials.end()) {
      return run_trial({unproven->assignment, 0});
    }
    const bool cut = scenario_.cut_batches && batch % 2 == 1;
    for (const SearchTrial& trial : trials) {
      if (infeasible_.contains(trial.assignment)) {
        continue;  // since a run of this batch
      }
      if (!run_trial(cut ? SearchTrial{trial.assignment, 0} : trial)) {
        return false;
      }
      if (cut) {
        break;
      }
    }
    return true;
  }

  bool run_trial(const SearchTrial& trial) {
    if (!expect(has_runs_left(), "a trial is planned for which no run is left")) {
      return false;
    }
    SearchObservation observation;
    observation.trial = trial;
    for (int run = 0; run < 1 + trial.samples && has_runs_left() && !observation.infeasible; ++run) {
      if (scenario_.succeeds(trial.assignment, runs_)) {
        observation.runs.push_back(scenario_.measure(trial.assignment, runs_, run == 0));
      } else {
        observation.runs.push_back(
            {std::nullopt, std::vector<std::optional<std::int64_t>>(candidates_.size())});
        observation.infeasible = true;
      }
      ++runs_;
    }
    remember(observation);
    search_->observe(observation);
    twin_->observe(observation);
    return true;
  }

  void remember(const SearchObservation& observation) {
    const Assignment& assignment = observation.trial.assignment;
    if (observation.infeasible) {
      infeasible_.insert(assignment);
      return;
    }
    proven_.insert(assignment);
    for (std::size_t run = 1; run < observation.runs.size(); ++run) {
      if (observation.runs[run].makespan_ns) {
        sampled_.insert(assignment);
      }
    }
  }

  const SearchScenario& scenario_;
  const std::unique_ptr<Search> search_;
  const std::unique_ptr<Search> twin_;
  Violations& violations_;
  std::int64_t bound_;  ///< of the runs, by what the search has said so far
  std::int64_t runs_ = 0;
  std::vector<std::vector<bool>> candidates_;  ///< by problem and config
  std::set<Assignment> proven_;
  std::set<Assignment> infeasible_;
  std::set<Assignment> lost_;
  std::set<Assignment> sampled_;
};

}  // namespace

std::vector<std::string> check_search(const SearchFactory& factory) {
  Violations violations;
  if (!violations.expect(static_cast<bool>(factory), "the factory is empty")) {
    return violations.take();
  }
  for (const SearchScenario& scenario : search_scenarios()) {
    try {
      SearchCheck(factory, scenario, violations).run();
    } catch (const std::exception& error) {
      violations.add("the search throws",
                     std::string(": ") + error.what() + " [" + scenario.describe() + "]");
    }
  }
  return violations.take();
}

}  // namespace contextual::testing
