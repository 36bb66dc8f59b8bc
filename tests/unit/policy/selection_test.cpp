#include "contextual/policy/selection.hpp"

#include "support/catch.hpp"
#include "unit/policy/reason_words.hpp"

#include <random>

namespace contextual::policy::test::selection_test {

namespace {

Entrant entrant(std::size_t config_id, double centre_ns, double standard_error_ns = 0) {
  const double reach = 10 * standard_error_ns;  // their samples overlap
  return {config_id,
          {{5, centre_ns, standard_error_ns}, standard_error_ns, centre_ns - reach, centre_ns + reach}};
}

}  // namespace

TEST_CASE("selection among nobody is empty") {
  CHECK_FALSE(select({}, 0.005));
}

TEST_CASE("selection: the fastest beyond margin and noise, else the default, else the lower index") {
  const auto selected = [](const std::vector<Entrant>& entrants, double margin = 0.005) {
    const auto selection = select(entrants, margin);
    REQUIRE(selection);
    return std::to_string(selection->config_id) + ": " + text(selection->reason);
  };
  CHECK(selected({entrant(0, 1000), entrant(1, 900), entrant(2, 877)}) ==
        "2: fastest by own time, 12.3 % shorter than the default");
  CHECK(selected({entrant(0, 1), entrant(1, 0.5)}) ==
        "1: fastest by own time, 50.0 % shorter than the default");
  // The margin.
  CHECK(selected({entrant(2, 1000), entrant(0, 1004), entrant(1, 1003)}) ==
        "0: tie with config-2: the default wins");
  CHECK(selected({entrant(0, 2000), entrant(3, 1000), entrant(1, 1004)}) ==
        "1: tie with config-3: the lower index wins");
  CHECK(selected({entrant(0, 1006), entrant(1, 1000)}) ==
        "1: fastest by own time, 0.6 % shorter than the default");
  CHECK(selected({entrant(5, 1000), entrant(4, 1000)}, 0) ==
        "4: fastest by own time, the default has no times");
  // Twice the combined standard error, 50.
  CHECK(selected({entrant(0, 1090, 30), entrant(1, 1000, 40)}) == "0: tie with config-1: the default wins");
  CHECK(selected({entrant(0, 1100, 30), entrant(1, 1000, 40)}) == "0: tie with config-1: the default wins");
  CHECK(selected({entrant(0, 1110, 30), entrant(1, 1000, 40)}) ==
        "1: fastest by own time, 9.9 % shorter than the default");
  // Who is there.
  CHECK(selected({entrant(0, 500), entrant(1, 1000)}) == "0: the default is the fastest by own time");
  CHECK(selected({entrant(3, 500)}) == "3: the only config with times");
  CHECK(selected({entrant(3, 500), entrant(4, 900)}) == "3: fastest by own time, the default has no times");
}

TEST_CASE(
    "holds 17: selection beyond the margin is no tie where the samples do not overlap, however erratic") {
  const Entrant steady{1, {2, 200'200, 40, 45, 200'160, 200'240}};
  Entrant erratic{0, {2, 6'726'000, 8'490'000, 9'000'000, 1'000'000, 12'452'000}};
  const auto selection = select({erratic, steady}, 0.005);
  REQUIRE(selection);
  CHECK(selection->config_id == 1);
  CHECK(text(selection->reason) == "fastest by own time, 97.0 % shorter than the default");
  erratic.summary.least_ns = 200'240;  // one sample overlaps: it may be as fast
  CHECK(select({erratic, steady}, 0.005)->config_id == 0);
}

TEST_CASE("selection: an erratic config wins by no lower index, and not by a lucky centre") {
  const Entrant standard{0, {5, 2'050'000, 2'000, 1'500, 2'048'000, 2'060'000}};
  const Entrant erratic{1, {5, 2'400'000, 340'000, 600'000, 1'700'000, 3'400'000}};
  const Entrant steady{2, {5, 1'900'000, 2'000, 1'500, 1'898'000, 1'910'000}};
  const auto selection = select({standard, erratic, steady}, 0.005);
  REQUIRE(selection);
  CHECK(selection->config_id == 2);
  CHECK(text(selection->reason) ==
        "fastest by own time, 7.3 % shorter than the default; config-1 is erratic");
  Entrant lucky = erratic;
  lucky.summary.centre_ns = 1'850'000;
  CHECK(select({standard, lucky, steady}, 0.005)->config_id == 2);
  Entrant noisy = steady;  // as all are where the host is busy
  noisy.summary.spread_ns = 400'000;
  CHECK(select({standard, erratic, noisy}, 0.005)->config_id == 1);
  const Entrant once{3, {1, 1'910'000, 0, 0, 1'910'000, 1'910'000}};  // a spread that nobody knows
  CHECK(select({erratic, once}, 0.005)->config_id == 1);
}

TEST_CASE(
    "selection: of configs that are equal, the lowest index wins nearly always, however busy the host") {
  constexpr int rounds = 1000;
  for (const double noise : {0.02, 0.05, 0.1}) {
    std::mt19937 random(1);
    std::normal_distribution<double> time(1'000'000, noise * 1'000'000);
    int by_index = 0;
    for (int round = 0; round < rounds; ++round) {
      std::vector<Entrant> entrants{{0, {5, 2'000'000, 1'000, 1'000, 1'990'000, 2'010'000}}};
      for (std::size_t config = 1; config <= 10; ++config) {
        std::vector<std::int64_t> samples(5);
        std::generate(samples.begin(), samples.end(), [&] { return std::llround(time(random)); });
        entrants.push_back({config, summarize(samples)});
      }
      by_index += select(entrants, 0.005)->config_id == 1 ? 1 : 0;
    }
    CAPTURE(noise, by_index);
    CHECK(by_index > rounds * 7 / 10);
  }
}

TEST_CASE("holds 17: selection within the margin is a tie though the samples do not overlap") {
  const Entrant faster{1, {3, 100'000, 10, 12, 99'990, 100'010}};
  const Entrant slower{0, {3, 100'400, 10, 12, 100'390, 100'410}};
  CHECK(select({slower, faster}, 0.005)->config_id == 0);
  CHECK(select({slower, faster}, 0.003)->config_id == 1);
}

}  // namespace contextual::policy::test::selection_test
