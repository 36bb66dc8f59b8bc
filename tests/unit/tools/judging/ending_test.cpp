#include "report/judging/ending.hpp"

#include "report/judging/absence.hpp"
#include "report/judging/run_joining.hpp"
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
  std::size_t runs = 0;
};

/// Of the newest run.
Outcome outcome_of(const std::vector<std::string>& files) {
  const Logs logs = read(files);
  const auto runs = join_runs(logs);
  REQUIRE_FALSE(runs.empty());
  Outcome outcome;
  outcome.ending = ending_of(runs.back(), logs);
  outcome.culprit = outcome.ending.culprit_line();
  outcome.runs = runs.size();
  return outcome;
}

}  // namespace

TEST_CASE("ending_of: a run that ended well on all ranks is ok and has no culprit", "[unit]") {
  const Outcome outcome = outcome_of(files_of(four));
  CHECK(outcome.ending.status == RunStatus::ok);
  CHECK(outcome.culprit.empty());
  CHECK(outcome.ending.stops.size() == 1);
}

TEST_CASE("ending_of: a rank without an end is the culprit, whom the others miss", "[unit]") {
  const std::string missing = "deadline expired (missing: rank 2)";
  const Outcome outcome =
      outcome_of({ended(0, "CommunicationError", missing, {2}), ended(1, "CommunicationError", missing, {2}),
                  lost(2), ended(3, "CommunicationError", missing, {2})});
  CHECK(outcome.ending.status == RunStatus::failed);
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 2: its log ends"));
  CHECK_THAT(outcome.culprit, ContainsSubstring("iteration 4, norm (4096, bf16) config-1"));
}

TEST_CASE("ending_of: a rank that alone met a new key in a later call is the culprit", "[unit]") {
  auto end = failed(four, 1, "CommunicationError", "rank 1 launched kernel \"gemm\", key (7) alone", {1}, 0);
  std::get<contextual::record::RunEnd>(end.body).phase = contextual::record::RunStage::hello;
  Events events = start_only(four, 1);
  events.push_back(end);
  const Outcome outcome = outcome_of({"", lines_of(events), "", ""});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 1: "));
  CHECK_THAT(outcome.culprit, ContainsSubstring("key (7) alone"));
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

TEST_CASE("ending_of: a blocked rank that the others miss is the culprit", "[unit]") {
  const Outcome outcome = outcome_of({ended(0, "CommunicationError", "missing: rank 1", {1}, 8), stuck(1),
                                      ended(2, "CommunicationError", "missing: rank 1", {1}, 8),
                                      ended(3, "CommunicationError", "missing: rank 1", {1}, 8)});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 1: blocked in region"));
}

TEST_CASE("ending_of: all ranks blocked in one place: no rank is accused", "[unit]") {
  const Outcome outcome = outcome_of({stuck(0), stuck(1), stuck(2), stuck(3)});
  CHECK(outcome.ending.culprits.empty());
  CHECK_THAT(outcome.culprit, ContainsSubstring("cannot say which was first"));
}

TEST_CASE("ending_of: a rank blocked in another place than all others is the culprit", "[unit]") {
  const Outcome outcome = outcome_of({stuck(0), stuck(1), stuck(2, 4), stuck(3)});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 2: blocked"));
}

TEST_CASE("ending_of: a rank whose region threw is the culprit, whether others heard of it or are blocked",
          "[unit]") {
  const std::string threw = ended(2, "region", "device lost", {2});
  const std::string heard = "the region failed on rank 2: device lost";
  const Outcome told =
      outcome_of({ended(0, "RegionFailedError", heard, {2}), ended(1, "RegionFailedError", heard, {2}), threw,
                  ended(3, "RegionFailedError", heard, {2})});
  CHECK_THAT(told.culprit, StartsWith("culprit: rank 2: its region threw: device lost"));
  const Outcome waiting = outcome_of({stuck(0), stuck(1), threw, stuck(3)});
  CHECK_THAT(waiting.culprit, StartsWith("culprit: rank 2: its region threw: device lost"));
  const Outcome ended_by_launcher = outcome_of({lost(0), lost(1), threw, lost(3)});
  CHECK_THAT(ended_by_launcher.culprit, StartsWith("culprit: rank 2: its region threw: device lost"));
}

TEST_CASE(
    "ending_of: a rank on which every config fails is the culprit, not those that wait for it in the region",
    "[unit]") {
  const std::string says =
      "culprit: rank 2: every config of gemm (4096, bf16) failed there: rank 2: no memory for config-2";
  const Outcome blocked = outcome_of({stuck(0), stuck(1), without_configs(four, 2), stuck(3)});
  CHECK_THAT(blocked.culprit, StartsWith(says));
  CHECK_THAT(blocked.culprit, ContainsSubstring("(walk, iteration 5)"));
  const Outcome ended_by_launcher = outcome_of({lost(0), stuck(1), without_configs(four, 2), lost(3)});
  CHECK_THAT(ended_by_launcher.culprit, StartsWith(says));
  const Outcome missed = outcome_of({ended(0, "CommunicationError", "missing: ranks 1, 3", {1, 3}), stuck(1),
                                     without_configs(four, 2), stuck(3)});
  CHECK_THAT(missed.culprit, StartsWith(says));
  const std::string gave_up = "no data from rank 2 within 10 s";
  const Outcome victims_threw =
      outcome_of({ended(0, "RegionFailedError", gave_up, {1}), ended(1, "region", gave_up, {1}),
                  without_configs(four, 2), ended(3, "RegionFailedError", gave_up, {1})});
  CHECK_THAT(victims_threw.culprit, StartsWith(says));
}

TEST_CASE("ending_of: of two ranks the one on which every config fails is the culprit, not the blocked one",
          "[unit]") {
  const SampleRun two{.ranks = 2};
  Events waits = until(events_of(two, 0), 5);
  waits.emplace_back(blocked(two, 0, 5));
  const Outcome outcome = outcome_of({lines_of(waits), without_configs(two, 1)});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 1: every config of gemm (4096, bf16) failed there"));
}

TEST_CASE("ending_of: where all ranks learn that every config failed on one, that one is the culprit",
          "[unit]") {
  const std::string error = "no config is left, all 3 were rejected";
  for (const std::vector<int>& blamed : {std::vector<int>{}, std::vector<int>{2}}) {
    const Outcome outcome = outcome_of(
        {ended(0, "TuningFailedError", error, blamed), ended(1, "TuningFailedError", error, blamed),
         without_configs(four, 2), ended(3, "TuningFailedError", error, blamed)});
    CHECK_THAT(outcome.culprit,
               StartsWith("culprit: rank 2: every config of gemm (4096, bf16) failed there"));
  }
}

TEST_CASE("ending_of: a rank that alone failed for lack of a config is the culprit, though it blames nobody",
          "[unit]") {
  const Outcome outcome =
      outcome_of({stuck(0), stuck(1), ended(2, "TuningFailedError", "no config is left", {}), stuck(3)});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 2: every config of a kernel failed there"));
}

TEST_CASE("ending_of: where every config fails on every rank, no rank is accused", "[unit]") {
  const Outcome outcome = outcome_of({without_configs(four, 0), without_configs(four, 1),
                                      without_configs(four, 2), without_configs(four, 3)});
  CHECK(outcome.ending.culprits.empty());
  CHECK_THAT(outcome.culprit,
             StartsWith("culprit: no single rank: every config of gemm (4096, bf16) failed on "
                        "all ranks: rank 0: no memory"));
}

TEST_CASE("ending_of: a rank that others say failed is the culprit, whatever its own log has", "[unit]") {
  const std::string heard = "region \"ag_gemm\" failed on rank 2: it left by exit(3)";
  const auto told = [&](int rank) { return ended(rank, "RegionFailedError", heard, {2}); };
  const Outcome no_end = outcome_of({told(0), told(1), lost(2), told(3)});
  CHECK_THAT(no_end.culprit, StartsWith("culprit: rank 2: its log ends without an end of the run"));
  CHECK_THAT(no_end.culprit, ContainsSubstring("; rank 0 heard: " + heard));
  const Outcome empty_log = outcome_of({told(0), told(1), "", told(3)});
  CHECK_THAT(empty_log.culprit, StartsWith("culprit: rank 2: rank-2.jsonl has no run of this tuning"));
  CHECK_THAT(empty_log.culprit, ContainsSubstring("; rank 0 heard: " + heard));
  const Outcome no_log = outcome_of({told(0), told(1)});
  CHECK_THAT(no_log.culprit,
             StartsWith("culprit: rank 2: no log file in this directory; rank 0 heard: " + heard));
  const Outcome others_blocked = outcome_of({told(0), stuck(1), "", lost(3)});
  CHECK_THAT(others_blocked.culprit, StartsWith("culprit: rank 2: rank-2.jsonl has no run of this tuning"));
}

TEST_CASE("ending_of: regions that give up waiting for a lost rank do not hide it", "[unit]") {
  const std::string gave_up = "no data from rank 3 within 10 s";
  const Outcome outcome =
      outcome_of({ended(0, "region", gave_up, {}), ended(1, "region", gave_up, {}), stuck(2), lost(3)});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 3: its log ends"));
}

TEST_CASE(
    "ending_of: a rank that left the region early is the culprit, not those that went on and are blocked",
    "[unit]") {
  const Outcome outcome =
      outcome_of({stuck(0, 7), ended(1, "CommunicationError", "missing: ranks 0, 2-3", {0, 2, 3}, 5),
                  stuck(2, 7), stuck(3, 7)});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 1: CommunicationError"));
}

TEST_CASE("ending_of: a rank that came back too late names itself, and is the culprit", "[unit]") {
  const Outcome outcome =
      outcome_of({stuck(0), stuck(1), stuck(2),
                  ended(3, "CommunicationError", "the others gave up (missing: rank 3)", {3})});
  CHECK_THAT(outcome.culprit, StartsWith("culprit: rank 3: CommunicationError"));
}

TEST_CASE("ending_of: ranks that differ are those that most ranks blame", "[unit]") {
  const std::string error = "rank 3 launched another kernel";
  const Outcome outcome =
      outcome_of({ended(0, "RankMismatchError", error, {3}), ended(1, "RankMismatchError", error, {3}),
                  ended(2, "RankMismatchError", error, {3}), ended(3, "RankMismatchError", error, {3})});
  CHECK(outcome.ending.culprits == std::vector<std::int64_t>{3});
  CHECK_THAT(outcome.culprit, ContainsSubstring(error));
}

TEST_CASE("ending_of: a rank that wrote nothing is named with its file", "[unit]") {
  Events alone = start_only(four, 0);
  alone.emplace_back(failed(four, 0, "CommunicationError", "missing: ranks 1-3", {1, 2, 3}, -1));
  const Logs logs = read({lines_of(alone), lines_of(start_only(four, 1)), ""});
  const auto runs = join_runs(logs);
  REQUIRE(runs.size() == 1);
  CHECK_FALSE(runs[0].met);
  const auto absences = absences_of(runs[0], logs);
  REQUIRE(absences.size() == 2);
  CHECK_THAT(absences[0].text(), StartsWith("rank 2: rank-2.jsonl has no run of this tuning"));
  CHECK_THAT(absences[1].text(), StartsWith("rank 3: no log file"));
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
  for (const TuningRun& run : join_runs(logs)) {
    const Ending ending = ending_of(run, logs);
    CHECK(ending.culprits.size() <= 10'000);
    CHECK(ending.culprit_line().size() < 1'000);
  }
}

}  // namespace ending_test
