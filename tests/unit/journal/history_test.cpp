#include "contextual/journal/history.hpp"

#include "support/catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace history_test {

using namespace contextual::journal;

namespace {

std::string batch(std::uint64_t number, bool comparing = false) {
  BatchRecord record;
  record.batch = number;
  record.comparing = comparing;
  return to_line(record);
}

const std::string begins = begin_line("kernels");
const std::string heading =
    to_line(Heading{"region", "n_warmup=1", {{{"machine", "m"}}}, {"digest"}, {"a set"}});

History history_of(const std::vector<std::string>& lines) {
  History history;
  for (const std::string& line : lines) {
    history.take_in(line);
  }
  return history;
}

}  // namespace

TEST_CASE("history: batches belong to their heading, and a run that goes on keeps it", "[unit]") {
  const std::string again = to_line(Heading{"region", "n_warmup=1", {{{"machine", "m"}}}, {"digest"}, {}});
  const std::string other = to_line(Heading{"region", "n_warmup=2", {{{"machine", "m"}}}, {"digest"}, {}});
  History history = history_of({begins, heading, batch(1), batch(2), begins, again, batch(3)});
  CHECK(history.heading == heading);
  CHECK(history.batches.size() == 3);
  history.take_in(other);
  CHECK(history.heading == other);
  CHECK(history.batches.empty());
  history.take_in(again);  // there is nothing to go on with
  CHECK(history.heading == again);
}

TEST_CASE("history: a batch takes the place of all from its number on, and none stands alone", "[unit]") {
  History history = history_of({begins, heading, batch(1), batch(2), batch(3), batch(2, true)});
  REQUIRE(history.batches.size() == 2);
  CHECK(history.batches.back().comparing);
  history.take_in(batch(4));
  CHECK(history.batches.size() == 2);
}

TEST_CASE("history: a comparison that was open when the process ended is left out", "[unit]") {
  const History history = history_of(
      {begins, heading, batch(1), batch(2, true), batch(3), batch(4, true), batch(5, true), begins});
  CHECK(history.batches.size() == 3);
}

TEST_CASE("history: what was running last when a process ended is a death of that", "[unit]") {
  const std::string runs_a = runs_line({"a"});
  SECTION("the process ends within a batch") {
    CHECK(history_of({begins, heading, runs_a, begins}).quarantine.suspect("a"));
    CHECK(history_of({begins, runs_a, begins, runs_a, begins}).quarantine.quarantined("a"));
    CHECK(history_of({begins, runs_line({"a", "b"}), begins}).quarantine.suspect("b"));
  }
  SECTION("it ends after it") {
    CHECK(history_of({begins, heading, runs_a, batch(1), begins}).quarantine.empty());
    CHECK(history_of({begins, heading, runs_a, back_line(), begins}).quarantine.empty());
    CHECK(history_of({begins, heading, runs_a, called_off_line(), begins}).quarantine.empty());
  }
  SECTION("the suspect runs well") {
    CHECK(history_of({begins, runs_a, begins, heading, runs_a, batch(1), runs_a, begins})
              .quarantine.quarantined()
              .empty());
  }
}

TEST_CASE("history: what a run that ended well has left is in quarantine", "[unit]") {
  const History history = history_of({begins, quarantine_line({"a", "b"})});
  CHECK(history.quarantine.quarantined() == std::vector<std::string>{"a", "b"});
  CHECK(history.quarantine.kernels() == "kernels");
}

TEST_CASE("history: other lines are left out", "[unit]") {
  const History history = history_of({"", "{", "[]", "{}", "1", R"({"runs": 1})", R"({"quarantine": [1]})",
                                      R"({"begins_with": 1})", R"({"batch": "x"})", R"({"back": 1})"});
  CHECK(history.quarantine.empty());
  CHECK(history.batches.empty());
}

}  // namespace history_test
