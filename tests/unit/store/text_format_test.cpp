#include "contextual/store/text_format.hpp"

#include "sample_events.hpp"
#include "support/catch.hpp"

using namespace contextual::store;

TEST_CASE("to_text: a launch of the walk has the ancestor's fields, phase and tuning iteration", "[unit]") {
  CHECK(to_text(samples::launch()) ==
        "[rank-0] func: ag_gemm | kernel: gemm | key: (4096, 4096, bf16) | phase: walk | tuning-iter: 17 | "
        "config-id: 1 | config: {BLOCK_N: 128, SWIZZLE: true, IMPL: mma} | measure-iter: 2");
}

TEST_CASE("to_text: a config's last repeat carries its average", "[unit]") {
  CHECK(to_text(samples::last_repeat()) ==
        to_text(samples::launch()) + " | config-1 average latency: 0.12 ms");
}

TEST_CASE("to_text: warm-ups, fixed configs and failures say so", "[unit]") {
  LaunchRow row = samples::launch();
  row.role = "warmup";
  CHECK_THAT(to_text(row), ContainsSubstring(" | measure-iter: 2 | role: warmup"));
  row.role = "best";
  CHECK_THAT(to_text(row), ContainsSubstring(" | role: best"));
  CHECK_THAT(to_text(row), !ContainsSubstring("measure-iter"));
  row.status = "rejected";
  row.detail = "too much shared memory";
  CHECK_THAT(to_text(row), ContainsSubstring(" | status: rejected | detail: too much shared memory"));
}

TEST_CASE("to_text: a choice has id, config, latency and reason", "[unit]") {
  Choice choice = samples::choice();
  CHECK_THAT(
      to_text(choice),
      ContainsSubstring(" | best-config-id: 1 | best-config: {BLOCK_N: 128, SWIZZLE: true, IMPL: mma} | "
                        "best-latency: 0.12 ms | reason: shortest own time"));
  CHECK_THAT(to_text(choice), !ContainsSubstring("status"));
  choice.status = "incomplete";
  choice.latency_ns.reset();
  CHECK_THAT(to_text(choice), ContainsSubstring(" | status: incomplete | best-config-id"));
  CHECK_THAT(to_text(choice), ContainsSubstring("best-latency: not measured"));
}

TEST_CASE("to_text: a contest names its candidates, gains and winner", "[unit]") {
  CHECK_THAT(to_text(samples::contest()),
             ContainsSubstring(" | config-1: 0.35 ms +- 0.002 ms, incumbent | "
                               "config-0: 0.31 ms +- 0.0015 ms, gain 0.04 ms, chosen | reason: makespan"));
  Contest sets = samples::contest();
  sets.kind = "sets";
  sets.kernel.clear();
  CHECK_THAT(to_text(sets), !ContainsSubstring("kernel:"));
}

TEST_CASE("to_text: every event is one line that begins with rank and region", "[unit]") {
  for (const Event& event : samples::all()) {
    const std::string line = to_text(event);
    if (std::holds_alternative<ConfigSummary>(event)) {
      CHECK(line.empty());
    } else {
      CHECK(line.substr(0, 24) == "[rank-0] func: ag_gemm |");
    }
  }
}

TEST_CASE("to_text: control characters in names and messages are escaped, braces stay", "[unit]") {
  Warning warning{"run", 3, "a\nb", "tab\t bell\a {} {0} %s \xc3\xa4"};
  CHECK(to_text(warning) == "[rank-3] func: a\\nb | warning: tab\\t bell\\x07 {} {0} %s \xc3\xa4");
}
