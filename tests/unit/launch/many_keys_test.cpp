/// \file
/// What a launch costs does not grow with the number of kernels, keys and problems. Each test stops at a time
/// that a search through everything known would exceed many times.

#include "contextual/launch/launch_map.hpp"
#include "contextual/launch/run_context.hpp"
#include "support/catch.hpp"
#include "support/launches.hpp"

#include <deque>

namespace contextual::test::launch_test::many_keys_test {

using detail::KernelCore;

namespace {

constexpr std::int64_t many = 100'000;
constexpr std::int64_t limit = detail::RunContext::most_problems;

}  // namespace

TEST_CASE("many keys: as many as a run tunes are found again, each as its own problem") {
  Run run("many_keys");
  const auto core = core_of("many_keys_discovery");
  REQUIRE(steps_done(limit, [&](std::int64_t key) { run.launch(*core, make_key(key)); }) == limit);
  REQUIRE(run.context.slots().size() == static_cast<std::size_t>(limit));
  // And once more, with and without the map of a later batch.
  for (int batch = 0; batch < 2; ++batch) {
    std::int64_t found = 0;
    steps_done(limit, [&](std::int64_t key) {
      detail::ProblemSlot* slot = run.launch(*core, make_key(key));
      found += slot->index == static_cast<std::size_t>(key) ? 1 : 0;
    });
    CHECK(found == limit);
    run.context.rebuild_map();
  }
  CHECK(run.context.slots().size() == static_cast<std::size_t>(limit));
}

TEST_CASE("many keys: problems of many kernels are told apart by name, key and coupling") {
  Run run("many_keys");
  constexpr int kernels = 800;
  std::vector<std::shared_ptr<KernelCore>> cores;
  for (int i = 0; i < kernels; ++i) {
    cores.push_back(core_of("many_kernels_" + std::to_string(i)));
    cores.push_back(core_of("many_partners_" + std::to_string(i), "many_couple_" + std::to_string(i / 2)));
  }
  for (int batch = 0; batch < 2; ++batch) {
    for (const auto& core : cores) {
      for (const Key& key : {Key{}, make_key(1), make_key("1")}) {
        REQUIRE(run.launch(*core, key)->problem.key == key);
      }
    }
    CHECK(run.context.slots().size() == 3 * (kernels + kernels / 2));
    run.context.rebuild_map();
  }
}

TEST_CASE("many keys: a launch beyond those that are tuned is counted and costs no search") {
  Run run("many_keys");
  const auto core = core_of("many_keys_untracked");
  REQUIRE(steps_done(limit, [&](std::int64_t key) { run.launch(*core, make_key(key)); }) == limit);
  std::int64_t tracked = 0;
  CHECK(steps_done(many, [&](std::int64_t key) {
          tracked += run.launch(*core, make_key(limit + key)) != nullptr ? 1 : 0;
        }) == many);
  CHECK(tracked == 0);
  CHECK(run.context.untracked_launches() == static_cast<std::uint64_t>(many));
  CHECK(run.context.slots().size() == static_cast<std::size_t>(limit));
  CHECK(run.launch(*core, make_key(limit - 1))->index == limit - 1);
}

TEST_CASE("many keys: kernels that share a key are spread over the map") {
  std::vector<std::shared_ptr<KernelCore>> cores;
  std::deque<detail::ProblemSlot> slots;
  detail::LaunchMap map;
  for (std::size_t i = 0; i < 20'000; ++i) {
    cores.push_back(core_of("many_single_problems"));
    map.add(*cores.back(), slots.emplace_back(i, detail::Problem{}));
  }
  CHECK(map.longest_probe() < 100);  // a third of this is usual; without spreading it was some thousands
  for (std::size_t i = 0; i < cores.size(); ++i) {
    REQUIRE(map.find(*cores[i], Key{}, 0) == &slots[i]);
  }
}

TEST_CASE("many keys: making a kernel costs the same whatever the number of kernels") {
  const auto make = [](std::int64_t i) {
    auto core = core_of("many_registered_" + std::to_string(i), "many_couples_" + std::to_string(i / 2));
    return std::make_unique<KernelRegistration>(std::move(core));
  };
  constexpr std::int64_t count = 50'000;
  std::vector<std::unique_ptr<KernelRegistration>> kernels;
  REQUIRE(steps_done(count, [&](std::int64_t i) { kernels.push_back(make(i)); }) == count);
  CHECK(steps_done(count / 2, [&](std::int64_t i) {
          REQUIRE(LaunchRegistry::instance().coupled("many_couples_" + std::to_string(i)).size() == 2);
        }) == count / 2);
  CHECK(steps_done(count, [&](std::int64_t) { kernels.pop_back(); }) == count);
  CHECK(LaunchRegistry::instance().coupled("many_couples_0").empty());
}

}  // namespace contextual::test::launch_test::many_keys_test
