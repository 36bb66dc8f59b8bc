#pragma once

/// \file
/// A search that plans what a test says and keeps what it is told.

#include "unit/policy/search_world.hpp"

#include <contextual/search.hpp>

#include <deque>

namespace contextual::policy::test {

/// What the search is to do, and what it was told. A trial is over when all of its samples were run, or when
/// it turned out to be infeasible.
struct SearchScript {
  std::deque<std::vector<SearchTrial>> batches;
  std::optional<Assignment> best;
  std::deque<Assignment> further_bests;
  std::vector<Assignment> ruled_out;
  std::vector<SearchRequest> requests;
  std::vector<SearchObservation> observed;
  std::vector<std::pair<std::size_t, std::size_t>> rejected;
};

class ScriptedSearch final : public Search {
 public:
  explicit ScriptedSearch(std::shared_ptr<SearchScript> script) : script_(std::move(script)) {}

  std::vector<SearchTrial> plan() const override {
    return script_->batches.empty() ? std::vector<SearchTrial>() : script_->batches.front();
  }

  void observe(const SearchObservation& observation) override {
    script_->observed.push_back(observation);
    if (script_->batches.empty()) {
      return;
    }
    std::vector<SearchTrial>& batch = script_->batches.front();
    const auto trial = std::find_if(batch.begin(), batch.end(), [&](const SearchTrial& planned) {
      return planned.assignment == observation.trial.assignment;
    });
    const bool over =
        trial != batch.end() && (trial->samples == observation.trial.samples || observation.infeasible);
    if (over) {
      batch.erase(trial);
    }
    if (batch.empty()) {
      script_->batches.pop_front();
    }
  }

  void reject(std::size_t problem, std::size_t config_id) override {
    script_->rejected.emplace_back(problem, config_id);
  }

  /// The next of `further_bests` takes its place.
  void lost(const Assignment& assignment) override {
    script_->ruled_out.push_back(assignment);
    script_->best.reset();
    if (!script_->further_bests.empty()) {
      script_->best = script_->further_bests.front();
      script_->further_bests.pop_front();
    }
  }

  std::optional<Assignment> best() const override { return script_->best; }
  std::string reason() const override { return "the script says so"; }

  std::size_t remaining_runs() const override {
    std::size_t runs = 0;
    for (const std::vector<SearchTrial>& batch : script_->batches) {
      for (const SearchTrial& trial : batch) {
        runs += 1 + static_cast<std::size_t>(trial.samples);
      }
    }
    return runs;
  }

 private:
  std::shared_ptr<SearchScript> script_;
};

inline SearchFactory scripted_search(const std::shared_ptr<SearchScript>& script) {
  return [script](const SearchRequest& request) {
    script->requests.push_back(request);
    return std::make_unique<ScriptedSearch>(script);
  };
}

/// A run with a scripted search. Its walk is short, so that a test can count runs, and no closing comparison
/// follows unless a test asks for one. What a test changes, it changes before the run begins.
struct ScriptedRun {
  explicit ScriptedRun(std::vector<std::size_t> configs, std::deque<std::vector<SearchTrial>> batches = {},
                       std::optional<Assignment> best = std::nullopt)
      : world(later_is_shorter(std::move(configs))) {
    script->batches = std::move(batches);
    script->best = std::move(best);
    options.n_warmup = 1;
    options.n_repeat = 2;
    options.closing_rounds = 0;
    options.search_factory = scripted_search(script);
  }

  Driver& begin() { return driver ? *driver : *(driver = std::make_unique<Driver>(options, world)); }

  Driver& finish() {
    begin().finish();
    return *driver;
  }

  /// Walks until the search is to run next.
  Driver& until_search() {
    while (begin().state.searches().empty() && driver->state.search_iterations() == 0 &&
           driver->state.plan(1).front().phase != Phase::search) {
      driver->run_batch();
    }
    return *driver;
  }

  const SearchRecord& record() const { return driver->state.searches().front(); }

  std::shared_ptr<SearchScript> script = std::make_shared<SearchScript>();
  PolicyOptions options;
  World world;
  std::unique_ptr<Driver> driver;
};

}  // namespace contextual::policy::test
