#include "contextual/record/log_lines.hpp"
#include "report/reading/logs.hpp"
#include "support/catch.hpp"
#include "unit/record/sample_events.hpp"
#include "unit/tools/sample_logs.hpp"

namespace log_reader_test {

using Catch::Matchers::StartsWith;
using contextual::log_report::Logs;

namespace {

std::string launch_line() {
  return contextual::record::to_json_line(
      contextual::record::samples::event(contextual::record::samples::launch()));
}

}  // namespace

TEST_CASE("read_log: damaged and half-written lines are counted, named and skipped", "[unit]") {
  const std::string good = launch_line();
  const Logs logs = report_test::read({good + "\nnot json\n\n" + good + "\n" + good.substr(0, 60)});
  REQUIRE(logs.files.size() == 1);
  CHECK(logs.files[0].line_count == 5);
  CHECK(logs.files[0].damaged_count == 2);
  CHECK_THAT(logs.files[0].first_damage, StartsWith("line 2: no JSON from byte"));
  CHECK_THAT(report_test::read({good + "\n" + good.substr(0, 60)}).files[0].first_damage,
             StartsWith("line 2: half-written"));
  REQUIRE(logs.runs.size() == 1);
  CHECK(logs.runs[0].launches.size() == 2);
}

TEST_CASE("read_log: a line of more than 4 MiB is skipped, the one after it read", "[unit]") {
  const std::string huge(5'000'000, 'x');
  const Logs logs = report_test::read({"\"" + huge + "\"\n" + launch_line() + "\n"});
  CHECK(logs.files[0].damaged_count == 1);
  CHECK(logs.files[0].first_damage == "line 1: longer than 4 MiB");
  CHECK(logs.runs.size() == 1);
}

}  // namespace log_reader_test
