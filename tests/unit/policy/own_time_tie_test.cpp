#include "contextual/policy/own_time_tie.hpp"

#include "support/catch.hpp"

using namespace contextual;
using namespace contextual::policy;

namespace {

using Rounds = std::vector<std::vector<std::int64_t>>;

/// Candidates 0, 1, 2, ... are the configs of `ids`.
OwnTimeDecision decide(const std::vector<std::size_t>& ids, const Rounds& own_ns) {
  std::vector<Rank> ranks;
  for (const std::size_t id : ids) {
    ranks.emplace_back(id != 0, id);
  }
  return decide_by_own_time(ranks, own_ns, 0.005, Statistic::median);
}

/// The same in every round.
Rounds steady(const std::vector<std::int64_t>& own_ns) {
  return Rounds(5, own_ns);
}

/// Steady but for one candidate.
Rounds noisy(const std::vector<std::int64_t>& own_ns, std::size_t candidate,
             const std::vector<std::int64_t>& of_candidate) {
  Rounds rounds = steady(own_ns);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    rounds[round][candidate] = of_candidate[round];
  }
  return rounds;
}

}  // namespace

TEST_CASE("own times: the shortest wins", "[unit]") {
  const OwnTimeDecision decision = decide({1, 0, 2}, steady({100'000, 120'000, 90'000}));
  CHECK(decision.winner == 2);
  CHECK(decision.told);
  CHECK(decision.shorter == Approx(0.1));
  CHECK(decision.close.empty());
}

TEST_CASE("own times: within the margin the default wins, then the lowest index", "[unit]") {
  CHECK(decide({3, 0, 1}, steady({100'000, 100'400, 100'200})).winner == 1);
  CHECK(decide({3, 5, 1}, steady({100'000, 99'900, 100'200})).winner == 2);
  CHECK_FALSE(decide({3, 5, 1}, steady({100'000, 99'900, 100'200})).told);
}

TEST_CASE("own times: a better rank is no reason where candidate 0 is slower than the fastest", "[unit]") {
  const OwnTimeDecision decision = decide({1, 2, 3}, steady({100'600, 100'300, 100'000}));
  CHECK(decision.winner == 1);
  CHECK(decision.told);
  CHECK(decision.shorter == Approx(300.0 / 100'600));
}

TEST_CASE("own times: differences are paired, so that a drift of all cancels", "[unit]") {
  const OwnTimeDecision decision = decide(
      {1, 0},
      {{100'000, 102'000}, {110'000, 112'000}, {90'000, 92'000}, {100'000, 102'000}, {95'000, 97'000}});
  CHECK(decision.winner == 0);
  CHECK(decision.close.empty());
}

TEST_CASE("own times: what the noise may have decided is close, with the fastest and the winner", "[unit]") {
  // The default is slower by 1 % in the median and by -1 to 4 % in single rounds: a tie by its noise.
  const OwnTimeDecision decision =
      decide({1, 0, 2}, noisy({0, 100'000, 130'000}, 0, {96'000, 99'500, 99'000, 98'000, 101'000}));
  CHECK(decision.winner == 1);
  CHECK(decision.close == std::vector<std::size_t>{1, 0});
}

TEST_CASE("own times: where something is close, all that might be the fastest are", "[unit]") {
  // 1 ties with the noisy 4, and is slower than 3 for sure.
  const OwnTimeDecision decision = decide(
      {1, 3, 4, 5}, noisy({100'000, 98'000, 0, 150'000}, 2, {97'000, 104'000, 91'000, 95'000, 103'000}));
  CHECK(decision.close == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("own times: a noisy default does not replace what it is slower than", "[unit]") {
  // Candidate 0, config 1, is slower than config 2 for sure; the default's median is slower than both.
  const OwnTimeDecision decision =
      decide({1, 2, 0}, noisy({101'000, 100'000, 0}, 2, {97'500, 103'000, 109'000, 98'000, 107'000}));
  CHECK(decision.winner == 1);
  CHECK(decision.fastest == 1);
  CHECK(decision.told);
  CHECK(decision.shorter > 0);
}

TEST_CASE("own times: an erratic default that is slower in every round than any of the fastest does not tie",
          "[unit]") {
  const std::vector<std::int64_t> erratic = {1'000'000, 9'000'000, 20'000'000, 1'100'000, 30'000'000};
  const OwnTimeDecision decision = decide({0, 1}, noisy({0, 200'000}, 0, erratic));
  CHECK(decision.winner == 1);
  CHECK(decision.told);
  // With one round as fast as the other it does.
  const std::vector<std::int64_t> overlapping = {200'000, 9'000'000, 20'000'000, 1'100'000, 30'000'000};
  CHECK(decide({0, 1}, noisy({0, 200'000}, 0, overlapping)).winner == 0);
}
