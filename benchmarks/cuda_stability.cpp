/// \file
/// Tunes a region of three kernels (32, 12 and 12 configs) again and again: does it choose the same, and what
/// do other choices cost?
///
/// A choice that is not the most frequent one counts as changed when the two differ by more than the margin
/// of a tie: by own time, or by the region's time with one set or the other. Both are taken afterwards, sets
/// in turn, beside the most frequent choices of the other kernels: region times untimed by the tuner, own
/// times by its CUPTI timer. The best set is looked for among all configs of each kernel beside the most
/// frequent choices of the others, then measured again beside the chosen ones.

#include "cuda_three_kernels.hpp"

#include <contextual/autotuner.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;

constexpr double tie_margin = 0.005;  // of Options
constexpr std::size_t kernel_count = 3;
using Parts = std::array<double, kernel_count>;

/// What all tunings said.
struct Tunings {
  std::vector<ThreeChoices> chosen;
  /// By kernel and config: own times in us in the walk, one a tuning.
  std::array<std::vector<std::vector<double>>, kernel_count> in_walk;
  std::array<std::string, kernel_count> names;
};

Tunings tune(const ThreeBuffers& buffers, int times, const std::string& logs) {
  Tunings result;
  const Stream stream;
  const ThreeKernels kernels;
  Options options;
  options.always_tune = true;
  options.log_directory = logs;
  options.timer = cuda_cupti_timer;
  for (int i = 0; i < times; ++i) {
    ContextualAutotuner tuner(options);
    tuner.run("three kernels", [&] { kernels.launch(buffers, stream); });
    const Report report = tuner.report();
    const RegionReport& region = *report.find("three kernels");
    result.names = {kernels.matmul->name(), kernels.gate->name(), kernels.row_norm->name()};
    ThreeChoices choices{};
    for (const ProblemReport& problem : region.problems) {
      const auto kernel = static_cast<std::size_t>(
          std::find(result.names.begin(), result.names.end(), problem.kernel) - result.names.begin());
      choices.at(kernel) = problem.choice;
      result.in_walk[kernel].resize(problem.configs.size());
      for (const ConfigReport& config : problem.configs) {
        if (config.time.count > 0) {
          result.in_walk[kernel][config.config_id].push_back(config.time.centre_ns / 1e3);
        }
      }
    }
    result.chosen.push_back(choices);
    for (const std::string& warning : region.warnings) {
      std::printf("tuning %d: warning: %s\n", i, warning.c_str());
    }
  }
  return result;
}

ThreeChoices most_frequent(const std::vector<ThreeChoices>& chosen) {
  ThreeChoices result{};
  for (std::size_t kernel = 0; kernel < kernel_count; ++kernel) {
    std::map<std::size_t, int> counts;
    for (const ThreeChoices& choices : chosen) {
      ++counts[choices[kernel]];
    }
    result[kernel] = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                       return a.second < b.second;
                     })->first;
  }
  return result;
}

/// Medians of the paired differences to the first set, relative to its median.
std::vector<double> relative_to_first(const std::vector<std::vector<double>>& times) {
  std::vector<double> result;
  for (const std::vector<double>& of_set : times) {
    result.push_back(median(differences(of_set, times[0])) / median(times[0]));
  }
  return result;
}

std::vector<ThreeChoices> with_one_changed(const ThreeChoices& base, const ThreeChoices& counts) {
  std::vector<ThreeChoices> sets{base};
  for (std::size_t kernel = 0; kernel < kernel_count; ++kernel) {
    for (std::size_t config = 0; config < counts[kernel]; ++config) {
      if (config != base[kernel]) {
        sets.push_back(base);
        sets.back()[kernel] = config;
      }
    }
  }
  return sets;
}

/// What the region takes with one kernel's config changed, and that kernel: over the base, by kernel and
/// config.
class Neighbours {
 public:
  Neighbours(const FixedKernels& kernels, const ThreeBuffers& buffers, const ThreeChoices& base, int rounds)
      : base_(base), sets_(with_one_changed(base, kernels.counts())) {
    relative_ = relative_to_first(interleaved_times(kernels, buffers, sets_, rounds));
    own_ = interleaved_own_times(kernels, buffers, sets_, rounds);
  }

  double relative(std::size_t kernel, std::size_t config) const {
    return relative_[set_with(kernel, config)];
  }
  /// In us.
  double own(std::size_t kernel, std::size_t config) const {
    return median(own_[set_with(kernel, config)].at(kernel));
  }
  double own_relative(std::size_t kernel, std::size_t config) const {
    const std::vector<double>& base = own_[0].at(kernel);
    return median(differences(own_[set_with(kernel, config)].at(kernel), base)) / median(base);
  }
  /// For each kernel the config with the shortest region.
  ThreeChoices best() const {
    ThreeChoices best = base_;
    Parts shortest{};
    for (std::size_t i = 1; i < sets_.size(); ++i) {
      for (std::size_t kernel = 0; kernel < kernel_count; ++kernel) {
        if (sets_[i][kernel] != base_[kernel] && relative_[i] < shortest[kernel]) {
          shortest[kernel] = relative_[i];
          best[kernel] = sets_[i][kernel];
        }
      }
    }
    return best;
  }
  std::vector<ThreeChoices> sets() const { return sets_; }

 private:
  std::size_t set_with(std::size_t kernel, std::size_t config) const {
    ThreeChoices set = base_;
    set.at(kernel) = config;
    return static_cast<std::size_t>(std::find(sets_.begin(), sets_.end(), set) - sets_.begin());
  }

  ThreeChoices base_;
  std::vector<ThreeChoices> sets_;
  std::vector<double> relative_;
  std::vector<OwnTimes> own_;
};

/// The largest share of changes beyond the margin, over the kernels.
struct Changes {
  double by_own = 0;
  double by_region = 0;
};

/// Each config that was chosen: how often, and what it takes.
void print_choices(const Tunings& tunings, const Neighbours& neighbours) {
  std::printf("%-10s %8s %8s %10s %16s %20s %14s %19s\n", "kernel", "config", "chosen", "own, us",
              "own over usual", "in the walks, us", "90 % within", "region over usual");
  for (std::size_t kernel = 0; kernel < kernel_count; ++kernel) {
    std::map<std::size_t, int> counts;
    for (const ThreeChoices& choices : tunings.chosen) {
      ++counts[choices[kernel]];
    }
    for (const auto& [config, count] : counts) {
      std::vector<double> in_walk = tunings.in_walk[kernel][config];
      std::sort(in_walk.begin(), in_walk.end());
      const std::size_t tail = in_walk.size() / 20;
      std::printf("%-10s %8zu %8d %10.3f %+14.2f %% %20.3f %14.3f %+17.2f %%\n",
                  tunings.names[kernel].c_str(), config, count, neighbours.own(kernel, config),
                  100 * neighbours.own_relative(kernel, config), median(in_walk),
                  in_walk[in_walk.size() - 1 - tail] - in_walk[tail],
                  100 * neighbours.relative(kernel, config));
    }
  }
}

/// Prints how often each kernel's choice changed.
Changes print_changes(const Tunings& tunings, const ThreeChoices& usual, const Neighbours& neighbours) {
  const auto count = static_cast<double>(tunings.chosen.size());
  Changes worst;
  std::printf("\n%-10s %8s %9s %16s %19s\n", "kernel", "usual", "another", "by own time", "by region time");
  for (std::size_t kernel = 0; kernel < kernel_count; ++kernel) {
    int other = 0;
    int by_own = 0;
    int by_region = 0;
    for (const ThreeChoices& choices : tunings.chosen) {
      if (choices[kernel] == usual[kernel]) {
        continue;
      }
      ++other;
      by_own += std::abs(neighbours.own_relative(kernel, choices[kernel])) > tie_margin ? 1 : 0;
      by_region += std::abs(neighbours.relative(kernel, choices[kernel])) > tie_margin ? 1 : 0;
    }
    std::printf("%-10s %8zu %9d %9d beyond %12d beyond\n", tunings.names[kernel].c_str(), usual[kernel],
                other, by_own, by_region);
    worst.by_own = std::max(worst.by_own, by_own / count);
    worst.by_region = std::max(worst.by_region, by_region / count);
  }
  return worst;
}

/// Prints what each chosen set costs over the best one known; returns the largest cost.
double print_costs(const FixedKernels& kernels, const ThreeBuffers& buffers, const Tunings& tunings,
                   const ThreeChoices& best, int rounds) {
  std::map<ThreeChoices, int> counts;
  for (const ThreeChoices& choices : tunings.chosen) {
    ++counts[choices];
  }
  std::vector<ThreeChoices> sets{best};
  for (const auto& [set, count] : counts) {
    if (set != best) {
      sets.push_back(set);
    }
  }
  sets.push_back({0, 0, 0});
  const std::vector<std::vector<double>> times = interleaved_times(kernels, buffers, sets, rounds);
  // The set that was the best of many in the first measurement need not be so now.
  std::size_t shortest = 0;
  for (std::size_t i = 1; i < sets.size(); ++i) {
    if (median(differences(times[i], times[shortest])) < 0) {
      shortest = i;
    }
  }
  double worst = 0;
  double sum = 0;
  std::printf("\n%-14s %8s %12s %14s\n", "set", "chosen", "region, us", "over the best");
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const double cost = median(differences(times[i], times[shortest])) / median(times[shortest]);
    const auto found = counts.find(sets[i]);
    const int chosen = found == counts.end() || i + 1 == sets.size() ? 0 : found->second;
    std::printf("%3zu %3zu %3zu %11d %12.2f %+12.2f %%%s\n", sets[i][0], sets[i][1], sets[i][2], chosen,
                median(times[i]), 100 * cost, i + 1 == sets.size() ? " (all defaults)" : "");
    if (chosen > 0) {
      worst = std::max(worst, cost);
      sum += cost * chosen;
    }
  }
  std::printf("mean cost of a tuning: %.2f %%\n", 100 * sum / static_cast<double>(tunings.chosen.size()));
  return worst;
}

/// Every config computes the same: the largest relative error.
double check_all(const FixedKernels& kernels, const ThreeBuffers& buffers,
                 const std::vector<ThreeChoices>& sets) {
  const Stream stream;
  double worst = 0;
  for (const ThreeChoices& set : sets) {
    buffers.poison();
    kernels.launch(set, buffers, stream);
    stream.wait();
    const double error = buffers.error();
    worst = error <= worst ? worst : error;
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"Twenty tunings of a region of three kernels: what changes, and what it costs"};
  int tunings = 20;
  int rounds = 60;
  std::string logs;
  bool no_check = false;
  app.add_option("--tunings", tunings)->check(CLI::Range(1, 10'000));
  app.add_option("--rounds", rounds, "of the measurements afterwards")->check(CLI::Range(3, 100'000));
  app.add_option("--logs", logs, "folder for the tunings' logs; none unless given");
  app.add_flag("--no-check", no_check, "do not compare every config's results with the host's");
  return run_on_gpu(app, argc, argv, [&] {
    const TemporaryCache cache;
    const ThreeBuffers buffers;
    const Tunings all = tune(buffers, tunings, logs);
    const ThreeChoices usual = most_frequent(all.chosen);
    const FixedKernels kernels;  // found on the disk
    const Neighbours neighbours(kernels, buffers, usual, rounds);
    print_choices(all, neighbours);
    const Changes changed = print_changes(all, usual, neighbours);
    const double cost = print_costs(kernels, buffers, all, neighbours.best(), 5 * rounds);
    std::printf("\n");
    goal_at_most("choices of a kernel that change by more than 0.5 % of the region's time",
                 100 * changed.by_region, 2, "%");
    goal_at_most("choices of a kernel that change by more than 0.5 % of its own time", 100 * changed.by_own,
                 2, "%");
    goal_at_most("cost of a chosen set over the best one, the largest", 100 * cost, 0.5, "%");
    if (no_check) {
      return 0;
    }
    const double error = check_all(kernels, buffers, neighbours.sets());
    std::printf("largest relative error of %zu sets: %.4f\n", neighbours.sets().size(), error);
    return error < 0.02 ? 0 : 1;
  });
}
