#include "contextual/journal/strikes.hpp"

#include "support/catch.hpp"

using contextual::journal::Strikes;

TEST_CASE("strikes: who was alone in flight twice is in quarantine", "[unit]") {
  Strikes strikes;
  CHECK(strikes.empty());
  strikes.add({});
  CHECK(strikes.empty());
  strikes.add({"a"});
  CHECK(strikes.suspect("a"));
  CHECK(!strikes.quarantined("a"));
  CHECK(!strikes.suspect("b"));
  strikes.add({"a"});
  CHECK(strikes.quarantined("a"));
  CHECK(strikes.quarantined() == std::vector<std::string>{"a"});
}

TEST_CASE("strikes: of several in flight each is a suspect, however often", "[unit]") {
  Strikes strikes;
  for (int i = 0; i < 5; ++i) {
    strikes.add({"a", "b"});
  }
  CHECK(strikes.suspect("a"));
  CHECK(strikes.suspect("b"));
  CHECK(strikes.quarantined().empty());
  strikes.add({"b"});
  CHECK(strikes.quarantined() == std::vector<std::string>{"b"});
  strikes.add({"a", "b"});  // no step back
  CHECK(strikes.quarantined("b"));
  strikes.forget_suspects();
  CHECK(!strikes.suspect("a"));
  CHECK(strikes.quarantined("b"));
}

TEST_CASE("strikes: come back from their text, and from nothing else", "[unit]") {
  Strikes strikes;
  strikes.add({"[[\"k\",\"(1)\",\"00\",3]]"});
  strikes.add({"[[\"k\",\"(1)\",\"00\",3]]"});
  strikes.add({"other"});
  const Strikes again = Strikes::parse(strikes.to_text());
  CHECK(again.quarantined("[[\"k\",\"(1)\",\"00\",3]]"));
  CHECK(again.suspect("other"));
  CHECK(!again.quarantined("other"));
  CHECK(again.to_text() == strikes.to_text());
  for (const char* text : {"", "[]", "{", "{\"a\": -1}", "{\"a\": \"2\"}", "{\"a\": 0}", "{\"a\": 1.5}"}) {
    CHECK(Strikes::parse(text).empty());
  }
  CHECK(Strikes::parse("{\"a\": 99999999999}").quarantined("a"));
}
