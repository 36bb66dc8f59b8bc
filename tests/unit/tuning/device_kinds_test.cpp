/// \file
/// Processes with several kinds of devices: each kind has its own choice for a kernel and key.

#include "contextual/storage/choice_store.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"
#include "unit/tuning/kept_process.hpp"
#include "unit/tuning/two_kinds.hpp"

#include <contextual/alternatives.hpp>
#include <contextual/choices.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace device_kinds_test {

using namespace contextual;
using namespace contextual::test;
using engine_test::TemporaryDirectory;

namespace {

/// The first kind is fast with config 1, the other one with config 2.
Options options_for_two_kinds() {
  Options options;
  options.timer = testing::scripted_timer([](const LaunchInfo& launch) {
    const std::size_t best = TwoKinds::current == 0 ? 1 : 2;
    return launch.config_id == best ? std::int64_t{1000} : 5000;
  });
  return options;
}

/// Launches the kernel on each kind; returns the configs.
template <typename Launch>
std::vector<std::size_t> on_each_kind(const std::size_t& used, const Launch& launch) {
  std::vector<std::size_t> configs;
  for (const std::uint64_t device : {0, 77}) {
    TwoKinds::current = device;
    launch();
    configs.push_back(used);
  }
  TwoKinds::current = 0;
  return configs;
}

const std::vector<std::size_t> best_of_each{1, 2};

}  // namespace

TEST_CASE("device kinds: one kernel and key has a choice for each kind", "[unit]") {
  const TwoKinds kinds;
  for (const int ranks : {1, 2}) {
    std::vector<std::vector<std::size_t>> within(2);
    std::vector<RegionReport> reports(2);
    const auto thrown =
        on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const std::shared_ptr<Communicator>&) {
          const auto at = static_cast<std::size_t>(rank);
          std::size_t used = 9;
          const auto kernel = rank_kernel(
              "kinds_kernel" + std::to_string(rank), 3, {.participation = Participation::some},
              [&](const TileConfig& config, int&) { used = static_cast<std::size_t>(config.tile - 1); });
          const auto region = [&] { within[at] = on_each_kind(used, [&] { (*kernel)(7); }); };
          tuner.run("kinds region", region, options_for_two_kinds());
          reports[at] = *tuner.report().runs.rbegin();
          int runs = 0;
          tuner.run(
              "kinds region", [&] { ++runs, region(); }, options_for_two_kinds());
          if (runs != 1 || within[at] != best_of_each) {
            throw std::runtime_error("the second run tuned, or used something else");
          }
        });
    for (int rank = 0; rank < ranks; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      INFO(text_of(thrown[at]));
      CHECK_FALSE(thrown[at]);
      std::vector<std::string> keys;
      for (const ProblemReport& problem : reports[at].problems) {
        if (problem.kernel == "kinds_kernel" + std::to_string(rank)) {
          keys.push_back(problem.key + " " + std::to_string(problem.choice));
        }
      }
      std::sort(keys.begin(), keys.end());
      CHECK(keys == std::vector<std::string>{"(7) 1", "(7) on H77 2"});
    }
  }
}

TEST_CASE("device kinds: outside of a run a launch uses the choice of its device's kind", "[unit]") {
  const TwoKinds kinds;
  std::size_t used = 9;
  TunableKernel<void(const TileConfig&, int)> kernel{
      "kinds_outside", tiles(3), [](const int& key) { return make_key(key); },
      [&](const TileConfig& config, int&) { used = static_cast<std::size_t>(config.tile - 1); }};
  Options options = rank_options(one_rank());
  options.timer = options_for_two_kinds().timer;
  ContextualAutotuner tuner(options);
  const auto launch = [&] { kernel(1); };
  tuner.run("kinds outside", [&] { on_each_kind(used, launch); });
  CHECK(on_each_kind(used, launch) == best_of_each);
  TwoKinds::current = 78;  // a kind that nothing is known of
  launch();
  CHECK(used == 0);
  TwoKinds::current = 0;
}

TEST_CASE("device kinds: coupled kernels choose together on whatever devices they are", "[unit]") {
  const TwoKinds kinds;
  std::size_t sent = 8;
  std::size_t received = 9;
  const auto send =
      rank_kernel("kinds_send", 3, {.coupling = "kinds_pair"},
                  [&](const TileConfig& config, int&) { sent = static_cast<std::size_t>(config.tile - 1); });
  const auto receive = rank_kernel(
      "kinds_receive", 3, {.coupling = "kinds_pair"},
      [&](const TileConfig& config, int&) { received = static_cast<std::size_t>(config.tile - 1); });
  ContextualAutotuner tuner(rank_options(one_rank()));
  bool together = true;
  tuner.run("kinds coupled", [&] {
    (*send)(1);
    TwoKinds::current = 77;
    (*receive)(1);
    TwoKinds::current = 0;
    together = together && sent == received;
  });
  CHECK(together);
  CHECK(sent == 2);
}

TEST_CASE("device kinds: kernels in an alternative have a choice for each kind, and the alternatives one",
          "[unit]") {
  const TwoKinds kinds;
  std::size_t used = 9;
  const auto kernel = rank_kernel("kinds_inner", 3, {}, [&](const TileConfig& config, int&) {
    used = static_cast<std::size_t>(config.tile - 1);
  });
  std::vector<std::size_t> within;
  int alternative = -1;
  Alternatives<void(int)> ways{"kinds_ways",
                               [](const int& key) { return make_key(key); },
                               {{"twice",
                                 [&](int key) {
                                   alternative = 0;
                                   on_each_kind(used, [&] { (*kernel)(key), (*kernel)(key); });
                                 }},
                                {"once", [&](int key) {
                                   alternative = 1;
                                   within = on_each_kind(used, [&] { (*kernel)(key); });
                                 }}}};
  Options options = rank_options(one_rank());
  options.timer = options_for_two_kinds().timer;
  options.search = SearchLevel::normal;
  ContextualAutotuner tuner(options);
  tuner.run("kinds alternatives", [&] { ways(1); });
  CHECK(alternative == 1);
  CHECK(within == best_of_each);
}

TEST_CASE("device kinds: what is kept and pinned has the kind, and another process begins with it",
          "[unit]") {
  const TwoKinds kinds;
  const TemporaryDirectory directory;
  std::size_t used = 9;
  std::vector<std::size_t> within;
  const auto runs_of_process = [&](bool always_tune) {
    const auto kernel = rank_kernel("kinds_kept", 3, {}, [&](const TileConfig& config, int&) {
      used = static_cast<std::size_t>(config.tile - 1);
    });
    int runs = 0;
    const kept_test::Alone alone = kept_test::run_alone(
        directory.path(), "kinds kept",
        [&] {
          ++runs;
          within = on_each_kind(used, [&] { (*kernel)(7); });
        },
        [&](Options& options) {
          options.timer = options_for_two_kinds().timer;
          options.always_tune = always_tune;
        });
    CHECK(alone.error.empty());
    CHECK(within == best_of_each);
    return runs;
  };
  CHECK(runs_of_process(false) > 1);
  CHECK(runs_of_process(false) == 1);
  const KeptChoices choices(directory.path());
  REQUIRE(choices.pin(choices.list().sets.at(0)).problems.empty());
  CHECK(runs_of_process(true) == 1);  // nothing is left to tune
}

}  // namespace device_kinds_test
