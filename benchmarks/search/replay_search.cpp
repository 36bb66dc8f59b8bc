#include "search/replay_search.hpp"

#include "contextual/policy/search_batch.hpp"

#include <set>
#include <vector>

namespace search_replay {
namespace {

using contextual::Search;
using contextual::SearchObservation;
using contextual::SearchRun;
using contextual::SearchTrial;
using contextual::policy::search_batch;
using contextual::policy::SearchRunPlan;

class SearchReplay {
 public:
  SearchReplay(Search& search, ReplayedRegion& region, std::int64_t max_runs)
      : search_(search), region_(region), max_runs_(max_runs) {}

  Replay operator()() {
    note_choice();
    while (has_runs_left()) {
      const std::vector<SearchTrial> trials = search_.plan();
      if (trials.empty()) {
        break;
      }
      run_batch(trials);
      region_.exchange();
      note_choice();
    }
    replay_.regret = replay_.curve.back().regret;
    replay_.runs = region_.runs();
    return replay_;
  }

 private:
  bool has_runs_left() const { return region_.runs() < max_runs_; }

  void run_batch(const std::vector<SearchTrial>& trials) {
    const auto most = static_cast<std::size_t>(max_runs_ - region_.runs());
    const auto proven = [this](const Assignment& assignment) { return proven_.contains(assignment); };
    const std::vector<SearchRunPlan> runs = search_batch(trials, proven, {most, false});
    for (std::size_t i = 0; i < runs.size() && has_runs_left();) {
      SearchObservation observation;
      observation.trial.assignment = runs[i].assignment;
      observation.trial.samples = runs[i].samples;
      observation.after_exchange = i == 0;
      const std::size_t trial = runs[i].trial;
      for (; i < runs.size() && runs[i].trial == trial && has_runs_left(); ++i) {
        observation.runs.push_back(run_once(runs[i].assignment));
      }
      const bool feasible = observation.runs.front().makespan_ns.has_value();
      observation.infeasible = !feasible;
      if (feasible) {
        proven_.insert(observation.trial.assignment);
      }
      search_.observe(observation);
    }
  }

  SearchRun run_once(const Assignment& assignment) {
    SearchRun run;
    if (const std::optional<Sample> sample = region_.run(assignment)) {
      run.makespan_ns = sample->makespan_ns;
      run.times_ns.assign(sample->times_ns.begin(), sample->times_ns.end());
    } else {
      run.times_ns.resize(assignment.size());
    }
    return run;
  }

  void note_choice() {
    const Assignment defaults(region_.problem_count(), 0);
    replay_.curve.push_back({region_.runs(), region_.regret(search_.best().value_or(defaults))});
  }

  Search& search_;
  ReplayedRegion& region_;
  std::int64_t max_runs_;
  std::set<Assignment> proven_;  ///< assignments that have run successfully
  Replay replay_;
};

}  // namespace

contextual::SearchRequest search_request_of(const ReplayedRegion& region, std::int64_t max_runs,
                                            std::uint64_t seed) {
  contextual::SearchRequest request;
  for (const ReplayedProblem& problem : region.problems()) {
    contextual::SearchProblem described{problem.kernel, "", {}};
    const std::size_t coarse_count = problem.configs.size() - problem.refinement_count;
    for (const Config& config : problem.configs) {
      described.configs.push_back({config, true, described.configs.size() >= coarse_count});
    }
    request.problems.push_back(std::move(described));
  }
  request.start.assign(request.problems.size(), 0);
  request.max_runs = max_runs;
  request.seed = seed;
  return request;
}

Replay replay_search(Search& search, ReplayedRegion& region, std::int64_t max_runs) {
  return SearchReplay(search, region, max_runs)();
}

}  // namespace search_replay
