#include "report/format/printable.hpp"

#include "support/catch.hpp"

namespace printable_test {

using namespace contextual::log_report;

TEST_CASE("printable: bytes that are no UTF-8 are escaped one by one", "[unit]") {
  CHECK(printable("\xc3\x28\xed\xa0\x80") == "\\xc3(\\xed\\xa0\\x80");
}

}  // namespace printable_test
