#include "contextual/journal/quarantine.hpp"

#include "support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace quarantine_test {

using contextual::journal::Quarantine;

namespace {

void die_of(Quarantine& quarantine, std::vector<std::string> running) {
  quarantine.about_to_run(std::move(running));
  quarantine.crash();
}

}  // namespace

TEST_CASE("quarantine: who was alone in flight at two deaths is in it", "[unit]") {
  Quarantine quarantine;
  CHECK(quarantine.empty());
  quarantine.crash();
  CHECK(quarantine.empty());
  die_of(quarantine, {"a"});
  CHECK(quarantine.suspect("a"));
  CHECK(!quarantine.quarantined("a"));
  CHECK(!quarantine.suspect("b"));
  die_of(quarantine, {"a"});
  CHECK(quarantine.quarantined("a"));
  CHECK(quarantine.quarantined() == std::vector<std::string>{"a"});
}

TEST_CASE("quarantine: of several in flight each is a suspect, however often", "[unit]") {
  Quarantine quarantine;
  for (int i = 0; i < 5; ++i) {
    die_of(quarantine, {"a", "b"});
  }
  CHECK(quarantine.suspect("a"));
  CHECK(quarantine.suspect("b"));
  CHECK(quarantine.quarantined().empty());
  die_of(quarantine, {"b"});
  CHECK(quarantine.quarantined() == std::vector<std::string>{"b"});
  die_of(quarantine, {"a", "b"});  // no step back
  CHECK(quarantine.quarantined("b"));
}

TEST_CASE("quarantine: who has run alone and well is no suspect any more, but who is in it stays", "[unit]") {
  Quarantine quarantine;
  die_of(quarantine, {"a", "b"});
  quarantine.about_to_run({"a", "b"});
  quarantine.came_back();
  CHECK(quarantine.suspect("a"));
  quarantine.about_to_run({"a"});
  quarantine.came_back();
  CHECK_FALSE(quarantine.suspect("a"));
  CHECK(quarantine.suspect("b"));
  die_of(quarantine, {"b"});
  quarantine.about_to_run({"b"});
  quarantine.came_back();
  CHECK(quarantine.quarantined("b"));
}

TEST_CASE("quarantine: what ended otherwise is neither a death nor a good run", "[unit]") {
  Quarantine quarantine;
  quarantine.about_to_run({"a"});
  quarantine.did_not_run();
  quarantine.crash();
  CHECK(quarantine.empty());
  die_of(quarantine, {"a"});
  quarantine.about_to_run({"a"});
  quarantine.did_not_run();
  CHECK(quarantine.suspect("a"));
}

TEST_CASE("quarantine: what was in flight when the next process begins has ended the one before", "[unit]") {
  Quarantine quarantine;
  quarantine.begin("kernels", false);
  quarantine.about_to_run({"a"});
  quarantine.begin("kernels", false);
  CHECK(quarantine.suspect("a"));
  CHECK(quarantine.running().empty());
  quarantine.begin("kernels", false);
  CHECK_FALSE(quarantine.quarantined("a"));
}

TEST_CASE("quarantine: is forgotten with other kernels, and with the option once", "[unit]") {
  Quarantine quarantine;
  quarantine.begin("kernels", false);
  quarantine.restore({"a"});
  SECTION("other kernels, whatever was in flight") {
    quarantine.about_to_run({"b"});
    quarantine.begin("other kernels", false);
    CHECK(quarantine.empty());
    CHECK(quarantine.kernels() == "other kernels");
  }
  SECTION("the option") {
    quarantine.about_to_run({"b"});
    quarantine.begin("kernels", true);
    CHECK_FALSE(quarantine.suspect("a"));
    CHECK(quarantine.suspect("b"));
    quarantine.about_to_run({"b"});
    quarantine.begin("kernels", true);
    CHECK(quarantine.quarantined("b"));
    quarantine.begin("kernels", false);
    CHECK(quarantine.quarantined("b"));
    quarantine.begin("kernels", true);
    CHECK(quarantine.empty());
  }
}

}  // namespace quarantine_test
