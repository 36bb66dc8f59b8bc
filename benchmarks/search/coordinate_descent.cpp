#include "search/coordinate_descent.hpp"

#include "search/random_assignment.hpp"

#include <utility>

namespace search_replay {
namespace {

using contextual::SearchTrial;

constexpr std::size_t contest_rounds = 5;

}  // namespace

CoordinateDescent::CoordinateDescent(const contextual::SearchRequest& request)
    : BaselineSearch(request), random_(request.seed) {
  begin();
}

std::vector<SearchTrial> CoordinateDescent::next_trials() {
  conclude();
  switch (stage_) {
    case Stage::starting:
      return start();
    case Stage::scanning:
      return scan();
    default:
      return contest_->trials(contest_rounds);
  }
}

/// Takes in what the last batch has measured.
void CoordinateDescent::conclude() {
  if (stage_ == Stage::starting) {
    if (begun_ && !ledger().samples_ns(current_).empty()) {
      stage_ = Stage::scanning;
      unchanged_ = 0;
    }
  } else if (stage_ == Stage::scanning) {
    conclude_scan();
    if (unchanged_ >= request().problems.size()) {
      conclude_descent();
    }
  } else {
    const std::vector<Assignment> ranking = contest_->ranking(ledger());
    champion_ = ranking.empty() ? champion_ : std::optional(ranking.front());
    stage_ = Stage::starting;
  }
}

void CoordinateDescent::conclude_scan() {
  if (scanned_.empty()) {
    return;
  }
  const Assignment before = current_;
  double best_ns = 0;
  for (const auto& [assignment, samples_before] : scanned_) {
    const std::vector<double>& samples = ledger().samples_ns(assignment);
    if (samples.size() <= samples_before || !ledger().usable(assignment)) {
      continue;
    }
    const double needed_ns = current_ == before ? best_ns * (1 - request().min_gain) : best_ns;
    if (best_ns == 0 || samples.back() < needed_ns) {
      best_ns = samples.back();
      current_ = assignment;
    }
  }
  unchanged_ = current_ == before ? unchanged_ + 1 : 1;
  problem_ = (problem_ + 1) % request().problems.size();
  scanned_.clear();
}

void CoordinateDescent::conclude_descent() {
  ++descents_;
  stage_ = Stage::starting;
  if (!champion_) {
    champion_ = current_;
  } else if (*champion_ != current_) {
    contest_.emplace(std::vector{*champion_, current_}, ledger());
    stage_ = Stage::contesting;
  }
}

std::vector<SearchTrial> CoordinateDescent::start() {
  current_ = begun_ ? random_assignment(request(), random_) : request().start;
  begun_ = true;
  return {{current_, 1}};
}

/// The current assignment comes first, so that a tie leaves it in place.
std::vector<SearchTrial> CoordinateDescent::scan() {
  std::vector<SearchTrial> trials{{current_, 1}};
  for (std::size_t config = 0; config < request().problems[problem_].configs.size(); ++config) {
    Assignment assignment = current_;
    assignment[problem_] = config;
    if (assignment != current_) {
      trials.push_back({std::move(assignment), 1});
    }
  }
  for (const SearchTrial& trial : trials) {
    scanned_.emplace_back(trial.assignment, ledger().samples_ns(trial.assignment).size());
  }
  return trials;
}

std::optional<Assignment> CoordinateDescent::best() const {
  if (champion_ && ledger().usable(*champion_)) {
    return champion_;
  }
  const bool measured = !ledger().samples_ns(current_).empty() && ledger().usable(current_);
  return measured ? std::optional(current_) : ledger().best_by_median();
}

std::string CoordinateDescent::reason() const {
  return "best of " + std::to_string(descents_) + " descents";
}

}  // namespace search_replay
