/// \file
/// Tuned functions on one rank: what a call runs, what it returns, and what it remembers.

#include "support/threads.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::function_test {

namespace {

struct Tile {
  int block = 64;
  int warps = 4;
};

/// Of the latest call that tuned.
template <typename Function>
RegionReport report_of_function(const Function& function) {
  const Report report = function.report();
  const RegionReport* run = report.find(function.name());
  throw_if<std::runtime_error>(run == nullptr, "no call of " + function.name() + " has tuned");
  return *run;
}

/// A function of one key, over a space of `count` configs of which the last one is fastest.
template <typename Call>
auto counted(const std::string& name, int count, Call&& call) {
  return autotune(name, blocks(count), [](int n) { return make_key(n); },
                  std::function<void(const Block&, int)>(std::forward<Call>(call)), {.options = quick()});
}

}  // namespace

TEST_CASE("tuned function: each key is tuned once, with the arguments of its call") {
  std::vector<int> seen;
  auto function = counted("fn_keys", 2, [&](const Block&, int n) { seen.push_back(n); });
  function(1);
  function(2);
  CHECK(std::count(seen.begin(), seen.end(), 1) >= 2 * 2 + 1);
  CHECK(std::count(seen.begin(), seen.end(), 2) >= 2 * 2 + 1);
  seen.clear();
  function(2);
  function(1);
  CHECK(seen == std::vector<int>{2, 1});
  CHECK(LaunchRegistry::instance().locked_in("fn_keys", "fn_keys", make_key(2)) == 1U);
}

TEST_CASE("tuned function: results are values, move-only objects or references") {
  int target = 0;
  auto reference = autotune("fn_reference", blocks(2), single_problem,
                            [&](const Block&) -> int& { return target; }, {.options = quick()});
  CHECK(&reference() == &target);
  CHECK(&reference() == &target);
  auto owner =
      autotune("fn_owner", blocks(2), single_problem,
               [](const Block& block) { return std::make_unique<int>(block.block); }, {.options = quick()});
  CHECK(*owner() == 1);
  CHECK(*owner() == 1);
}

TEST_CASE("tuned function: `keep` leaves configs out, by the arguments of the call") {
  std::vector<int> used;
  auto function = autotune(
      "fn_keep", blocks(4), [](int n) { return make_key(n); },
      [&](const Block& block, int) { used.push_back(block.block); },
      {.keep = [](const Block& block, int most) { return block.block <= most; },
       .kernel = {.keep = [](const Block& block, int) { return block.block != 1; }},
       .options = quick()});
  function(2);
  CHECK(used.back() == 2);
  CHECK(std::count(used.begin(), used.end(), 3) == 0);
  CHECK(std::count(used.begin(), used.end(), 1) == 0);  // both `keep` must allow a config
  function(3);
  CHECK(used.back() == 3);
}

TEST_CASE("tuned function: with `restore`, a call that tunes has the effect of one run") {
  double sum = 10;
  int asked = 0;
  auto accumulate = autotune("fn_restore", blocks(3), single_problem,
                             [](const Block&, double& total, double term) {
                               total += term;
                               return total;
                             },
                             {.restore =
                                  [&](double& total, double&) {
                                    ++asked;
                                    return std::vector{restored("total", &total, 1)};
                                  },
                              .options = quick()});
  CHECK(accumulate(sum, 5) == 15);
  CHECK(sum == 15);
  CHECK(asked == 1);
  CHECK(accumulate(sum, 5) == 20);
  CHECK(asked == 1);
}

TEST_CASE("tuned function: `before_each` comes before each measured run, and before no other") {
  std::string order;
  auto function =
      autotune("fn_before_each", blocks(2), single_problem, [&](const Block&, int&) { order += "r"; },
               {.before_each = [&](int&) { order += "b"; }, .options = quick()});
  int argument = 0;
  function(argument);
  CHECK(order == "brbrbrbrr");
  order.clear();
  function(argument);
  CHECK(order == "r");
}

TEST_CASE("tuned function: hooks of its options are called too, before its own") {
  std::string order;
  const Options options = quick({.before_iteration = [&](const IterationInfo&) { order += "h"; }});
  auto function = autotune("fn_hooks", blocks(1), single_problem, [&](const Block&) { order += "r"; },
                           {.before_each = [&] { order += "b"; }, .options = options});
  function();
  CHECK(order == "hbrhbrhr");
}

TEST_CASE("tuned function: a config that rejects itself is not chosen, and all of them are an error") {
  auto some = autotune("fn_rejects", blocks(3), single_problem,
                       [](const Block& block) {
                         throw_if<ConfigRejected>(block.block == 2, "too large");
                         return block.block;
                       },
                       {.options = quick()});
  CHECK(some() == 1);
  CHECK(report_of_function(some).problems.front().configs[2].rejection == "too large");
  auto none = autotune("fn_rejects_all", blocks(2), single_problem,
                       [](const Block&) { throw ConfigRejected("no device"); }, {.options = quick()});
  CHECK_THROWS_AS(none(), TuningFailedError);
}

TEST_CASE("tuned function: an exception of a config other than the default rejects it with its text") {
  std::function<void(const Block&)> fail;
  auto function = autotune("fn_throws_config", blocks(3), single_problem,
                           [&](const Block& block) {
                             fail(block);
                             return block.block;
                           },
                           {.options = quick()});
  fail = [](const Block& block) { throw_if<std::runtime_error>(block.block == 2, "2 does not divide 7"); };
  CHECK(function() == 1);
  CHECK(report_of_function(function).problems.front().configs[2].rejection == "2 does not divide 7");
}

TEST_CASE("tuned function: what says that no config would do better is rethrown") {
  const auto fail = GENERATE(std::function<void()>([] { throw DeviceError("lost"); }),
                             std::function<void()>([] { throw CommunicationError("no answer", {}); }),
                             std::function<void()>([] { throw InvalidArgument("no stream"); }),
                             std::function<void()>([] { throw 7; }));
  auto function = autotune("fn_throws_lost", blocks(2), single_problem,
                           [&](const Block& block) {
                             if (block.block == 1) {
                               fail();
                             }
                           },
                           {.options = quick()});
  CHECK_THROWS(function());
}

TEST_CASE("tuned function: an exception of a kernel that it launches is rethrown") {
  TunableKernel inner{"fn_throws_inner_kernel", blocks(2), single_problem,
                      [](const Block& block) { throw_if<std::runtime_error>(block.block == 1, "inner"); }};
  auto function = autotune("fn_throws_inner", blocks(2), single_problem, [&](const Block&) { inner(); },
                           {.options = quick()});
  CHECK(error_text<std::runtime_error>([&] { function(); }) == "inner");
}

TEST_CASE("tuned function: what it throws with the default is rethrown, and the next call tunes") {
  int runs = 0;
  bool fails = true;
  auto function = autotune("fn_throws", blocks(2), single_problem,
                           [&](const Block&) {
                             ++runs;
                             throw_if<std::runtime_error>(fails && runs == 2, "out of paper");
                           },
                           {.options = quick()});
  CHECK(error_text<std::runtime_error>([&] { function(); }) == "out of paper");
  fails = false;
  runs = 0;
  function();
  CHECK(runs == 2 * 2 + 1);
  runs = 0;
  function();
  CHECK(runs == 1);
}

TEST_CASE("tuned function: a tuning that is cut is done again by the next calls, but not for ever") {
  int runs = 0;
  const Options options = quick({.max_iterations = 2});
  auto function =
      autotune("fn_cut", blocks(4), single_problem, [&](const Block&) { ++runs; }, {.options = options});
  std::vector<bool> tuned;
  for (int call = 0; call < 5; ++call) {
    runs = 0;
    function();
    tuned.push_back(runs > 1);
  }
  CHECK(tuned == std::vector<bool>{true, true, true, false, false});
}

TEST_CASE("tuned function: two threads call it at once, and both get what was chosen") {
  std::atomic<int> runs{0};
  auto function = counted("fn_threads", 2, [&](const Block&, int) { ++runs; });
  on_threads(2, [&](int) { function(1); });
  CHECK(runs >= 2 * 2 + 2);
  runs = 0;
  function(1);
  CHECK(runs == 1);
}

TEST_CASE("tuned function: inside a region it is a kernel of that region and tunes nothing of its own") {
  int asked = 0;
  int used = -1;
  auto function =
      autotune("fn_inside", blocks(3), single_problem, [&](const Block& block) { used = block.block; },
               {.restore =
                    [&] {
                      ++asked;
                      return std::vector<Restored>();
                    },
                .options = quick()});
  TunableKernel other{"fn_beside", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  tuner.run("fn_region", [&] { function(), other(); });
  CHECK(problem_of(tuner, "fn_region", "fn_inside").choice == 2);
  CHECK(used == 2);
  CHECK(asked == 0);
  CHECK(function.report().runs.empty());
  CHECK_FALSE(LaunchRegistry::instance().locked_in("fn_inside", "fn_inside", Key{}));
  function();  // outside, it is tuned by itself
  CHECK(function.report().runs.size() == 1);
}

TEST_CASE("tuned function: a bad config space is reported by the first call") {
  auto function = autotune("fn_bad_space", ConfigSpace<Block>{{"BLOCK", &Block::block, {1, 1}}},
                           single_problem, [](const Block&) {}, {.options = quick()});
  CHECK_THROWS_AS(function(), ConfigSpaceError);
  CHECK_THROWS_AS(function.with({.autotune = false}), ConfigSpaceError);
}

}  // namespace contextual::test::function_test
