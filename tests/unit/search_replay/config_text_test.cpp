#include "search/config_text.hpp"

#include "support/catch.hpp"

#include <contextual/error.hpp>

namespace contextual::config_text_test {

using search_replay::config_of_text;

TEST_CASE("a config is read as it was written") {
  const Config config{{"BLOCK", 128}, {"SWIZZLE", true}, {"METHOD", "copy"}};
  CHECK(config_of_text(config.to_string()) == config);
  CHECK(config_of_text("{}") == Config{});
}

TEST_CASE("text that is no config is rejected") {
  for (const char* text : {"", "BLOCK: 128", "{BLOCK}", "{BLOCK: 128"}) {
    CHECK_THROWS_AS(config_of_text(text), InvalidArgument);
  }
}

}  // namespace contextual::config_text_test
