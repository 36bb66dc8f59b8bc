/// \file
/// Processes with several kinds of devices: each kind has its own choice for a kernel and key.

#include "contextual/storage/choice_store.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/alternatives.hpp>
#include <contextual/choices.hpp>
#include <contextual/detail/launch/device_kind.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace device_kinds_test {

using namespace contextual;
using namespace contextual::test;
using engine_test::TemporaryDirectory;

namespace {

thread_local std::uint64_t device_of_thread = 0;

/// Two kinds, in force while it lives: the words 0 and 77.
class TwoKinds {
 public:
  TwoKinds() { detail::set_device_kinds(&kinds); }
  TwoKinds(const TwoKinds&) = delete;
  TwoKinds& operator=(const TwoKinds&) = delete;
  ~TwoKinds() { detail::set_device_kinds(nullptr); }

 private:
  static constexpr detail::DeviceKinds kinds{[]() noexcept { return device_of_thread; },
                                             [](std::uint64_t word) { return "H" + std::to_string(word); }};
};

/// The first kind is fast with config 1, the other one with config 2.
Options options_for_two_kinds() {
  Options options;
  options.timer = testing::scripted_timer([](const LaunchInfo& launch) {
    const std::size_t best = device_of_thread == 0 ? 1 : 2;
    return launch.config_id == best ? std::int64_t{1000} : 5000;
  });
  return options;
}

/// Launches the kernel on each kind; returns the configs.
template <typename Launch>
std::vector<std::size_t> on_each_kind(const std::size_t& used, const Launch& launch) {
  std::vector<std::size_t> configs;
  for (const std::uint64_t device : {0, 77}) {
    device_of_thread = device;
    launch();
    configs.push_back(used);
  }
  device_of_thread = 0;
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
  device_of_thread = 78;  // a kind that nothing is known of
  launch();
  CHECK(used == 0);
  device_of_thread = 0;
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
    device_of_thread = 77;
    (*receive)(1);
    device_of_thread = 0;
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

TEST_CASE("device kinds: what is kept has the kind, and another process begins with it", "[unit]") {
  const TwoKinds kinds;
  const TemporaryDirectory directory;
  for (const bool first : {true, false}) {
    int runs = 0;
    std::vector<std::size_t> within;
    const auto thrown =
        on_ranks(1, [&](int, ContextualAutotuner& tuner, const std::shared_ptr<Communicator>&) {
          std::size_t used = 9;
          const auto kernel = rank_kernel("kinds_kept", 3, {}, [&](const TileConfig& config, int&) {
            used = static_cast<std::size_t>(config.tile - 1);
          });
          Options options = options_for_two_kinds();
          options.cache_directory = directory.path();
          tuner.run(
              "kinds kept",
              [&] {
                ++runs;
                within = on_each_kind(used, [&] { (*kernel)(7); });
              },
              options);
        });
    CHECK_FALSE(thrown[0]);
    CHECK((runs == 1) == !first);
    CHECK(within == best_of_each);
  }
}

TEST_CASE("device kinds: a set that is pinned is launched as it was on each kind", "[unit]") {
  const TwoKinds kinds;
  const TemporaryDirectory directory;
  std::vector<std::size_t> within;
  int runs = 0;
  const auto process = [&](const Options& change) {
    runs = 0;
    const auto thrown =
        on_ranks(1, [&](int, ContextualAutotuner& tuner, const std::shared_ptr<Communicator>&) {
          std::size_t used = 9;
          const auto kernel = rank_kernel("kinds_pinned", 3, {}, [&](const TileConfig& config, int&) {
            used = static_cast<std::size_t>(config.tile - 1);
          });
          Options options = change;
          options.timer = options_for_two_kinds().timer;
          options.cache_directory = directory.path();
          tuner.run(
              "kinds pinned",
              [&] {
                ++runs;
                within = on_each_kind(used, [&] { (*kernel)(7); });
              },
              options);
        });
    CHECK_FALSE(thrown[0]);
  };
  process({});
  const KeptChoices choices(directory.path());
  REQUIRE(choices.pin(choices.list().sets.at(0)).problems.empty());
  Options anew;
  anew.always_tune = true;
  process(anew);
  CHECK(runs == 1);  // nothing is left to tune
  CHECK(within == best_of_each);
}

}  // namespace device_kinds_test
