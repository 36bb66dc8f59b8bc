#include "support/catch.hpp"
#include "unit/policy/model_region.hpp"

#include <contextual/error.hpp>

#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace contextual::policy;
using namespace contextual::policy::test;

namespace {

using Table = std::vector<std::vector<std::int64_t>>;

PolicyOptions with_finals() {
  PolicyOptions options;
  options.n_warmup = 1;
  options.n_repeat = 3;
  return options;
}

/// Two problems: own times [problem][config], makespans [config of 0][config of 1], up to `noise_ns` added.
ModelRegion coupled_region(Table times, Table makespans, int noise_ns = 0) {
  const auto random = std::make_shared<std::mt19937>(7);
  const auto noise = [random, noise_ns] {
    return noise_ns == 0 ? 0 : static_cast<std::int64_t>((*random)() % static_cast<unsigned>(noise_ns));
  };
  return {[=](std::size_t p, const Assignment& a) { return times[p][a[p]] + noise() / 100; },
          [=](const Assignment& a) { return makespans[a[0]][a[1]] + noise(); }};
}

/// Config 1 of kernel 0 hogs: it reads shortest and delays its neighbour. The walk sees the diagonal only;
/// the best assignment, (2, 1), is neither on it nor anybody's best own time.
const Table selfish_times = {{100000, 70000, 90000}, {100000, 95000, 80000}};
const Table selfish_makespans = {
    {1000000, 1010000, 1020000}, {1150000, 1100000, 1200000}, {900000, 850000, 1050000}};

/// Only the pair matters: both changed is slower than none, one changed is slower still.
const Table joint_times = {{100000, 50000}, {100000, 50000}};
const Table joint_makespans = {{1000000, 1400000}, {1400000, 1300000}};

void observe_batch(TuningState& state, const ModelRegion& region,
                   std::vector<RejectionOutcome> rejections = {}) {
  BatchOutcome outcome;
  const auto plans = state.plan(state.suggested_length());
  for (const IterationPlan& plan : plans) {
    outcome.iterations.push_back(run_region(region, assignment_of(plan)));
  }
  outcome.rejections = std::move(rejections);
  state.observe(plans, outcome);
}

/// Up to the first finals batch (if there is any), two problems.
void walk(TuningState& state, const std::vector<std::size_t>& config_counts, const ModelRegion& region) {
  for (const std::size_t count : config_counts) {
    state.add_problem({count, {}, std::nullopt});
  }
  while (!state.done() && state.plan(1)[0].phase == contextual::Phase::walk) {
    observe_batch(state, region);
  }
}

void finish(TuningState& state, const ModelRegion& region) {
  for (int batch = 0; !state.done() && batch < 1000; ++batch) {
    observe_batch(state, region);
  }
  REQUIRE(state.done());
}

}  // namespace

TEST_CASE("finals choose right where the diagonal and own times choose wrongly", "[unit]") {
  for (const int noise_ns : {0, 8000}) {
    PolicyOptions options = with_finals();
    options.finals = false;
    TuningState selfish{options};
    tune(selfish, {3, 3}, coupled_region(selfish_times, selfish_makespans, noise_ns));
    CHECK(selfish.problem(0).choice == 1);
    CHECK(selfish.problem(1).choice == 2);
    CHECK(selfish.contests().empty());

    TuningState state{with_finals()};
    tune(state, {3, 3}, coupled_region(selfish_times, selfish_makespans, noise_ns));
    CHECK(state.problem(0).choice == 2);
    CHECK(state.problem(1).choice == 1);
    CHECK(state.problem(0).status == ProblemStatus::locked_in);
    CHECK(state.contests().front().kind == Contest::Kind::sets);
    CHECK(state.contests().back().kind == Contest::Kind::verdict);
    CHECK(state.contests().back().contenders.front().chosen);
    CHECK(state.search_iterations() > 0);
    CHECK(state.retakes() == 0);
  }
}

TEST_CASE("finals return to the defaults where the walk's set is slower and no single change repairs it",
          "[unit]") {
  for (const int noise_ns : {0, 8000}) {
    TuningState state{with_finals()};
    const ModelRegion region = coupled_region(joint_times, joint_makespans, noise_ns);
    walk(state, {2, 2}, region);
    CHECK(state.problem(0).choice == 1);
    CHECK(state.problem(1).choice == 1);
    finish(state, region);
    CHECK(state.problem(0).choice == 0);
    CHECK(state.problem(1).choice == 0);
    CHECK_THAT(state.problem(0).reason,
               ContainsSubstring("changed from config-1 with all defaults: makespan"));
  }
}

TEST_CASE("finals say in the reasons what they measured", "[unit]") {
  TuningState state{with_finals()};
  tune(state, {3, 3}, coupled_region(selfish_times, selfish_makespans));
  CHECK_THAT(state.problem(0).reason,
             ContainsSubstring("changed from config-0: makespan 10.0 % shorter (paired, 5 rounds)"));
  const Contest& verdict = state.contests().back();
  REQUIRE(verdict.contenders.size() == 2);
  CHECK(verdict.contenders[0].config_id == 1);
  CHECK(verdict.contenders[0].makespan.centre_ns == 850000);
  CHECK(verdict.contenders[0].makespan.count == 5);
  CHECK(verdict.contenders[1].config_id == 0);
  CHECK(verdict.contenders[1].makespan.centre_ns == 1000000);
  CHECK_THAT(verdict.reason, ContainsSubstring("15.0 % shorter than with all defaults"));
}

TEST_CASE("finals keep a choice that nobody beats by the minimum gain", "[unit]") {
  TuningState state{with_finals()};
  tune(state, {2, 1}, coupled_region({{100000, 50000}, {10, 10}}, {{1000000}, {1003000}}));
  CHECK(state.problem(0).choice == 1);
  CHECK_THAT(state.problem(0).reason, ContainsSubstring("kept: no candidate gained more than 0.5 %"));
}

TEST_CASE("finals' verdict falls back to the defaults when the chosen set turns out slower", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region{[](std::size_t, const Assignment& a) { return a[0] == 1 ? 50 : 100; },
                           [&](const Assignment& a) {
                             const bool late = state.contests().size() >= 2;
                             return a[0] == 1 ? (late ? 1100000 : 900000) : 1000000;
                           }};
  walk(state, {2}, region);
  finish(state, region);
  CHECK(state.contests().back().kind == Contest::Kind::verdict);
  CHECK(state.problem(0).choice == 0);
  CHECK_THAT(state.problem(0).reason, ContainsSubstring("changed from config-1 with all defaults"));
}

TEST_CASE("finals interleave: every round has every contender once, the order shifts", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region = coupled_region(joint_times, joint_makespans);
  walk(state, {2, 2}, region);
  CHECK(state.suggested_length() == 6 * 2);
  const auto plans = state.plan(5);
  CHECK(plans[0].phase == contextual::Phase::search);
  CHECK(plans[0].cells[0].role == Cell::Role::candidate);
  CHECK(plans[0].cells[0].warmup);
  CHECK_FALSE(plans[2].cells[0].warmup);
  std::vector<Assignment> order;
  for (const IterationPlan& plan : plans) {
    order.push_back(assignment_of(plan));
  }
  CHECK(order == std::vector<Assignment>{{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}});
}

TEST_CASE("finals spread over batches of settle_every decide the same", "[unit]") {
  const ModelRegion region = coupled_region(selfish_times, selfish_makespans);
  TuningState whole{with_finals()};
  const auto table = tune(whole, {3, 3}, region);
  for (const int settle_every : {1, 3, 7}) {
    PolicyOptions options = with_finals();
    options.settle_every = settle_every;
    TuningState state{options};
    CHECK(tune(state, {3, 3}, region) == table);
    CHECK(state.problem(0).choice == 2);
    CHECK(state.problem(1).choice == 1);
  }
}

TEST_CASE("finals take a round without a makespan again, as often as the limit allows", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region = coupled_region(joint_times, joint_makespans);
  walk(state, {2, 2}, region);
  BatchOutcome outcome;
  const auto plans = state.plan(state.suggested_length());
  for (const IterationPlan& plan : plans) {
    outcome.iterations.push_back(run_region(region, assignment_of(plan)));
  }
  outcome.iterations[5].makespan_ns.reset();
  state.observe(plans, outcome);
  CHECK(state.contests().empty());
  CHECK(state.suggested_length() == 2);
  observe_batch(state, region);
  REQUIRE(state.contests().size() == 1);
  CHECK(state.contests()[0].contenders[0].makespan.count == 5);
  CHECK(state.retakes() == 1);
}

TEST_CASE("finals without makespans keep the walk's choices and end", "[unit]") {
  TuningState state{with_finals()};
  ModelRegion region = coupled_region(joint_times, joint_makespans);
  region.makespan_ns = [](const Assignment&) { return 0; };
  walk(state, {2, 2}, region);
  finish(state, region);
  CHECK(state.problem(0).choice == 1);
  CHECK_THAT(state.contests()[0].reason, ContainsSubstring("not enough valid rounds"));
  CHECK_THAT(state.problem(0).reason, ContainsSubstring("kept: not enough valid rounds"));
}

TEST_CASE("finals drop a candidate that is rejected and go on", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region =
      coupled_region({{100, 70, 90, 80}, {10}}, {{1000000}, {990000}, {980000}, {700000}});
  walk(state, {4, 1}, region);
  while (state.contests().empty()) {
    observe_batch(state, region);
  }
  CHECK(state.problem(0).choice == 3);  // best by makespan, from the sets
  observe_batch(state, region, {{0, 1, 3, "failed"}});
  const Contest& contest = state.contests().at(1);
  CHECK(contest.kind == Contest::Kind::problem);
  CHECK(contest.contenders.front().config_id == 3);
  CHECK(contest.contenders.front().chosen);
  finish(state, region);
  CHECK(state.problem(0).choice == 3);
}

TEST_CASE("finals restart a contest whose incumbent is rejected", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region = coupled_region(selfish_times, selfish_makespans);
  walk(state, {3, 3}, region);
  observe_batch(state, region, {{0, 1, 4, "wrong result"}});  // the walk's choice, in the sets contest
  CHECK(state.contests().empty());
  CHECK(state.problem(0).choice == 2);
  finish(state, region);
  CHECK(state.problem(0).choice == 2);
  CHECK(state.problem(1).choice == 1);
  CHECK(state.retakes() > 0);
}

TEST_CASE("finals wait while held", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region = coupled_region(joint_times, joint_makespans);
  state.hold_finals(true);
  for (int problem = 0; problem < 2; ++problem) {
    state.add_problem({2, {}, std::nullopt});
  }
  for (int batch = 0; batch < 5; ++batch) {
    observe_batch(state, region);
  }
  CHECK_FALSE(state.done());
  CHECK(state.problem(0).status == ProblemStatus::walked);
  CHECK(row_text(0, state.plan(1)[0].cells) == "0 | best-config | best-config");
  CHECK(state.search_iterations() == 0);
  state.hold_finals(false);
  CHECK(state.plan(1)[0].phase == contextual::Phase::search);
  finish(state, region);
  CHECK(state.problem(0).choice == 0);
}

TEST_CASE("finals let a new problem walk first and then have a contest for it too", "[unit]") {
  for (const std::size_t contests_before : {0U, 1U, 3U}) {
    TuningState state{with_finals()};
    const Table times = {{100, 70, 90}, {100, 95, 80}, {30, 10, 20}};
    const ModelRegion region{[&](std::size_t p, const Assignment& a) { return times[p][a[p]]; },
                             [&](const Assignment& a) {
                               const std::int64_t third = a.size() > 2 && a[2] == 2 ? -100000 : 0;
                               return selfish_makespans[a[0]][a[1]] + third;
                             }};
    walk(state, {3, 3}, region);
    while (state.contests().size() < contests_before) {
      observe_batch(state, region);
    }
    BatchOutcome outcome;
    const auto plans = state.plan(state.suggested_length());
    for (const IterationPlan& plan : plans) {
      Assignment assignment = assignment_of(plan);
      assignment.push_back(0);
      outcome.iterations.push_back(run_region(region, assignment));
    }
    state.add_problem({3, {}, std::nullopt});
    state.observe(plans, outcome);
    CHECK(state.plan(1)[0].phase == contextual::Phase::walk);
    CHECK(state.plan(1)[0].cells[0].role == Cell::Role::best);
    CHECK(cell_text(state.plan(1)[0].cells[2]) == "config-1 (iter-0)");
    finish(state, region);
    CHECK(assignment_of(state.plan(1)[0]) == Assignment{2, 1, 2});
  }
}

TEST_CASE("finals leave locked-in problems alone", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region = coupled_region(selfish_times, selfish_makespans);
  state.add_problem({3, {}, 1});
  state.add_problem({3, {}, std::nullopt});
  finish(state, region);
  CHECK(state.problem(0).choice == 1);
  CHECK(state.problem(0).reason == "locked in by an earlier run");
  CHECK(state.problem(1).choice == 1);  // the best beside config 1
  CHECK(state.search_iterations() > 0);
}

TEST_CASE("finals are closed by the iteration cap with the choices so far", "[unit]") {
  PolicyOptions options = with_finals();
  options.max_iterations = 20;
  TuningState state{options};
  tune(state, {3, 3}, coupled_region(selfish_times, selfish_makespans));
  CHECK(state.iterations() == 20);
  CHECK(state.hit_iteration_cap());
  CHECK(state.problem(0).status == ProblemStatus::provisional);
  CHECK(state.problem(0).choice == 1);
  CHECK_THAT(state.contests().back().reason, ContainsSubstring("closed early"));
}

TEST_CASE("finals take no change whose gain is within the noise of the paired differences", "[unit]") {
  const std::vector<std::int64_t> makespans = {700000, 1250000, 980000, 800000,
                                               1200000};  // 2 % less in the median
  std::size_t use = 0;
  TuningState state{with_finals()};
  const ModelRegion region{
      [](std::size_t, const Assignment& a) { return a[0] == 0 ? 50 : 100; },
      [&](const Assignment& a) { return a[0] == 0 ? 1000000 : makespans[use++ % makespans.size()]; }};
  walk(state, {2}, region);
  finish(state, region);
  REQUIRE_FALSE(state.contests().empty());
  CHECK(state.contests().back().contenders[1].gain->centre_ns == 20000);
  CHECK(state.problem(0).choice == 0);
}

namespace {

/// One problem: other own times in the finals than in the walk, as where the device drifted or the neighbours
/// tried something else then.
class DriftingRegion {
 public:
  DriftingRegion(std::vector<std::int64_t> in_walk, std::vector<std::int64_t> in_finals,
                 std::vector<std::int64_t> makespans)
      : region_{[=, this](std::size_t, const Assignment& a) {
                  return state_.contests().empty() ? in_walk[a[0]] : in_finals[a[0]];
                },
                [=](const Assignment& a) { return makespans[a[0]]; }} {
    walk(state_, {in_walk.size()}, region_);
    walked_ = state_.problem(0).choice;
    finish(state_, region_);
  }
  std::size_t walked() const { return walked_; }
  std::size_t choice() const { return state_.problem(0).choice; }
  std::string reason() const { return state_.problem(0).reason; }
  const TuningState& state() const { return state_; }

 private:
  TuningState state_{with_finals()};
  ModelRegion region_;
  std::size_t walked_ = 0;
};

}  // namespace

TEST_CASE("finals decide by own times taken in turn where the makespans tie", "[unit]") {
  SECTION("a difference that only the walk saw gives way to the default") {
    const DriftingRegion region({100000, 97000}, {100000, 100100}, {1000000, 1000000});
    CHECK(region.walked() == 1);
    CHECK(region.choice() == 0);
    CHECK_THAT(
        region.reason(),
        ContainsSubstring(
            "changed from config-1: makespans and own times tie, and the default wins (paired, 5 rounds)"));
  }
  SECTION("or to the lower index") {
    const DriftingRegion region({100000, 90000, 80000}, {100000, 80000, 80100}, {1000000, 999000, 999000});
    CHECK(region.walked() == 2);
    CHECK(region.choice() == 1);
    CHECK_THAT(region.reason(), ContainsSubstring("makespans and own times tie, and the lower index wins"));
  }
  SECTION("what is faster beside the others' choices replaces what was faster in the walk") {
    const DriftingRegion region({100000, 80000, 90000}, {100000, 90000, 80000}, {1000000, 1000000, 1000000});
    CHECK(region.walked() == 1);
    CHECK(region.choice() == 2);
    CHECK_THAT(region.reason(),
               ContainsSubstring("makespans tie, own time 11.1 % shorter (paired, 5 rounds)"));
  }
  SECTION("a choice that is the fastest by own time stays") {
    const DriftingRegion region({100000, 90000}, {100000, 90000}, {1000000, 1000000});
    CHECK(region.choice() == 1);
    CHECK_THAT(region.reason(), ContainsSubstring("kept: no candidate gained more than 0.5 %"));
  }
  SECTION("a candidate that makes the region slower is not among them") {
    const DriftingRegion region({100000, 80000, 90000}, {100000, 90000, 80000}, {1000000, 1000000, 1010000});
    CHECK(region.choice() == 1);
  }
  SECTION("without own times the walk's choice stays") {
    const DriftingRegion region({100000, 97000}, {100000, 0}, {1000000, 1000000});
    CHECK(region.choice() == 1);
  }
}

TEST_CASE("finals try what ties with the last candidate by own time, as many again at most", "[unit]") {
  TuningState state{with_finals()};
  const std::vector<std::int64_t> times = {200000, 90000, 120000, 100000, 100400, 100200, 100300, 120000};
  const ModelRegion region{[&](std::size_t, const Assignment& a) { return times[a[0]]; },
                           [](const Assignment&) { return 1000000; }};
  walk(state, {times.size()}, region);
  finish(state, region);
  std::vector<std::size_t> tried;
  for (const Contender& contender : state.contests().at(1).contenders) {
    tried.push_back(contender.config_id);
  }
  CHECK(tried == std::vector<std::size_t>{1, 0, 3, 4, 5});  // 1 and 3; 4, 5 and 6 tie, 6 is one too many
}

TEST_CASE("finals let candidates meet again whose own times the noise does not tell apart", "[unit]") {
  // Config 1 in its first contest: 1 % faster than the default, within the noise.
  const std::vector<std::int64_t> noisy = {98000, 96000, 99500, 99000, 98000, 101000};
  struct Case {
    std::int64_t later;
    std::size_t choice;
    const char* reason;
  };
  for (const Case& expected :
       {Case{98000, 1, "no candidate gained more than 0.5 % and the noise (paired, 10 rounds)"},
        Case{99900, 0, "makespans and own times tie, and the default wins (paired, 10 rounds)"}}) {
    TuningState state{with_finals()};
    std::size_t use = 0;
    const ModelRegion region{
        [&](std::size_t, const Assignment& a) {
          const std::size_t over = state.contests().size();  // the first one: sets
          if (a[0] == 0) {
            return std::int64_t{100000};
          }
          return over == 0 ? std::int64_t{98000} : over == 1 ? noisy[use++ % noisy.size()] : expected.later;
        },
        [](const Assignment&) { return 1000000; }};
    walk(state, {2}, region);
    observe_batch(state, region);
    observe_batch(state, region);
    REQUIRE(state.contests().size() == 2);
    CHECK(state.problem(0).choice == 1);  // as the walk said: what was too close does not count
    CHECK_THAT(state.contests().back().reason,
               ContainsSubstring("undecided, so they meet again: config-1, config-0; so far "));
    CHECK(state.suggested_length() == 11 * 2);
    CHECK(state.plan(1)[0].cells[0].warmup);
    SECTION("and a rejection makes it anew: " + std::to_string(expected.choice)) {
      observe_batch(state, region, {{0, 1, 3, "failed"}});
      finish(state, region);
      CHECK(state.problem(0).choice == 0);
    }
    SECTION("once: " + std::to_string(expected.choice)) {
      finish(state, region);
      CHECK(state.problem(0).choice == expected.choice);
      const Contest& rematch = state.contests().at(2);
      CHECK(rematch.kind == Contest::Kind::problem);
      CHECK(rematch.contenders.size() == 2);
      CHECK(rematch.contenders.front().makespan.count == 10);
      CHECK_THAT(rematch.reason, ContainsSubstring(expected.reason));
      CHECK(state.contests().size() == (expected.choice == 0 ? 3 : 4));  // with a verdict
    }
  }
}

TEST_CASE("finals let a small gain of the makespan show itself again", "[unit]") {
  for (const std::int64_t later : {990000, 1000000}) {
    TuningState state{with_finals()};
    bool walked = false;
    std::size_t use = 0;
    const std::vector<std::int64_t> noisy = {1000000, 990000, 985000, 995000, 998000, 991000};
    const ModelRegion region{[](std::size_t, const Assignment&) { return 100000; },
                             [&](const Assignment& a) {
                               if (a[0] == 0 || !walked) {
                                 return std::int64_t{1000000};
                               }
                               return state.contests().empty() ? noisy[use++ % noisy.size()] : later;
                             }};
    walk(state, {2}, region);
    walked = true;
    observe_batch(state, region);
    REQUIRE(state.contests().size() == 1);
    CHECK_THAT(
        state.contests()[0].reason,
        ContainsSubstring("so far config-1 replaces config-0: makespan 0.9 % shorter (paired, 5 rounds)"));
    CHECK(state.problem(0).choice == 0);
    finish(state, region);
    CHECK(state.problem(0).choice == (later == 990000 ? 1 : 0));
  }
}

TEST_CASE("finals let all that tie for a gain meet again, and begin anew where only the choice is left",
          "[unit]") {
  // Config 2 gains 3 % in every round; config 1 gains 2.2 % with so much noise that it ties, and has the
  // lower index.
  const std::vector<std::int64_t> noisy = {978000, 978000, 970000, 986000, 978000, 966000};
  TuningState state{with_finals()};
  bool walked = false;
  std::size_t use = 0;
  const ModelRegion region{[](std::size_t, const Assignment&) { return 100000; },
                           [&](const Assignment& a) {
                             if (!walked || a[0] == 0) {
                               return std::int64_t{1000000};
                             }
                             return a[0] == 2                  ? std::int64_t{970000}
                                    : state.contests().empty() ? noisy[use++ % noisy.size()]
                                                               : std::int64_t{1000000};
                           }};
  walk(state, {3}, region);
  walked = true;
  observe_batch(state, region);
  REQUIRE(state.contests().size() == 1);
  CHECK_THAT(state.contests()[0].reason, ContainsSubstring("they meet again: config-0, config-1, config-2"));
  CHECK(state.contests()[0].contenders.front().chosen);
  SECTION("what was real shows again") {
    finish(state, region);
    CHECK(state.problem(0).choice == 2);
  }
  SECTION("a rejected one leaves the others") {
    observe_batch(state, region, {{0, 2, 4, "failed"}});
    finish(state, region);
    CHECK(state.problem(0).choice == 0);
  }
}

TEST_CASE("finals let those that tie by own time come along where a gain has to show itself again",
          "[unit]") {
  // The walk saw config 2 ahead, which ties with the default; config 1 seems to gain.
  const std::vector<std::int64_t> noisy = {1000000, 990000, 985000, 995000, 998000, 991000};
  TuningState state{with_finals()};
  bool walked = false;
  std::size_t use = 0;
  const ModelRegion region{
      [&](std::size_t, const Assignment& a) { return a[0] == 2 && !walked ? 90000 : 100000; },
      [&](const Assignment& a) {
        return a[0] == 1 && walked && state.contests().size() == 1 ? noisy[use++ % noisy.size()]
                                                                   : std::int64_t{1000000};
      }};
  walk(state, {3}, region);
  walked = true;
  CHECK(state.problem(0).choice == 2);
  finish(state, region);
  CHECK_THAT(state.contests().at(1).reason,
             ContainsSubstring("they meet again: config-2, config-0, config-1"));
  CHECK(state.problem(0).choice == 0);
}

TEST_CASE("finals' changes by own time do not add up to what the makespan feels", "[unit]") {
  // Config 1 makes the region of five problems shorter; config 2 has the shorter own time and costs 0.4 % of
  // it.
  const std::vector<std::int64_t> own = {100000, 80000, 70000};
  const std::vector<std::int64_t> added = {20000, 0, 4000};
  TuningState state{with_finals()};
  const ModelRegion region{[&](std::size_t p, const Assignment& a) { return own[a[p]]; },
                           [&](const Assignment& a) {
                             std::int64_t makespan = 900000;
                             for (const std::size_t config : a) {
                               makespan += added[config];
                             }
                             return makespan;
                           }};
  walk(state, std::vector<std::size_t>(5, 3), region);
  finish(state, region);
  std::int64_t makespan = 0;
  for (std::size_t p = 0; p < 5; ++p) {
    makespan += added[state.problem(p).choice];
  }
  CHECK(makespan <= 4500);  // the margin of a tie, once
}

TEST_CASE("finals take a longer makespan for a tie only where it is not so after more rounds", "[unit]") {
  // Config 1 has the shorter own time; its makespan is 0.9 % longer with much noise, later without.
  const std::vector<std::int64_t> noisy = {1009000, 1009000, 1001000, 1025000, 1015000, 997000};
  TuningState state{with_finals()};
  bool walked = false;
  std::size_t use = 0;
  const ModelRegion region{
      [&](std::size_t, const Assignment& a) { return a[0] == 0 || !walked ? 100000 : 89000; },
      [&](const Assignment& a) {
        if (!walked || a[0] == 0) {
          return std::int64_t{1000000};
        }
        return state.contests().empty() ? noisy[use++ % noisy.size()] : std::int64_t{1009000};
      }};
  walk(state, {2}, region);
  walked = true;
  observe_batch(state, region);
  REQUIRE(state.contests().size() == 1);
  CHECK_THAT(state.contests()[0].reason, ContainsSubstring("they meet again"));
  finish(state, region);
  CHECK(state.problem(0).choice == 0);
}

TEST_CASE("finals do not let a makespan that ties by its noise keep others out", "[unit]") {
  // The walk chose config 1. Config 2 is 10 % shorter by own time; config 3 by more, but makes the region 2 %
  // longer.
  const std::vector<std::int64_t> noisy = {1020000, 1020000, 1005000, 1035000, 1028000, 1008000};
  const std::vector<std::int64_t> in_walk = {120000, 80000, 90000, 95000};
  const std::vector<std::int64_t> in_finals = {120000, 100000, 90000, 80000};
  TuningState state{with_finals()};
  bool walked = false;
  std::size_t use = 0;
  const ModelRegion region{
      [&](std::size_t, const Assignment& a) { return (walked ? in_finals : in_walk)[a[0]]; },
      [&](const Assignment& a) {
        if (a[0] != 3) {
          return std::int64_t{1000000};
        }
        return state.contests().size() == 1 ? noisy[use++ % noisy.size()] : std::int64_t{1020000};
      }};
  walk(state, {4}, region);
  walked = true;
  CHECK(state.problem(0).choice == 1);
  finish(state, region);
  CHECK(state.problem(0).choice == 2);
}

TEST_CASE("finals settle a tie among those that have own times", "[unit]") {
  const DriftingRegion region({100000, 97000, 98000}, {100000, 100000, 0}, {1000000, 1000000, 1000000});
  CHECK(region.walked() == 1);
  CHECK(region.choice() == 0);
}

TEST_CASE("finals have no second pass for changes that the makespan does not feel", "[unit]") {
  TuningState state{with_finals()};
  const Table in_walk = {{100000, 97000}, {100000, 97000}};
  const ModelRegion region{[&](std::size_t p, const Assignment& a) {
                             return state.contests().empty() ? in_walk[p][a[p]] : 100000;
                           },
                           [](const Assignment&) { return 1000000; }};
  walk(state, {2, 2}, region);
  finish(state, region);
  CHECK(state.problem(0).choice == 0);
  CHECK(state.problem(1).choice == 0);
  for (const Contest& contest : state.contests()) {
    CHECK(contest.pass == 0);
  }
}

TEST_CASE("finals take a round again in which the problem on trial was not launched", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region = coupled_region(selfish_times, selfish_makespans);
  walk(state, {3, 3}, region);
  observe_batch(state, region);
  REQUIRE(state.contests().size() == 1);
  BatchOutcome outcome;
  const auto plans = state.plan(state.suggested_length());
  for (const IterationPlan& plan : plans) {
    outcome.iterations.push_back(run_region(region, assignment_of(plan)));
    outcome.iterations.back().cells[1].launched = false;  // fixed: does not matter
  }
  outcome.iterations.back().cells[0].launched = false;
  state.observe(plans, outcome);
  CHECK(state.contests().size() == 1);
  CHECK(state.suggested_length() == 3);
  observe_batch(state, region);
  CHECK(state.contests().size() == 2);
  CHECK(state.retakes() == 1);
}

TEST_CASE("finals refuse the outcome of a plan that a rejection made void", "[unit]") {
  TuningState state{with_finals()};
  const ModelRegion region = coupled_region(selfish_times, selfish_makespans);
  walk(state, {3, 3}, region);
  const auto plans = state.plan(state.suggested_length());
  BatchOutcome outcome;
  for (const IterationPlan& plan : plans) {
    outcome.iterations.push_back(run_region(region, assignment_of(plan)));
  }
  state.reject({{0, 1, 0, "cannot be prepared"}});  // the walk's choice: another contest begins
  CHECK_THROWS_AS(state.observe(plans, outcome), contextual::InvalidArgument);
}

TEST_CASE(
    "holds 17: finals take a gain that the errors of an erratic choice hide, where no makespans overlap",
    "[unit]") {
  // All makespans of the default are longer than those of config 1, in the median by much less than their
  // errors.
  const std::vector<std::int64_t> erratic = {400000, 900000, 5000000, 12000000, 20000000};
  bool walked = false;
  std::size_t use = 0;
  TuningState state{with_finals()};
  const ModelRegion region{
      [](std::size_t, const Assignment&) { return 100000; },
      [&](const Assignment& a) { return a[0] == 1 || !walked ? 300000 : erratic[use++ % erratic.size()]; }};
  walk(state, {2}, region);
  walked = true;
  CHECK(state.problem(0).choice == 0);
  finish(state, region);
  CHECK(state.problem(0).choice == 1);
  CHECK_THAT(state.problem(0).reason, ContainsSubstring("changed from config-0: makespan"));
}

TEST_CASE("finals leave a default out that is no candidate, also of the sets", "[unit]") {
  // With both defaults the region would be fastest.
  TuningState state{with_finals()};
  const ModelRegion region =
      coupled_region({{100, 50, 60}, {100, 50, 60}},
                     {{100000, 900000, 900000}, {900000, 1000000, 950000}, {900000, 950000, 990000}});
  state.add_problem({3, {true, false, false}, std::nullopt});
  state.add_problem({3, {}, std::nullopt});
  finish(state, region);
  CHECK(state.problem(0).choice != 0);
  CHECK(state.problem(1).choice == 0);
  for (const Contest& contest : state.contests()) {
    for (const Contender& contender : contest.contenders) {
      CHECK((contest.kind != Contest::Kind::problem || contest.problem != 0 || contender.config_id != 0));
    }
  }
}
