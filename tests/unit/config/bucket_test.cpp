#include "support/catch.hpp"

#include <contextual/bucket.hpp>

namespace contextual::bucket_test {

TEST_CASE("bucket: the power of two, or the multiple of a step, that is not below the size") {
  static_assert(bucket(4131) == 8192 && bucket(4131, 512) == 4608);
  CHECK(bucket(0) == 0);
  CHECK(bucket(0, 512) == 0);
  std::int64_t power = 1;
  for (int size = 1; size <= 4096; ++size) {
    power = size > power ? 2 * power : power;
    REQUIRE(bucket(size) == power);
    REQUIRE(bucket(size, 48) % 48 == 0);
    REQUIRE(bucket(size, 48) - size < 48);
    REQUIRE(bucket(size, 48) >= size);
  }
  CHECK(bucket(std::uint8_t{255}) == 256);
  CHECK(bucket(std::uint64_t{1} << 62) == std::int64_t{1} << 62);
}

TEST_CASE("bucket: what is no size, or no step, is refused") {
  CHECK_THROWS_AS(bucket(-1), InvalidArgument);
  CHECK_THROWS_AS(bucket(UINT64_MAX), InvalidArgument);
  CHECK_THROWS_AS(bucket(5, 0), InvalidArgument);
}

}  // namespace contextual::bucket_test
