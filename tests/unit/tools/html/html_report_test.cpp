#include "report/html/html_report.hpp"

#include "support/engine.hpp"
#include "unit/tools/sample_logs.hpp"

namespace html_report_test {

using namespace contextual::log_report;
using namespace report_test;
using engine_test::count_of;

namespace {

std::string page_of(const std::vector<std::string>& files) {
  return html_report(make_report("logs", read(files), {}), {});
}

}  // namespace

TEST_CASE("html_report: a plot for each kernel, and one of the region", "[unit]") {
  const std::string page = page_of(files_of({.ranks = 3}));
  CHECK(count_of(page, "data-plot=\"configs\"") == 2);
  CHECK(count_of(page, "data-plot=\"region\" data-marks=\"16\"") == 1);
  CHECK(count_of(page, "data-plot=\"search\" data-marks=\"4\"") == 1);
  CHECK_THAT(page, ContainsSubstring("<strong>within noise:</strong> 1 other set ties with the choice"));
  CHECK_THAT(page, ContainsSubstring("<summary>All measured sets</summary>"));
  CHECK_THAT(page, ContainsSubstring("<strong>to all defaults:</strong> <strong>-11.3 % (95 % interval"));
}

TEST_CASE("html_report: the overview links the runs that are on the page", "[unit]") {
  std::string file;
  for (int i = 0; i < 60; ++i) {
    file += lines_of(events_of({.ranks = 1, .id = "id" + std::to_string(i)}, 0));
  }
  for (const bool all : {true, false}) {
    const ReportOptions options{.all = all};
    const std::string page = html_report(make_report("logs", read({file}), options), options);
    CHECK(count_of(page, "id=\"run-") == (all ? 60U : 1U));
    CHECK(count_of(page, "href=\"#run-") == count_of(page, "id=\"run-"));
  }
}

TEST_CASE("html_report: names from logs are text, never markup", "[unit]") {
  const SampleRun evil{.region = "</title><script>alert(1)</script>\"'&"};
  const std::string page = page_of(files_of(evil));
  CHECK(page.find("<script") == std::string::npos);
  CHECK_THAT(page, ContainsSubstring("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
}

TEST_CASE("html_report: a long config is whole in the title of its mark and in the table of the walk",
          "[unit]") {
  const std::string value(400, 'v');
  const Events events = changed<contextual::record::LaunchRow>(events_of({.ranks = 1}, 0), [&](auto& row) {
    row.config.values = contextual::Config{{"IMPL", value}};
  });
  const std::string page = page_of({lines_of(events)});
  CHECK_THAT(page, ContainsSubstring("<title>config-0 {IMPL: " + value + "}"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"wide\">" + value + "</td>"));
}

TEST_CASE("html_report: nothing is fetched and nothing is a script", "[unit]") {
  const std::string page = page_of(files_of({}));
  for (const char* part : {"http://", "https://", "src=", "@import", "url(", "<script"}) {
    CHECK(page.find(part) == std::string::npos);
  }
}

TEST_CASE("html_report: marks are bounded for a run of very many iterations", "[unit]") {
  Events events = events_of({.ranks = 1}, 0);
  const auto launch = std::get<contextual::record::LaunchRow>(events[2].body);
  for (int i = 0; i < 20'000; ++i) {
    auto more = launch;
    more.tuning_iteration = 100 + i;
    more.role = LaunchRole::repeat;
    events.insert(events.end() - 1, {events[2].run_id, events[2].rank, events[2].region, more});
  }
  const std::string page = page_of({lines_of(events)});
  CHECK(count_of(page, "class=\"mark\"") < 3'000);
  CHECK(page.size() < 2'000'000);
}

}  // namespace html_report_test
