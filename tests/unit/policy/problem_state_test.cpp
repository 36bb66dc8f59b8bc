#include "contextual/policy/problem_state.hpp"

#include "support/catch.hpp"
#include "unit/policy/reason_words.hpp"

namespace contextual::policy::test::problem_state_test {

TEST_CASE("ProblemState::best_so_far names the best complete config while the walk goes on") {
  const PolicyOptions options{.n_warmup = 1};
  ProblemState state({3, {}, std::nullopt}, options);
  const std::vector<std::int64_t> times_ns{100000, 80000, 90000};
  for (int steps = 0; steps < 14; ++steps) {
    CHECK(state.best_so_far() == (steps < 12 ? std::nullopt : std::optional<std::size_t>(1)));
    const std::size_t config = state.plan(1).front().config_id;
    state.observe(config, {true, times_ns[config]}, std::nullopt);
  }
  state.reject(1, told("wrong result"));
  CHECK(state.best_so_far() == std::nullopt);  // the default is the best that is complete

  ProblemState unmeasured({3, {}, std::nullopt}, options);
  unmeasured.reject(0, told("cannot be prepared"));
  CHECK(unmeasured.best_so_far() == std::nullopt);
}

TEST_CASE("ProblemState::compare_alternatives begins with the first one that is left") {
  const PolicyOptions options;
  ProblemRequest request{4, {true, false, false, false}, std::nullopt};
  request.choice_point = true;
  ProblemState state(request, options);
  state.hold(3);
  state.reject(3, told("stuck"));
  REQUIRE(state.record().choice == 0);  // which is left out
  state.compare_alternatives(ProblemState::Comparison::by_search);
  CHECK(state.record().choice == 1);
}

TEST_CASE("ProblemState::share is the whole makespan while it is not known") {
  PolicyOptions options;
  ProblemState state({2, {}, std::nullopt}, options);
  CHECK(state.share() == 1);
  state.observe(0, {true, 30'000}, 100'000);
  state.observe(0, {true, 20'000}, 100'000);
  CHECK(state.share() == 0.3);
}

TEST_CASE("ProblemState: the reason names what the walk chose where the search has chosen another config") {
  const auto reason_for = [](std::size_t chosen) {
    const PolicyOptions options{.n_warmup = 1, .n_repeat = 1};
    ProblemState state({2, {}, std::nullopt}, options);
    for (const std::size_t config : {0U, 0U, 1U, 1U}) {
      state.observe(config, {true, config == 0 ? 90'000 : 50'000}, 100'000);
    }
    REQUIRE(state.walked());
    state.choose(chosen, told("the shortest"));
    return text(state.record().reason);
  };
  CHECK_THAT(reason_for(1), ContainsSubstring("search: the shortest; walk: fastest by own time"));
  CHECK_THAT(reason_for(0), ContainsSubstring("search: the shortest; walk: config-1, fastest by own time"));
}

}  // namespace contextual::policy::test::problem_state_test
