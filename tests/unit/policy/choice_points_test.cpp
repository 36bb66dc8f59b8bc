/// \file
/// Alternatives: problems of a choice point's configs, each tuned under it before they are compared.

#include "contextual/policy/choice_points.hpp"

#include "contextual/policy/tuning_state.hpp"
#include "support/catch.hpp"
#include "unit/policy/reason_words.hpp"

#include <contextual/error.hpp>

#include <limits>
#include <random>

namespace contextual::policy::test::choice_points_test {

namespace {

struct Node {
  std::string name;
  std::size_t configs = 1;
  bool choice_point = false;
  std::string in{};             ///< the choice point that launches it; empty for the region
  std::size_t alternative = 0;  ///< of that choice point
  std::string kernel{};         ///< empty: it is called as the node
  std::optional<std::size_t> locked_config{};
  std::vector<bool> left_out{};
};

/// The configs by name; what is not launched has none.
using Configs = std::map<std::string, std::size_t>;

struct World {
  std::vector<Node> nodes;  ///< a choice point before what its alternatives launch
  std::function<std::int64_t(const Configs&)> makespan_ns;
  std::function<std::string(const Configs&)> failure = [](const Configs&) { return std::string(); };
  std::function<bool(const std::string&, std::size_t)> rejected = [](const std::string&, std::size_t) {
    return false;
  };
  std::function<std::int64_t(const std::string&, std::size_t)> time_ns =
      [](const std::string&, std::size_t config) { return 10'000 + 100 * static_cast<std::int64_t>(config); };
  std::function<bool(const Configs&)> feasible{};  ///< is told of what the policy knows
  bool overlaps = true;
  bool timed = true;  ///< false: the region has no makespan
};

/// Runs a world as the engine does: what is launched for the first time joins after the batch.
class Driver {
 public:
  Driver(PolicyOptions options, World world)
      : state(with_feasible(std::move(options))), world_(std::move(world)) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void finish() {
    for (int batch = 0; !state.done() && !state.failed_problem(); ++batch) {
      REQUIRE(batch < 3000);
      run_batch();
    }
  }

  Configs choice() const {
    Configs launched;
    for (const Node& node : world_.nodes) {
      if (index_.contains(node.name) && is_launched(node, launched)) {
        launched[node.name] = state.problem(index_.at(node.name)).choice;
      }
    }
    return launched;
  }

  const ProblemRecord& problem(const std::string& name) const { return state.problem(index_.at(name)); }
  std::size_t index_of(const std::string& name) const { return index_.at(name); }
  bool known(const std::string& name) const { return index_.contains(name); }

  void run_until_known(const std::string& name) {
    while (!known(name)) {
      run_batch();
    }
  }

  void run_batch() {
    const std::vector<IterationPlan> plans = state.plan(state.suggested_length());
    BatchOutcome outcome;
    std::vector<Configs> launched;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      launched.push_back(launches(plans[i], outcome, i));
    }
    runs.insert(runs.end(), launched.begin(), launched.end());
    join(launched);
    for (const Configs& configs : launched) {
      outcome.iterations.push_back(outcome_of(configs));
    }
    for (RejectionOutcome& rejection : outcome.rejections) {
      rejection.problem = index_.at(rejection.reason);
    }
    state.observe(plans, outcome);
  }

  TuningState state;
  std::vector<Configs> runs;
  std::function<bool(const std::string&)> skips = [](const std::string&) { return false; };

 private:
  PolicyOptions with_feasible(PolicyOptions options) const {
    if (!options.feasible) {
      options.feasible = [this](const Assignment& assignment) {
        Configs configs;
        for (const Node& node : world_.nodes) {
          const auto known = index_.find(node.name);
          if (known != index_.end() && known->second < assignment.size() && is_launched(node, configs)) {
            configs[node.name] = assignment[known->second];
          }
        }
        return !world_.feasible || world_.feasible(configs);
      };
    }
    return options;
  }

  static bool is_launched(const Node& node, const Configs& launched) {
    return node.in.empty() || (launched.contains(node.in) && launched.at(node.in) == node.alternative);
  }

  /// What is rejected is launched with its default.
  Configs launches(const IterationPlan& plan, BatchOutcome& outcome, std::size_t iteration) {
    Configs launched;
    for (const Node& node : world_.nodes) {
      if (!is_launched(node, launched) || skips(node.name)) {
        continue;
      }
      const auto known = index_.find(node.name);
      const bool planned = known != index_.end() && known->second < plan.cells.size();
      std::size_t config = planned ? plan.cells[known->second].config_id : 0;
      if (world_.rejected(node.name, config)) {
        outcome.rejections.push_back({0, config, iteration, node.name});
        config = 0;
      }
      launched[node.name] = config;
    }
    return launched;
  }

  void join(const std::vector<Configs>& launched) {
    for (const Node& node : world_.nodes) {
      const bool seen = std::any_of(launched.begin(), launched.end(),
                                    [&](const Configs& configs) { return configs.contains(node.name); });
      if (!seen || index_.contains(node.name)) {
        continue;
      }
      ProblemRequest request{node.configs, node.left_out, node.locked_config};
      request.kernel = node.kernel.empty() ? node.name : node.kernel;
      request.choice_point = node.choice_point;
      if (!node.in.empty()) {
        request.under = UnderAlternative{index_.at(node.in), node.alternative};
      }
      index_[node.name] = state.add_problem(request);
    }
  }

  IterationOutcome outcome_of(const Configs& configs) const {
    IterationOutcome outcome;
    outcome.cells.resize(state.problem_count());
    for (const auto& [name, index] : index_) {
      if (configs.contains(name)) {
        outcome.cells[index] = {true, world_.time_ns(name, configs.at(name)), false, world_.overlaps};
      }
    }
    outcome.infeasible = world_.failure(configs);
    if (world_.timed && outcome.infeasible.empty()) {
      outcome.makespan_ns = world_.makespan_ns(configs);
    }
    return outcome;
  }

  World world_;
  std::map<std::string, std::size_t> index_;
};

PolicyOptions options_of(SearchLevel level) {
  PolicyOptions options{.search = level};
  return options;
}

/// A run to the end.
struct Tuned : Driver {
  Tuned(PolicyOptions options, World world) : Driver(std::move(options), std::move(world)) { finish(); }
  Tuned(SearchLevel level, World world) : Tuned(options_of(level), std::move(world)) {}
};

std::int64_t equal_makespans(const Configs&) {
  return 100'000;
}

/// For World::failure.
auto fails_with(std::size_t alternative, const std::string& reason = "stuck") {
  return [=](const Configs& configs) { return configs.at("choice") == alternative ? reason : ""; };
}

/// "fused" takes 100 us at its default and 90 us at its best; "separate" 120 us at its defaults and, with the
/// last configs of both its kernels, 60 us. The kernel beside them needs another config beside each.
World fused_or_separate() {
  World world;
  world.nodes = {{"choice", 2, true},
                 {"fused", 3, false, "choice", 0},
                 {"first", 3, false, "choice", 1},
                 {"second", 3, false, "choice", 1},
                 {"beside", 3}};
  world.makespan_ns = [](const Configs& configs) -> std::int64_t {
    const std::size_t beside = configs.at("beside");
    if (configs.at("choice") == 0) {
      return 100'000 - 5'000 * static_cast<std::int64_t>(configs.at("fused")) + (beside == 1 ? 0 : 20'000);
    }
    const std::int64_t steps = static_cast<std::int64_t>(configs.at("first") + configs.at("second"));
    return 120'000 - 15'000 * steps + (beside == 2 ? 0 : 20'000);
  };
  return world;
}

const Configs best_fused{{"choice", 0}, {"fused", 2}, {"beside", 1}};
const Configs best_separate{{"choice", 1}, {"first", 2}, {"second", 2}, {"beside", 2}};

}  // namespace

TEST_CASE("alternatives: each is tuned to the end, then they are compared at their best") {
  for (const SearchLevel level : {SearchLevel::quick, SearchLevel::normal, SearchLevel::thorough}) {
    const Tuned driver(level, fused_or_separate());
    CHECK(driver.choice() == best_separate);
    for (const char* name : {"choice", "fused", "first", "second", "beside"}) {
      CHECK(driver.problem(name).status == ProblemStatus::locked_in);
    }
    CHECK(driver.problem("fused").choice == 2);
  }
}

TEST_CASE("alternatives: which one is chosen, with which configs") {
  using Level = SearchLevel;
  const auto check = [](const std::string& name, const std::vector<SearchLevel>& levels,
                        const std::function<void(World&)>& change, const Configs& choice,
                        const std::function<bool(const Assignment&)>& feasible = {},
                        const std::map<std::string, bool>& was_launched = {}) {
    World world = fused_or_separate();
    change(world);
    for (const SearchLevel level : levels) {
      CAPTURE(name, static_cast<int>(level));
      PolicyOptions options = options_of(level);
      options.feasible = feasible;
      const Tuned driver(options, world);
      CHECK(driver.choice() == choice);
      CHECK(driver.problem(world.nodes[0].name).status == ProblemStatus::locked_in);
      for (const auto& [kernel, launched] : was_launched) {
        CHECK(driver.known(kernel) == launched);
      }
    }
  };
  check("the default one wins a tie", {Level::off, Level::quick, Level::normal},
        [](World& world) { world.makespan_ns = equal_makespans; },
        {{"choice", 0}, {"fused", 0}, {"beside", 0}});
  check(
      "the default one is infeasible", {Level::normal}, [](World& world) { world.failure = fails_with(0); },
      best_separate);
  check("the first and the last one of three are infeasible", {Level::normal},
        [](World& world) {
          world.nodes[0].configs = 3;
          world.nodes.push_back({"third", 2, false, "choice", 2});
          world.makespan_ns = equal_makespans;
          world.failure = [](const Configs& configs) { return configs.at("choice") != 1 ? "stuck" : ""; };
        },
        {{"choice", 1}, {"first", 0}, {"second", 0}, {"beside", 0}});
  check(
      "`feasible` rules one out, which is then never run", {Level::normal}, [](World&) {}, best_fused,
      [](const Assignment& assignment) { return assignment[0] != 1; }, {{"first", false}});
  check(
      "kernels whose best own times are ruled out together give way, one of them", {Level::off},
      [](World& world) {
        world.makespan_ns = [](const Configs& c) { return c.at("choice") == 0 ? 50'000 : 80'000; };
        world.time_ns = [](const std::string& name, std::size_t config) {
          return 10'000 + (name == "beside" ? -300 : 100) * static_cast<std::int64_t>(config);
        };
      },
      {{"choice", 0}, {"fused", 1}, {"beside", 2}},
      [](const Assignment& a) { return a.size() < 3 || a[0] > 0 || a[1] > 0 || a[2] < 2; });
  check("without makespans the sum of the kernels' times decides", {Level::normal},
        [](World& world) {
          world.timed = false;
          world.nodes = {{"choice", 2, true},
                         {"first", 1, false, "choice", 0},
                         {"second", 1, false, "choice", 0},
                         {"fused", 1, false, "choice", 1}};
        },
        {{"choice", 1}, {"fused", 0}});
  check("one that launches nothing to tune is compared too", {Level::off, Level::quick, Level::normal},
        [](World& world) {
          world.nodes = {{"choice", 3, true}, {"tuned", 2, false, "choice", 1}};
          world.makespan_ns = [](const Configs& configs) -> std::int64_t {
            const std::size_t choice = configs.at("choice");
            return choice == 2 ? 50'000 : choice == 1 ? 80'000 - 10'000 * configs.at("tuned") : 100'000;
          };
        },
        {{"choice", 2}}, {}, {{"tuned", true}});
  check("one in another one is finished first", {Level::quick, Level::normal},
        [](World& world) {
          world.nodes = {{"outer", 2, true},
                         {"inner", 2, true, "outer", 1},
                         {"deep", 3, false, "inner", 1},
                         {"flat", 2, false, "outer", 0}};
          world.makespan_ns = [](const Configs& configs) -> std::int64_t {
            if (configs.at("outer") == 0) {
              return 100'000;
            }
            return configs.at("inner") == 0 ? 110'000
                                            : 120'000 - 20'000 * static_cast<int>(configs.at("deep"));
          };
        },
        {{"outer", 1}, {"inner", 1}, {"deep", 2}});
  check("two choice points are decided one after the other", {Level::normal},
        [](World& world) {
          world.nodes = {{"one", 2, true}, {"two", 2, true}, {"of_two", 2, false, "two", 1}};
          world.makespan_ns = [](const Configs& c) -> std::int64_t {
            const std::int64_t of_two = c.at("two") == 0 ? 50'000 : c.at("of_two") == 0 ? 60'000 : 20'000;
            return of_two + (c.at("one") == 0 ? 50'000 : 30'000);
          };
        },
        {{"one", 1}, {"two", 1}, {"of_two", 1}});
}

TEST_CASE("alternatives: what is off is not launched, and every comparison says what it compares with") {
  const Tuned driver(SearchLevel::normal, fused_or_separate());
  const auto first_separate = std::find_if(driver.runs.begin(), driver.runs.end(),
                                           [](const Configs& c) { return c.at("choice") == 1; });
  const bool fused_was_tuned_first =
      std::any_of(driver.runs.begin(), first_separate, [](const Configs& c) { return c.at("fused") == 2; });
  CHECK(fused_was_tuned_first);
  const std::vector<SearchRecord>& searches = driver.state.searches();
  REQUIRE(searches.size() == 4);
  CHECK(searches[0].members == std::vector<std::size_t>{1, 2});  // fused and beside
  CHECK(searches[0].existing == 9);
  CHECK(searches[0].reference == Reference::defaults);
  CHECK(searches[1].existing == 27);
  CHECK(searches[1].reference == Reference::alternative_defaults);
  CHECK_THAT(text(searches[1].reason), ContainsSubstring("shorter than the defaults of this alternative"));
  const SearchRecord& comparison = searches[2];
  CHECK(comparison.members == std::vector<std::size_t>{0});
  CHECK(comparison.existing == 2);
  CHECK(comparison.measured.size() == 2);
  REQUIRE(comparison.gain);
  CHECK(comparison.gain->centre > 0.3);
  CHECK(comparison.reference == Reference::default_alternative);
  CHECK_THAT(text(comparison.reason), ContainsSubstring("shorter than the default alternative at its best"));
  const SearchRecord& overall = searches[3];
  CHECK(overall.reference == Reference::defaults);
  CHECK(overall.compared_with == Assignment(5, 0));
  CHECK(overall.choice == comparison.choice);
  CHECK(overall.reference_makespan.centre_ns == 120'000);
  CHECK(overall.choice_makespan.centre_ns == 60'000);
  REQUIRE(overall.gain);
  CHECK(std::abs(overall.gain->centre - 0.5) < 1e-6);
  CHECK(overall.runs >= 20);
  CHECK(overall.measured.size() == overall.existing);
  CHECK(text(overall.reason) == "best of all alternatives, 50.0 % shorter than the defaults");
}

TEST_CASE("alternatives: where the default one wins, what was best with it comes back with its gain") {
  World world = fused_or_separate();
  world.makespan_ns = [usual = world.makespan_ns](const Configs& configs) {
    return usual(configs) + (configs.at("choice") == 1 ? 100'000 : 0);
  };
  const Tuned driver(SearchLevel::normal, world);
  CHECK(driver.choice() == best_fused);
  CHECK(text(driver.problem("beside").reason)
            .rfind("search: best with the alternative that was chosen; walk: ", 0) == 0);
  REQUIRE(driver.state.searches().size() == 4);
  CHECK(driver.state.searches()[1].choice[2] == 2);  // beside joins third, and needed another config then
  const SearchRecord& overall = driver.state.searches().back();
  CHECK(overall.reference == Reference::defaults);
  REQUIRE(overall.gain);
  CHECK(std::abs(overall.gain->centre - 0.25) < 1e-6);
}

TEST_CASE("alternatives: what noise has hidden of one is not forgotten when they are compared") {
  int hidden = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    World world = fused_or_separate();
    std::mt19937 random(seed);
    world.makespan_ns = [&, usual = world.makespan_ns](const Configs& configs) {
      return usual(configs) + static_cast<std::int64_t>(random() % 3'000'000);
    };
    world.time_ns = [](const std::string& name, std::size_t config) {
      return name == "fused" ? 30'000 / static_cast<std::int64_t>(config + 1) : std::int64_t{10'000};
    };
    const Tuned driver(SearchLevel::normal, world);
    const SearchRecord& last = driver.state.searches().back();
    for (const SearchRecord& search : driver.state.searches()) {
      for (const std::size_t problem : search.members) {
        const bool is_compared =
            std::find(last.members.begin(), last.members.end(), problem) != last.members.end();
        if (search.is_unsure() && is_compared) {
          ++hidden;
          CAPTURE(seed, problem);
          CHECK((last.is_unsure() || (last.gain && last.gain->low > 0)));
        }
      }
    }
  }
  CHECK(hidden > 0);
}

TEST_CASE("alternatives: a gain of nothing over all defaults is told without a sign") {
  World world = fused_or_separate();
  bool all_run = false;
  bool last = false;  // the last comparison, which runs all defaults once more
  world.makespan_ns = [&, usual = world.makespan_ns](const Configs& configs) {
    const bool first = configs.at("choice") == 0;
    all_run = all_run || !first;
    last = last || (all_run && first && configs.at("fused") + configs.at("beside") == 0);
    return last ? 60'000 : usual(configs);
  };
  const Tuned driver(SearchLevel::normal, world);
  CHECK(driver.choice().at("choice") == 1);
  CHECK(text(driver.state.searches().back().reason) ==
        "best of all alternatives, 0.0 % shorter than the defaults");
}

TEST_CASE("alternatives: what takes the place of a choice that fails is compared with all defaults as well") {
  World world = fused_or_separate();
  world.makespan_ns = [usual = world.makespan_ns](Configs configs) {
    configs.try_emplace("beside", 0);
    return usual(configs);
  };
  bool alone = false;  // the default alternative, since the other one is rejected
  world.rejected = [&](const std::string& name, std::size_t config) {
    const bool rejects = name == "choice" && config == 1;
    alone = alone || rejects;
    return rejects;
  };
  world.failure = [&](const Configs& c) { return alone && c == best_fused ? "stuck" : ""; };
  Driver driver(options_of(SearchLevel::normal), world);
  // When the kernel beside them joins, "fused" is not at its default: all defaults are not what ran first.
  driver.skips = [&](const std::string& name) { return name == "beside" && driver.runs.size() < 4; };
  driver.finish();
  const SearchRecord& overall = driver.state.searches().back();
  CHECK(overall.reference == Reference::defaults);
  CHECK(overall.choice == Assignment{0, 1, 0});
  CHECK(overall.gain);
}

TEST_CASE("alternatives: without time nothing is claimed over all defaults") {
  const Tuned driver({.closing_rounds = 0}, fused_or_separate());
  REQUIRE(driver.state.searches().size() == 3);
  CHECK(driver.state.searches().back().reference == Reference::none);
  CHECK_FALSE(driver.state.searches().back().gain);
}

TEST_CASE("alternatives: all defaults that fail give way to what ran first") {
  World world = fused_or_separate();
  int runs_of_defaults = 0;
  world.failure = [&](const Configs& configs) {
    const bool defaults = configs.at("choice") == 0 && configs.at("fused") == 0 && configs.at("beside") == 0;
    return defaults && ++runs_of_defaults > 1 ? "stuck" : "";
  };
  const Tuned driver(SearchLevel::quick, world);
  const SearchRecord& last = driver.state.searches().back();
  CHECK(last.reference == Reference::first_feasible);
  CHECK_FALSE(last.gain);
}

TEST_CASE("alternatives: once all kernels are known, no more iterations come than were said to be left") {
  for (const bool overlaps : {true, false}) {
    INFO(overlaps);
    World world = fused_or_separate();
    world.overlaps = overlaps;
    Driver driver({}, world);
    std::int64_t least_said = std::numeric_limits<std::int64_t>::max();
    while (!driver.state.done()) {
      driver.run_batch();
      if (driver.state.problem_count() == world.nodes.size()) {
        least_said =
            std::min(least_said, driver.state.iterations() + driver.state.most_remaining_iterations());
      }
    }
    CHECK(least_said >= driver.state.iterations());
  }
}

TEST_CASE("alternatives: their comparison has no best by own times") {
  World world = fused_or_separate();
  world.makespan_ns = [](const Configs& configs) { return configs.at("choice") == 0 ? 50'000 : 80'000; };
  const Tuned driver(SearchLevel::normal, world);
  const SearchRecord& comparison = driver.state.searches().back();
  CHECK(comparison.choice[driver.index_of("choice")] == 0);
  CHECK(comparison.by_own_time == comparison.choice);
  CHECK_FALSE(comparison.cost_of_own_time);
}

TEST_CASE("alternatives: a search ends though its region launches a kernel now and then") {
  World world = fused_or_separate();
  world.makespan_ns = [](const Configs& configs) -> std::int64_t {
    return 100'000 - 1'000 * static_cast<std::int64_t>(configs.at("beside"));
  };
  Driver driver({.max_iterations = 1500}, world);
  int run = 0;
  driver.skips = [&](const std::string& name) { return name == "second" && ++run % 2 == 0; };
  driver.finish();
  CHECK_FALSE(driver.state.hit_iteration_cap());
  CHECK(driver.runs.size() < 700);
}

TEST_CASE("alternatives: a kernel beside them that is launched no more is closed") {
  World world = fused_or_separate();
  world.makespan_ns = equal_makespans;
  Driver driver(options_of(SearchLevel::normal), world);
  driver.run_until_known("second");
  driver.skips = [](const std::string& name) { return name == "beside"; };
  while (driver.problem("beside").status == ProblemStatus::walked) {
    driver.run_batch();
  }
  CHECK(driver.problem("choice").status == ProblemStatus::exploring);
  CHECK(driver.problem("beside").status == ProblemStatus::provisional);
  CHECK_THAT(text(driver.problem("beside").reason), ContainsSubstring("not launched in 3 batches in a row"));
}

TEST_CASE("alternatives: without a search they walk once their kernels are locked in") {
  const Tuned driver(SearchLevel::off, fused_or_separate());
  CHECK(driver.choice().at("choice") == 0);  // its kernels are chosen by their own times: the defaults
  CHECK(driver.problem("choice").status == ProblemStatus::locked_in);
  CHECK(driver.problem("choice").configs[0].samples_ns.size() == 5);
  CHECK(driver.problem("choice").configs[1].samples_ns.size() == 5);
  CHECK(driver.state.searches().empty());
}

TEST_CASE("alternatives: what was tuned under one is locked in once that is not chosen") {
  World world;
  world.nodes = {{"one", 2, true},
                 {"fused", 2, false, "one", 0},
                 {"separate", 2, false, "one", 1},
                 {"two", 2, true},
                 {"of_two", 2, false, "two", 1}};
  world.makespan_ns = [](const Configs& configs) -> std::int64_t {
    return (configs.at("one") == 0 ? 80'000 : 90'000) + (configs.at("two") == 0 ? 50'000 : 40'000);
  };
  Driver driver(options_of(SearchLevel::normal), world);
  do {
    driver.run_batch();
  } while (driver.problem("one").status != ProblemStatus::locked_in && !driver.state.done());
  REQUIRE(driver.choice().at("one") == 0);
  CHECK(driver.problem("two").status == ProblemStatus::exploring);
  CHECK(driver.problem("fused").status == ProblemStatus::walked);  // it waits for the other choice
  CHECK(driver.problem("separate").status == ProblemStatus::locked_in);
}

namespace {

/// `kernel`: of all choices; empty: each has one of its own.
World four_choices(const std::string& kernel = "") {
  World world;
  for (const std::string name : {"a", "b", "c", "d"}) {
    world.nodes.push_back({name, 2, true, "", 0, kernel});
    world.nodes.push_back({name + "_one", 4, false, name, 0});
    world.nodes.push_back({name + "_two", 6, false, name, 1});
  }
  // The second alternative is better for "b" and "d", and the last config is the best one everywhere.
  world.makespan_ns = [](const Configs& configs) -> std::int64_t {
    std::int64_t sum = 0;
    for (const std::string name : {"a", "b", "c", "d"}) {
      const bool second = configs.at(name) == 1;
      const bool better = second == (name == "b" || name == "d");
      const auto config = static_cast<std::int64_t>(configs.at(name + (second ? "_two" : "_one")));
      sum += (better ? 20'000 : 30'000) - 1'000 * config;
    }
    return sum;
  };
  return world;
}

const Configs best_of_four{{"a", 0}, {"a_one", 3}, {"b", 1}, {"b_two", 5},
                           {"c", 0}, {"c_one", 3}, {"d", 1}, {"d_two", 5}};

}  // namespace

TEST_CASE("alternatives: kernels in four choices are all locked in, and share one budget") {
  const World world = four_choices(GENERATE("", "choice"));
  for (const SearchLevel level : {SearchLevel::quick, SearchLevel::normal}) {
    const Tuned driver(level, world);
    const Configs choice = driver.choice();
    if (level == SearchLevel::normal) {  // `quick` has a few runs for each of 40 configs
      CHECK(choice == best_of_four);
    }
    CHECK(choice.at("a") + choice.at("c") == 0);
    CHECK(choice.at("b") + choice.at("d") == 2);
    for (const Node& node : world.nodes) {
      INFO(node.name << ": " << text(driver.problem(node.name).reason));
      CHECK(driver.problem(node.name).status == ProblemStatus::locked_in);
      CHECK(text(driver.problem(node.name).reason).find("search", 8) == std::string::npos);  // once
    }
    const std::vector<SearchRecord>& searches = driver.state.searches();
    CHECK(std::count_if(searches.begin(), searches.end(), [](const SearchRecord& search) {
            return text(search.reason).rfind("best of all alternatives", 0) == 0;
          }) == 1);  // once all of them are decided
    // A closing comparison takes 21 runs; the rest is the level's budget.
    const auto closing = static_cast<std::int64_t>(21 * searches.size());
    CHECK(driver.state.search_iterations() - closing <= (level == SearchLevel::quick ? 150 : 400));
  }
}

TEST_CASE("alternatives: several keys of one kernel are tuned together, and compared one by one") {
  const Tuned alone(SearchLevel::normal, four_choices());
  const Tuned together(SearchLevel::normal, four_choices("choice"));
  CHECK(together.choice() == best_of_four);
  CHECK(together.state.searches().size() == 2 + 4 + 1);  // alternatives, comparisons, all defaults
  CHECK(together.runs.size() < alone.runs.size());
  CHECK(together.state.walk_iterations() < alone.state.walk_iterations());
}

TEST_CASE("alternatives: of several keys that go on together, the one that fails is found") {
  World world = four_choices("choice");
  Configs expected = best_of_four;
  const std::string failing = GENERATE("a", "b", "d");
  const std::string how = GENERATE("fails", "is rejected", "rejects its kernel");
  if (how == "fails") {
    world.failure = [=](const Configs& configs) { return configs.at(failing) == 1 ? "stuck" : ""; };
  } else {
    const std::string of = how == "is rejected" ? failing : failing + "_two";
    world.rejected = [=](const std::string& name, std::size_t config) {
      return name == of && (of != failing || config == 1);
    };
  }
  if (failing != "a") {
    expected.erase(failing + "_two");
    expected[failing] = 0;
    expected[failing + "_one"] = 3;
  }
  const Tuned driver(SearchLevel::normal, world);
  INFO(failing << " " << how);
  CHECK(driver.choice() == expected);
}

TEST_CASE("alternatives: whatever fails of several keys, a run ends with what never failed") {
  for (unsigned seed = 1420; seed < 1520; ++seed) {  // 1493: what was locked in was not what is best now
    std::mt19937 random(seed);
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
    World world;
    std::vector<std::string> keys;
    const std::size_t alternatives = 2 + below(2);
    for (std::size_t key = 0; key < 2 + seed % 4; ++key) {
      const std::string name(1, static_cast<char>('a' + key));
      keys.push_back(name);
      world.nodes.push_back({name, alternatives, true, "", 0, "choice"});
      for (std::size_t alternative = 0; alternative < alternatives; ++alternative) {
        world.nodes.push_back({name + std::to_string(alternative), 1 + below(3), false, name, alternative});
      }
    }
    world.nodes.push_back({"beside", 2});
    std::set<std::pair<std::string, std::size_t>> failing;  // alternatives, and configs of their kernels
    std::set<std::pair<std::string, std::size_t>> rejected;
    constexpr std::size_t none = 99;
    for (const Node& node : world.nodes) {
      for (std::size_t config = 1; config < node.configs; ++config) {
        (below(2) == 0 ? failing : rejected).insert({node.name, below(4) == 0 ? config : none});
      }
    }
    const bool pair_fails = below(3) == 0;
    world.failure = [=](const Configs& configs) {
      const bool by_pair = pair_fails && configs.at("a") == 1 && configs.at("b") == 1;
      const bool by_one = std::any_of(configs.begin(), configs.end(),
                                      [&](const auto& config) { return failing.contains(config); });
      return by_pair || by_one ? "stuck" : "";
    };
    world.rejected = [=](const std::string& name, std::size_t config) {
      return rejected.contains({name, config});
    };
    const bool pair_is_ruled_out = below(3) == 0;
    const bool others_are = below(2) == 0;
    if (pair_is_ruled_out) {
      world.feasible = [=](const Configs& configs) {
        const bool a = configs.contains("a") && configs.at("a") > 0;
        const bool b = configs.contains("b") && configs.at("b") > 0;
        return others_are ? a == b : !(a && b);
      };
    }
    const std::size_t factor = 3'000 + 1'000 * below(5);
    world.makespan_ns = [=](const Configs& configs) {
      std::size_t sum = 50'000;
      for (const auto& [name, config] : configs) {
        sum += factor * ((config * 7 + name.front() * 3U + name.back()) % 5);
      }
      return static_cast<std::int64_t>(sum);
    };
    INFO("seed " << seed);
    Tuned driver(below(4) == 0 ? SearchLevel::quick : SearchLevel::normal, world);
    const Configs choice = driver.choice();
    CHECK(world.failure(choice).empty());
    for (const auto& [name, config] : choice) {
      CHECK_FALSE(world.rejected(name, config));
    }
    Configs defaults;
    for (const std::string& key : keys) {
      defaults[key] = defaults[key + "0"] = 0;
    }
    defaults["beside"] = 0;
    CHECK(world.makespan_ns(choice) <= world.makespan_ns(defaults));
    CHECK((!world.feasible || world.feasible(choice)));
  }
}

TEST_CASE("alternatives: one is used only after it has run with what is locked in under it") {
  for (const bool works : {true, false}) {
    World world;
    world.nodes = {{"choice", 2, true}, {"kernel", 2, false, "choice", 1, "", 1}};
    world.makespan_ns = equal_makespans;
    world.failure = [=](const Configs& configs) {
      const bool fails = configs.at("choice") == 0 || (configs.at("kernel") == 1 && !works);
      return fails ? "stuck" : "";
    };
    const Tuned driver(SearchLevel::normal, world);
    const bool has_run = std::any_of(driver.runs.begin(), driver.runs.end(), [](const Configs& configs) {
      return configs == Configs{{"choice", 1}, {"kernel", 1}};
    });
    CHECK(has_run);
    CHECK(driver.state.failed_problem().has_value() != works);
  }
}

/// Three keys whose alternatives must be alike; the last one is the best.
World alike() {
  World world;
  for (const std::string key : {"a", "b", "c"}) {
    world.nodes.push_back({key, 3, true, "", 0, "choice"});
    for (std::size_t alternative = 0; alternative < 3; ++alternative) {
      world.nodes.push_back({key + std::to_string(alternative), 2, false, key, alternative});
    }
  }
  world.feasible = [](const Configs& configs) {
    const auto of = [&](const char* key) { return configs.contains(key) ? configs.at(key) : 0; };
    return of("a") == of("b") && of("a") == of("c");
  };
  world.makespan_ns = [](const Configs& configs) -> std::int64_t {
    std::int64_t sum = 100'000 - 10'000 * static_cast<std::int64_t>(configs.at("b"));
    for (const char* key : {"a", "b", "c"}) {
      sum -= 1'000 * static_cast<std::int64_t>(configs.at(key + std::to_string(configs.at(key))));
    }
    return sum;
  };
  return world;
}

TEST_CASE("alternatives: keys whose alternatives must be alike are chosen together") {
  const Tuned driver(SearchLevel::normal, alike());
  CHECK(driver.choice() == Configs{{"a", 2}, {"a2", 1}, {"b", 2}, {"b2", 1}, {"c", 2}, {"c2", 1}});
}

TEST_CASE("alternatives: wherever a tuning is cut, what is used is allowed together") {
  for (const SearchLevel level : {SearchLevel::normal, SearchLevel::quick, SearchLevel::off}) {
    for (const bool timed : {true, false}) {
      for (int cap = 1; cap < 600; ++cap) {
        World world = alike();
        world.timed = timed;
        PolicyOptions options = options_of(level);
        options.max_iterations = cap;
        const Tuned driver(options, world);
        CAPTURE(static_cast<int>(level), timed, cap);
        REQUIRE(world.feasible(driver.choice()));
      }
    }
  }
}

TEST_CASE("alternatives: what loses against all defaults in the end is not used") {
  for (int change = 1; change < 600; change += 7) {  // the defaults become faster in the course of the tuning
    World world = fused_or_separate();
    int runs = 0;
    world.makespan_ns = [&runs, change, later = world.makespan_ns](const Configs& configs) -> std::int64_t {
      const bool defaults =
          std::all_of(configs.begin(), configs.end(), [](const auto& config) { return config.second == 0; });
      return ++runs > change && defaults ? 40'000 : later(configs);
    };
    const Tuned driver(SearchLevel::normal, world);
    const SearchRecord& last = driver.state.searches().back();
    CAPTURE(change, text(last.reason));
    REQUIRE(last.choice == driver.state.assignment_of(driver.state.plan(1).front()));
    if (last.reference == Reference::defaults && !last.lost.empty()) {
      CHECK(driver.choice() == Configs{{"choice", 0}, {"fused", 0}, {"beside", 0}});
      CHECK(last.by_own_time == last.choice);
      CHECK_THAT(text(driver.problem("choice").reason), ContainsSubstring("they win; before: config-1"));
      return;
    }
  }
  FAIL("no tuning lost its last comparison");
}

TEST_CASE("alternatives: a failure before an open kernel is launched condemns no alternative") {
  World world = fused_or_separate();
  int runs = 0;
  bool failed = false;
  world.failure = [&](const Configs& configs) {
    failed = ++runs == 4 && !configs.contains("fused");
    return failed ? "out of memory" : "";
  };
  Driver driver(options_of(SearchLevel::normal), world);
  driver.run_until_known("fused");
  driver.skips = [&](const std::string& name) { return runs == 3 && name != "choice"; };
  driver.finish();
  CHECK_FALSE(driver.problem("choice").configs[0].rejection);
}

TEST_CASE("alternatives: one whose kernel has no config left is rejected, and the run goes on") {
  World world = fused_or_separate();
  world.rejected = [](const std::string& name, std::size_t) { return name == "second"; };
  const Tuned driver(SearchLevel::normal, world);
  CHECK(driver.choice() == best_fused);
  CHECK_FALSE(driver.state.failed_problem());
  REQUIRE(driver.problem("choice").configs[1].rejection);
  CHECK(text(driver.problem("choice").configs[1].rejection).find("second") != std::string::npos);
  CHECK(driver.problem("first").status == ProblemStatus::provisional);
}

TEST_CASE("alternatives: one that never succeeds is rejected, and what is measured is locked in") {
  World world = fused_or_separate();
  world.failure = fails_with(1);
  for (const SearchLevel level : {SearchLevel::quick, SearchLevel::normal}) {
    const Tuned driver(level, world);
    CHECK(driver.choice() == best_fused);
    CHECK(driver.state.failure().empty());
    CHECK_THAT(text(driver.problem("choice").configs[1].rejection), ContainsSubstring("stuck"));
    CHECK(driver.problem("beside").status == ProblemStatus::locked_in);
    CHECK(driver.problem("fused").status == ProblemStatus::locked_in);
  }
}

TEST_CASE("alternatives: where all fail, the failure is that of the last one") {
  World world = fused_or_separate();
  world.failure = [](const Configs& configs) {
    return configs.at("choice") == 0 ? std::string("too large") : std::string("stuck");
  };
  const Tuned driver(SearchLevel::normal, world);
  CHECK_THAT(text(driver.problem("choice").configs[0].rejection), ContainsSubstring("one failed: too large"));
  CHECK_THAT(text(driver.state.failure()), ContainsSubstring("one failed: stuck"));
}

TEST_CASE("alternatives: when all are rejected the choice point has failed") {
  World world = fused_or_separate();
  world.rejected = [](const std::string& name, std::size_t) { return name == "second" || name == "fused"; };
  const Tuned driver(SearchLevel::normal, world);
  REQUIRE(driver.state.failed_problem());
  CHECK(*driver.state.failed_problem() == 0);
}

TEST_CASE("alternatives: the searches share the budget") {
  World world = fused_or_separate();
  for (Node& node : world.nodes) {
    node.configs = node.choice_point ? 2 : 12;
  }
  PolicyOptions options;
  const Tuned driver(options, world);
  const std::vector<SearchRecord>& searches = driver.state.searches();
  REQUIRE(searches.size() == 4);
  // Two walks of 96 runs; 400 runs in all, and a fourth of that at least for what comes last.
  CHECK(searches[0].runs <= (400 - 96) / 2 + 1);
  CHECK(driver.state.iterations() <= 400 + 96 + 100 + 30);
}

TEST_CASE("alternatives: when the time is over, the default one stays as it was tuned") {
  const Tuned driver({.max_iterations = 60}, fused_or_separate());
  CHECK(driver.choice().at("choice") == 0);
  CHECK(driver.problem("choice").status == ProblemStatus::provisional);
}

TEST_CASE("alternatives: those locked in by an earlier run are used as they are") {
  TuningState state(options_of(SearchLevel::normal));
  ProblemRequest choice{2, {}, 1};
  choice.choice_point = true;
  state.add_problem(choice);
  CHECK(state.done());
  CHECK(state.problem(0).choice == 1);
}

TEST_CASE("alternatives: a problem cannot join before its choice point") {
  TuningState state(options_of(SearchLevel::normal));
  ProblemRequest request{2, {}, std::nullopt};
  request.under = UnderAlternative{0, 0};
  CHECK_THROWS_AS(state.add_problem(request), InvalidArgument);
}

TEST_CASE("alternatives: one that is rejected before its turn disturbs no search") {
  Driver driver(options_of(SearchLevel::normal), fused_or_separate());
  while (driver.state.search_iterations() < 10) {
    driver.run_batch();
  }
  driver.state.reject({{0, 1, 0, "not on this device"}});
  driver.finish();
  CHECK(driver.state.retakes() == 0);
  CHECK_FALSE(driver.known("first"));
  CHECK(driver.choice().at("choice") == 0);
}

TEST_CASE("alternatives: a search is left for each viable alternative that no choice point holds") {
  const PolicyOptions options;
  std::vector<ProblemState> problems;
  for (const std::size_t alternatives : {2, 4}) {
    ProblemRequest request{alternatives, {}, std::nullopt};
    request.kernel = "of " + std::to_string(alternatives);
    request.choice_point = true;
    problems.emplace_back(request, options);
  }
  ChoicePoints points(problems);
  CHECK(points.searches_left() == 1 + 3);
  problems[1].reject(2, told("not on this device"));
  CHECK(points.searches_left() == 1 + 2);
  points.note_tuned(0);
  problems[0].hold(1);
  CHECK(points.searches_left() == 0 + 2);
  problems[0].hold(0);
  CHECK(points.searches_left() == 1 + 2);
}

TEST_CASE("alternatives: one that joins makes only those anew that are held and still explore") {
  const PolicyOptions options;
  std::vector<ProblemState> problems;
  ProblemRequest request{2, {}, std::nullopt};
  request.choice_point = true;
  problems.emplace_back(request, options);
  request.under = UnderAlternative{0, 1};
  problems.emplace_back(request, options);
  ChoicePoints points(problems);
  points.note_tuned(0);
  problems[0].hold(1);
  points.note_tuned(0);
  points.note_tuned(1);
  problems[0].hold(0);  // which does not launch the inner one
  points.joined();
  CHECK_FALSE(points.tuned(0));
  CHECK(points.tuned(1));
  problems[0].hold(1);
  problems[0].compare_alternatives(ProblemState::Comparison::by_search);
  points.joined();
  CHECK(points.tuned(0));
}

TEST_CASE("alternatives: a kernel that joins while they are compared is searched too") {
  World world = fused_or_separate();
  world.nodes.push_back({"late", 3});
  world.makespan_ns = [usual = world.makespan_ns](const Configs& configs) {
    const bool best = configs.contains("late") && configs.at("late") == 2;  // its own time is the longest
    return usual(configs) - (best ? 10'000 : 0);
  };
  Driver driver(options_of(SearchLevel::normal), world);
  driver.skips = [](const std::string& name) { return name == "late"; };
  do {
    driver.run_batch();
  } while (driver.problem("choice").status == ProblemStatus::exploring);
  driver.skips = [](const std::string&) { return false; };
  driver.finish();
  CHECK(driver.choice().at("choice") == 1);
  CHECK(driver.choice().at("late") == 2);
}

TEST_CASE("alternatives: a kernel that cannot be prepared takes only its alternative along") {
  Driver driver(options_of(SearchLevel::normal), fused_or_separate());
  driver.run_until_known("second");
  const std::size_t second = driver.index_of("second");
  driver.state.reject({{second, 0, 0, "p"}, {second, 1, 0, "p"}, {second, 2, 0, "p"}});
  CHECK(driver.problem("second").status == ProblemStatus::failed);
  CHECK_FALSE(driver.state.failed_problem());
}

TEST_CASE("alternatives: one that fails takes no config of its only neighbour along") {
  for (const std::size_t configs : {1, 2, 3}) {
    for (const SearchLevel level : {SearchLevel::off, SearchLevel::quick, SearchLevel::normal}) {
      World world;
      world.nodes = {{"choice", 2, true}, {"beside", configs}};
      world.makespan_ns = [](const Configs& c) -> std::int64_t {
        return 100'000 - 10'000 * static_cast<std::int64_t>(c.at("beside"));
      };
      world.failure = fails_with(1);
      const Tuned driver(level, world);
      CAPTURE(configs, static_cast<int>(level), text(driver.problem("beside").reason));
      CHECK_FALSE(driver.state.failed_problem());
      for (const ConfigRecord& config : driver.problem("beside").configs) {
        CHECK_FALSE(config.rejection);
      }
      CHECK(driver.choice() ==
            Configs{{"choice", 0}, {"beside", level == SearchLevel::off ? 0 : configs - 1}});
    }
  }
}

TEST_CASE("alternatives: a rejected default of a kernel that is off stops no search") {
  Driver driver(options_of(SearchLevel::normal), fused_or_separate());
  driver.run_until_known("fused");
  driver.state.reject({{driver.index_of("fused"), 0, 0, "cannot"}});
  driver.finish();
  CHECK(driver.choice() == best_separate);
  for (const char* name : {"choice", "fused", "first", "second", "beside"}) {
    CHECK(driver.problem(name).status == ProblemStatus::locked_in);
  }
}

TEST_CASE("alternatives: one whose kernel `feasible` rules out as a whole is rejected") {
  const PolicyOptions options{.feasible = [](const Assignment& a) { return !(a.size() >= 3 && a[0] == 1); }};
  World world;
  world.nodes = {{"choice", 2, true}, {"one", 2, false, "choice", 0}, {"two", 3, false, "choice", 1}};
  world.makespan_ns = equal_makespans;
  const Tuned driver(options, world);
  CHECK_FALSE(driver.state.failed_problem());
  CHECK(text(driver.state.failure()) == "");
}

TEST_CASE("alternatives: a default that is ruled out beside all that walks is left") {
  World world;
  world.nodes = {{"beside", 4}, {"choice", 2, true}};
  world.makespan_ns = equal_makespans;
  world.feasible = [](const Configs& configs) {
    return configs.contains("choice") && configs.at("choice") == 1;
  };
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::quick, SearchLevel::normal}) {
    const Tuned driver(level, world);
    CHECK(driver.choice().at("choice") == 1);
    CHECK_FALSE(driver.state.failed_problem());
  }
}

TEST_CASE("alternatives: kernels whose defaults are ruled out together are no reason against one") {
  const bool below = GENERATE(false, true);
  World world;
  const std::string in = below ? "choice" : "";
  world.nodes = {{"choice", 2, true}, {"copy", 3, false, in}, {"gemm", 3, false, in}};
  world.makespan_ns = [](const Configs& configs) { return configs.at("choice") == 0 ? 50'000 : 90'000; };
  world.feasible = [](const Configs& configs) {
    return !configs.contains("gemm") || (configs.at("copy") > 0 && configs.at("gemm") > 0);
  };
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::quick, SearchLevel::normal}) {
    CAPTURE(below, static_cast<int>(level));
    const Tuned driver(level, world);
    CHECK(driver.choice() == Configs{{"choice", 0}, {"copy", 1}, {"gemm", 1}});
  }
}

TEST_CASE("alternatives: two choices that never fit a kernel's candidates make way for each other once") {
  World world;
  world.nodes = {
      {"one", 2, true}, {"two", 2, true}, {"beside", 4, false, "", 0, "", {}, {true, false, false, false}}};
  world.makespan_ns = equal_makespans;
  world.feasible = [](const Configs& configs) {
    return !configs.contains("beside") || configs.at("beside") == 0;
  };
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::quick, SearchLevel::normal}) {
    const Tuned driver(level, world);
    CHECK(driver.choice() == Configs{{"one", 0}, {"two", 0}, {"beside", 0}});
  }
}

TEST_CASE("alternatives: what is locked in below one that is to make way counts as it is") {
  World world;
  world.nodes = {{"one", 2, true},
                 {"two", 2, true},
                 {"of_one", 4, false, "one", 1},
                 {"first", 3, false, "two", 0, "", 2},
                 {"second", 3, false, "two", 1, "", 2}};
  world.makespan_ns = equal_makespans;
  world.feasible = [](const Configs& configs) {
    const auto is_large = [&](const char* name) { return configs.contains(name) && configs.at(name) == 2; };
    return !configs.contains("of_one") || !(is_large("first") || is_large("second"));
  };
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::quick, SearchLevel::normal}) {
    const Tuned driver(level, world);
    CHECK(driver.choice().at("one") == 0);
  }
}

TEST_CASE("alternatives: a config that is ruled out beside the first remains for the second") {
  World world;
  world.nodes = {{"choice", 2, true}, {"beside", 4}};
  world.makespan_ns = [](const Configs& configs) -> std::int64_t {
    return (configs.at("choice") == 0 ? 90'000 : 50'000) +
           5'000 * static_cast<std::int64_t>(configs.at("beside"));
  };
  world.feasible = [](const Configs& configs) {
    return !configs.contains("beside") || configs.at("choice") == 1 || configs.at("beside") == 2;
  };
  const Tuned driver(SearchLevel::normal, world);
  CHECK(driver.choice() == Configs{{"choice", 1}, {"beside", 0}});
}

TEST_CASE("alternatives: an inner one that `feasible` rules out moves none around it") {
  World world;
  world.nodes = {{"outer", 2, true},
                 {"inner", 2, true, "outer", 0},
                 {"one", 2, false, "inner", 0},
                 {"two", 2, false, "inner", 1},
                 {"three", 2, false, "outer", 1}};
  world.makespan_ns = equal_makespans;
  const PolicyOptions options{.feasible = [](const Assignment& assignment) {
    return assignment.size() < 2 || assignment[0] == 1 || assignment[1] == 0;
  }};
  const Tuned driver(options, world);
  CHECK_FALSE(driver.known("two"));
  CHECK(driver.choice().at("outer") == 0);
}

TEST_CASE("alternatives: what is known of the first one outlives failures of the second") {
  World world = fused_or_separate();
  world.failure = fails_with(1);
  for (int cap = 20; cap < 200; cap += 1) {
    const Tuned driver({.max_iterations = cap}, world);
    CAPTURE(cap, text(driver.problem("beside").reason));
    CHECK(driver.state.failure().empty());
    const Configs choice = driver.choice();
    CHECK((!driver.known("first") || choice.at("choice") != 0 || choice.at("beside") == 1));
  }
}

TEST_CASE("alternatives: when runs are over, neighbours keep what was best with the choice") {
  World world = fused_or_separate();
  world.nodes[0].configs = 3;
  world.nodes.push_back({"third", 3, false, "choice", 2});
  world.makespan_ns = [usual = world.makespan_ns](const Configs& c) -> std::int64_t {
    return c.at("choice") == 2 ? 200'000 - static_cast<std::int64_t>(c.at("third")) : usual(c);
  };
  for (int cap = 60; cap < 420; cap += 4) {
    const Tuned driver({.max_iterations = cap}, world);
    CAPTURE(cap);
    CHECK(driver.state.failure().empty());
    CHECK((!driver.known("first") || driver.choice().at("choice") != 0 || driver.choice() == best_fused));
  }
}

TEST_CASE("alternatives: a default that is left out remains where nothing else is left") {
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::normal}) {
    TuningState state(options_of(level));
    ProblemRequest request{2, {true, false}, std::nullopt};
    request.choice_point = true;
    std::vector<IterationPlan> plan = state.plan(1);
    state.add_problem(request);
    BatchOutcome outcome{{IterationOutcome{{{true, 1000}}, 1000}}, {}};
    state.observe(plan, outcome);
    plan = state.plan(1);
    CHECK(plan[0].cells[0].config_id == 1);
    outcome.rejections.push_back({0, 1, 0, "no"});
    state.observe(plan, outcome);
    CHECK(state.done());
    CHECK(state.problem(0).choice == 0);
    CHECK(state.problem(0).status == ProblemStatus::provisional);
  }
}

TEST_CASE("alternatives: their search keeps back the runs of two comparisons") {
  PolicyOptions options{.search_runs = 4000};
  const Driver* running = nullptr;
  std::int64_t runs = 0;
  std::int64_t before = 0;
  options.search_factory = [&](const SearchRequest& request) {
    runs = request.max_runs;
    before = running->state.iterations();
    return joint_search(request);
  };
  Driver driver(options, fused_or_separate());
  running = &driver;
  driver.finish();
  CHECK(runs == options.search_runs - before - 1 - options.search_runs / 16 -
                    4 * options.closing_rounds);  // the alternatives'
}

TEST_CASE("alternatives: a comparison that is cut unmeasured leaves what was best with the last") {
  PolicyOptions options;
  Driver whole(options, fused_or_separate());
  do {
    whole.run_batch();
  } while (whole.problem("choice").status == ProblemStatus::exploring);
  options.max_iterations = static_cast<int>(whole.state.iterations()) + 1;
  const Tuned driver(options, fused_or_separate());
  CHECK(driver.choice() == best_separate);
  CHECK(driver.problem("choice").status == ProblemStatus::provisional);
  CHECK_THAT(text(driver.problem("choice").reason), ContainsSubstring("search: nothing was measured (cut: "));
}

TEST_CASE(
    "search: a kernel whose own time tells nothing is chosen by what the walk has shown, which is no drift") {
  const auto us = [](std::size_t config) {  // configs that follow each other are alike
    return config == 0 ? 340 : std::lround(400 + 100 * std::sin(static_cast<double>(config) / 8));
  };
  World world;
  world.nodes = {{"waits", 80}};
  world.makespan_ns = [us](const Configs& configs) { return 1000 * us(configs.at("waits")); };
  world.time_ns = [us](const std::string&, std::size_t config) { return 1000 * us(config) - 3000; };
  const Tuned tuned(SearchLevel::normal, world);
  CHECK(us(tuned.choice().at("waits")) == 300);
}

TEST_CASE("walk: what is ruled out beside nothing but locked choices is rejected") {
  World world{.nodes = {{.name = "before", .configs = 2, .locked_config = 1}, {.name = "now", .configs = 3}},
              .makespan_ns = [](const Configs&) { return 50'000; }};
  world.feasible = [](const Configs& configs) { return !configs.contains("now") || configs.at("now") != 1; };
  for (const SearchLevel level : {SearchLevel::off, SearchLevel::normal}) {
    Driver driver({.search = level}, world);
    driver.finish();
    CHECK(text(driver.problem("now").configs[1].rejection) == "ruled out by `feasible`");
    CHECK(driver.problem("now").status == ProblemStatus::locked_in);
  }
}

}  // namespace contextual::policy::test::choice_points_test
