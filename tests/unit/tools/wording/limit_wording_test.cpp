#include "contextual/record/log_lines.hpp"
#include "report/html/html_report.hpp"
#include "report/judging/report.hpp"
#include "report/text/text_report.hpp"
#include "report/wording/sections.hpp"
#include "support/catch.hpp"
#include "unit/record/sample_events.hpp"
#include "unit/tools/sample_logs.hpp"

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

}  // namespace

TEST_CASE("limit: the parts, the longest one and what is hidden are said in words", "[unit]") {
  const std::vector<std::string> texts = limit_texts(two_parts());
  REQUIRE(texts.size() == 3);
  CHECK(
      texts[0] ==
      "each part alone, in 5 rounds in turn with the whole region: gather 120.0 us, gemm 250.0 us; one after "
      "the other 370.0 us");
  CHECK(
      texts[1] ==
      "limit: the region takes at least as long as its longest part, 250.0 us; it takes 310.0 us, +24.0 % to "
      "that");
  CHECK_THAT(texts[2], ContainsSubstring("hidden: 50.0 % of what the other parts take"));
}

TEST_CASE("limit: a region that is slower than its parts in turn hides less than nothing", "[unit]") {
  Limit limit = two_parts();
  limit.hidden = -0.25;
  CHECK_THAT(limit_texts(limit).back(), ContainsSubstring("hidden: -25.0 % of"));
}

TEST_CASE("limit: what is not known is said", "[unit]") {
  Limit limit = two_parts();
  limit.hidden.reset();
  CHECK_THAT(limit_texts(limit).back(), ContainsSubstring("nothing can be hidden"));
  limit.parts[0].makespan_ns.reset();
  limit.limit_ns.reset();
  const std::vector<std::string> texts = limit_texts(limit);
  REQUIRE(texts.size() == 2);
  CHECK_THAT(texts[0], ContainsSubstring("gather without a time, gemm 250.0 us"));
  CHECK_THAT(texts[1], ContainsSubstring("not known"));
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
      CHECK((text.find("hidden: 50.0 %") != std::string::npos) == logged);
    }
  }
}

}  // namespace limit_wording_test
