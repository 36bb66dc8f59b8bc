#include "contextual/journal/history.hpp"

#include "support/catch.hpp"

#include <limits>

namespace contextual::policy::history_test {

using namespace journal;

namespace {

std::string batch(std::uint64_t number, bool comparing = false) {
  BatchRecord record{.number = number, .comparing = comparing};
  return line_of(record);
}

const std::string begins = line_of(Event::begins, {"kernels"});
const std::string heading = line_of(Event::heading, {"one run", "a set", "another set"});

/// Nothing in it is as it is by default.
BatchRecord some_record() {
  BatchRecord record{.plan_digest = std::numeric_limits<std::uint64_t>::max(),
                     .length = 8,
                     .joined = "gemm (1); norm (2)",
                     .unprepared = true};
  IterationOutcome iteration{.cells = {{true, 12'345, false, true},
                                       {false, std::nullopt, true, false, true, false},
                                       {true, std::nullopt, false, true, false, true}},
                             .makespan_ns = 99};
  record.outcome.iterations.push_back(iteration);
  iteration.makespan_ns.reset();
  iteration.infeasible = "wrong beside the other";
  record.outcome.iterations.push_back(iteration);
  record.outcome.rejections = {{1, 7, 5, "too much \"shared\" memory\n", false, {1, 3}},
                               {2, 1, 0, "", true, {}}};
  record.outcome.elapsed_ns = 123'456'789'012;
  record.comparing = true;
  return record;
}

History history_of(const std::vector<std::string>& lines) {
  History history;
  for (const std::string& line : lines) {
    history.take_in(line);
  }
  return history;
}

}  // namespace

TEST_CASE("history: a batch comes back from its line as it was") {
  const BatchRecord record = some_record();
  const std::string line = line_of(record);
  CHECK(line.find('\n') == std::string::npos);
  const History history = history_of({begins, heading, line});
  REQUIRE(history.batches.size() == 1);
  const BatchRecord& again = history.batches.front();
  CHECK(line_of(again) == line);
  CHECK(again.plan_digest == record.plan_digest);
  CHECK(again.length == 8);
  CHECK(again.joined == record.joined);
  CHECK(again.unprepared);
  CHECK(again.comparing);
  CHECK(again.outcome.elapsed_ns == record.outcome.elapsed_ns);
  REQUIRE(again.outcome.rejections.size() == 2);
  CHECK(again.outcome.rejections[0].problem == 1);
  CHECK(again.outcome.rejections[0].config_id == 7);
  CHECK(again.outcome.rejections[0].batch_iteration == 5);
  CHECK(again.outcome.rejections[0].reason == record.outcome.rejections[0].reason);
  CHECK(again.outcome.rejections[0].ranks == std::vector<int>{1, 3});
  CHECK_FALSE(again.outcome.rejections[0].left_out);
  CHECK(again.outcome.rejections[1].left_out);
  REQUIRE(again.outcome.iterations.size() == 2);
  CHECK(again.outcome.iterations[0].makespan_ns == 99);
  CHECK(again.outcome.iterations[0].infeasible.empty());
  CHECK_FALSE(again.outcome.iterations[1].makespan_ns);
  CHECK(again.outcome.iterations[1].infeasible == "wrong beside the other");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& cell = again.outcome.iterations[0].cells.at(i);
    const auto& then = record.outcome.iterations[0].cells[i];
    CHECK(cell.launched == then.launched);
    CHECK(cell.time_ns == then.time_ns);
    CHECK(cell.disturbed == then.disturbed);
    CHECK(cell.overlaps == then.overlaps);
    CHECK(cell.only_launches == then.only_launches);
    CHECK(cell.untimed == then.untimed);
  }
}

TEST_CASE("history: batches belong to their heading, and a run that goes on keeps its sets") {
  const std::string again = line_of(Event::heading, {"one run"});
  const std::string other = line_of(Event::heading, {"another run"});
  History history = history_of({begins, heading, batch(1), batch(2), begins, again, batch(3)});
  CHECK(history.heading == "one run");
  CHECK(history.starts == std::vector<std::string>{"a set", "another set"});
  CHECK(history.batches.size() == 3);
  history.take_in(other);
  CHECK(history.heading == "another run");
  CHECK(history.starts.empty());
  CHECK(history.batches.empty());
  history.take_in(heading);
  CHECK(history.starts.size() == 2);
  history.take_in(again);  // there is nothing to go on with
  CHECK(history.starts.empty());
}

TEST_CASE("history: a batch takes the place of all from its number on, and none stands alone") {
  History history = history_of({begins, heading, batch(1), batch(2), batch(3), batch(2, true)});
  REQUIRE(history.batches.size() == 2);
  CHECK(history.batches.back().comparing);
  history.take_in(batch(4));
  CHECK(history.batches.size() == 2);
}

TEST_CASE("history: a comparison that was open when the process ended is left out") {
  const History history = history_of(
      {begins, heading, batch(1), batch(2, true), batch(3), batch(4, true), batch(5, true), begins});
  CHECK(history.batches.size() == 3);
}

TEST_CASE("history: what was running last when a process ended is a death of that") {
  const std::string runs_a = line_of(Event::runs, {"a"});
  SECTION("the process ends within a batch") {
    CHECK(history_of({begins, heading, runs_a, begins}).quarantine.suspect("a"));
    CHECK(history_of({begins, runs_a, begins, runs_a, begins}).quarantine.quarantined("a"));
    CHECK(history_of({begins, line_of(Event::runs, {"a", "b"}), begins}).quarantine.suspect("b"));
  }
  SECTION("it ends after it") {
    CHECK(history_of({begins, heading, runs_a, batch(1), begins}).quarantine.empty());
    CHECK(history_of({begins, heading, runs_a, line_of(Event::back), begins}).quarantine.empty());
    CHECK(history_of({begins, heading, runs_a, line_of(Event::called_off), begins}).quarantine.empty());
  }
  SECTION("the suspect runs well") {
    CHECK(history_of({begins, runs_a, begins, heading, runs_a, batch(1), runs_a, begins})
              .quarantine.quarantined()
              .empty());
  }
}

TEST_CASE("history: what a run that ended well has left is in quarantine") {
  const History history = history_of({begins, line_of(Event::quarantine, {"a", "b"})});
  CHECK(history.quarantine.quarantined() == std::vector<std::string>{"a", "b"});
  CHECK(history.quarantine.kernels() == "kernels");
}

}  // namespace contextual::policy::history_test
