#include "contextual/record/log_lines.hpp"
#include "sample_events.hpp"
#include "support/catch.hpp"

// log_format_doc_test.cpp compares the sample of each event word for word with the document.
namespace text_format_test {

using namespace contextual::record;

namespace {

std::string text_of(const EventBody& body) {
  return to_text(samples::event(body));
}

}  // namespace

TEST_CASE("to_text: warm-ups, fixed configs and failures say so", "[unit]") {
  LaunchRow row = samples::launch();
  row.role = LaunchRole::warmup;
  CHECK_THAT(text_of(row), ContainsSubstring(" | measure-iter: 2 | role: warmup"));
  row.role = LaunchRole::lead_in;
  CHECK_THAT(text_of(row), ContainsSubstring(" | measure-iter: 2 | role: lead_in"));
  row.role = LaunchRole::best;
  row.step_iteration.reset();
  CHECK_THAT(text_of(row), ContainsSubstring(" | role: best"));
  CHECK_THAT(text_of(row), !ContainsSubstring("measure-iter"));
  row.status = LaunchStatus::rejected;
  row.detail = "too much shared memory";
  CHECK_THAT(text_of(row), ContainsSubstring(" | status: rejected | detail: too much shared memory"));
}

TEST_CASE("to_text: a choice has id, config, latency, the rates that are known and reason", "[unit]") {
  Choice choice = samples::choice();
  CHECK_THAT(
      text_of(choice),
      ContainsSubstring(" | best-config-id: 1 | best-config: {BLOCK_N: 128, SWIZZLE: true, IMPL: mma} | "
                        "best-latency: 0.12 ms | TFLOP/s: 572.5 | GB/s: 559.2 | reason: shortest own time"));
  CHECK_THAT(text_of(choice), !ContainsSubstring("status"));
  choice.status = ChoiceStatus::provisional;
  choice.latency_ns.reset();
  choice.teraflops_per_second.reset();
  choice.gigabytes_per_second.reset();
  CHECK_THAT(text_of(choice), ContainsSubstring("} | status: provisional | best-latency"));
  CHECK_THAT(text_of(choice), ContainsSubstring("best-latency: not measured | reason"));
}

TEST_CASE("to_text: a search that was cut says why, and has no gain where the defaults are infeasible",
          "[unit]") {
  const std::string text = text_of(samples::cut_search());
  CHECK_THAT(text, ContainsSubstring(" | within noise of the choice: 1 | "));
  CHECK_THAT(text, ContainsSubstring(" | cut: its budget of 20 runs is spent | "
                                     "compared with: first feasible | its config-ids: 2, 0"));
  CHECK_THAT(text, ContainsSubstring(" | cost of own times: 0.16 % | unsure: yes"));
  CHECK_THAT(text, !ContainsSubstring(" | gain: "));
}

TEST_CASE("to_text: a search without a choice or a comparison leaves these out", "[unit]") {
  SearchResult search = samples::search();
  search.problems[0].config_id.reset();
  search.reference = contextual::SearchReference::none;
  search.reference_config_ids.clear();
  CHECK_THAT(text_of(search), ContainsSubstring("chosen by: makespan, config-id: none"));
  CHECK_THAT(text_of(search), ContainsSubstring(" | compared with: none | rounds"));
}

TEST_CASE("to_text: every event is one line that begins with rank and region", "[unit]") {
  for (const Event& event : samples::all()) {
    const std::string line = to_text(event);
    if (std::holds_alternative<ConfigSummary>(event.body)) {
      CHECK(line.empty());
    } else {
      CHECK(line.substr(0, 24) == "[rank-0] func: ag_gemm |");
    }
  }
}

TEST_CASE("to_text: control characters in names and messages are escaped, braces stay", "[unit]") {
  const Event warning{"run", 3, "a\nb", Warning{"tab\t bell\a {} {0} %s \xc3\xa4"}};
  CHECK(to_text(warning) == "[rank-3] func: a\\nb | warning: tab\\t bell\\x07 {} {0} %s \xc3\xa4");
}

}  // namespace text_format_test
