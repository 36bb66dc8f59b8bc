#include "support/catch.hpp"

#include <contextual/version.hpp>

#include <string>

namespace version_test {

using contextual::Version;

static_assert(contextual::version >= Version{0, 1, 0});
static_assert(Version{0, 1, 9} < Version{0, 2, 0} && Version{0, 9, 9} < Version{1, 0, 0});

TEST_CASE("version: the headers, the macros and the package say the same", "[unit]") {
  const auto text = std::to_string(contextual::version.major) + "." +
                    std::to_string(contextual::version.minor) + "." +
                    std::to_string(contextual::version.patch);
  CHECK(text == CONTEXTUAL_TEST_PACKAGE_VERSION);
  CHECK(contextual::version ==
        Version{CONTEXTUAL_VERSION_MAJOR, CONTEXTUAL_VERSION_MINOR, CONTEXTUAL_VERSION_PATCH});
}

}  // namespace version_test
