/// \file
/// How often tuning is right on a noisy host: real clocks, host kernels whose best config is known by
/// construction, and busy loops beside them. Work is a chain of dependent multiplications, so that its length
/// is known, and so that a thread that is set aside pays for it.
///
/// A choice is wrong if it is more than 5 % slower than the best one.

#include "command_line.hpp"
#include "simulated_kernels.hpp"

#include <contextual/alternatives.hpp>
#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/testing/scripted_communicator.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace contextual::benchmarks;
using contextual::Config;

/// Threads that never stop, beside what is tuned.
class BusyLoops {
 public:
  explicit BusyLoops(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!over_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~BusyLoops() {
    over_ = true;
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  BusyLoops(const BusyLoops&) = delete;
  BusyLoops& operator=(const BusyLoops&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

void multiply(std::int64_t times) {
  static std::atomic<std::uint64_t> sink{1};
  std::uint64_t value = sink.load(std::memory_order_relaxed) | 1;
  for (std::int64_t i = 0; i < times; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
  }
  sink.store(value, std::memory_order_relaxed);
}

double multiplications_per_us = 0;

/// Of the shortest of many attempts.
void calibrate() {
  constexpr std::int64_t times = 100'000;
  double least_us = 1e9;
  for (int i = 0; i < 300; ++i) {
    least_us = std::min(least_us, elapsed<std::micro>([] { multiply(times); }));
  }
  multiplications_per_us = times / least_us;
}

void work(double us) {
  multiply(static_cast<std::int64_t>(us * multiplications_per_us));
}

using Kernel = contextual::TunableKernel<void(const Config&)>;

/// A kernel whose configs work so long.
Kernel working(const std::string& name, std::vector<double> us) {
  return {name, numbered_configs(us.size()), contextual::single_problem,
          [us](const Config& config) { work(us.at(static_cast<std::size_t>(config.get<int>("V")))); }};
}

contextual::Options options_of(contextual::SearchLevel level) {
  return {.search = level, .always_tune = true, .log_directory = "", .print = contextual::Print::nothing};
}

/// What one tuning says.
struct Outcome {
  double loss = 0;  ///< of what is launched, over the best
  bool unsure = false;
  std::int64_t runs = 0;
  std::optional<contextual::SearchGain> gain;
};

Outcome outcome_of(const contextual::ContextualAutotuner& tuner, double loss) {
  const contextual::Report report = tuner.report();
  const contextual::RegionReport& run = report.runs.back();
  Outcome outcome{loss, false, run.walk_iterations + run.search_iterations, std::nullopt};
  for (const contextual::SearchReport& search : run.searches) {
    outcome.unsure = outcome.unsure || search.unsure;
    outcome.gain = search.gain;
  }
  return outcome;
}

std::size_t choice_of(const contextual::ContextualAutotuner& tuner, std::string_view kernel) {
  const contextual::Report report = tuner.report();
  for (const contextual::ProblemReport& problem : report.runs.back().problems) {
    if (problem.kernel == kernel) {
      return problem.choice;
    }
  }
  return 0;
}

/// One kernel, and untuned work of `beside_us` after it.
Outcome tune_one(contextual::SearchLevel level, const std::vector<double>& us, double beside_us) {
  Kernel kernel = working("kernel", us);
  contextual::ContextualAutotuner tuner{options_of(level)};
  tuner.run("region", [&] {
    kernel();
    work(beside_us);
  });
  const double best = *std::min_element(us.begin(), us.end());
  return outcome_of(tuner, (us.at(choice_of(tuner, "kernel")) + beside_us) / (best + beside_us) - 1);
}

/// All ranks wait for each other, as an all-reduce does.
class Meeting {
 public:
  void arrive() {
    const int round = round_.load();
    if (arrived_.fetch_add(1) == 1) {
      arrived_ = 0;
      ++round_;
      return;
    }
    while (round_.load() == round) {
      std::this_thread::yield();
    }
  }

 private:
  std::atomic<int> arrived_{0};
  std::atomic<int> round_{0};
};

Outcome tune_ranks(contextual::SearchLevel level, const std::vector<double>& us) {
  Meeting meeting;
  Outcome outcome;
  contextual::testing::ScriptedWorld world(2);
  run_on_ranks(world, [&](int rank, const std::shared_ptr<contextual::Communicator>& communicator) {
    Kernel kernel = working("kernel", us);
    contextual::Options options = options_of(level);
    options.communicator = communicator;
    contextual::ContextualAutotuner tuner{options};
    tuner.run("region", [&] {
      kernel();
      meeting.arrive();
    });
    if (rank == 0) {
      outcome =
          outcome_of(tuner, us.at(choice_of(tuner, "kernel")) / *std::min_element(us.begin(), us.end()) - 1);
    }
  });
  return outcome;
}

/// Two ways to do one thing; each has a kernel.
Outcome tune_alternatives(contextual::SearchLevel level, const std::vector<double>& first_us,
                          const std::vector<double>& second_us) {
  Kernel first = working("first", first_us);
  Kernel second = working("second", second_us);
  contextual::Alternatives<void()> race{
      "race", contextual::single_problem, {{"first", [&] { first(); }}, {"second", [&] { second(); }}}};
  contextual::ContextualAutotuner tuner{options_of(level)};
  tuner.run("region", [&] { race(); });
  const double launched = choice_of(tuner, "race") == 0 ? first_us.at(choice_of(tuner, "first"))
                                                        : second_us.at(choice_of(tuner, "second"));
  const double best = std::min(*std::min_element(first_us.begin(), first_us.end()),
                               *std::min_element(second_us.begin(), second_us.end()));
  return outcome_of(tuner, launched / best - 1);
}

struct Case {
  const char* name;
  std::function<Outcome(contextual::SearchLevel)> tune;
  std::optional<double> gain;  ///< of the choice over the defaults, if it is to be covered by the interval
};

const std::vector<Case>& cases() {
  using Level = contextual::SearchLevel;
  static const std::vector<Case> all{{"45 to 15 us",
                                      [](Level level) {
                                        return tune_one(level, {45, 30, 21, 15}, 0);
                                      },
                                      std::nullopt},
                                     {"300 to 100 us",
                                      [](Level level) {
                                        return tune_one(level, {300, 200, 140, 100}, 0);
                                      },
                                      std::nullopt},
                                     {"200 and 150 beside 200",
                                      [](Level level) {
                                        return tune_one(level, {200, 150}, 200);
                                      },
                                      std::nullopt},
                                     {"500 to 400 us",
                                      [](Level level) {
                                        return tune_one(level, {500, 400}, 0);
                                      },
                                      0.2},
                                     {"two ranks, 300 to 100",
                                      [](Level level) {
                                        return tune_ranks(level, {300, 200, 100});
                                      },
                                      std::nullopt},
                                     {"alternatives",
                                      [](Level level) {
                                        return tune_alternatives(level, {400, 300}, {300, 100});
                                      },
                                      std::nullopt}};
  return all;
}

void print_row(const Case& one, contextual::SearchLevel level, int tunings) {
  int wrong = 0;
  int kept_wrong = 0;
  int unsure = 0;
  int intervals = 0;
  int covering = 0;
  std::vector<double> runs;
  for (int i = 0; i < tunings; ++i) {
    const Outcome outcome = one.tune(level);
    constexpr double much = 0.05;
    wrong += outcome.loss > much ? 1 : 0;
    kept_wrong += outcome.loss > much && !outcome.unsure ? 1 : 0;
    unsure += outcome.unsure ? 1 : 0;
    runs.push_back(static_cast<double>(outcome.runs));
    if (one.gain && outcome.gain && outcome.loss <= much) {
      ++intervals;
      covering += outcome.gain->low <= *one.gain && *one.gain <= outcome.gain->high ? 1 : 0;
    }
  }
  std::printf("%-24s %8d %6d %11d %7d %9.0f %9.0f", one.name, tunings, wrong, kept_wrong, unsure, mean(runs),
              *std::max_element(runs.begin(), runs.end()));
  if (intervals > 0) {
    std::printf(" %6d of %d", covering, intervals);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int tunings = 100;
  int busy = 0;
  std::string level = "normal";
  std::vector<std::size_t> chosen(cases().size());
  std::iota(chosen.begin(), chosen.end(), 0);
  BenchmarkApp app{"How often tuning is right on a noisy host"};
  app.add_option("--tunings", tunings, "of each case")->check(CLI::Range(1, 1'000'000));
  app.add_option("--busy", busy, "busy loops beside them")->check(CLI::Range(0, 1000));
  app.add_option("--search", level, "its level")
      ->check(CLI::IsMember({"off", "quick", "normal", "thorough"}));
  app.add_option("--cases", chosen, "their numbers, from 0 on")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{0}, cases().size() - 1));
  return run_program(app, argc, argv, [&] {
    using Level = contextual::SearchLevel;
    const Level of_all = level == "off"      ? Level::off
                         : level == "quick"  ? Level::quick
                         : level == "normal" ? Level::normal
                                             : Level::thorough;
    calibrate();
    const BusyLoops loops(busy);
    std::printf("%d busy loops, search %s\n%-24s %8s %6s %11s %7s %9s %9s  intervals with the truth\n", busy,
                level.c_str(), "", "tunings", "wrong", "kept wrong", "unsure", "mean runs", "most runs");
    for (const std::size_t one : chosen) {
      print_row(cases()[one], of_all, tunings);
    }
    return 0;
  });
}
