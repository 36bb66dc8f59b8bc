#include "contextual/options/misspelled.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

namespace misspelled_test {

using contextual::options::meant_variable;
using contextual::options::misspelled_variables;

TEST_CASE("misspelled: what is almost a variable of the library is told", "[unit]") {
  CHECK(meant_variable("CONTEXTUAL_MOD") == "MODE");
  CHECK(meant_variable("CONTEXTUAL_MODES") == "MODE");
  CHECK(meant_variable("CONTEXTUAL_CACHE_DRI") == "CACHE_DIR");
  CHECK(meant_variable("CONTEXTUAL_CACHE_DIRECTORY") == "CACHE_DIR");
  CHECK(meant_variable("CONTEXTUAL_CACHE") == "CACHE_DIR");
  CHECK(meant_variable("CONTEXTUAL_ALWAY_TUNE") == "ALWAYS_TUNE");
  CHECK(meant_variable("CONTEXTUAL_RENDEZVOUS") == "RENDEZVOUS_HOST");
}

TEST_CASE("misspelled: the prefix may be misspelled as well, and small letters are others", "[unit]") {
  CHECK(meant_variable("CONTEXUAL_CACHE_DIR") == "CACHE_DIR");
  CHECK(meant_variable("CONTEXTUALCACHE_DIR") == "CACHE_DIR");
  CHECK(meant_variable("CONTEXTUAL_mode") == "MODE");
  CHECK(meant_variable("contextual_mode") == "MODE");
  CHECK(meant_variable("Contextual_Log_Dirs") == "LOG_DIR");
  CHECK(meant_variable("CONTEXUAL_MODE") == "MODE");
}

TEST_CASE("misspelled: of a long name two letters may be wrong, and not three", "[unit]") {
  CHECK(meant_variable("CONTEXTUAL_VERZION_CHEK") == "VERSION_CHECK");
  CHECK(meant_variable("CONTEXTUAL_WERZION_CHEK").empty());
}

TEST_CASE("misspelled: of a short name one letter may be wrong, and not two", "[unit]") {
  CHECK(meant_variable("CONTEXTUAL_MODA") == "MODE");
  CHECK(meant_variable("CONTEXTUAL_HOME").empty());
  CHECK(meant_variable("CONTEXTUAL_CODES").empty());
  CHECK(meant_variable("CONTEXUAL_NODE").empty());
}

TEST_CASE("misspelled: what is known, or close to nothing, is not", "[unit]") {
  for (const char* const name :
       {"CONTEXTUAL_MODE", "CONTEXTUAL_CACHE_DIR", "CONTEXTUAL_TRUSTED_CACHE_DIR", "CONTEXTUAL_TEST_LOGS",
        "CONTEXTUAL_TEST_REPETITIONS", "CONTEXTUAL_GPU_STEP_SECONDS", "CONTEXTUAL_TIDY_TIMEOUT",
        "CONTEXTUAL_", "CONTEXTUAL_X", "CACHE_DIR", "CONTEXT_MODE", "mode", "NCCL_DEBUG", ""}) {
    INFO(name);
    CHECK(meant_variable(name).empty());
  }
}

TEST_CASE("misspelled: a warning names both", "[unit]") {
  const std::vector<std::string> warnings =
      misspelled_variables({"HOME", "CONTEXTUAL_LOGDIR", "CONTEXTUAL_MODE"});
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "environment variable CONTEXTUAL_LOGDIR is not known: is CONTEXTUAL_LOG_DIR meant?");
}

}  // namespace misspelled_test
