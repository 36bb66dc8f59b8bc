/// \file
/// Whether the search finds the best pair of configs of two persistent kernels on two streams, when only a
/// change of both helps, and what keeping the iterations apart costs.
///
/// Both kernels have 4 configs: on how many multiprocessors they run. With all of them, which is the default
/// of both, they run one after the other; with half of them each, beside each other. A kernel with half of
/// them beside one with all is slower than either pair. The region joins neither stream, and launches the
/// kernels in both orders. Every pair's time is taken before, in turn, as is the chosen pair's afterwards,
/// beside the best pair.

#include "cuda_common.hpp"
#include "cuda_share_region.hpp"

#include <contextual/autotuner.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using Region = ShareRegion;
using Pair = ShareRegion::Pair;

/// All multiprocessors, three quarters, half and a quarter of them.
ConfigSpace<ShareConfig> space() {
  const int all = multiprocessors();
  return on_multiprocessors({all, all * 3 / 4, all / 2, all / 4});
}

/// Two rounds with a block on every multiprocessor.
ShareWork work() {
  constexpr int prologue_ns = 40'000;
  constexpr int round_ns = 20'000;
  const auto items = 2 * static_cast<unsigned>(multiprocessors());
  const WorkOfKernel each{prologue_ns, round_ns, items};
  return {each, each};
}

ShareTuning tune(Region& region, Order order, const Options& options) {
  return benchmarks::tune(
      region, "two persistent kernels", [&] { region.launch(order); }, options);
}

/// Medians of so many times of each pair, taken in turn.
std::map<Pair, double> times_of_all(Region& region, Order order, int rounds) {
  const std::vector<Pair> pairs = region.pairs();
  const auto us =
      samples_in_turn(rounds, pairs.size(), [&](std::size_t i) { return region.time(pairs[i], order); });
  std::map<Pair, double> times;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    times[pairs[i]] = median(us[i]);
  }
  return times;
}

Pair best_of(const std::map<Pair, double>& times) {
  return std::min_element(times.begin(), times.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

void print(const std::map<Pair, double>& times) {
  std::printf("us by config of the first (down) and the second kernel (across)\n");
  for (const auto& [pair, us] : times) {
    std::printf(" %8.1f%s", us, pair.second == 3 ? "\n" : "");
  }
}

/// Returns true if every tuning came within 2 % of the best pair.
bool tune_often(Region& region, Order order, const char* what, int tunings, int rounds, SearchLevel level) {
  const std::map<Pair, double> times = times_of_all(region, order, rounds);
  const Pair best = best_of(times);
  std::printf("\n%s, best pair %zu, %zu\n", what, best.first, best.second);
  print(times);
  std::vector<double> ratios;
  std::vector<double> runs;
  for (int i = 0; i < tunings; ++i) {
    const ShareTuning tuning = tune(region, order, share_options(level));
    ratios.push_back(region.ratio(tuning.choice, best, order, rounds));
    runs.push_back(static_cast<double>(tuning.runs));
    if (ratios.back() > 1.02) {
      std::printf("chosen %zu, %zu: %.3f of the best pair\n", tuning.choice.first, tuning.choice.second,
                  ratios.back());
    }
  }
  const double largest = *std::max_element(ratios.begin(), ratios.end());
  std::printf("%d tunings: median %.4f, largest %.4f of the best pair; runs median %.0f, most %.0f\n",
              tunings, median(ratios), largest, median(runs), *std::max_element(runs.begin(), runs.end()));
  return goal_at_most("largest ratio to the best pair", largest, 1.02, "");
}

/// The walk's wall time a run, with the iterations joined over pipelined ones; each takes turns.
void print_cost_of_joining(Region& region, int rounds) {
  const auto us = samples_in_turn(rounds, 2, [&](std::size_t i) {
    Options options = share_options(SearchLevel::off);
    options.iterations = i == 0 ? Iterations::joined : Iterations::pipelined;
    options.n_repeat = 60;
    const ShareTuning tuning = tune(region, Order::first_first, options);
    return tuning.wall_us / static_cast<double>(tuning.runs);
  });
  std::printf("\nwall time of a walk, us a run: joined %.1f, pipelined %.1f, difference %.1f\n",
              median(us[0]), median(us[1]), median(differences(us[0], us[1])));
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"Two persistent kernels on two streams: is the best pair of configs found?"};
  int tunings = 40;
  int rounds = 15;
  SearchLevel level = SearchLevel::normal;
  app.add_option("--tunings", tunings, "for each order of launches")->check(CLI::PositiveNumber);
  app.add_option("--rounds", rounds, "times of each pair")->check(CLI::PositiveNumber);
  add_search_option(app, level);
  return run_on_gpu(app, argc, argv, [&] {
    Region region(space(), work());
    bool met = tune_often(region, Order::first_first, "first kernel first", tunings, rounds, level);
    met = tune_often(region, Order::second_first, "second kernel first", tunings, rounds, level) && met;
    print_cost_of_joining(region, 9);
    return met ? 0 : 1;
  });
}
