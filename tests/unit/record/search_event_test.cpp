#include "contextual/record/make_events.hpp"
#include "contextual/record/report_builder.hpp"
#include "support/catch.hpp"

#include <deque>

namespace search_event_test {

using namespace contextual::record;
using contextual::Assignment;
using contextual::ChosenBy;
using contextual::RegionReport;
using contextual::SearchReference;
using contextual::SearchReport;
using contextual::policy::Reference;
using contextual::policy::SearchRecord;
using contextual::policy::Summary;
using contextual::policy::told;

namespace {

/// Three problems, which this rank discovered in another order than the state has them in: gemm, norm and
/// add.
class Problems {
 public:
  Problems() {
    add("norm", 1);
    add("add", 2);
    add("gemm", 0);
  }
  const std::vector<ProblemView>& views() const { return views_; }

 private:
  void add(const std::string& name, std::size_t index) {
    contextual::detail::Problem problem;
    problem.name = name;
    problem.key_text = "(" + name + ")";
    views_.push_back({&slots_.emplace_back(slots_.size(), problem), nullptr, index});
  }

  std::deque<contextual::detail::ProblemSlot> slots_;
  std::vector<ProblemView> views_;
};

Summary times(std::size_t count, double centre_ns, double spread_ns) {
  Summary summary;
  summary.count = count;
  summary.centre_ns = centre_ns;
  summary.spread_ns = spread_ns;
  return summary;
}

/// gemm was chosen by makespan, norm by its own time, add was locked in before.
SearchRecord sample_record() {
  SearchRecord search;
  search.members = {0};
  search.by_time = {1};
  search.existing = 4;
  search.failed = 3;
  search.measured = {
      {{0, 1, 5}, times(6, 200, 2)}, {{1, 1, 5}, times(9, 150, 3)}, {{3, 1, 5}, times(4, 151, 4)}};
  search.runs = 40;
  search.lead_ins = 15;
  search.choice = {1, 1, 5};
  search.reason = told("the shortest makespan");
  search.reference = Reference::defaults;
  search.compared_with = {0, 0, 5};
  search.reference_makespan = times(5, 210, 6);
  search.choice_makespan = times(5, 152, 7);
  search.gain = contextual::SearchGain{0.27, 0.25, 0.29};
  search.lost = {{{3, 1, 5}, {0.1, -0.2, 0.4}}, {{2, 1, 5}, {-0.1, -0.12, -0.08}}};
  search.within_noise = {{3, 1, 5}};
  search.by_own_time = {2, 1, 5};
  search.cost_of_own_time = 0.5;
  search.cut = told("its budget is spent");
  return search;
}

SearchResult event_of(const SearchRecord& search) {
  const Problems problems;
  return search_event(search_report(search),
                      {{{2, 0}, told("of two problems")}, {{2, 1, 5}, told("starved")}}, problems.views());
}

RegionReport report_of(const SearchRecord& search) {
  const Problems problems;
  ReportBuilder builder;
  builder.add_search(search_report(search));
  builder.end(nullptr, problems.views(), TuningTime(), {});
  return builder.report();
}

}  // namespace

TEST_CASE("search_event: the problems are those of the state, in its order, and never local ones", "[unit]") {
  const std::vector<schema::SearchedProblem<Owned>> expected{{{"gemm", "(gemm)"}, ChosenBy::makespan, 1, 2},
                                                             {{"norm", "(norm)"}, ChosenBy::own_time, 1, 1},
                                                             {{"add", "(add)"}, ChosenBy::not_tuned, 5, 5}};
  CHECK(event_of(sample_record()).problems == expected);
}

TEST_CASE("search_event: counts, texts and every measured assignment with its standing", "[unit]") {
  const SearchResult event = event_of(sample_record());
  CHECK(event.existing_count == 4);
  CHECK(event.measured_count == 3);
  CHECK(event.failed_count == 3);
  CHECK(event.run_count == 40);
  CHECK(event.lead_in_count == 15);
  CHECK(event.within_noise_count == 1);
  CHECK(event.reason == "the shortest makespan");
  CHECK(event.cut == "its budget is spent");
  CHECK(event.own_time_cost == 0.5);
  CHECK_FALSE(event.unsure);
  const std::vector<schema::MeasuredAssignment<Owned>> measured{
      {{0, 1, 5}, 6, 200, 2, Standing::other},
      {{1, 1, 5}, 9, 150, 3, Standing::choice},
      {{3, 1, 5}, 4, 151, 4, Standing::within_noise}};
  CHECK(event.measured == measured);
}

TEST_CASE("search_event: a choice that is not sure enough to be kept is unsure", "[unit]") {
  SearchRecord search = sample_record();
  search.unsure = true;
  CHECK(event_of(search).unsure);
}

TEST_CASE("search_event: infeasible assignments of another number of problems are left out", "[unit]") {
  CHECK(event_of(sample_record()).infeasible ==
        std::vector<schema::InfeasibleAssignment<Owned>>{{{2, 1, 5}, "starved"}});
}

TEST_CASE("search_event: the closing comparison has its reference, rounds, makespans and gain", "[unit]") {
  const SearchResult event = event_of(sample_record());
  CHECK(event.reference == SearchReference::defaults);
  CHECK(event.reference_config_ids == std::vector<std::int64_t>{0, 0, 5});
  CHECK(event.round_count == 5);
  CHECK(event.reference_makespan_ns == 210);
  CHECK(event.reference_spread_ns == 6);
  CHECK(event.choice_makespan_ns == 152);
  CHECK(event.choice_spread_ns == 7);
  CHECK(event.gain == 0.27);
  CHECK(event.gain_low == 0.25);
  CHECK(event.gain_high == 0.29);
  const std::vector<schema::LostAssignment<Owned>> lost{{{3, 1, 5}, 0.1, -0.2, 0.4},
                                                        {{2, 1, 5}, -0.1, -0.12, -0.08}};
  CHECK(event.lost == lost);
}

TEST_CASE("search_event: without a comparison, or rounds that count, times and gain are unknown", "[unit]") {
  SearchRecord search = sample_record();
  search.reference = Reference::first_feasible;
  search.reference_makespan = search.choice_makespan = {};
  search.gain.reset();
  SearchResult event = event_of(search);
  CHECK(event.reference == SearchReference::first_feasible);
  CHECK(event.round_count == 0);
  CHECK_FALSE(event.reference_makespan_ns.has_value());
  CHECK_FALSE(event.choice_spread_ns.has_value());
  CHECK_FALSE(event.gain.has_value());
  search.reference = Reference::none;
  event = event_of(search);
  CHECK(event.reference == SearchReference::none);
  CHECK(event.reference_config_ids.empty());
}

TEST_CASE("search_event: a search that found nothing has no chosen configs", "[unit]") {
  SearchRecord search = sample_record();
  search.choice.clear();
  const SearchResult event = event_of(search);
  CHECK_FALSE(event.problems.at(0).config_id.has_value());
  CHECK(event.problems.at(0).own_time_config_id == 2);
}

TEST_CASE("ReportBuilder: a search refers to the problems of the report, in the state's order", "[unit]") {
  const RegionReport report = report_of(sample_record());
  REQUIRE(report.searches.size() == 1);
  const SearchReport& search = report.searches[0];
  CHECK(search.chosen_by == std::vector{ChosenBy::makespan, ChosenBy::own_time, ChosenBy::not_tuned});
  REQUIRE(report.problems.size() == 3);
  CHECK(report.problems[0].kernel == "gemm");
  CHECK(report.problems[1].kernel == "norm");
  CHECK(report.problems[2].kernel == "add");
  CHECK(report.assignment_text(search, search.choice) == "gemm config-1, norm config-1, add config-5");
}

TEST_CASE("ReportBuilder: a search has everything that the policy says of it", "[unit]") {
  const SearchReport search = report_of(sample_record()).searches.at(0);
  CHECK(search.existing == 4);
  CHECK(search.failed == 3);
  CHECK(search.runs == 40);
  CHECK(search.lead_ins == 15);
  REQUIRE(search.measured.size() == 3);
  CHECK(search.measured[1].assignment == Assignment{1, 1, 5});
  CHECK(search.measured[1].makespan.count == 9);
  CHECK(search.measured[1].makespan.centre_ns == 150);
  CHECK(search.measured[1].makespan.spread_ns == 3);
  CHECK(search.choice == Assignment{1, 1, 5});
  CHECK(search.reason == "the shortest makespan");
  CHECK(search.cut == "its budget is spent");
  CHECK(search.within_noise == std::vector<Assignment>{{3, 1, 5}});
  CHECK(search.by_own_time == Assignment{2, 1, 5});
  CHECK(search.cost_of_own_time == 0.5);
  CHECK(search.reference == SearchReference::defaults);
  CHECK(search.compared_with == Assignment{0, 0, 5});
  CHECK(search.reference_makespan.centre_ns == 210);
  CHECK(search.choice_makespan.centre_ns == 152);
  REQUIRE(search.gain.has_value());
  CHECK(search.gain->centre == 0.27);
  CHECK(search.gain->low == 0.25);
  CHECK(search.gain->high == 0.29);
  REQUIRE(search.lost.size() == 2);
  CHECK(search.lost[0].assignment == Assignment{3, 1, 5});
  CHECK(search.lost[0].gain.centre == 0.1);
  CHECK(search.lost[0].gain.low == -0.2);
  CHECK(search.lost[0].gain.high == 0.4);
  CHECK(search.lost[1].assignment == Assignment{2, 1, 5});
}

TEST_CASE("ReportBuilder: the makespans of the report are those of the closing comparison", "[unit]") {
  SearchRecord record = sample_record();
  RegionReport report = report_of(record);
  REQUIRE((report.default_makespan && report.tuned_makespan));
  CHECK(report.default_makespan->centre_ns == 210);
  CHECK(report.tuned_makespan->centre_ns == 152);
  CHECK(report.tuned_makespan->count == 5);
  record.reference = Reference::first_feasible;
  report = report_of(record);
  CHECK_FALSE(report.default_makespan.has_value());
  CHECK(report.tuned_makespan->centre_ns == 152);
  record.reference = Reference::none;
  report = report_of(record);
  CHECK_FALSE(report.default_makespan.has_value());
  CHECK_FALSE(report.tuned_makespan.has_value());
}

}  // namespace search_event_test
