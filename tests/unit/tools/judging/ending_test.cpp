#include "report/judging/ending.hpp"

#include "report/judging/runs.hpp"
#include "support/catch.hpp"
#include "unit/tools/sample_logs.hpp"

namespace ending_test {

using namespace contextual::log_report;
using Catch::Matchers::StartsWith;
using namespace report_test;

namespace {

const SampleRun four{.ranks = 4};

/// What rank `rank` writes when it stops in iteration 5 in some way.
std::string lost(int rank) {
  return lines_of(until(events_of(four, rank), 5));
}

std::string ended(int rank, const std::string& type, const std::string& error, std::vector<int> blamed,
                  std::int64_t iteration = 5) {
  Events events = until(events_of(four, rank), 5);
  events.emplace_back(failed(four, rank, type, error, std::move(blamed), iteration));
  return lines_of(events);
}

std::string stuck(int rank, std::int64_t iteration = 5) {
  Events events = until(events_of(four, rank), 5);
  events.emplace_back(blocked(four, rank, iteration));
  return lines_of(events);
}

std::string without_configs(const SampleRun& run, int rank) {
  Events events = until(events_of(run, rank), 5);
  const Events last = tuning_failed(run, rank, 5);
  events.insert(events.end(), last.begin(), last.end());
  return lines_of(events);
}

struct Outcome {
  Ending ending;
  std::string culprit;
};

/// Of the newest run.
Outcome outcome_of(const std::vector<std::string>& files) {
  const Logs logs = read(files);
  const auto runs = join_runs(logs);
  REQUIRE_FALSE(runs.empty());
  Outcome outcome;
  outcome.ending = ending_of(runs.back(), logs);
  outcome.culprit = outcome.ending.culprit_line();
  return outcome;
}

}  // namespace

TEST_CASE("ending_of: a run that ended well on all ranks is ok and has no culprit", "[unit]") {
  const Outcome outcome = outcome_of(files_of(four));
  CHECK(outcome.ending.status == RunStatus::ok);
  CHECK(outcome.culprit.empty());
  CHECK(outcome.ending.stops.size() == 1);
}

TEST_CASE("ending_of: which rank is the culprit", "[unit]") {
  const auto check = [](const std::string& name, const std::vector<std::string>& files,
                        const std::string& begins, const std::string& has = "",
                        const std::vector<std::int64_t>& culprits = {2}) {
    CAPTURE(name);
    const Outcome outcome = outcome_of(files);
    CHECK(outcome.ending.status == RunStatus::failed);
    CHECK_THAT(outcome.culprit, StartsWith("culprit: " + begins) && ContainsSubstring(has));
    CHECK(outcome.ending.culprits == culprits);
  };
  const auto misses = [](int rank, std::vector<int> missing, std::int64_t iteration = 5) {
    return ended(rank, "CommunicationError", "deadline expired", std::move(missing), iteration);
  };
  auto alone =
      failed(four, 1, "CommunicationError", "rank 1 launched kernel \"gemm\", key (7) alone", {1}, 0);
  std::get<contextual::record::RunEnd>(alone.body).phase = contextual::record::RunStage::hello;
  Events met_a_key = start_only(four, 1);
  met_a_key.push_back(alone);
  const std::string threw = ended(2, "region", "device lost", {2});
  const auto heard_of_2 = [](int rank) {
    return ended(rank, "RegionFailedError", "the region failed on rank 2: device lost", {2});
  };
  const std::string no_config = without_configs(four, 2);
  const std::string no_config_there = "rank 2: every config of gemm (4096, bf16) failed there";
  const auto no_config_is_left = [](int rank, std::vector<int> blamed) {
    return ended(rank, "TuningFailedError", "no config is left, all 3 were rejected", std::move(blamed));
  };
  const auto rejected_by = [](int rank, const std::vector<std::int64_t>& ranks) {
    Events events = until(events_of(four, rank), 5);
    for (contextual::record::Event& event : tuning_failed(four, rank, 5)) {
      if (auto* rejected = std::get_if<contextual::record::Rejected>(&event.body)) {
        rejected->reason = "rank 1: no memory";
        rejected->ranks = ranks;
      } else {
        std::get<contextual::record::RunEnd>(event.body).blamed_ranks = {};
      }
      events.push_back(event);
    }
    return lines_of(events);
  };
  const SampleRun two{.ranks = 2};
  Events waits_of_two = until(events_of(two, 0), 5);
  waits_of_two.emplace_back(blocked(two, 0, 5));
  const std::string gave_up = "no data within 10 s";
  const std::string left = "region \"ag_gemm\" failed on rank 2: it left by exit(3)";
  const auto told = [&](int rank) { return ended(rank, "RegionFailedError", left, {2}); };
  const auto differs = [](int rank) {
    return ended(rank, "RankMismatchError", "rank 3 launched another kernel", {3});
  };
  check("a rank without an end, whom the others miss",
        {misses(0, {2}), misses(1, {2}), lost(2), misses(3, {2})}, "rank 2: its log ends",
        "iteration 4, norm (4096, bf16) config-1");
  check("a rank that alone met a new key in a later call", {"", lines_of(met_a_key), "", ""},
        "rank 1: ", "key (7) alone", {1});
  check("a blocked rank that the others miss",
        {misses(0, {1}, 8), stuck(1), misses(2, {1}, 8), misses(3, {1}, 8)}, "rank 1: blocked in region", "",
        {1});
  check("all are blocked in one place", {stuck(0), stuck(1), stuck(2), stuck(3)}, "",
        "cannot say which was first", {});
  check("blocked in another place than all others", {stuck(0), stuck(1), stuck(2, 4), stuck(3)},
        "rank 2: blocked");
  check("its region threw, and the others heard of it", {heard_of_2(0), heard_of_2(1), threw, heard_of_2(3)},
        "rank 2: its region threw: device lost");
  check("its region threw, and the others are blocked", {stuck(0), stuck(1), threw, stuck(3)},
        "rank 2: its region threw: device lost");
  check("its region threw, and the launcher ended the others", {lost(0), lost(1), threw, lost(3)},
        "rank 2: its region threw: device lost");
  const std::string wrong = ended(2, "InvalidArgument", "option `outputs`: no data", {2}, 0);
  check("it threw an error of its own, and others never got there or were ended",
        {"", lost(1), wrong, stuck(3)}, "rank 2: InvalidArgument: option `outputs`: no data");
  check("its region threw, and others never got there", {"", stuck(1), threw, ""},
        "rank 2: its region threw: device lost");
  check("every config failed there, and the others are blocked", {stuck(0), stuck(1), no_config, stuck(3)},
        no_config_there + ": rank 2: no memory for config-2", "(walk, iteration 5)");
  check("every config failed there, and the launcher ended others", {lost(0), stuck(1), no_config, lost(3)},
        no_config_there);
  check("every config failed there, and others miss those that wait for it",
        {misses(0, {1, 3}), stuck(1), no_config, stuck(3)}, no_config_there);
  check("every config failed there, and the regions of those that waited threw",
        {ended(0, "RegionFailedError", gave_up, {1}), ended(1, "region", gave_up, {1}), no_config,
         ended(3, "RegionFailedError", gave_up, {1})},
        no_config_there);
  check("of two ranks the one on which every config failed, not the blocked one",
        {lines_of(waits_of_two), without_configs(two, 1)},
        "rank 1: every config of gemm (4096, bf16) failed there", "", {1});
  check("all learn that every config failed on one, and blame nobody",
        {no_config_is_left(0, {}), no_config_is_left(1, {}), no_config, no_config_is_left(3, {})},
        no_config_there);
  check("all learn that every config failed on one, and blame it",
        {no_config_is_left(0, {2}), no_config_is_left(1, {2}), no_config, no_config_is_left(3, {2})},
        no_config_there);
  check("all learn which rank rejected every config, whatever the words say of ranks",
        {rejected_by(0, {2}), rejected_by(1, {2}), rejected_by(2, {2}), rejected_by(3, {2})},
        no_config_there);
  check("two ranks rejected every config, and the words name the first of them",
        {rejected_by(0, {1, 2}), rejected_by(1, {1, 2}), rejected_by(2, {1, 2}), rejected_by(3, {1, 2})},
        "no single rank", "", {});
  check("it alone failed for lack of a config, though it blames nobody",
        {stuck(0), stuck(1), no_config_is_left(2, {}), stuck(3)},
        "rank 2: every config of a kernel failed there");
  check("every config fails on every rank",
        {without_configs(four, 0), without_configs(four, 1), no_config, without_configs(four, 3)},
        "no single rank: every config of gemm (4096, bf16) failed on all ranks: rank 0: no memory", "", {});
  check("others say that it failed, and its log has no end", {told(0), told(1), lost(2), told(3)},
        "rank 2: its log ends without an end of the run", "; rank 0 heard: " + left);
  check("others say that it failed, and its log is empty", {told(0), told(1), "", told(3)},
        "rank 2: rank-2.jsonl has no run of this tuning", "; rank 0 heard: " + left);
  check("others say that it failed, and there is no log of it", {told(0), told(1)},
        "rank 2: no log file in this directory; rank 0 heard: " + left);
  check("one other says that it failed", {told(0), stuck(1), "", lost(3)},
        "rank 2: rank-2.jsonl has no run of this tuning");
  check("regions give up waiting for a lost rank",
        {ended(0, "region", gave_up, {}), ended(1, "region", gave_up, {}), stuck(2), lost(3)},
        "rank 3: its log ends", "", {3});
  check("it left the region early, and the others went on and are blocked",
        {stuck(0, 7), misses(1, {0, 2, 3}), stuck(2, 7), stuck(3, 7)}, "rank 1: CommunicationError", "", {1});
  check("it came back too late, and names itself", {stuck(0), stuck(1), stuck(2), misses(3, {3})},
        "rank 3: CommunicationError", "", {3});
  check("most ranks blame it", {differs(0), differs(1), differs(2), differs(3)}, "rank 3",
        "rank 3 launched another kernel", {3});
}

TEST_CASE("ending_of: a rank that is blocked in a call after a run that ended well is shown as blocked",
          "[unit]") {
  std::vector<std::string> files = files_of(four);
  auto call = blocked(four, 2, 0);
  std::get<contextual::record::Blocked>(call.body).activity = contextual::Activity::later_call;
  files[2] += lines_of({call});
  CHECK_THAT(outcome_of(files).culprit, StartsWith("culprit: rank 2: blocked in later_call"));
  contextual::record::Event over = call;
  over.body = contextual::record::Warning{"it has ended after all"};
  files[2] += lines_of({over});
  CHECK(outcome_of(files).ending.status == RunStatus::ok);
}

TEST_CASE("ending_of: blocked ranks are victims of a rank without an end", "[unit]") {
  const Outcome outcome = outcome_of(
      {ended(0, "CommunicationError", "missing: ranks 1-3", {1, 2, 3}), stuck(1), stuck(2), lost(3)});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 3: its log ends"));
  REQUIRE(outcome.ending.stops.size() == 3);
  CHECK(outcome.ending.stops[1].ranks == std::vector<std::int64_t>{1, 2});  // alike but for how long
  CHECK_THAT(outcome.ending.stops[1].what, ContainsSubstring("blocked in region"));
}

TEST_CASE("ending_of: a rank that wrote nothing is named with its file", "[unit]") {
  Events alone = start_only(four, 0);
  alone.emplace_back(failed(four, 0, "CommunicationError", "missing: ranks 1-3", {1, 2, 3}, -1));
  const Logs logs = read({lines_of(alone), lines_of(start_only(four, 1)), ""});
  const auto runs = join_runs(logs);
  REQUIRE(runs.size() == 1);
  CHECK_FALSE(runs[0].met);
  CHECK(runs[0].absent == std::vector<std::int64_t>{2, 3});
  CHECK_THAT(why_absent(runs[0], logs, 2), StartsWith("rank-2.jsonl has no run of this tuning"));
  CHECK_THAT(why_absent(runs[0], logs, 3), StartsWith("no log file"));
  CHECK(ending_of(runs[0], logs).culprits == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("ending_of: all logs just end: unfinished, nobody is accused", "[unit]") {
  const Outcome outcome = outcome_of({lost(0), lost(1), lost(2), lost(3)});
  CHECK(outcome.ending.status == RunStatus::unfinished);
  CHECK(outcome.culprit.empty());
}

TEST_CASE("ending_of: a rank count of a thousand million takes no memory for those that are absent",
          "[unit]") {
  std::string line = lines_of(start_only(four, 0));
  const std::string count = "\"rank_count\":4";
  line.replace(line.find(count), count.size(), "\"rank_count\":1000000000");
  const Logs logs = read({line, ended(1, "CommunicationError", "missing", {0})});
  for (const RunOfAllRanks& run : join_runs(logs)) {
    const Ending ending = ending_of(run, logs);
    CHECK(ending.culprits.size() <= 10'000);
    CHECK(ending.culprit_line().size() < 1'000);
  }
}

}  // namespace ending_test
