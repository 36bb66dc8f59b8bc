/// \file
/// Processes with several kinds of devices: launches on another kind than the process's throw.

#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/detail/launch/device_check.hpp>

namespace contextual::test::device_kinds_test {

namespace {

/// While it lives, a thread whose current device is the other one may not launch.
class TwoKinds {
 public:
  TwoKinds() {
    detail::set_device_check([] { return std::string(other_is_current ? "it is an A, and no H" : ""); });
  }
  TwoKinds(const TwoKinds&) = delete;
  TwoKinds& operator=(const TwoKinds&) = delete;
  ~TwoKinds() {
    detail::set_device_check(nullptr);
    other_is_current = false;
  }

  static inline thread_local bool other_is_current = false;
};

/// Returns the message of the InvalidArgument that the call throws on the other device; empty: it throws
/// none.
template <typename Call>
std::string on_other(const Call& call) {
  TwoKinds::other_is_current = true;
  std::string message;
  try {
    call();
  } catch (const InvalidArgument& error) {
    message = error.what();
  }
  TwoKinds::other_is_current = false;
  return message;
}

}  // namespace

TEST_CASE("device kinds: a launch on another kind in a region ends the run, and the run after works") {
  const TwoKinds kinds;
  for (const int ranks : {1, 2}) {
    check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
      std::vector<int> used;
      const auto kernel = rank_kernel("kinds_region", 3, {},
                                      [&](const TileConfig& config, int&) { used.push_back(config.tile); });
      const auto run = [&] {
        used.clear();
        tuner.run("kinds region", [&] { (*kernel)(7); });
      };
      const auto refused = [&] {
        const bool here = rank == ranks - 1;
        const std::string message = here ? on_other(run) : error_text<Error>(run);
        if (message.find("\"kinds_region\" is not launched: it is an A") == std::string::npos ||
            (here && !used.empty())) {
          throw std::runtime_error("not refused: " + message);
        }
      };
      refused();
      run();
      throw_if<std::runtime_error>(used.size() < 4 || used.back() != 3, "not tuned");
      refused();  // nothing is left to tune
      run();
      throw_if<std::runtime_error>(used != std::vector<int>{3}, "the choice is lost");
    }));
  }
}

TEST_CASE("device kinds: outside of a run kernels, coupled ones and alternatives throw before they launch") {
  const TwoKinds kinds;
  int launches = 0;
  const auto count = [&](const TileConfig&, int&) { ++launches; };
  const auto kernel = rank_kernel("kinds_outside", 3, {}, count);
  const auto coupled = rank_kernel("kinds_coupled", 3, {.coupling = "kinds_pair"}, count);
  Alternatives<void(int)> ways{
      "kinds_ways", [](const int& key) { return make_key(key); }, {{"one", [&](int) { ++launches; }}}};
  const auto text = [](const char* name) {
    return "tunable kernel \"" + std::string(name) + "\" is not launched: it is an A, and no H";
  };
  for (const int before : {0, 3}) {  // the first launches of the kernels, and later ones
    CHECK(launches == before);
    CHECK(on_other([&] { (*kernel)(1); }) == text("kinds_outside"));
    CHECK(on_other([&] { (*coupled)(1); }) == text("kinds_coupled"));
    CHECK(on_other([&] { ways(1); }) == text("kinds_ways"));
    CHECK(launches == before);
    (*kernel)(1), (*coupled)(1), ways(1);
  }
}

TEST_CASE("device kinds: a tuned function throws on another kind, whether its call is known or not") {
  const TwoKinds kinds;
  std::vector<int> used;
  auto tuned = autotune(
      "kinds_function", tiles(3), [](int key) { return make_key(key); },
      [&](const TileConfig& config, int) { used.push_back(config.tile); },
      {.options = rank_options(one_rank())});
  const auto is_refused = [&] {
    used.clear();
    for (const bool autotunes : {true, false}) {
      CHECK_THAT(on_other([&] { tuned.with({.autotune = autotunes}, 1); }),
                 ContainsSubstring("\"kinds_function\" is not launched: it is an A"));
    }
    CHECK_THAT(on_other([&] { tuned(1); }), ContainsSubstring("\"kinds_function\" is not launched"));
    return used.empty();
  };
  CHECK(is_refused());
  tuned(1);
  CHECK(used.size() > 3);
  CHECK(is_refused());
  tuned(1);
  CHECK(used == std::vector<int>{3});
}

TEST_CASE("device kinds: a KernelTuner throws on another kind, also where it has a config") {
  const TwoKinds kinds;
  KernelTuner tuner{
      "kinds_tuner", tiles(3), [](const TileConfig&, CUstream_st*) {}, {.tuning = rank_options(one_rank())}};
  const auto tune = [&] { return tuner.tune({.problem_size = {64}}, nullptr); };
  CHECK_THAT(on_other(tune), ContainsSubstring("\"kinds_tuner\" is not launched"));
  CHECK(tune().device == "cuda");
  CHECK_THAT(on_other(tune), ContainsSubstring("\"kinds_tuner\" is not launched"));
  CHECK(tune().from_cache);
}

}  // namespace contextual::test::device_kinds_test
