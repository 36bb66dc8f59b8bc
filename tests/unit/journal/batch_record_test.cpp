#include "contextual/journal/batch_record.hpp"

#include "support/catch.hpp"
#include "support/repetitions.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace batch_record_test {

using namespace contextual::journal;
using contextual::policy::CellOutcome;
using contextual::policy::IterationOutcome;

namespace {

BatchRecord some_record() {
  BatchRecord record;
  record.unprepared = {{{0, 1, 0, "too much \"shared\" memory\n", false, {1, 3}}}, {{1, 2, 0, "", true}}};
  record.plan_digest = std::numeric_limits<std::uint64_t>::max();
  record.length = 8;
  record.joined = {2, 77, "gemm (1); norm (2)"};
  record.repeat_length = 3;
  IterationOutcome iteration;
  iteration.cells = {{true, 12'345, false, true},
                     {false, std::nullopt, true, false, true, false},
                     {true, std::nullopt, false, true, false, true}};
  iteration.makespan_ns = 99;
  record.outcome.iterations.push_back(iteration);
  iteration.makespan_ns.reset();
  iteration.infeasible = "wrong beside the other";
  record.outcome.iterations.push_back(iteration);
  record.outcome.rejections = {{1, 0, 1, "failed"}};
  record.outcome.elapsed_ns = 123'456'789'012;
  record.comparing = true;
  return record;
}

}  // namespace

TEST_CASE("batch record: comes back from its line as it was", "[unit]") {
  const BatchRecord record = some_record();
  const std::string line = to_line(record);
  CHECK(line.find('\n') == std::string::npos);
  const auto again = parse_record(line);
  REQUIRE(again);
  CHECK(to_line(*again) == line);
  CHECK(again->unprepared.size() == 2);
  CHECK(again->unprepared[0][0].reason == record.unprepared[0][0].reason);
  CHECK(again->unprepared[0][0].ranks == record.unprepared[0][0].ranks);
  CHECK_FALSE(again->unprepared[0][0].left_out);
  CHECK(again->unprepared[1][0].left_out);
  CHECK(again->plan_digest == record.plan_digest);
  CHECK(again->repeat_length == 3);
  REQUIRE(again->outcome.iterations.size() == 2);
  CHECK(again->outcome.iterations[0].cells[0].time_ns == 12'345);
  CHECK(again->outcome.iterations[0].cells[0].overlaps);
  CHECK_FALSE(again->outcome.iterations[0].cells[0].untimed);
  CHECK(again->outcome.iterations[0].cells[2].untimed);
  CHECK(!again->outcome.iterations[0].cells[1].time_ns);
  CHECK(again->outcome.iterations[0].cells[1].disturbed);
  CHECK(again->outcome.iterations[0].makespan_ns == 99);
  CHECK(!again->outcome.iterations[1].makespan_ns);
  CHECK(again->outcome.iterations[1].infeasible == "wrong beside the other");
  CHECK(again->outcome.elapsed_ns == record.outcome.elapsed_ns);
}

TEST_CASE("batch record: what makes no sense is none", "[unit]") {
  BatchRecord record = some_record();
  SECTION("no length") {
    record.length = 0;
  }
  SECTION("an endless batch") {
    record.length = 2'000'000;
  }
  SECTION("more is repeated than there is") {
    record.repeat_length = 9;
  }
  SECTION("more outcomes than planned") {
    record.length = 1;
    record.repeat_length = 1;
  }
  SECTION("a negative time") {
    record.outcome.elapsed_ns = -1;
  }
  CHECK(!parse_record(to_line(record)));
}

TEST_CASE("batch record: changed lines neither crash nor make something that cannot be written again",
          "[unit]") {
  const std::string line = to_line(some_record());
  std::mt19937 random(2);
  int accepted = 0;
  for (int i = 0; i < contextual::test::repetitions(100'000); ++i) {
    std::string changed = line;
    for (int change = std::uniform_int_distribution<int>(1, 3)(random); change > 0; --change) {
      const auto at = std::uniform_int_distribution<std::size_t>(0, changed.size() - 1)(random);
      switch (std::uniform_int_distribution<int>(0, 3)(random)) {
        case 0:
          changed[at] = static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random));
          break;
        case 1:
          changed.erase(at, std::uniform_int_distribution<std::size_t>(1, 8)(random));
          break;
        case 2:
          changed.insert(at, 1, "0123456789[]{},:\"-"[std::uniform_int_distribution<int>(0, 17)(random)]);
          break;
        default:
          changed.resize(at);
          break;
      }
      if (changed.empty()) {
        break;
      }
    }
    if (const auto record = parse_record(changed)) {
      ++accepted;
      const auto again = parse_record(to_line(*record));
      REQUIRE(again);
      REQUIRE(to_line(*again) == to_line(*record));
    }
  }
  CHECK(accepted > 0);  // the digest of its line, not this, tells a changed one
}

TEST_CASE("heading: says in what another one differs", "[unit]") {
  const Heading heading{"r", "n_warmup=3", {{{"m", "1"}}, {{"m", "1"}}}, {"k", "k"}};
  const std::string line = to_line(heading);
  CHECK(line.find('\n') == std::string::npos);
  CHECK(to_line(heading) == line);
  CHECK(difference(line, to_line(Heading{"r", "n_warmup=3", {{{"m", "1"}}, {{"m", "2"}}}, {"k", "k"}})) ==
        "it was begun with other machines");
  CHECK(difference(line, to_line(Heading{"r", "n_warmup=4", {{{"m", "1"}}, {{"m", "1"}}}, {"k", "l"}})) ==
        "it was begun with other kernels, options");
  CHECK(difference("no JSON", line) == "its heading cannot be read");
}

}  // namespace batch_record_test
