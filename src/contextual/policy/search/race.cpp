#include "contextual/policy/search/race.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace contextual::policy::search {

namespace {

constexpr int draws = 64;
constexpr int least_wins = 2;      ///< of the draws, to stay in the race
constexpr int confident_wins = 3;  ///< of the draws: 5 %; fewer rivals that gain enough end the race

std::size_t index_of_least(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

Race::Race(Belief& belief, const Assignment& incumbent, const Limits& limits) : limits_(limits) {
  const std::vector<Assignment> tried = belief.tried();
  std::map<Assignment, int> wins;
  for (int i = 0; i < draws && !tried.empty(); ++i) {
    ++wins[tried[index_of_least(belief.draw_values(tried))]];
  }
  std::vector<std::pair<int, Assignment>> order;
  order.reserve(wins.size());
  for (const auto& [assignment, count] : wins) {
    order.emplace_back(-count, assignment);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [count, assignment] : order) {
    if (finalists_.size() < limits_.finalists) {
      finalists_.push_back(assignment);
    }
  }
  enter(incumbent);
}

void Race::enter(const Assignment& assignment) {
  if (std::find(finalists_.begin(), finalists_.end(), assignment) == finalists_.end()) {
    finalists_.push_back(assignment);
  }
}

std::vector<Assignment> Race::next_round(Belief& belief) {
  if (!std::exchange(begun_, true)) {
    return finalists_;
  }
  std::vector<Assignment> round;
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    const std::vector<double> values = belief.draw_values(finalists_);
    std::vector<std::size_t> order(values.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      order[k] = k;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    round.push_back(finalists_[order[i % std::min<std::size_t>(2, order.size())]]);
  }
  return round;
}

bool Race::decided(Belief& belief) {
  if (finalists_.size() < 2) {
    return true;
  }
  std::vector<std::vector<double>> truths;
  std::vector<int> wins(finalists_.size(), 0);
  for (int i = 0; i < draws; ++i) {
    truths.push_back(belief.draw_values(finalists_));
    ++wins[index_of_least(truths.back())];
  }
  const auto leader = static_cast<std::size_t>(std::max_element(wins.begin(), wins.end()) - wins.begin());
  const auto gaining = std::count_if(truths.begin(), truths.end(), [&](const std::vector<double>& values) {
    return values[leader] - *std::min_element(values.begin(), values.end()) > limits_.min_gain;
  });
  std::vector<Assignment> left{finalists_[leader]};
  for (std::size_t i = 0; i < finalists_.size(); ++i) {
    if (i != leader && wins[i] >= least_wins) {
      left.push_back(finalists_[i]);
    }
  }
  finalists_ = std::move(left);
  return finalists_.size() < 2 || gaining < confident_wins;
}

void Race::keep_only(const std::function<bool(const Assignment&)>& usable) {
  std::erase_if(finalists_, [&](const Assignment& finalist) { return !usable(finalist); });
}

}  // namespace contextual::policy::search
