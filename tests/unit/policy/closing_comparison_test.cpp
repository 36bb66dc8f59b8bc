#include "contextual/policy/closing_comparison.hpp"

#include "support/catch.hpp"

#include <random>

namespace contextual::policy::closing_comparison_test {

namespace {

const Assignment reference{0, 0};
const Assignment choice{1, 2};

/// A lead-in that is far too long, then one sample.
SearchObservation visit(const SearchTrial& trial, std::optional<std::int64_t> makespan_ns) {
  SearchObservation observation{trial, {}};
  observation.runs.push_back({1'000'000, {}});
  observation.runs.push_back({makespan_ns, {}});
  return observation;
}

}  // namespace

TEST_CASE("ClosingComparison takes turns, and changes the order with each round") {
  ClosingComparison closing(reference, choice, 2);
  std::vector<Assignment> order;
  while (!closing.plan().empty()) {
    CHECK(closing.runs_left() == 2 * (4 - static_cast<std::int64_t>(order.size())));
    const SearchTrial trial = closing.plan().front();
    CHECK(trial.samples == 1);
    order.push_back(trial.assignment);
    closing.observe(visit(trial, 100));
  }
  CHECK(order == std::vector<Assignment>{reference, choice, choice, reference});
  CHECK(closing.runs_left() == 0);
}

TEST_CASE("ClosingComparison: rounds that are added share lead-ins") {
  ClosingComparison closing(reference, choice, 1);
  closing.add_rounds(5);
  CHECK(closing.runs() == 4 + 8 + 6);
  CHECK(ClosingComparison::added_rounds_in(8 + 6) == 5);
  CHECK(ClosingComparison::added_rounds_in(3) == 0);
  std::vector<int> samples;
  std::int64_t runs = 0;
  while (!closing.plan().empty()) {
    CHECK(closing.runs_left() == closing.runs() - runs);
    const SearchTrial trial = closing.plan().front();
    samples.push_back(trial.samples);
    runs += 1 + trial.samples;
    SearchObservation observation{trial, {{1'000'000, {}}}};
    for (int i = 0; i < trial.samples; ++i) {
      observation.runs.push_back({trial.assignment == reference ? 200 : 100, {}});
    }
    closing.observe(observation);
  }
  CHECK(samples == std::vector<int>{1, 1, 3, 3, 2, 2});
  CHECK(runs == closing.runs());
  CHECK(closing.result().choice.count == 6);
  CHECK(closing.result().gain->centre == Approx(0.5));
}

TEST_CASE("ClosingComparison: a choice that is slow at times does not make the reference's stalls its own") {
  ClosingComparison closing(reference, choice, 60);
  for (int round = 0; round < 60; ++round) {
    for (const SearchTrial& trial : closing.plan()) {
      const bool slow = round % 5 < 2;
      const bool stalled = round % 20 == 19;
      closing.observe(visit(trial, trial.assignment == choice ? (slow ? 300'000 : 90'000)
                                   : stalled                  ? 2'000'000
                                                              : 100'000));
    }
  }
  CHECK(closing.result().gain->high < 0);
}

TEST_CASE("ClosingComparison pairs the rounds, so that a drift cancels") {
  ClosingComparison closing(reference, choice, 5);
  std::int64_t drift = 100'000;
  while (!closing.plan().empty()) {
    for (const SearchTrial& trial : closing.plan()) {
      closing.observe(visit(trial, trial.assignment == reference ? drift : drift * 9 / 10));
    }
    drift += 10'000;
  }
  const ClosingComparison::Result result = closing.result();
  REQUIRE(result.gain);
  CHECK(result.reference.count == 5);
  CHECK(result.reference.centre_ns == 120'000);
  CHECK(result.choice.centre_ns == 108'000);
  CHECK(std::abs(result.gain->centre - 0.1) < 1e-9);
  CHECK(result.gain->high - result.gain->low < 1e-6);
  CHECK(result.noise < 1e-6);
}

TEST_CASE("ClosingComparison: the interval grows with the noise, and shrinks with the rounds") {
  const auto interval_of = [](int rounds, std::int64_t noise_ns) {
    ClosingComparison closing(reference, choice, rounds);
    std::mt19937 random(1);
    while (!closing.plan().empty()) {
      closing.observe(
          visit(closing.plan().front(), 100'000 + static_cast<std::int64_t>(random()) % noise_ns));
    }
    const auto gain = closing.result().gain;
    CHECK(gain->low < gain->centre);
    CHECK(gain->centre < gain->high);
    return gain->high - gain->low;
  };
  CHECK(interval_of(5, 2000) > interval_of(5, 200));
  CHECK(interval_of(5, 2000) > interval_of(25, 2000));
}

TEST_CASE("ClosingComparison makes up for rounds without a makespan, but not for ever") {
  ClosingComparison closing(reference, choice, 3);
  int trials = 0;
  while (!closing.plan().empty()) {
    ++trials;
    closing.observe(visit(closing.plan().front(), trials == 2 ? std::nullopt : std::optional(100)));
  }
  CHECK(trials == 2 * 4);
  CHECK(closing.result().reference.count == 3);

  ClosingComparison lost(reference, choice, 3);
  for (trials = 0; !lost.plan().empty(); ++trials) {
    lost.observe(visit(lost.plan().front(), std::nullopt));
  }
  CHECK(trials == 2 * 6);
  CHECK_FALSE(lost.result().gain);
}

TEST_CASE("ClosingComparison: a first run alone leaves the visit to be made") {
  ClosingComparison closing(reference, choice, 1);
  SearchObservation first;
  first.trial.assignment = reference;
  first.trial.samples = 0;
  first.runs.push_back({100, {}});
  closing.observe(first);
  CHECK(closing.plan().size() == 2);
  CHECK(closing.plan().front().assignment == reference);
}

TEST_CASE("ClosingComparison ends though no first run of an assignment succeeds") {
  for (const bool measured : {false, true}) {
    CAPTURE(measured);
    ClosingComparison closing(reference, choice, 3);
    int first_runs = 0;
    while (!closing.plan().empty()) {
      REQUIRE(++first_runs <= 2 * 2 * 6);
      SearchObservation first{{closing.plan().front().assignment, 0}, {}};
      first.runs.push_back({measured ? std::optional<std::int64_t>(100) : std::nullopt, {}});
      closing.observe(first);
    }
    CHECK_FALSE(closing.result().gain);
  }
}

TEST_CASE("ClosingComparison: the noise is the standard error of the gain") {
  ClosingComparison steady(reference, choice, 4);
  ClosingComparison noisy(reference, choice, 4);
  for (int trial = 0; !steady.plan().empty(); ++trial) {
    steady.observe(visit(steady.plan().front(), 100'000));
    noisy.observe(visit(noisy.plan().front(), 100'000 + 1000 * (trial % 3)));
  }
  CHECK(steady.result().noise == 0);
  CHECK(noisy.result().noise > 0.0005);
  CHECK(noisy.result().noise < 0.02);
}

}  // namespace contextual::policy::closing_comparison_test
