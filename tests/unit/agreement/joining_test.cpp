/// \file
/// How problems that ranks have seen for the first time become one list.

#include "contextual/agreement/joining.hpp"

#include "support/catch.hpp"
#include "support/launches.hpp"
#include "support/repetitions.hpp"

#include <contextual/error.hpp>
#include <contextual/testing/scripted_communicator.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace joining_test {

using namespace contextual;
using namespace launch_test;
using detail::ProblemSlot;

namespace {

/// What rank 0 makes of its own new problems and those of the other ranks. `known`: by rank, the spaces that
/// all ranks know. Returns in `traffic` what it took.
std::vector<ProblemSlot*> united(Run& here, const std::vector<Run*>& others,
                                 std::vector<agreement::KnownSpaces>& known,
                                 testing::ScriptedTraffic& traffic) {
  testing::ScriptedWorld world(1 + static_cast<int>(others.size()));
  known.resize(others.size() + 1);
  const auto unite = [&](Run& run, int rank) {
    const auto communicator = world.communicator(rank);
    agreement::Exchange exchange(*communicator, std::chrono::minutes(5));
    const auto own = agreement::newly_seen(run.context);
    return agreement::unite(run.context, own, exchange, known[static_cast<std::size_t>(rank)]);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < others.size(); ++i) {
    threads.emplace_back([&unite, &run = *others[i], rank = static_cast<int>(i) + 1] {
      try {
        unite(run, rank);
      } catch (const RankMismatchError&) {
        return;  // which rank 0 throws, too
      }
    });
  }
  std::vector<ProblemSlot*> problems = unite(here, 0);
  threads.clear();
  traffic = world.traffic();
  return problems;
}

std::vector<ProblemSlot*> united(Run& here, const std::vector<Run*>& others) {
  std::vector<agreement::KnownSpaces> known;
  testing::ScriptedTraffic traffic;
  return united(here, others, known, traffic);
}

/// A kernel with named configs, of which the last one has a text that is not UTF-8.
std::shared_ptr<detail::KernelCore> named_core(const std::string& name, std::uint64_t digest) {
  detail::KernelTraits traits;
  traits.name = name;
  traits.participation = Participation::some;
  traits.space = [digest] {
    return SpaceView{3, digest, {Config{{"TILE", 1}}, Config{{"TILE", 0.1}}, Config{{"TILE", "\xff"}}}, 1};
  };
  return std::make_shared<detail::KernelCore>(std::move(traits));
}

}  // namespace

TEST_CASE("joining: a config space is told once, by one rank, and only where another one lacks it",
          "[unit]") {
  const std::string name = "joining_spaces";
  std::vector<std::unique_ptr<Run>> runs;
  for (int rank = 0; rank < 3; ++rank) {
    runs.push_back(std::make_unique<Run>(name));
  }
  const std::vector<Run*> others{runs[1].get(), runs[2].get()};
  const auto common = named_core(name, 1);  // each rank has keys of its own
  const auto partial = named_core(name + "_partial", 2);
  std::vector<agreement::KnownSpaces> known;
  testing::ScriptedTraffic traffic;
  const auto joined = [&] {
    for (ProblemSlot* slot : united(*runs[0], others, known, traffic)) {
      slot->batch.cells.resize(1);
    }
    for (Run* run : others) {
      for (ProblemSlot& slot : run->context.slots()) {
        slot.batch.cells.resize(1);
      }
    }
  };
  for (int rank = 0; rank < 3; ++rank) {
    runs[static_cast<std::size_t>(rank)]->launch(*common, make_key(rank));
  }
  joined();
  CHECK(traffic.collectives == 1);  // nobody lacks anything
  runs[1]->launch(*partial, make_key(1));
  runs[2]->launch(*partial, make_key(2));
  joined();
  CHECK(traffic.collectives == 2);
  for (const agreement::KnownSpaces& spaces : known) {
    REQUIRE(spaces.find(2) != nullptr);
    CHECK(*spaces.find(2) == *known[0].find(2));
    CHECK(spaces.find(2)->at(1) == Config{{"TILE", 0.1}});
    CHECK(*spaces.find(1) == common->space().configs);
  }
  runs[0]->launch(*partial, make_key(3));
  runs[1]->launch(*partial, make_key(4));
  joined();
  CHECK(traffic.collectives == 1);  // all know it by now
}

TEST_CASE("joining: however many problems there are, all are told in one gather, each once by a rank",
          "[unit]") {
  constexpr std::int64_t each = detail::RunContext::most_problems;  // half of them on the next rank, too
  constexpr std::int64_t ranks = test::has_sanitizer ? 3 : 6;
  const auto core = core_of("joining_many");
  std::deque<Run> runs;
  std::vector<Run*> others;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    Run& run = runs.emplace_back("joining_many");
    REQUIRE(steps_done(each, [&](std::int64_t key) { run.launch(*core, make_key(key + rank * each / 2)); }) ==
            each);
    others.push_back(&run);
  }
  others.erase(others.begin());
  std::vector<agreement::KnownSpaces> known;
  testing::ScriptedTraffic traffic;
  const std::vector<ProblemSlot*> problems = united(runs.front(), others, known, traffic);
  CHECK(traffic.collectives == 1);
  CHECK(traffic.gathered_bytes < ranks * each * 400);
  REQUIRE(problems.size() == (ranks + 1) * each / 2);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    REQUIRE(problems[i]->problem.key == make_key(static_cast<std::int64_t>(i)));
  }
}

TEST_CASE("joining: a problem of another rank has that rank's key, and a launch here finds it", "[unit]") {
  const auto [name, key] = GENERATE(
      std::pair("joining_key", make_key(-1, 2U, true, 0.5, "a text of more than eight characters", "")),
      std::pair("joining_parts", make_key(std::optional<int>(), std::vector<int>{1, 2}, std::pair(3, 4))),
      std::pair("joining_long_key", make_key(std::vector<int>(20, 5), "long")));
  Run here(name);
  Run there(name);
  const auto core = core_of(name, {}, 3);
  there.launch(*core, key);
  const std::vector<ProblemSlot*> problems = united(here, {&there});
  REQUIRE(problems.size() == 1);
  CHECK(problems.front()->problem.key == key);
  CHECK(problems.front()->problem.key_text == key.to_string());
  CHECK(problems.front()->problem.config_count == 3);
  CHECK(problems.front()->found.members.empty());
  CHECK(here.launch(*core, key) == problems.front());
  CHECK(problems.front()->found.members.size() == 1);
  CHECK(here.context.slots().size() == 1);
}

TEST_CASE("joining: keys that print alike are two problems", "[unit]") {
  Run here("joining_alike");
  Run there("joining_alike");
  const auto core = core_of("joining_alike");
  here.launch(*core, make_key(1));
  there.launch(*core, make_key("1"));
  const std::vector<ProblemSlot*> problems = united(here, {&there});
  REQUIRE(problems.size() == 2);
  CHECK(problems[0]->problem.key == make_key(1));
  CHECK(problems[1]->problem.key == make_key("1"));
}

TEST_CASE("joining: a kernel that ranks define differently is refused, also when it comes later", "[unit]") {
  const auto two = core_of("joining_defined", {}, 2);
  const auto three = core_of("joining_defined", {}, 3);
  for (const bool later : {false, true}) {
    Run here("joining_defined");
    Run there("joining_defined");
    Run third("joining_defined");
    here.launch(*two, make_key(1));
    if (later) {
      for (ProblemSlot* slot : united(here, {})) {
        slot->batch.cells.resize(1);
      }
    }
    there.launch(*three, make_key(1));
    third.launch(*two, make_key(1));
    try {
      united(here, later ? std::vector{&there} : std::vector{&there, &third});
      FAIL("the ranks do not agree on the kernel");
    } catch (const RankMismatchError& error) {
      CHECK_THAT(error.what(), ContainsSubstring("joining_defined") && ContainsSubstring("3 and 2 configs"));
      if (!later) {
        CHECK_THAT(error.what(), ContainsSubstring("rank 1 has another config space than rank 0"));
        CHECK(error.differing_ranks() == std::vector<int>{1});
      }
    }
  }
}

}  // namespace joining_test
