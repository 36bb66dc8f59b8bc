/// \file
/// Tuned functions that launch tunable kernels: these are tuned first, with each config of the function.

#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/detail/storage/machine.hpp>

namespace contextual::test::function_inner_test {

namespace {

/// Times in us, by the function's config and that of its kernel. With the kernel's default, function config 0
/// looks best; at its best, config 1 is.
constexpr std::array<std::array<std::int64_t, 4>, 3> times_us{
    {{50, 40, 60, 70}, {90, 80, 90, 20}, {60, 65, 70, 75}}};

/// A function of three configs that launches a kernel of four.
struct Nested {
  using Launched = std::pair<int, int>;  ///< config of the function, config of its kernel

  std::string name;
  int outer = 0;  ///< the config of the function that runs
  std::vector<Launched> launched;
  TunableKernel<void(const Block&)> inner;
  TunedFunction<int(const Block&, int)> function;

  explicit Nested(const std::string& its_name, SearchLevel search, const Options& changed = {})
      : name(its_name),
        inner(name + "_inner", blocks(4), single_problem,
              [this](const Block& block) { launched.emplace_back(outer, block.block); }),
        function(
            name, blocks(3), [](int n) { return make_key(n); },
            [this](const Block& block, int n) {
              outer = block.block;
              inner();
              return n + outer;
            },
            {.options = options(search, changed)}) {}

  Options options(SearchLevel search, const Options& changed) {
    Options options = changed;
    options.n_warmup = 1;
    options.n_repeat = 1;
    options.search = search;
    options.log_directory = "";
    options.timer = times([this](const LaunchInfo& launch) {
      return launch.kernel == name + "_inner"
                 ? 1'000 * times_us.at(static_cast<std::size_t>(outer)).at(launch.config_id)
                 : 1'000;
    });
    return options;
  }

  std::size_t choice(const std::string& kernel, const std::string& key) const {
    const Report report = function.report();
    return of_kernel(*report.find(name), kernel, key).choice;
  }
};

}  // namespace

TEST_CASE("function with kernels: each config is compared at its best") {
  for (const SearchLevel search : {SearchLevel::normal, SearchLevel::off}) {
    const std::string name = search == SearchLevel::off ? "fn_nested_walk" : "fn_nested";
    INFO(name);
    Nested nested(name, search);
    CHECK(nested.function(7) == 8);
    CHECK(nested.choice(name, "(7)") == 1);
    CHECK(nested.choice(name + "_inner", "() in " + name + " (7): {BLOCK: 0}") == 1);
    CHECK(nested.choice(name + "_inner", "() in " + name + " (7): {BLOCK: 1}") == 3);
    CHECK(nested.choice(name + "_inner", "() in " + name + " (7): {BLOCK: 2}") == 0);
    nested.launched.clear();
    CHECK(nested.function(7) == 8);
    CHECK(nested.launched == std::vector<Nested::Launched>{{1, 3}});
  }
}

TEST_CASE("function with kernels: these are tuned before its config changes, and the report says so") {
  Nested nested("fn_nested_order", SearchLevel::normal);
  nested.function(7);
  const auto changed = std::find_if(nested.launched.begin(), nested.launched.end(),
                                    [](const Nested::Launched& launch) { return launch.first != 0; });
  for (int inner = 0; inner < 4; ++inner) {
    INFO("inner config " << inner);
    CHECK(std::find(nested.launched.begin(), changed, Nested::Launched{0, inner}) != changed);
  }
  const Report report = nested.function.report();
  const std::vector<std::string>& warnings = report.find("fn_nested_order")->warnings;
  CHECK(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.find("\"fn_nested_order\" launches tunable kernels: these are tuned first") !=
           std::string::npos;
  }));
}

TEST_CASE("function with kernels: in a region, its kernels are tuned first too") {
  Nested nested("fn_nested_inside", SearchLevel::normal);
  Options options = nested.options(SearchLevel::normal, {});
  ContextualAutotuner tuner{options};
  tuner.run("fn_nested_region", [&] { nested.function(7); });
  CHECK(problem_of(tuner, "fn_nested_region", "fn_nested_inside").choice == 1);
  CHECK(nested.launched.back() == Nested::Launched{1, 3});
  CHECK(nested.function.report().runs.empty());
}

TEST_CASE("function with kernels: one that launches them with some configs only is tuned beside them") {
  TunableKernel inner{"fn_late_inner", blocks(2), single_problem, [](const Block&) {}};
  int used = -1;
  auto function = autotune("fn_late", blocks(2), single_problem,
                           [&](const Block& block) {
                             used = block.block;
                             if (block.block == 1) {
                               inner();
                             }
                           },
                           {.options = quick(times([&](const LaunchInfo& launch) -> std::int64_t {
                              return launch.kernel == "fn_late" ? (used == 1 ? 1'000 : 9'000) : 500;
                            }))});
  function();
  CHECK(used == 1);
  used = -1;
  function();
  CHECK(used == 1);
}

TEST_CASE("function with kernels: a config whose first kernel cannot be launched is left out") {
  TunableKernel broken{"fn_broken_inner", blocks(2), single_problem,
                       [](const Block&) { throw ConfigRejected("no such instruction"); }};
  TunableKernel sound{"fn_sound_inner", blocks(2), single_problem, [](const Block&) {}};
  int used = -1;
  auto function = autotune("fn_with_broken", blocks(2), single_problem,
                           [&](const Block& block) {
                             block.block == 1 ? broken() : sound();
                             used = block.block;
                           },
                           {.options = quick()});
  function();
  CHECK(used == 0);
}

TEST_CASE("function with kernels: another process begins with the choices of all of them") {
  const TemporaryDirectory directory;
  detail::describe_machine("test", [] { return std::string("alike"); });
  for (const bool first : {true, false}) {
    testing::ScriptedWorld world(1);
    std::vector<Nested::Launched> launched;
    check_well(world.run([&](int, const std::shared_ptr<Communicator>& communicator) {
      Nested nested("fn_nested_kept", SearchLevel::normal,
                    {.cache_directory = directory.path(), .communicator = communicator});
      nested.function(7);
      launched = nested.launched;
    }));
    REQUIRE(!launched.empty());
    CHECK(launched.back() == Nested::Launched{1, 3});
    CHECK((launched.size() == 1) == !first);
  }
}

TEST_CASE("function with kernels: a function that calls a function is tuned from the inside out") {
  Nested nested("fn_deep", SearchLevel::normal);
  int used = -1;
  auto outer = autotune("fn_deep_outer", blocks(2), single_problem,
                        [&](const Block& block) {
                          used = block.block;
                          return nested.function(7);
                        },
                        {.options = nested.options(SearchLevel::normal, {})});
  CHECK(outer() == 8);
  CHECK(nested.launched.back() == Nested::Launched{1, 3});
  CHECK(used == 0);  // both are alike: the default
  nested.launched.clear();
  outer();
  CHECK(nested.launched == std::vector<Nested::Launched>{{1, 3}});
}

}  // namespace contextual::test::function_inner_test
