#include "unit/tools/sample_logs.hpp"

#include "contextual/record/json_format.hpp"
#include "report/reading/log_reader.hpp"

#include <algorithm>
#include <sstream>

namespace report_test {
namespace {

namespace record = contextual::record;

using contextual::Phase;
using record::LaunchRole;

record::Event event_of(const SampleRun& run, int rank, record::EventBody body) {
  return {run.id + "-" + std::to_string(rank), rank, run.region, std::move(body)};
}

/// Writes one rank's events.
class Writer {
 public:
  Writer(const SampleRun& run, int rank) : run_(run), rank_(rank) {}

  void add(record::EventBody event) { events_.push_back(event_of(run_, rank_, std::move(event))); }

  template <typename E>
  static E about(const std::string& kernel, std::int64_t config) {
    E event;
    event.config = {{kernel, "(4096, bf16)"}, config, {{"BLOCK_N", 64 * (config + 1)}, {"IMPL", "mma"}}};
    return event;
  }

  /// A launch; the agreed time is that of the last rank, which is the slowest.
  void launch(Phase phase, std::int64_t iteration, const std::string& kernel, std::int64_t config,
              LaunchRole role, int step = 0) {
    auto row = about<record::LaunchRow>(kernel, config);
    const std::int64_t agreed = (kernel == "gemm" ? 100'000 - 20'000 * (config == 1) + 5'000 * (config == 2)
                                                  : 30'000 + 9'000 * config) +
                                100 * (iteration % 3);
    row.phase = phase;
    row.tuning_iteration = iteration;
    row.role = role;
    if (role != LaunchRole::best) {
      row.step_iteration = step;
    }
    row.agreed_ns = agreed;
    row.local_ns = agreed - 1'000 * (run_.ranks - 1 - rank_);
    row.makespan_ns = 200'000 + 1'000 * iteration;
    row.local_makespan_ns = 200'000 + 1'000 * iteration - 500 * (run_.ranks - 1 - rank_);
    add(row);
  }

  const std::string& id() const { return run_.id; }
  Events take() { return std::move(events_); }

 private:
  SampleRun run_;
  int rank_;
  Events events_;
};

void start(Writer& out, const SampleRun& run, int rank) {
  record::RunStart event;
  event.rank_count = run.ranks;
  event.group = run.ranks == 1 ? "one rank" : "MPI (" + std::to_string(run.ranks) + " ranks)";
  event.process_rank = rank;
  event.options = "n_warmup=1 n_repeat=2 finals=true";
  event.time_iso8601 = run.time;
  out.add(event);
}

void walk(Writer& out) {
  for (std::int64_t iteration = 0; iteration < 9; ++iteration) {
    const std::int64_t config = iteration / 3;
    const int step = static_cast<int>(iteration % 3);
    const LaunchRole role = step == 0 ? LaunchRole::warmup : LaunchRole::repeat;
    out.launch(Phase::walk, iteration, "gemm", config, role, step);
    if (config < 2) {
      out.launch(Phase::walk, iteration, "norm", config, role, step);
    } else {
      out.launch(Phase::walk, iteration, "norm", 0, LaunchRole::best);
    }
    if (step == 2) {
      auto summary = out.about<record::ConfigSummary>("gemm", config);
      summary.sample_count = 2;
      summary.centre_ns = 100'000;
      summary.spread_ns = 74.13;
      out.add(summary);
    }
  }
}

void search(Writer& out) {
  for (std::int64_t iteration = 9; iteration < 15; ++iteration) {
    out.launch(Phase::search, iteration, "gemm", iteration % 2 == 0 ? 0 : 1, LaunchRole::candidate,
               static_cast<int>(iteration - 9) / 2);
    out.launch(Phase::search, iteration, "norm", 0, LaunchRole::best);
  }
  record::Contest contest;
  contest.problem = {"gemm", "(4096, bf16)"};
  contest.entries = {{"config-1", 1, 3, 210'000, 900, std::nullopt, true},
                     {"config-0", 0, 3, 230'000, 800, -20'000, false}};
  contest.reason = "kept config-1: no candidate gained more than 0.5 % and the noise";
  out.add(contest);
  record::Contest verdict;
  verdict.kind = record::ContestKind::verdict;
  verdict.entries = {{"chosen", 1, 3, 205'000, 700, std::nullopt, true},
                     {"defaults", 0, 3, 230'000, 600, -26'000, false}};
  verdict.reason = "kept the chosen set: makespan 11.3 % shorter than with all defaults (paired, 3 rounds)";
  out.add(verdict);
}

void choices(Writer& out) {
  auto gemm = out.about<record::Choice>("gemm", 1);
  gemm.latency_ns = 80'000;
  gemm.reason = "fastest by own time, 20.0 % shorter than the default";
  out.add(gemm);
  auto norm = out.about<record::Choice>("norm", 0);
  norm.latency_ns = 30'000;
  norm.reason = "the default is the fastest by own time";
  out.add(norm);
}

}  // namespace

Events events_of(const SampleRun& run, int rank) {
  Writer out(run, rank);
  start(out, run, rank);
  record::Hello hello;
  hello.tuning_id = run.id;
  out.add(hello);
  walk(out);
  search(out);
  choices(out);
  out.launch(Phase::final_run, 15, "gemm", 1, LaunchRole::best);
  out.launch(Phase::final_run, 15, "norm", 0, LaunchRole::best);
  record::RunEnd end;
  end.phase = record::RunStage::final_run;
  end.tuning_iteration = 15;
  end.problem_count = 2;
  end.walk_iterations = 9;
  end.search_iterations = 6;
  end.elapsed_ns = 5'300'000'000;
  out.add(end);
  return out.take();
}

Events until(const Events& events, std::int64_t iteration) {
  const auto end = std::find_if(events.begin(), events.end(), [&](const record::Event& event) {
    const auto* launch = std::get_if<record::LaunchRow>(&event.body);
    return launch != nullptr && launch->tuning_iteration >= iteration;
  });
  return {events.begin(), end};
}

Events start_only(const SampleRun& run, int rank) {
  Writer out(run, rank);
  start(out, run, rank);
  return out.take();
}

record::Event failed(const SampleRun& run, int rank, std::string type, std::string error,
                     std::vector<int> blamed, std::int64_t iteration) {
  record::RunEnd end;
  end.status = record::EndStatus::failed;
  end.error = std::move(error);
  end.error_type = std::move(type);
  end.blamed_ranks.assign(blamed.begin(), blamed.end());
  end.phase = record::RunStage::walk;
  end.tuning_iteration = iteration;
  end.elapsed_ns = 1'000'000'000;
  return event_of(run, rank, std::move(end));
}

record::Event blocked(const SampleRun& run, int rank, std::int64_t iteration) {
  auto event = Writer::about<record::Blocked>("gemm", 1);
  event.tuning_iteration = iteration;
  event.since_iso8601 = run.time;
  event.blocked_ns = 70'000'000'000 + rank;
  return event_of(run, rank, std::move(event));
}

Events tuning_failed(const SampleRun& run, int rank, std::int64_t iteration) {
  Writer out(run, rank);
  for (std::int64_t config = 0; config < 3; ++config) {
    auto event = out.about<record::Rejected>("gemm", config);
    event.tuning_iteration = iteration;
    event.reason = "rank " + std::to_string(rank) + ": no memory for config-" + std::to_string(config);
    out.add(event);
  }
  Events events = out.take();
  events.emplace_back(
      failed(run, rank, "TuningFailedError", "no config is left, all 3 were rejected", {rank}, iteration));
  return events;
}

std::string lines_of(const Events& events) {
  std::string text;
  for (const record::Event& event : events) {
    text += record::to_json_line(event) + "\n";
  }
  return text;
}

std::vector<std::string> files_of(const SampleRun& run) {
  std::vector<std::string> files;
  for (int rank = 0; rank < run.ranks; ++rank) {
    files.push_back(lines_of(events_of(run, rank)));
  }
  return files;
}

contextual::log_report::Logs read(const std::vector<std::string>& files) {
  contextual::log_report::Logs logs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    contextual::log_report::LogFile file;
    file.name = "rank-" + std::to_string(i) + ".jsonl";
    file.process = static_cast<std::int64_t>(i);
    std::istringstream stream(files[i]);
    contextual::log_report::read_log(stream, files[i].size(), std::move(file), logs);
  }
  return logs;
}

}  // namespace report_test
