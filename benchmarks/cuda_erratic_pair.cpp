/// \file
/// Whether the search finds a steady pair of configs of two kernels on two streams, where the time of other
/// pairs depends on a race.
///
/// Both kernels have 4 configs: on how many multiprocessors they run. The region forks to two streams, one
/// for each kernel, and joins them. When the host is ahead, both kernels may begin at the same moment, and
/// which of them does is a race. It decides the time of a pair that does not fit beside each other: the
/// second kernel does with few multiprocessors if it comes second, but the first one cannot begin before the
/// second one ends. Half of the multiprocessors each, or half and a quarter, fit and are steady, and the
/// first kernel is hardly slower on half of them, because the most of its time does not depend on their
/// number.
///
/// With `--kernels helping` both kernels have the same work. Half of the multiprocessors each is best; but
/// half for one kernel beside all for the other one is slower than the defaults, so only a change of both
/// helps.
///
/// First every pair is timed as five calls in a row pay for it, in both orders of the launches and without a
/// timer, in batches that begin on an idle device; the pairs take turns in random order. A pair is steady if
/// its time depends neither on the batch nor on the order. Then the region is tuned many times, each time
/// from nothing, and each choice is compared with the best steady pair by those times.

#include "cuda_common.hpp"
#include "cuda_share_region.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using Pair = ShareRegion::Pair;

constexpr int calls_in_a_row = 5;
constexpr double largest_spread_of_steady = 0.02;
constexpr double largest_ratio = 1.02;

struct Settings {
  std::string kernels = "racing";
  std::string order = "both";
  std::string timer = "both";
  int tunings = 40;
  int batches = 60;
  SearchLevel level = SearchLevel::normal;
};

ShareRegion region_of(const std::string& kernels) {
  const int all = multiprocessors();
  if (kernels == "helping") {
    // Two rounds with a block on every multiprocessor.
    const WorkOfKernel each{
        .prologue_ns = 40'000, .round_ns = 20'000, .items = 2 * static_cast<unsigned>(all)};
    return {on_multiprocessors({all, all * 3 / 4, all / 2, all / 4}), {each, each}};
  }
  // With three quarters and a quarter both kernels would fit. On 132, 100, 66 and 33 multiprocessors the
  // first kernel takes 294, 308, 334 and 414 us, and the second one 153, 168, 197 and 285 us.
  const auto items = 20 * static_cast<unsigned>(all);
  return {on_multiprocessors({all, all * 3 / 4 + 1, all / 2, all / 4}),
          {.first = {.prologue_ns = 254'000, .round_ns = 2'000, .items = items},
           .second = {.prologue_ns = 109'000, .round_ns = 2'200, .items = items, .handed_out = true}}};
}

/// The time of a call, over batches.
struct PairTime {
  double mean_us = 0;
  double low_us = 0;   ///< 5 % of the batches are shorter
  double high_us = 0;  ///< 5 % of the batches are longer

  bool is_steady() const { return high_us - low_us < largest_spread_of_steady * mean_us; }
};

PairTime summarize(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const auto quantile = [&](double part) {
    return us[static_cast<std::size_t>(std::lround(part * static_cast<double>(us.size() - 1)))];
  };
  return {mean(us), quantile(0.05), quantile(0.95)};
}

std::map<Pair, PairTime> time_all(ShareRegion& region, Order order, int batches, std::mt19937& random) {
  std::vector<Pair> pairs = region.pairs();
  std::map<Pair, std::vector<double>> samples;
  for (int batch = -1; batch < batches; ++batch) {
    std::shuffle(pairs.begin(), pairs.end(), random);
    for (const Pair& pair : pairs) {
      const double us = region.time_in_a_row(pair, order, calls_in_a_row);
      if (batch >= 0) {
        samples[pair].push_back(us);
      }
    }
  }
  std::map<Pair, PairTime> times;
  for (const auto& [pair, us] : samples) {
    times[pair] = summarize(us);
  }
  return times;
}

using Times = std::map<Order, std::map<Pair, PairTime>>;

/// In both orders together.
bool is_steady(const Times& times, const Pair& pair) {
  PairTime both = times.begin()->second.at(pair);
  for (const auto& [order, of_order] : times) {
    both.low_us = std::min(both.low_us, of_order.at(pair).low_us);
    both.high_us = std::max(both.high_us, of_order.at(pair).high_us);
  }
  return both.is_steady();
}

double best_steady_us(const Times& times, Order order) {
  double best = 0;
  for (const auto& [pair, time] : times.at(order)) {
    if (is_steady(times, pair) && (best == 0 || time.mean_us < best)) {
      best = time.mean_us;
    }
  }
  if (best == 0) {
    throw std::runtime_error("no pair is steady");
  }
  return best;
}

void print_row(const ShareRegion& region, const Pair& pair, const PairTime& time, bool steady, double best_us,
               long chosen) {
  const std::string text = "(" + std::to_string(region.space()[pair.first].blocks) + ", " +
                           std::to_string(region.space()[pair.second].blocks) + ")";
  std::printf("%-12s %8.1f %8.1f to %6.1f %-7s %7.3f", text.c_str(), time.mean_us, time.low_us, time.high_us,
              steady ? "steady" : "erratic", time.mean_us / best_us);
  if (chosen > 0) {
    std::printf(" %7ld", chosen);
  }
  std::printf("\n");
}

/// One order of the launches with one timer. Returns whether every choice was close to the best steady pair.
bool tune_often(ShareRegion& region, Order order, const char* timer_name, const TimerFactory& timer,
                const Times& all_times, const Settings& settings) {
  const std::map<Pair, PairTime>& times = all_times.at(order);
  const double best_us = best_steady_us(all_times, order);
  Options options;
  options.search = settings.level;
  options.timer = timer;
  std::map<Pair, long> chosen;
  std::vector<double> ratios;
  std::vector<double> runs;
  std::vector<double> seconds;
  for (int i = 0; i < settings.tunings; ++i) {
    const ShareTuning tuning = tune(region, order, options);
    ++chosen[tuning.choice];
    ratios.push_back(times.at(tuning.choice).mean_us / best_us);
    runs.push_back(static_cast<double>(tuning.runs));
    seconds.push_back(tuning.wall_us * 1e-6);
  }

  const char* const order_name = order == Order::first_first ? "first" : "second";
  std::printf("\n%s kernel launched first, timed by %s\n", order_name, timer_name);
  std::printf("%-12s %8s %18s %15s %7s\n", "blocks", "mean us", "5 % to 95 %", "over best", "chosen");
  for (const auto& [pair, time] : times) {
    print_row(region, pair, time, is_steady(all_times, pair), best_us, chosen[pair]);
  }
  const auto close = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r <= largest_ratio; });
  std::printf(
      "%ld of %d choices within 2 %% of the best steady pair; runs median %.0f, seconds median %.2f\n",
      static_cast<long>(close), settings.tunings, median(runs), median(seconds));
  detach_cupti();  // or it would be beside the next timer
  const bool met = goal_at_most("largest ratio to the best steady pair",
                                *std::max_element(ratios.begin(), ratios.end()), largest_ratio, "");
  std::fflush(stdout);
  return met;
}

int measure(const Settings& settings) {
  ShareRegion region = region_of(settings.kernels);
  std::mt19937 random(1);
  Times times;
  for (const Order order : {Order::first_first, Order::second_first}) {
    times[order] = time_all(region, order, settings.batches, random);
  }
  bool met = true;
  for (const Order order : {Order::first_first, Order::second_first}) {
    if (settings.order == (order == Order::first_first ? "second" : "first")) {
      continue;
    }
    if (settings.timer != "events") {
      met = tune_often(region, order, "CUPTI", cuda_cupti_timer, times, settings) && met;
    }
    if (settings.timer != "cupti") {
      met = tune_often(region, order, "events", cuda_event_timer, times, settings) && met;
    }
  }
  return met ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{
      "Two kernels on two streams, some pairs of whose configs are erratic: is a steady one found?"};
  Settings settings;
  app.add_option("--kernels", settings.kernels, "racing, or helping")
      ->check(CLI::IsMember({"racing", "helping"}));
  app.add_option("--order", settings.order, "which kernel is launched first: first, second or both")
      ->check(CLI::IsMember({"first", "second", "both"}));
  app.add_option("--timer", settings.timer, "cupti, events or both")
      ->check(CLI::IsMember({"cupti", "events", "both"}));
  app.add_option("--tunings", settings.tunings, "for each order and timer")->check(CLI::PositiveNumber);
  app.add_option("--batches", settings.batches, "of five calls in a row, of each pair")
      ->check(CLI::Range(20, 100'000));
  const std::map<std::string, SearchLevel> levels{
      {"quick", SearchLevel::quick}, {"normal", SearchLevel::normal}, {"thorough", SearchLevel::thorough}};
  app.add_option("--search", settings.level, "quick, normal or thorough")
      ->transform(CLI::CheckedTransformer(levels))
      ->default_str("normal");
  return run_on_gpu(app, argc, argv, [&] { return measure(settings); });
}
