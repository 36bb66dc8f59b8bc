#include "kernels/cuda/gemm_sizes.hpp"

#include "support/catch.hpp"

#include <contextual/error.hpp>

namespace contextual::kernels::cuda::gemm_sizes_test {

TEST_CASE("buckets of rows: powers of two to 512, then multiples of 512") {
  std::set<int> buckets;
  for (int m = 1; m <= 2048; ++m) {
    const int bucket = bucket_of(m);
    REQUIRE(bucket >= m);
    REQUIRE(bucket_of(bucket) == bucket);
    REQUIRE(bucket >= bucket_of(m > 1 ? m - 1 : 1));
    buckets.insert(bucket);
  }
  CHECK(buckets == std::set{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048});
  CHECK(bucket_of(8193) == 8704);
}

TEST_CASE("rows of a call: 0 means all, and more than the shape has is an invalid argument") {
  CHECK(rows_of_call("layer", 0, 100) == 100);
  CHECK(rows_of_call("layer", 1, 100) == 1);
  CHECK(rows_of_call("layer", 100, 100) == 100);
  CHECK_THROWS_AS(rows_of_call("layer", 101, 100), InvalidArgument);
  CHECK_THROWS_AS(rows_of_call("layer", -1, 100), InvalidArgument);
}

TEST_CASE("pitches: 0 means dense, and other ones are multiples of 8 and hold a row") {
  CHECK(row_pitch(0, 24) == 24);
  CHECK(row_pitch(32, 24) == 32);
  for (const int good : {0, 24, 32}) {
    CHECK_NOTHROW(check_pitch("layer", "c_pitch", good, 24));
  }
  for (const int bad : {-8, 16, 28}) {
    CHECK_THROWS_AS(check_pitch("layer", "c_pitch", bad, 24), InvalidArgument);
  }
}

}  // namespace contextual::kernels::cuda::gemm_sizes_test
