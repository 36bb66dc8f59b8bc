#include "support/catch.hpp"

#include <contextual/testing/communicator_conformance.hpp>

namespace contextual::one_rank_test {

TEST_CASE("one_rank: collectives give back what was put in") {
  const auto communicator = one_rank();
  std::vector<std::int64_t> values{-3, 7};
  communicator->all_reduce_max(values, Deadline::after(std::chrono::seconds(0)));
  CHECK(values == std::vector<std::int64_t>{-3, 7});
  const std::string bytes("a\0b", 3);
  CHECK(communicator->all_gather(bytes, Deadline::after(std::chrono::seconds(0))) == std::vector{bytes});
  CHECK(communicator->describe() == "one rank");
  CHECK(communicator->process_scope().empty());
}

TEST_CASE("one_rank: conforms") {
  CHECK(testing::check_communicator([](int) { return one_rank(); }, 1) == std::vector<std::string>{});
}

}  // namespace contextual::one_rank_test
