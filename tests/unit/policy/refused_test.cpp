/// \file
/// What has failed, or was rejected, is never planned again, wherever in a batch and in a tuning that
/// happens.

#include "unit/policy/reason_words.hpp"
#include "unit/policy/scripted_search.hpp"

#include <random>

namespace contextual::policy::test::refused_test {

namespace {

/// A random region, some runs of which fail, and some configs of which are rejected. Own times decide some of
/// its problems, and makespans are noisy, so that closing comparisons go through several candidates.
class TroubledRun {
 public:
  explicit TroubledRun(unsigned seed) : random_(seed) {
    constexpr std::array levels{SearchLevel::off, SearchLevel::quick, SearchLevel::normal};
    options_.search = levels.at(random_() % levels.size());
    options_.search_runs = 60 + static_cast<std::int64_t>(random_() % 100);
    options_.n_repeat = 1 + static_cast<int>(random_() % 5);
    options_.one_assignment_per_batch = random_() % 4 == 0;
    options_.closing_rounds = 2 + static_cast<int>(random_() % 4);
    for (std::size_t p = 1 + random_() % 3; p > 0; --p) {
      world_.configs.push_back(2 + random_() % 5);
      overlap_.push_back(random_() % 2 == 0);
    }
    world_.joins_at = random_() % 3 == 0 && world_.configs.size() > 1 ? static_cast<int>(random_() % 90) : -1;
    trouble_ = 1 + random_() % 4;
  }

  void run() {
    Driver driver(options_, world());
    for (int batch = 0; !over(driver); ++batch) {
      REQUIRE(batch < 2000);
      const std::set<Assignment> failed = failed_;
      const std::set<std::pair<std::size_t, std::size_t>> rejected = rejected_;
      driver.run_batch();
      reject_any(driver);
      for (const IterationPlan& plan : driver.batches.back()) {
        const Assignment planned = assignment_of(plan);
        CHECK_FALSE(failed.contains(planned));
        for (std::size_t p = 0; p < planned.size(); ++p) {
          CHECK_FALSE(rejected.contains({p, planned[p]}));
        }
      }
    }
  }

 private:
  /// As if it could not be prepared.
  void reject_any(Driver& driver) {
    const std::size_t p = random_() % driver.state.problem_count();
    const std::size_t config = random_() % world_.configs[p];
    if (random_() % 100 < trouble_ && !over(driver)) {
      driver.state.reject({{p, config, 0, "planted"}});
      rejected_.insert({p, config});
    }
  }

  /// Nothing may be planned where everything has failed.
  static bool over(const Driver& driver) {
    return driver.state.done() || driver.state.failed_problem() || !driver.state.failure().empty();
  }

  World world() {
    World world = world_;
    world.overlaps = [this](std::size_t p) { return overlap_.at(p); };
    world.time_ns = [this](std::size_t p, std::size_t config) {
      return 8000 + static_cast<std::int64_t>((config * 37 + p * 11) % 60 * 100 + random_() % 300);
    };
    world.makespan_ns = [this](const Assignment& a) {
      std::int64_t sum = 10'000;
      for (const std::size_t config : a) {
        sum += 8000 + static_cast<std::int64_t>(config * 31 % 7 * 400);
      }
      return sum + static_cast<std::int64_t>(random_() % 4000);
    };
    world.feasible = [this](const Assignment& a) {
      const bool fails = random_() % 100 < trouble_;
      if (fails) {
        failed_.insert(a);
      }
      return !fails;
    };
    world.rejects = [this](std::int64_t /*run*/, std::size_t p, std::size_t config) {
      const bool rejects = random_() % 300 < trouble_;
      if (rejects) {
        rejected_.insert({p, config});
      }
      return rejects;
    };
    return world;
  }

  std::mt19937 random_;
  PolicyOptions options_;
  World world_;
  std::vector<bool> overlap_;
  unsigned trouble_ = 0;  ///< percent
  std::set<Assignment> failed_;
  std::set<std::pair<std::size_t, std::size_t>> rejected_;
};

}  // namespace

TEST_CASE("state: what has failed or was rejected is never planned again") {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    INFO("seed " << seed);
    TroubledRun(seed).run();
  }
}

}  // namespace contextual::policy::test::refused_test
