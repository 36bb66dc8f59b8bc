#include "support/catch.hpp"
#include "unit/tools/judging/analysed.hpp"
#include "unit/tools/wording/written.hpp"

#include <functional>

namespace search_wording_test {

using namespace contextual::log_report;
using namespace report_test;
using contextual::ChosenBy;
using contextual::SearchReference;

namespace {

/// The facts of the sample search after `change`, as lines "label: text".
std::string facts_of(const std::function<void(SearchResult&)>& change = [](SearchResult&) {}) {
  const Analysed run = analysed(files_of({}));
  SearchResult result = *run.analysis.searches[0].result;
  change(result);
  Written out;
  write_facts(out, view_of(result));
  return out.text;
}

}  // namespace

TEST_CASE("write_facts: what was measured, chosen, gained and how sure that is", "[unit]") {
  CHECK(facts_of() ==
        "sets: 6 exist, 3 measured, 2 infeasible; 26 runs, 11 of them lead-ins\n"
        "ended: complete\n"
        "chosen: gemm (4096, bf16): config-1, by makespan; norm (4096, bf16): config-0, by makespan\n"
        "why: the shortest makespan, 11.3 % shorter than the defaults\n"
        "to all defaults: -11.3 % (95 % interval -12.2 % to -10.4 %), 205.0 us +- 700 ns against "
        "230.0 us +- 600 ns in 3 paired rounds\n"
        "within noise: 1 other set ties with the choice, so that what differs between them is no finding: "
        "gemm 1, norm 1\n"
        "best by own times: gemm 1, norm 1: +0.2 % to the choice\n");
}

TEST_CASE("write_facts: a search that was cut says why; very many assignments are not counted", "[unit]") {
  const std::string text = facts_of([](SearchResult& search) {
    search.cut = "its budget of 26 runs is spent";
    search.existing_count = 1'000'000'000;
    search.problems[1].chosen_by = ChosenBy::not_tuned;
  });
  CHECK_THAT(text, ContainsSubstring("ended: cut: its budget of 26 runs is spent\n"));
  CHECK_THAT(text, ContainsSubstring("sets: 10^9 or more exist, 3 measured"));
  CHECK_THAT(text, ContainsSubstring("; norm (4096, bf16): config-0, not tuned\n"));
}

TEST_CASE("write_facts: where all defaults are infeasible it says what was compared instead", "[unit]") {
  const std::string text = facts_of([](SearchResult& search) {
    search.reference = SearchReference::first_feasible;
    search.reference_config_ids = {1, 1};
    search.gain.reset();
  });
  CHECK_THAT(text,
             ContainsSubstring("to all defaults: not known: all defaults together are infeasible; compared "
                               "with the first set that ran (gemm 1, norm 1): 205.0 us +- 700 ns against "
                               "230.0 us +- 600 ns in 3 paired rounds\n"));
}

TEST_CASE(
    "write_facts: defaults that nothing was compared with, and comparisons that were not held, are no gain",
    "[unit]") {
  CHECK_THAT(facts_of([](SearchResult& search) { search.gain.reset(); }),
             ContainsSubstring("to all defaults: not known: 205.0 us"));
  CHECK_THAT(facts_of([](SearchResult& search) { search.reference = SearchReference::none; }),
             ContainsSubstring("to all defaults: not compared\n"));
  CHECK_THAT(facts_of([](SearchResult& search) {
               search.reference = SearchReference::none;
               search.problems[0].config_id = 0;
             }),
             ContainsSubstring("to all defaults: none: the choice is all defaults\n"));
}

TEST_CASE("write_facts: what lost the closing comparison is named with its interval, few of many", "[unit]") {
  const auto lose = [](SearchResult& search) { search.lost = {{{1, 1}, 0.02, -0.05, 0.09}}; };
  CHECK_THAT(facts_of(lose),
             ContainsSubstring("\nlost that comparison: gemm 1, norm 1: -2.0 % (95 % interval "
                               "-9.0 % to +5.0 %)\nwithin noise:"));
  CHECK_THAT(facts_of([&](SearchResult& search) {
               lose(search);
               search.lost.push_back({{2, 1}, -0.1, -0.12, -0.08});
             }),
             ContainsSubstring("to +5.0 %); gemm 2, norm 1: +10.0 % (95 % interval +8.0 % to +12.0 %)\n"));
  CHECK_THAT(facts_of([](SearchResult& search) {
               search.lost.assign(5, {{1, 1}, 0.02, -0.05, 0.09});
             }),
             ContainsSubstring("to +5.0 %); ...\n"));
}

TEST_CASE("write_facts: of defaults that were kept, why", "[unit]") {
  CHECK_THAT(facts_of([&](SearchResult& search) {
               search.problems[0].config_id = 0;
               search.gain = 0;
               search.reason = "the best candidate ties with the defaults: they win";
             }),
             ContainsSubstring("to all defaults: none: back to all defaults, 230.0 us +- 600 ns: the best "
                               "candidate ties with the defaults: they win\n"));
}

TEST_CASE("write_facts: where alternatives are tuned and compared, it does not speak of all defaults",
          "[unit]") {
  CHECK_THAT(facts_of([](SearchResult& search) { search.reference = SearchReference::default_alternative; }),
             ContainsSubstring("to the default alternative: -11.3 % (95 %"));
  CHECK_THAT(facts_of([](SearchResult& search) { search.reference = SearchReference::alternative_defaults; }),
             ContainsSubstring("to this alternative's defaults: -11.3 % (95 %"));
  CHECK_THAT(facts_of([](SearchResult& search) {
               search.reference = SearchReference::default_alternative;
               search.problems[0].config_id = 0;
               search.gain.reset();
             }),
             ContainsSubstring("to the default alternative: none: the choice is the default alternative\n"));
}

TEST_CASE("write_facts: ties and the cost of own times", "[unit]") {
  CHECK_THAT(facts_of([](SearchResult& search) { search.within_noise_count = 0; }),
             ContainsSubstring("within noise: no other measured set ties with the choice\n"));
  CHECK_THAT(facts_of([](SearchResult& search) { search.within_noise_count = 3; }),
             ContainsSubstring("within noise: 3 other sets tie with the choice"));
  CHECK_THAT(facts_of([](SearchResult& search) { search.own_time_cost.reset(); }),
             ContainsSubstring("best by own times: gemm 1, norm 1: not measured\n"));
  CHECK_THAT(facts_of([](SearchResult& search) { search.problems[1].own_time_config_id = 0; }),
             ContainsSubstring("best by own times: the same set\n"));
  CHECK_THAT(facts_of([](SearchResult& search) {
               search.problems[0].own_time_config_id = 2;
               search.problems[1].own_time_config_id = 0;
             }),
             ContainsSubstring("best by own times: gemm 2, norm 0: infeasible: rank 1: no progress"));
}

TEST_CASE("write_facts: a search that found nothing says so, and nothing else of a choice", "[unit]") {
  const std::string text = facts_of([](SearchResult& search) {
    search.problems[0].config_id.reset();
    search.reason = "no feasible assignment was found";
  });
  CHECK_THAT(text, ContainsSubstring("no choice: no feasible assignment was found\n"));
  for (const char* part : {"chosen:", "to all defaults:", "within noise:", "best by own times:"}) {
    CHECK_THAT(text, !ContainsSubstring(part));
  }
}

TEST_CASE("standing_text: an assignment can be several things", "[unit]") {
  const Analysed run = analysed(files_of({}));
  const SearchView& search = run.analysis.searches[0];
  REQUIRE(search.measured.size() == 3);  // the shortest first
  CHECK(standing_text(search, search.measured[0]) == "chosen");
  CHECK(standing_text(search, search.measured[1]) == "within noise, best by own times");
  CHECK(standing_text(search, search.measured[2]) == "all defaults");
}

TEST_CASE("measured_shown: the shortest ones, and those that are compared with", "[unit]") {
  const Analysed run = analysed(files_of({}));
  CHECK(measured_shown(run.analysis.searches[0], 1) == std::vector<std::size_t>{0, 1, 2});
  SearchResult result = *run.analysis.searches[0].result;
  result.measured.push_back({{2, 1}, 4, 400'000, 1, Standing::other});
  CHECK(measured_shown(view_of(result), 1) == std::vector<std::size_t>{0, 1, 2});
  CHECK(measured_shown(view_of(result), 4) == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("set_text: the key is there where several problems have one kernel", "[unit]") {
  const ProblemName a{"gemm", "(1)"};
  const ProblemName b{"gemm", "(2)"};
  const ProblemName c{"norm", "(1)"};
  SearchResult result;
  result.problems = {{&a, {}, 0, 0}, {&b, {}, 0, 0}, {&c, {}, 0, 0}, {nullptr, {}, 0, 0}};
  result.measured = {{{1, 2, 3, 4}, 1, 100, 1, Standing::other}};
  CHECK(set_text(view_of(result), {1, 2, 3, 4}) == "gemm (1) 1, gemm (2) 2, norm 3, ? 4");
}

}  // namespace search_wording_test
