#include "contextual/policy/search/race.hpp"

#include <algorithm>

namespace contextual::policy::search {

namespace {

constexpr int draws = 64;
constexpr int confident_wins = 3;  ///< of the draws: 5 %; fewer rivals that gain enough end the race
constexpr std::size_t visits_per_round = 8;

std::size_t index_of_least(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

std::vector<Assignment> race_round(Belief& belief) {
  const std::vector<Assignment> tried = belief.tried();
  std::vector<Assignment> round;
  for (std::size_t i = 0; i < visits_per_round && !tried.empty(); ++i) {
    std::vector<double> values = belief.draw_values(tried);
    std::size_t chosen = index_of_least(values);
    if (i % 2 == 1 && tried.size() > 1) {
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(chosen));
      const std::size_t second = index_of_least(values);
      chosen = second < chosen ? second : second + 1;
    }
    round.push_back(tried[chosen]);
  }
  return round;
}

bool race_is_decided(Belief& belief, double min_gain) {
  const std::vector<Assignment> tried = belief.tried();
  if (tried.size() < 2) {
    return true;
  }
  std::vector<std::vector<double>> truths;
  std::vector<int> wins(tried.size(), 0);
  for (int i = 0; i < draws; ++i) {
    truths.push_back(belief.draw_values(tried));
    ++wins[index_of_least(truths.back())];
  }
  const auto leader = static_cast<std::size_t>(std::max_element(wins.begin(), wins.end()) - wins.begin());
  const auto gaining = std::count_if(truths.begin(), truths.end(), [&](const std::vector<double>& values) {
    return values[leader] - *std::min_element(values.begin(), values.end()) > min_gain;
  });
  return gaining < confident_wins;
}

}  // namespace contextual::policy::search
