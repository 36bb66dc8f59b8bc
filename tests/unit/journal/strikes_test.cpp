#include "contextual/journal/strikes.hpp"

#include "support/catch.hpp"

namespace strikes_test {

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
  const Strikes again = Strikes::parse(strikes.to_text("kernels"), "kernels");
  CHECK(again.quarantined("[[\"k\",\"(1)\",\"00\",3]]"));
  CHECK(again.suspect("other"));
  CHECK(!again.quarantined("other"));
  CHECK(again.to_text("x") == strikes.to_text("x"));
  CHECK(Strikes::parse(strikes.to_text("kernels"), "other kernels").empty());
  for (const char* text : {"", "[]", "{", "{\"a\": -1}", "{\"a\": \"2\"}", "{\"a\": 0}", "{\"a\": 1.5}"}) {
    CHECK(Strikes::parse(std::string("{\"kernels\": \"k\", \"deaths\": ") + text + "}", "k").empty());
    CHECK(Strikes::parse(text, "").empty());
  }
  CHECK(Strikes::parse("{\"kernels\": \"k\", \"deaths\": {\"a\": 99999999999}}", "k").quarantined("a"));
}

TEST_CASE("strikes: who has run alone and well is no suspect any more, but quarantine stays", "[unit]") {
  Strikes strikes;
  strikes.add({"a", "b"});
  CHECK(strikes.clear("a"));
  CHECK_FALSE(strikes.clear("a"));
  CHECK_FALSE(strikes.suspect("a"));
  CHECK(strikes.suspect("b"));
  strikes.add({"b"});
  CHECK_FALSE(strikes.clear("b"));
  CHECK(strikes.quarantined("b"));
}

}  // namespace strikes_test
