#include "contextual/record/log_lines.hpp"
#include "report/html/html_report.hpp"
#include "report/judging/report.hpp"
#include "report/text/text_report.hpp"
#include "support/catch.hpp"
#include "unit/record/sample_events.hpp"
#include "unit/tools/sample_logs.hpp"
#include "unit/tools/wording/written.hpp"

namespace limit_wording_test {

using namespace contextual::log_report;
using namespace report_test;

namespace {

Limit two_parts() {
  Limit limit;
  limit.round_count = 5;
  limit.parts = {{"gather", 120'000, 900}, {"gemm", 250'000, 1'100}};
  limit.result_ns = 310'000;
  limit.limit_ns = 250'000;
  limit.hidden = 0.5;
  return limit;
}

std::string text_of(const Limit& limit) {
  Written out;
  write_limit(out, limit);
  return out.text;
}

}  // namespace

TEST_CASE("limit: the parts, the longest one and what is hidden are said", "[unit]") {
  CHECK_THAT(text_of(two_parts()), ContainsSubstring("in 5 rounds in turn with the whole region\n"
                                                     "gather|120.0 us\n"
                                                     "gemm|250.0 us|the limit\n"
                                                     "one after the other|370.0 us\n"
                                                     "the region|310.0 us|+24.0 % to the limit\n"
                                                     "hidden: 50.0 % of what the other parts take"));
}

TEST_CASE("limit: a region that is slower than its parts in turn hides less than nothing", "[unit]") {
  Limit limit = two_parts();
  limit.hidden = -0.25;
  CHECK_THAT(text_of(limit), ContainsSubstring("hidden: -25.0 % of"));
}

TEST_CASE("limit: what is not known is said", "[unit]") {
  Limit limit = two_parts();
  limit.hidden.reset();
  CHECK_THAT(text_of(limit), ContainsSubstring("hidden: nothing can be hidden"));
  limit.parts[0].makespan_ns.reset();
  limit.limit_ns.reset();
  CHECK_THAT(text_of(limit), ContainsSubstring("gather|no time\ngemm|250.0 us\none after the other|no time\n"
                                               "the region|310.0 us\nhidden: not known"));
}

TEST_CASE("limit: text and page show it where the log has it, and nothing where it does not", "[unit]") {
  for (const bool logged : {true, false}) {
    Events events = events_of({.ranks = 1}, 0);
    if (logged) {
      contextual::record::Event event = events.back();
      event.body = contextual::record::samples::limit();
      events.insert(events.end() - 1, event);
    }
    const ReportOptions options;
    const Report report = make_report("logs", read({lines_of(events)}), options);
    for (const std::string& text : {text_report(report, options), html_report(report, options)}) {
      CHECK((text.find("Limit: how short the region could be") != std::string::npos) == logged);
      CHECK((text.find("50.0 % of what") != std::string::npos) == logged);
    }
  }
}

}  // namespace limit_wording_test
