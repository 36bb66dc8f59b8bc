#include "contextual/policy/search/random_numbers.hpp"

#include "support/catch.hpp"

namespace contextual::policy::search::random_numbers_test {

TEST_CASE("mixed is SplitMix64, whose first words for the seed 0 are known") {
  CHECK(mixed(0) == 0xe220a8397b1dcdafU);
  CHECK(mixed(0x9e3779b97f4a7c15U) == 0x6e789e6aa1b965f4U);
}

TEST_CASE("mixed of two words depends on both and on their order") {
  std::set<std::uint64_t> words;
  for (std::uint64_t a = 0; a < 32; ++a) {
    for (std::uint64_t b = 0; b < 32; ++b) {
      words.insert(mixed(a, b));
    }
  }
  CHECK(words.size() == 32U * 32U);
}

TEST_CASE("standard_normal has the moments and tails of the normal distribution") {
  constexpr int count = 40000;
  double sum = 0;
  double squares = 0;
  double fourth_powers = 0;
  int within_one = 0;
  int beyond_two = 0;
  for (int key = 0; key < count; ++key) {
    const double x = standard_normal(static_cast<std::uint64_t>(key));
    sum += x;
    squares += x * x;
    fourth_powers += x * x * x * x;
    within_one += std::abs(x) < 1 ? 1 : 0;
    beyond_two += std::abs(x) > 2 ? 1 : 0;
  }
  CHECK(std::abs(sum / count) < 4 / std::sqrt(count));
  CHECK(squares / count == Approx(1).margin(4 * std::sqrt(2.0 / count)));
  CHECK(fourth_powers / count == Approx(3 - 0.1).margin(0.2));  // twelve uniform numbers: 3 - 1.2 / 12
  CHECK(within_one / double{count} == Approx(0.683).margin(0.012));
  CHECK(beyond_two / double{count} == Approx(0.0455).margin(0.006));
}

TEST_CASE("coarse_normal has a mean of 0 and a variance of 1") {
  double sum = 0;
  double squares = 0;
  constexpr int count = 20000;
  for (std::uint64_t key = 0; key < count; ++key) {
    const double value = policy::search::coarse_normal(key);
    sum += value;
    squares += value * value;
  }
  CHECK(sum / count == Approx(0).margin(0.03));
  CHECK(squares / count == Approx(1).margin(0.03));
}

TEST_CASE("standard_normal: neighbouring keys are independent") {
  constexpr int count = 20000;
  double products = 0;
  for (std::uint64_t key = 0; key < count; ++key) {
    products += standard_normal(key) * standard_normal(key + 1);
  }
  CHECK(std::abs(products / count) < 4 / std::sqrt(double{count}));
}

TEST_CASE("RandomWords repeats with its seed and differs with another") {
  RandomWords one(1);
  RandomWords same(1);
  RandomWords other(2);
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t word = one.next();
    CHECK(word == same.next());
    CHECK(word != other.next());
  }
}

TEST_CASE("RandomWords::below: every number below the count is equally likely") {
  RandomWords words(7);
  CHECK(words.below(1) == 0);
  int counts[6] = {};
  for (int i = 0; i < 6000; ++i) {
    const std::uint64_t number = words.below(6);
    REQUIRE(number < 6);
    ++counts[number];
  }
  for (const int count : counts) {
    CHECK(count == Approx(1000).margin(120));
  }
}

}  // namespace contextual::policy::search::random_numbers_test
