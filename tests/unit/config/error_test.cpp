#include "support/catch.hpp"

#include <contextual/error.hpp>

namespace contextual::error_test {

TEST_CASE("TuningFailedError: message names region, kernel, key and every reason") {
  const TuningFailedError error(
      "ag_gemm", "gemm", "(4096, 4096)",
      {{0, "{BLOCK_N: 128}", "too much shared memory"}, {3, "{BLOCK_N: 256}", "wrong result"}});
  REQUIRE_THAT(error.what(), ContainsSubstring("ag_gemm") && ContainsSubstring("\"gemm\"") &&
                                 ContainsSubstring("(4096, 4096)") &&
                                 ContainsSubstring("config-0 {BLOCK_N: 128}: too much shared memory") &&
                                 ContainsSubstring("config-3 {BLOCK_N: 256}: wrong result"));
  REQUIRE(error.kernel() == "gemm");
  REQUIRE(error.rejections().size() == 2);
}

TEST_CASE("TuningFailedError: the further lines of a reason stand below its first one") {
  const TuningFailedError error("r", "k", "()", {{0, "{B: 1}", "no\nbecause"}, {1, "{B: 2}", "neither"}});
  CHECK_THAT(error.what(), ContainsSubstring("all 2 were rejected\n  config-0 {B: 1}: no\n    because\n"
                                             "  config-1 {B: 2}: neither\n"));
  CHECK_THAT(TuningFailedError("r", "no assignment", {{"k {B: 1}", "no\nbecause"}}).what(),
             ContainsSubstring("  k {B: 1}: no\n    because\n"));
}

TEST_CASE("TuningFailedError: configs are counted, not the reasons of several ranks") {
  CHECK_THAT(TuningFailedError("r", "k", "()", {{0, "{}", "no"}}).what(),
             ContainsSubstring("no config is left, the only one was rejected\n"));
  CHECK_THAT(TuningFailedError("r", "k", "()", {{0, "{}", "rank 0: no"}, {0, "{}", "rank 1: no"}}).what(),
             ContainsSubstring("no config is left, the only one was rejected\n"));
}

TEST_CASE("RegionFailedError: message names rank and cause, and the tuning iteration if there was one") {
  const RegionFailedError error("step", 3, "out of memory", 17);
  REQUIRE_THAT(error.what(), ContainsSubstring("\"step\"") && ContainsSubstring("rank 3") &&
                                 ContainsSubstring("tuning iteration 17") &&
                                 ContainsSubstring("out of memory"));
  REQUIRE(error.failed_rank() == 3);
  REQUIRE(error.tuning_iteration() == 17);
  const RegionFailedError in_set_up("step", 3, "no such timer", std::nullopt);
  REQUIRE_THAT(in_set_up.what(), ContainsSubstring("\"step\" failed on rank 3 in its set-up") &&
                                     !ContainsSubstring("tuning iteration"));
  REQUIRE_FALSE(in_set_up.tuning_iteration());
}

TEST_CASE("CommunicationError: missing ranks are named, unknown ones are not") {
  REQUIRE(std::string(CommunicationError("deadline expired", {}).what()) == "deadline expired");
  REQUIRE_THAT(CommunicationError("deadline expired", {2}).what(), ContainsSubstring("missing: rank 2)"));
  REQUIRE_THAT(CommunicationError("deadline expired", {1, 5}).what(),
               ContainsSubstring("missing: ranks 1, 5)"));
}

}  // namespace contextual::error_test
