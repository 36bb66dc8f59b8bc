#include "search/random_numbers.hpp"

#include "support/catch.hpp"

namespace random_numbers_test {

using search_replay::RandomNumbers;

TEST_CASE("random numbers are the published generator's") {
  // xoshiro256++ with the state that splitmix64 makes of seed 0, by the authors' C code.
  RandomNumbers random(0);
  CHECK(random.next() == 0x53175d61490b23dfU);
  CHECK(random.next() == 0x61da6f3dc380d507U);
}

TEST_CASE("random numbers have the moments of their distributions") {
  RandomNumbers random(1);
  const int count = 100000;
  double uniform = 0;
  double exponential = 0;
  double normal = 0;
  double normal_squared = 0;
  for (int i = 0; i < count; ++i) {
    uniform += random.uniform() / count;
    exponential += random.exponential(2) / count;
    const double drawn = random.normal();
    normal += drawn / count;
    normal_squared += drawn * drawn / count;
  }
  CHECK(uniform == Approx(0.5).margin(0.01));
  CHECK(exponential == Approx(2).margin(0.05));
  CHECK(normal == Approx(0).margin(0.02));
  CHECK(normal_squared == Approx(1).margin(0.03));
}

}  // namespace random_numbers_test
