/// \file
/// How often tuning is right where the machine stalls some runs, or where sets are slow in a part of theirs.
/// One kernel, whose time is the makespan, answers by random numbers, so that nothing here takes time:
/// thousands of tunings show what one in a hundred does wrong, at each level of search.
///
/// A choice is wrong if the mean of its makespans is more than 5 % longer than the best one's.

#include "command_line.hpp"
#include "search/random_numbers.hpp"
#include "search/replay_tuning.hpp"
#include "search/replayed_region.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using contextual::SearchLevel;
using contextual::benchmarks::run_program;
using namespace search_replay;

/// A config that is longer in a part of its runs.
struct Set {
  double us = 0;
  double slow_us = 0;
  double slow_part = 0;
  double mean_us() const { return us + slow_part * (slow_us - us); }
};

/// What a machine does to all runs: so many times as long in a part of them, and longer by so much.
struct Machine {
  double noise = 0.01;  ///< the standard deviation, relative
  double stalled_part = 0;
  double least = 1;
  double most = 1;
  double stall_us = 0;
};

struct World {
  std::string name;
  std::vector<Set> sets;
  Machine machine;
};

class ScriptedRegion final : public ReplayedRegion {
 public:
  ScriptedRegion(const World& world, bool overlaps, std::uint64_t seed)
      : world_(world), overlaps_(overlaps), random_(seed), problems_{{"kernel", {}}} {
    problems_.front().configs.resize(world.sets.size());
  }

  const std::vector<ReplayedProblem>& problems() const override { return problems_; }
  bool overlaps() const override { return overlaps_; }
  void exchange() override {}
  std::int64_t runs() const override { return runs_; }

  std::optional<Sample> run(const Assignment& assignment) override {
    ++runs_;
    const Set& set = world_.sets.at(assignment.front());
    const Machine& machine = world_.machine;
    double us = random_.uniform() < set.slow_part ? set.slow_us : set.us;
    us *= std::max(0.5, 1 + machine.noise * random_.normal());
    if (random_.uniform() < machine.stalled_part) {
      us = us * random_.uniform(machine.least, machine.most) + machine.stall_us * random_.uniform(0.6, 1.6);
    }
    const std::int64_t ns = std::llround(us * 1e3);
    return Sample{ns, {ns}};
  }

  std::optional<double> truth_ns(const Assignment& assignment) const override {
    return world_.sets.at(assignment.front()).mean_us() * 1e3;
  }
  double best_ns() const override {
    double best = world_.sets.front().mean_us();
    for (const Set& set : world_.sets) {
      best = std::min(best, set.mean_us());
    }
    return best * 1e3;
  }

 private:
  const World& world_;
  bool overlaps_;
  RandomNumbers random_;
  std::vector<ReplayedProblem> problems_;
  std::int64_t runs_ = 0;
};

std::vector<World> worlds() {
  const Machine calm;
  const Machine stalls{0.01, 0.03, 4, 40, 0};
  const Machine loaded{0.02, 0.13, 1, 1, 5000};  // three busy loops on two cores
  const std::vector<Set> apart{{300}, {200}, {140}, {100}};
  std::vector<World> all{{"a third apart", apart, calm},
                         {"  3 % stalls of 4 to 40 times", apart, stalls},
                         {"  13 % stalls of 3 to 8 ms", apart, loaded},
                         {"45 and 15 us, 3 %", {{45}, {15}}, stalls},
                         {"45 and 15 us, 13 %", {{45}, {15}}, loaded}};
  for (const double part : {0.25, 0.4, 0.5}) {
    const std::string text = ", " + std::to_string(std::lround(100 * part)) + " % slow";
    all.push_back({"the best of three" + text, {{150}, {100}, {90, 300, part}}, stalls});
    all.push_back({"the better of two" + text, {{100}, {90, 300, part}}, stalls});
    all.push_back({"the default" + text, {{100, 250, part}, {95}}, stalls});
  }
  return all;
}

struct Answers {
  int wrong = 0;
  int unsure = 0;
  double runs = 0;
};

Answers answers(const World& world, bool overlaps, SearchLevel level, int tunings) {
  constexpr double much = 0.05;
  Answers answers;
  contextual::policy::PolicyOptions options;
  options.search = level;
  for (int seed = 1; seed <= tunings; ++seed) {
    ScriptedRegion region(world, overlaps, static_cast<std::uint64_t>(seed));
    const Replay replay = replay_tuning(options, region);
    answers.wrong += replay.regret > much ? 1 : 0;
    answers.unsure += replay.unsure ? 1 : 0;
    answers.runs += static_cast<double>(replay.runs) / tunings;
  }
  return answers;
}

}  // namespace

int main(int argc, char** argv) {
  int tunings = 300;
  CLI::App app{"How often tuning is right where runs are stalled, and where sets are slow at times"};
  app.add_option("--tunings", tunings, "of each world, way and level")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  return run_program(app, argc, argv, [&] {
    constexpr std::array levels{std::pair{"off", SearchLevel::off}, std::pair{"quick", SearchLevel::quick},
                                std::pair{"normal", SearchLevel::normal},
                                std::pair{"thorough", SearchLevel::thorough}};
    std::printf("%% wrong / %% unsure / mean runs, of %d tunings\n%-32s %-9s", tunings, "world", "by");
    for (const auto& [name, level] : levels) {
      std::printf(" %20s", name);
    }
    std::printf("\n");
    for (const World& world : worlds()) {
      for (const bool overlaps : {false, true}) {
        std::printf("%-32s %-9s", world.name.c_str(), overlaps ? "makespan" : "own time");
        for (const auto& [name, level] : levels) {
          const Answers of_level = answers(world, overlaps, level, tunings);
          std::printf("  %6.2f /%6.2f /%4.0f", 100.0 * of_level.wrong / tunings,
                      100.0 * of_level.unsure / tunings, of_level.runs);
        }
        std::printf("\n");
        std::fflush(stdout);
      }
    }
    return 0;
  });
}
