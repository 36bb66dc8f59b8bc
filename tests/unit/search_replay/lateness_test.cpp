#include "search/lateness.hpp"

#include "support/catch.hpp"

namespace lateness_test {

using search_replay::Lateness;
using search_replay::RandomNumbers;

namespace {

struct MeanDelays {
  double first = 0;
  double second = 0;
};

MeanDelays mean_delays(double best_ns) {
  RandomNumbers random(1);
  Lateness lateness(best_ns);
  MeanDelays means;
  const int changes = 20000;
  for (std::size_t change = 0; change < changes; ++change) {
    means.first += lateness.next({change}, random) / changes;
    means.second += lateness.next({change}, random) / changes;
  }
  return means;
}

}  // namespace

TEST_CASE("the first two runs after a change or an exchange are late, the third is not") {
  RandomNumbers random(1);
  Lateness lateness(1e6);
  const auto check_disorder = [&](const contextual::Assignment& assignment) {
    CHECK(lateness.next(assignment, random) > 0);
    CHECK(lateness.next(assignment, random) > 0);
    CHECK(lateness.next(assignment, random) == 0);
  };
  check_disorder({0, 0});
  check_disorder({0, 1});
  lateness.exchange();
  check_disorder({0, 1});
}

TEST_CASE("delays have the recorded means, which are larger for brief regions") {
  const double of_far_too_long = 0.05 * 0.4;
  CHECK(mean_delays(1e6).first == Approx(0.04 + of_far_too_long).epsilon(0.1));
  CHECK(mean_delays(1e6).second == Approx(0.004).epsilon(0.1));
  CHECK(mean_delays(1e5).first == Approx(0.15 + of_far_too_long).epsilon(0.1));
  CHECK(mean_delays(1e5).second == Approx(0.03).epsilon(0.1));
}

}  // namespace lateness_test
