#include "contextual/policy/search/trial_ledger.hpp"

#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"

namespace contextual::policy::search::test::trial_ledger_test {

TEST_CASE("TrialLedger: the value of a visit is the mean logarithm of its samples") {
  TrialLedger ledger;
  ledger.add(trial({0, 1}, {9'000'000, 1'000'000, 1'200'000}));
  ledger.add(trial({0, 1}, {9'000'000, 1'100'000}));
  const std::vector<Measurement> values = ledger.makespans(ledger.lateness());
  REQUIRE(values.size() == 2);
  CHECK(values[0].assignment == Assignment{0, 1});
  CHECK(values[0].value == Approx((std::log(1'000'000) + std::log(1'200'000)) / 2));
  CHECK(values[0].samples == 2);
  CHECK(values[0].extra_variance == 0);
  CHECK(values[1].value == Approx(std::log(1'100'000)));
  CHECK(ledger.visits({0, 1}) == 2);
  CHECK(ledger.visits({0, 0}) == 0);
}

TEST_CASE("TrialLedger: a first run alone proves and is a lead-in without samples") {
  TrialLedger ledger;
  ledger.add(trial({1, 1}, {1000}));
  CHECK(ledger.proven({1, 1}));
  CHECK(ledger.visits({1, 1}) == 0);
  const std::vector<Measurement> values = ledger.makespans(ledger.lateness());
  REQUIRE(values.size() == 1);
  const Lateness usual;
  CHECK(values[0].samples == 0);
  CHECK(values[0].value == Approx(std::log(1000) - usual.mean));
  CHECK(values[0].extra_variance == Approx(usual.deviation * usual.deviation));
}

TEST_CASE("TrialLedger counts every run, and one for a failure") {
  TrialLedger ledger;
  ledger.add(trial({0, 0}, {1000, 1000, 1000}));
  CHECK(ledger.runs() == 3);
  ledger.add(failure({1, 0}));
  CHECK(ledger.runs() == 4);
  ledger.add(trial({0, 1}, {1000}));
  CHECK(ledger.runs() == 5);
  const std::vector<Measurement> values = ledger.makespans(ledger.lateness());
  REQUIRE(values.size() == 2);
  CHECK(values[0].run == 0);
  CHECK(values[1].run == 4);
}

TEST_CASE("TrialLedger: lateness is the usual one until three visits show their own") {
  TrialLedger ledger;
  ledger.add(trial({0}, {1500, 1000}));
  ledger.add(trial({1}, {1500, 1000}));
  CHECK(ledger.lateness().mean == Lateness{}.mean);
  CHECK(ledger.lateness().deviation == Lateness{}.deviation);
  ledger.add(trial({2}, {1500, 1000}));
  CHECK(ledger.lateness().mean == Approx(std::log(1.5)));
  CHECK(ledger.lateness().deviation == Approx(0.002).epsilon(1e-6));
}

TEST_CASE("TrialLedger: lead-ins that are all equally late have the least deviation") {
  for (std::int64_t lead_in_ns = 1001; lead_in_ns < 3000; lead_in_ns += 97) {
    CAPTURE(lead_in_ns);
    TrialLedger ledger;
    for (std::size_t i = 0; i < 7; ++i) {
      ledger.add(trial({i}, {lead_in_ns, 1000}));
    }
    CHECK(ledger.lateness().deviation == Approx(0.002).epsilon(1e-6));
  }
}

TEST_CASE("TrialLedger: lateness leaves out the longest tenth") {
  TrialLedger ledger;
  for (int i = 0; i < 9; ++i) {
    ledger.add(trial({0}, {i % 2 == 0 ? 1100 : 1300, 1000}));
  }
  ledger.add(trial({0}, {90000, 1000}));
  const double low = std::log(1.1);
  const double high = std::log(1.3);
  const double mean = (5 * low + 4 * high) / 9;
  const double variance = (5 * (low - mean) * (low - mean) + 4 * (high - mean) * (high - mean)) / 9;
  CHECK(ledger.lateness().mean == Approx(mean));
  CHECK(ledger.lateness().deviation == Approx(1.5 * std::sqrt(variance) + 0.002));
}

TEST_CASE("TrialLedger: lateness is taken off lead-ins that came before it was known") {
  TrialLedger ledger;
  ledger.add(trial({3}, {3000}));
  for (std::size_t i = 0; i < 3; ++i) {
    ledger.add(trial({i}, {1500, 1000}));
  }
  const std::vector<Measurement> values = ledger.makespans(ledger.lateness());
  REQUIRE(values.size() == 4);
  CHECK(values.front().assignment == Assignment{3});
  CHECK(values.front().value == Approx(std::log(2000)));
}

TEST_CASE("TrialLedger: missing makespans leave nothing, and those that are known count") {
  TrialLedger ledger;
  ledger.add(trial({0}, {std::nullopt, std::nullopt}));
  CHECK(ledger.makespans(ledger.lateness()).empty());
  CHECK(ledger.proven({0}));
  CHECK(ledger.visits({0}) == 0);
  ledger.add(trial({0}, {std::nullopt, 1000, std::nullopt}));
  CHECK(only(ledger.makespans(ledger.lateness())).value == Approx(std::log(1000)));
  CHECK(ledger.makespans(ledger.lateness())[0].samples == 1);
  ledger.add(trial({1}, {1200, std::nullopt}));  // only the lead-in is known
  REQUIRE(ledger.makespans(ledger.lateness()).size() == 2);
  CHECK(ledger.makespans(ledger.lateness())[1].samples == 0);
  CHECK(ledger.runs() == 7);
}

TEST_CASE("TrialLedger: what fails is infeasible, even if it succeeded before") {
  TrialLedger ledger;
  ledger.add(trial({0}, {1000}));
  ledger.add(trial({1}, {1000}));
  ledger.add(failure({1}));
  CHECK_FALSE(ledger.proven({1}));
  CHECK(ledger.infeasible({1}));
  CHECK_FALSE(ledger.infeasible({0}));
  const std::vector<Measurement> failures = ledger.failures();
  REQUIRE(failures.size() == 2);
  for (const Measurement& measurement : failures) {
    CHECK(measurement.value == (measurement.assignment == Assignment{1} ? 1 : 0));
    CHECK(measurement.samples == 1);
  }
}

TEST_CASE("TrialLedger: the walk's runs are samples before the first run") {
  TrialLedger ledger;
  ledger.add_walked({{0, 0}, trial({0, 0}, {1000, 1100, 1050}).runs});
  ledger.add_walked({{1, 0}, {}});
  ledger.add_walked({{0, 1}, trial({0, 1}, {std::nullopt}).runs});
  ledger.add(trial({1, 1}, {2000, 2000}));
  CHECK(ledger.runs() == 2);
  CHECK(ledger.proven({0, 0}));
  CHECK(ledger.infeasible({1, 0}));
  CHECK(ledger.proven({0, 1}));
  CHECK(ledger.visited().size() == 2);
  const std::vector<Measurement> values = ledger.makespans(ledger.lateness());
  REQUIRE(values.size() == 2);
  CHECK(values[0].value == Approx((std::log(1000) + std::log(1050) + std::log(1100)) / 3));
  CHECK(values[0].samples == 3);
  CHECK(values[1].run == 4);  // after the walk's
}

TEST_CASE("TrialLedger: in short regions a visit is the mean without its late second run") {
  TrialLedger ledger;
  for (int visit = 0; visit < 4; ++visit) {
    ledger.add(trial({0}, {150'000, 110'000, 100'000, 102'000}));
  }
  CHECK(ledger.second_runs_are_late());
  CHECK(ledger.makespans(ledger.lateness()).back().samples == 2);
  TrialLedger punctual;
  for (int visit = 0; visit < 4; ++visit) {
    punctual.add(trial({0}, {150'000, 100'000, 100'000, 100'000}));
  }
  CHECK_FALSE(punctual.second_runs_are_late());
  CHECK(punctual.makespans(punctual.lateness()).back().samples == 3);
}

TEST_CASE("TrialLedger: two values that both come again are what an assignment costs") {
  TrialLedger ledger;
  for (int visit = 0; visit < 12; ++visit) {
    ledger.add(trial({0}, {2000, 1000 + visit}));
    ledger.add(trial({1}, {2000, visit % 4 == 0 ? 1400 : 900}));
  }
  CHECK_FALSE(ledger.erratic({0}));
  CHECK(ledger.erratic({1}));
  double mean = 0;
  for (const Measurement& visit : ledger.makespans(ledger.lateness())) {
    if (visit.assignment == Assignment{1}) {
      CHECK(visit.extra_variance > 0.01);  // no few of them say much
      mean += visit.value / 12;
    }
  }
  CHECK(mean == Approx(std::log(1025)).margin(0.005));
  CHECK(ledger.has_erratic());
  CHECK(ledger.error({0}) < 0.003);
  CHECK(ledger.error({1}) > 0.03);
  CHECK(ledger.error({2}) == 0);
}

TEST_CASE("TrialLedger: the one visit that is far longer than many others says little") {
  TrialLedger ledger;
  for (const std::int64_t makespan : {1000, 1010, 990, 1005, 995, 1000, 998, 1003, 1001, 999, 1600}) {
    ledger.add(trial({0}, {2000, makespan}));
    ledger.add(trial({1}, {2000, 2 * std::min<std::int64_t>(makespan, 1010)}));
  }
  ledger.add(trial({2}, {9000, 9000}));  // nothing to compare it with
  int doubted = 0;
  for (const Measurement& visit : ledger.makespans(ledger.lateness())) {
    if (visit.extra_variance > 0) {
      ++doubted;
      CHECK(visit.value == Approx(std::log(1600)));
      CHECK(visit.extra_variance == Approx(0.22).margin(0.02));
    }
  }
  CHECK(doubted == 1);
}

TEST_CASE("TrialLedger: a visit far shorter than the others to its assignment counts as they do") {
  TrialLedger ledger;
  for (int i = 0; i < 12; ++i) {
    ledger.add(trial({0}, {2000, i == 6 ? 500 : 1000 + i}));
  }
  const std::vector<Measurement> visits = ledger.makespans(ledger.lateness());
  for (const Measurement& visit : visits) {
    CHECK(visit.extra_variance == visits[6].extra_variance);  // all say the same
  }
}

TEST_CASE("TrialLedger: later measurements do not move the earlier ones") {
  TrialLedger ledger;
  ledger.add(trial({3}, {3000}));
  ledger.add(trial({1}, {1500, 1000}));
  ledger.add(failure({2}));
  ledger.add(trial({0}, {2000}));
  const std::vector<Measurement> values = ledger.makespans({});
  REQUIRE(values.size() == 3);
  CHECK(values[0].assignment == Assignment{3});
  CHECK(values[1].assignment == Assignment{1});
  CHECK(values[2].assignment == Assignment{0});
  std::vector<Measurement> failures = ledger.failures();
  REQUIRE(failures.size() == 4);
  CHECK(failures[2].assignment == Assignment{2});
  CHECK(failures[2].value == 1);
  ledger.add(failure({3}));  // after a success
  failures = ledger.failures();
  REQUIRE(failures.size() == 4);
  CHECK(failures[0].value == 1);
}

}  // namespace contextual::policy::search::test::trial_ledger_test
