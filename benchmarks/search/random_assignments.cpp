#include "search/random_assignments.hpp"

#include "search/quantile.hpp"
#include "search/random_assignment.hpp"

#include <algorithm>
#include <utility>

namespace search_replay {
namespace {

using contextual::SearchTrial;

constexpr std::size_t trials_per_batch = 16;
constexpr std::size_t first_entrants = 8;
/// So many draws in a row that bring nothing new mean that everything has been drawn.
constexpr int draws_at_end = 1000;
constexpr std::int64_t runs_per_trial = 2;  // a lead-in and a sample

}  // namespace

RandomAssignments::RandomAssignments(const contextual::SearchRequest& request)
    : BaselineSearch(request), random_(request.seed) {
  begin();
}

std::vector<SearchTrial> RandomAssignments::next_trials() {
  if (stage_ == Stage::drawing) {
    std::vector<SearchTrial> trials = draw();
    if (!trials.empty()) {
      return trials;
    }
    return open_contest(Stage::first_contest, best_drawn(first_entrants), ledger().runs_left() / 2);
  }
  if (stage_ == Stage::first_contest) {
    std::vector<Assignment> ranking = contest_->ranking(ledger());
    ranking.resize((ranking.size() + 1) / 2);
    return open_contest(Stage::last_contest, std::move(ranking), ledger().runs_left());
  }
  stage_ = Stage::over;
  return {};
}

std::vector<SearchTrial> RandomAssignments::draw() {
  std::vector<SearchTrial> trials;
  std::int64_t left = ledger().runs_left() - request().max_runs / 2;
  for (int draws = 0; left > 0 && trials.size() < trials_per_batch && draws < draws_at_end;) {
    Assignment assignment = drawn_.empty() ? request().start : random_assignment(request(), random_);
    if (!drawn_.insert(assignment).second) {
      ++draws;
      continue;
    }
    trials.push_back({std::move(assignment), 1});
    left -= ledger().cost(trials.back());
    draws = 0;
  }
  return trials;
}

std::vector<SearchTrial> RandomAssignments::open_contest(Stage stage, std::vector<Assignment> entrants,
                                                         std::int64_t runs) {
  stage_ = stage;
  const auto round = runs_per_trial * static_cast<std::int64_t>(std::max<std::size_t>(1, entrants.size()));
  contest_.emplace(std::move(entrants), ledger());
  return contest_->trials(static_cast<std::size_t>(std::max<std::int64_t>(1, runs / round)));
}

std::vector<Assignment> RandomAssignments::best_drawn(std::size_t count) const {
  std::vector<std::pair<double, Assignment>> sampled;
  for (const Assignment& assignment : drawn_) {
    const std::vector<double>& samples = ledger().samples_ns(assignment);
    if (!samples.empty() && ledger().usable(assignment)) {
      sampled.emplace_back(median(samples), assignment);
    }
  }
  std::sort(sampled.begin(), sampled.end());
  std::vector<Assignment> best;
  for (std::size_t i = 0; i < std::min(count, sampled.size()); ++i) {
    best.push_back(sampled[i].second);
  }
  return best;
}

std::optional<Assignment> RandomAssignments::best() const {
  if (contest_) {
    const std::vector<Assignment> ranking = contest_->ranking(ledger());
    if (!ranking.empty()) {
      return ranking.front();
    }
  }
  return ledger().best_by_median();
}

std::string RandomAssignments::reason() const {
  return "best of " + std::to_string(drawn_.size()) + " random assignments";
}

}  // namespace search_replay
