#include "contextual/agreement/majority.hpp"

#include "support/catch.hpp"

namespace majority_test {

using contextual::agreement::majority_of;

TEST_CASE("majority: the odd one out is named, wherever it is", "[unit]") {
  for (std::size_t odd = 0; odd < 4; ++odd) {
    std::vector<std::string> texts(4, "same");
    texts[odd] = "other";
    const auto majority = majority_of(texts);
    CHECK(majority.differing == std::vector<int>{static_cast<int>(odd)});
    CHECK(majority.reference == (odd == 0 ? 1U : 0U));
  }
}

TEST_CASE("majority: without more than half nobody is right, so all are named", "[unit]") {
  CHECK(majority_of({"a", "b"}).differing == std::vector<int>{0, 1});
  CHECK(majority_of({"a", "a", "b", "b"}).differing == std::vector<int>{0, 1, 2, 3});
  CHECK(majority_of({"a", "b", "c", "c", "c"}).differing == std::vector<int>{0, 1});
}

TEST_CASE("majority: equal texts differ nowhere", "[unit]") {
  CHECK(majority_of({"a", "a", "a"}).differing.empty());
  CHECK(majority_of({"a"}).differing.empty());
}

}  // namespace majority_test
