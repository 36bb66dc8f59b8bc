/// \file
/// What refinements bring where two persistent kernels divide the multiprocessors of a GPU: the first one has
/// two and a half times the work of the second.
///
/// The kernels' configs are on how many multiprocessors they run. The same region is tuned with a coarse grid
/// of four numbers, and with multiples of 4 as its refinements. All pairs of the fine grid are timed before,
/// in turn. The pair that each tuning has chosen is timed afterwards, in turn with the best one of all.

#include "cuda_common.hpp"
#include "cuda_share_region.hpp"

#include <contextual/autotuner.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using Pair = ShareRegion::Pair;

constexpr int fine_step = 4;
constexpr Order order = Order::first_first;

/// All multiprocessors, three quarters, half and a quarter of them.
ConfigSpace<ShareConfig> coarse_grid() {
  const int all = multiprocessors();
  return on_multiprocessors({all, all * 3 / 4, all / 2, all / 4});
}

ConfigSpace<ShareConfig> refined_grid() {
  const ConfigSpace<ShareConfig> coarse = coarse_grid();
  std::vector<int> fine;
  for (int blocks = fine_step; blocks < multiprocessors(); blocks += fine_step) {
    const bool known = std::any_of(coarse.configs().begin(), coarse.configs().end(),
                                   [&](const ShareConfig& config) { return config.blocks == blocks; });
    if (!known) {
      fine.push_back(blocks);
    }
  }
  return ConfigSpace<ShareConfig>(coarse).refine({"BLOCKS", &ShareConfig::blocks, fine});
}

/// Short rounds, so that a multiprocessor more or less matters, and a prologue that makes it worthwhile to
/// run beside each other.
ShareWork work() {
  constexpr int prologue_ns = 40'000;
  constexpr int round_ns = 2'000;
  const auto all = static_cast<unsigned>(multiprocessors());
  return {{prologue_ns, round_ns, 60 * all}, {prologue_ns, round_ns, 24 * all}};
}

ShareTuning tune(ShareRegion& region, const std::string& name, SearchLevel level) {
  return benchmarks::tune(
      region, name, [&] { region.launch(order); }, share_options(level));
}

/// Of so many times of each pair, taken in turn; the ten shortest are timed again, more often.
Pair best_pair(ShareRegion& region, int rounds) {
  std::vector<std::pair<double, Pair>> times;
  for (const Pair& pair : region.pairs()) {
    region.time(pair, order);
    times.emplace_back(region.time(pair, order), pair);
  }
  constexpr std::size_t finalists = 10;
  std::partial_sort(times.begin(), times.begin() + finalists, times.end());
  std::vector<std::vector<double>> samples(finalists);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < finalists; ++i) {
      samples[i].push_back(region.time(times[i].second, order));
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < finalists; ++i) {
    best = median(samples[i]) < median(samples[best]) ? i : best;
  }
  return times[best].second;
}

std::string text_of(const ConfigSpace<ShareConfig>& space, const Pair& pair) {
  return std::to_string(space[pair.first].blocks) + " and " + std::to_string(space[pair.second].blocks);
}

/// Tunes so often; prints and returns the median of the chosen pairs' times over the best one's.
double tune_often(ShareRegion& region, const std::string& name, const Pair& best, int tunings, int rounds,
                  SearchLevel level) {
  std::vector<double> ratios;
  std::vector<double> runs;
  for (int i = 0; i < tunings; ++i) {
    const ShareTuning tuning = tune(region, name, level);
    ratios.push_back(region.ratio(tuning.choice, best, order, rounds));
    runs.push_back(static_cast<double>(tuning.runs));
    std::printf("  %s: %s, %.3f of the best pair, %ld runs\n", name.c_str(),
                text_of(region.space(), tuning.choice).c_str(), ratios.back(), tuning.runs);
  }
  std::printf("%s: over the best pair median %.4f, largest %.4f; runs median %.0f\n", name.c_str(),
              median(ratios), *std::max_element(ratios.begin(), ratios.end()), median(runs));
  return median(ratios);
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{
      "Two persistent kernels that divide the multiprocessors: a coarse grid and its refinements"};
  int tunings = 10;
  int rounds = 15;
  app.add_option("--tunings", tunings, "with each grid")->check(CLI::PositiveNumber);
  app.add_option("--rounds", rounds, "times of a chosen pair")->check(CLI::PositiveNumber);
  return run_on_gpu(app, argc, argv, [&] {
    double refined = 0;
    {
      ShareRegion region(refined_grid(), work());
      const Pair best = best_pair(region, rounds);
      std::printf("best of %zu pairs: %s multiprocessors, %.1f us\n",
                  region.space().size() * region.space().size(), text_of(region.space(), best).c_str(),
                  region.time(best, order));
      refined = tune_often(region, "refined", best, tunings, rounds, SearchLevel::normal);
      // The coarse configs have the same ids in both grids, and two kernels of a name cannot live in a
      // region.
      tune_often(region, "walk only", best, 1, rounds, SearchLevel::off);
    }
    ShareRegion coarse(coarse_grid(), work());
    const Pair best = best_pair(coarse, rounds);
    std::printf("best of the coarse grid's 16 pairs: %s multiprocessors, %.1f us\n",
                text_of(coarse.space(), best).c_str(), coarse.time(best, order));
    tune_often(coarse, "coarse", best, tunings, rounds, SearchLevel::normal);
    return goal_at_most("refined, over the best of all pairs", refined, 1.02, "") ? 0 : 1;
  });
}
