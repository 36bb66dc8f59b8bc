#include "support/catch.hpp"

#include <contextual/version.hpp>

namespace contextual::version_test {

static_assert(version >= Version{0, 1, 0});
static_assert(Version{0, 1, 9} < Version{0, 2, 0} && Version{0, 9, 9} < Version{1, 0, 0});

TEST_CASE("version: the headers, the macros and the package say the same") {
  const auto text = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                    std::to_string(version.patch);
  CHECK(text == CONTEXTUAL_TEST_PACKAGE_VERSION);
  CHECK(version == Version{CONTEXTUAL_VERSION_MAJOR, CONTEXTUAL_VERSION_MINOR, CONTEXTUAL_VERSION_PATCH});
}

}  // namespace contextual::version_test
